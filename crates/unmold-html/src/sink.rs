//! Receives the tree from html5ever, as a vector of linked nodes.
//!
//! html5ever may move nodes (foster parenting, adoption agency); the links make that cheap. `tree`
//! then renumbers the nodes in document order.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, local_name};

use crate::hash::KeyedSet;
use crate::limits::{Limits, OverLimit};

/// Marks the absence of a node.
pub(crate) const NONE: u32 = u32::MAX;
/// The document node.
pub(crate) const DOCUMENT: u32 = 0;

#[derive(Debug)]
pub(crate) enum RawData {
    /// The document, or the contents of a `template` element.
    Root,
    Element {
        name: LocalName,
        html: bool,
        attrs: Vec<Attribute>,
        integration_point: bool,
    },
    Text(StrTendril),
    /// A comment or processing instruction. Its contents are not kept.
    Ignored,
}

#[derive(Debug)]
pub(crate) struct RawNode {
    pub(crate) parent: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    depth: u32,
    /// Text in this element is never shown and not kept. Scripts are half of many pages.
    drops_text: bool,
    pub(crate) data: RawData,
}

impl RawNode {
    fn new(data: RawData) -> RawNode {
        RawNode {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            depth: 0,
            drops_text: false,
            data,
        }
    }
}

/// The tree as html5ever left it.
pub(crate) struct RawTree {
    pub(crate) nodes: Vec<RawNode>,
    pub(crate) quirks: bool,
}

/// A node with its name: the tree builder asks for names so often that a look-up would be slow.
#[derive(Clone)]
pub(crate) struct Handle {
    id: u32,
    namespace: Namespace,
    name: LocalName,
}

pub(crate) struct Sink {
    nodes: RefCell<Vec<RawNode>>,
    quirks: Cell<bool>,
    limits: Limits,
    over: Cell<Option<OverLimit>>,
    /// Number of calls that changed the tree: if it stalls, the tokenizer is inside a long token.
    calls: Cell<u64>,
    names: RefCell<LongNames>,
}

/// The long names of a page, which html5ever keeps in one table for the whole process.
///
/// That table is a fixed number of lists, and its hash function has no secret. A page with names
/// that are all in one list, or with hundreds of thousands of names, would take quadratic time.
#[derive(Default)]
struct LongNames {
    seen: KeyedSet<LocalName>,
    /// Number of names of this page in each list.
    in_list: Vec<u8>,
}

impl LongNames {
    /// Lists in the table of html5ever (`string_cache`).
    const LISTS: usize = 1 << 12;
    /// Shorter names are not in the table.
    const MIN_BYTES: usize = 8;
    /// Names that a page may have in one list. With ordinary names, a page needs more than 100 000
    /// different ones to get there.
    const MAX_IN_LIST: u8 = 64;

    /// Adds a name; returns whether its list is still short enough.
    fn add(&mut self, name: &LocalName) -> bool {
        if name.len() < Self::MIN_BYTES || !self.seen.insert(name.clone()) {
            return true;
        }
        self.in_list.resize(Self::LISTS, 0);
        let list = &mut self.in_list[name.get_hash() as usize % Self::LISTS];
        *list = list.saturating_add(1);
        *list <= Self::MAX_IN_LIST
    }
}

impl Sink {
    pub(crate) fn new(limits: &Limits, expected_nodes: usize) -> Sink {
        let mut nodes = Vec::with_capacity(expected_nodes);
        nodes.push(RawNode::new(RawData::Root));
        Sink {
            nodes: RefCell::new(nodes),
            quirks: Cell::new(false),
            limits: limits.clone(),
            over: Cell::new(None),
            calls: Cell::new(0),
            names: RefCell::default(),
        }
    }

    /// The limit that the tree exceeds, if any. The caller then stops feeding html5ever.
    pub(crate) fn over(&self) -> Option<OverLimit> {
        self.over.get()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.get()
    }

    fn create(&self, data: RawData) -> u32 {
        self.calls.set(self.calls.get() + 1);
        let mut nodes = self.nodes.borrow_mut();
        if nodes.len() > self.limits.nodes {
            self.over.set(Some(OverLimit::Nodes));
        }
        nodes.push(RawNode::new(data));
        (nodes.len() - 1) as u32
    }

    fn note_names<'a>(&self, mut names: impl Iterator<Item = &'a LocalName>) {
        let known = &mut *self.names.borrow_mut();
        if !names.all(|name| known.add(name)) {
            self.over.set(Some(OverLimit::Names));
        }
    }

    fn nameless(&self, data: RawData) -> Handle {
        Handle {
            id: self.create(data),
            namespace: Namespace::default(),
            name: LocalName::default(),
        }
    }

    fn append_text(&self, parent: u32, before: u32, text: StrTendril) {
        self.calls.set(self.calls.get() + 1);
        let neighbour = {
            let nodes = self.nodes.borrow();
            if nodes[parent as usize].drops_text {
                return;
            }
            if before == NONE {
                nodes[parent as usize].last
            } else {
                nodes[before as usize].previous
            }
        };
        if neighbour != NONE
            && let RawData::Text(existing) = &mut self.nodes.borrow_mut()[neighbour as usize].data
        {
            existing.push_tendril(&text);
            return;
        }
        let id = self.create(RawData::Text(text));
        self.link(parent, before, id);
    }

    /// Makes `child` a child of `parent`, before the sibling `before` or at the end.
    fn link(&self, parent: u32, before: u32, child: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if before == NONE {
            nodes[parent as usize].last
        } else {
            nodes[before as usize].previous
        };
        let depth = nodes[parent as usize].depth + 1;
        if depth as usize > self.limits.depth {
            self.over.set(Some(OverLimit::Depth));
        }
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, before, depth);
        match previous {
            NONE => nodes[parent as usize].first = child,
            _ => nodes[previous as usize].next = child,
        }
        match before {
            NONE => nodes[parent as usize].last = child,
            _ => nodes[before as usize].previous = child,
        }
    }

    fn unlink(&self, child: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let RawNode { parent, previous, next, .. } = nodes[child as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            _ => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            _ => nodes[next as usize].previous = previous,
        }
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    fn insert(&self, parent: u32, before: u32, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(node) => {
                self.unlink(node.id);
                self.link(parent, before, node.id);
            }
            NodeOrText::AppendText(text) => self.append_text(parent, before, text),
        }
    }

    fn parent(&self, id: u32) -> u32 {
        self.nodes.borrow()[id as usize].parent
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = RawTree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> RawTree {
        RawTree { nodes: self.nodes.into_inner(), quirks: self.quirks.get() }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { id: DOCUMENT, namespace: Namespace::default(), name: LocalName::default() }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        ExpandedName { ns: &target.namespace, local: &target.name }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        if attrs.len() > self.limits.attributes {
            self.over.set(Some(OverLimit::Attributes));
        }
        let attribute_names = attrs.iter().map(|attr| &attr.name.local);
        self.note_names(std::iter::once(&name.local).chain(attribute_names));
        let data = RawData::Element {
            name: name.local.clone(),
            html: name.ns == html5ever::ns!(html),
            attrs,
            integration_point: flags.mathml_annotation_xml_integration_point,
        };
        let drops_text = matches!(
            name.local,
            local_name!("script")
                | local_name!("style")
                | local_name!("noscript")
                | local_name!("iframe")
        );
        let id = self.create(data);
        self.nodes.borrow_mut()[id as usize].drops_text = drops_text;
        if flags.template {
            // The contents of a template are outside the tree. Their number is one more than the
            // element's.
            self.create(RawData::Root);
        }
        Handle { id, namespace: name.ns, name: name.local }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.nameless(RawData::Ignored)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.nameless(RawData::Ignored)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, NONE, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let parent = self.parent(sibling.id);
        if parent != NONE {
            self.insert(parent, sibling.id, child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        match self.parent(element.id) {
            NONE => self.append(previous, child),
            _ => self.append_before_sibling(element, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Handle { id: target.id + 1, namespace: Namespace::default(), name: LocalName::default() }
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(mode == QuirksMode::Quirks);
    }

    fn add_attrs_if_missing(&self, target: &Handle, new: Vec<Attribute>) {
        self.note_names(new.iter().map(|attr| &attr.name.local));
        if let RawData::Element { attrs, .. } =
            &mut self.nodes.borrow_mut()[target.id as usize].data
        {
            for attr in new {
                if attrs.len() <= self.limits.attributes
                    && attrs.iter().all(|a| a.name != attr.name)
                {
                    attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.unlink(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let child = self.nodes.borrow()[node.id as usize].first;
            if child == NONE {
                return;
            }
            self.unlink(child);
            self.link(new_parent.id, NONE, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        matches!(
            self.nodes.borrow()[handle.id as usize].data,
            RawData::Element { integration_point: true, .. }
        )
    }
}
