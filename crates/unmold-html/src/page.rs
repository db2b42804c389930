//! The page: an immutable tree in document order.
//!
//! Text is cleaned while the tree is written: comments, scripts, styles and hidden elements are
//! left out, adjacent texts are joined and white space is collapsed. Everything else (labels,
//! subtree hashes, chunks, words, paths) is computed on request.

use xxhash_rust::xxh3::xxh3_64;

use crate::arena::{Arena, Attr, Gap, Node};
use crate::fallback::FallbackReason;
use crate::flag::Flag;
use crate::limits::{Limits, OverLimit};
use crate::names::{CLASS, ID};
use crate::node::{NodeId, NodeRange};
use crate::options::{ParseOptions, Parser};
use crate::tag::Tag;
use crate::{decode, fast, flat, linked_data, noscript, tree};

/// A web page: an immutable tree of elements and texts in document order.
///
/// # Panics
///
/// Methods that take a [`NodeId`] panic if the page has no such node. Ids come from the page
/// itself, so this only happens if ids of different pages are mixed up.
///
/// ```
/// use unmold_html::{Limits, Page};
/// let page = Page::parse(b"<title>Tea</title><p>Green <b>tea</b>.</p>", &Limits::default());
/// assert_eq!(page.title(), Some("Tea"));
/// let texts: Vec<&str> = page.visible_texts().map(|id| page.text(id)).collect();
/// assert_eq!(texts, ["Green", "tea", "."]);
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    arena: Arena,
    quirks: bool,
    flags: Vec<Flag>,
    over_limit: Option<OverLimit>,
    url: Option<String>,
    body: Option<NodeId>,
    title: Option<NodeId>,
    fallback: Option<FallbackReason>,
    linked_data: Vec<String>,
}

/// A page with less visible text may have its content where only scripts show it.
const MAX_BARE_BYTES: usize = 3000;
/// A page with more visible text than this is not sent hidden, and less hidden text is a dialog or
/// a menu.
const MAX_EMPTY_BYTES: usize = 300;
const MIN_HIDDEN_BYTES: usize = 1500;

impl Page {
    /// Parses a page. This never fails; what is unusual about the page is [flagged](Page::flags).
    #[must_use]
    pub fn parse(bytes: &[u8], limits: &Limits) -> Page {
        Page::parse_with(bytes, &ParseOptions::default().with_limits(limits.clone()))
    }

    /// [`Page::parse`] with all options.
    #[must_use]
    pub fn parse_with(bytes: &[u8], options: &ParseOptions) -> Page {
        let bytes = decode::without_padding(bytes);
        let Some(decoded) = decode::decode(bytes, options.charset.as_deref()) else {
            return Page::assemble(
                flat::parse("", &options.limits),
                false,
                vec![Flag::Binary],
                options,
            );
        };
        let mut flags = Vec::new();
        if decoded.damaged {
            flags.push(Flag::BadCharset);
        }
        if bytes.len() > options.limits.bytes {
            return Page::over(OverLimit::Bytes, &decoded.text, flags, options);
        }
        let mut page = Page::parse_text(&decoded.text, flags.clone(), options);
        if page.over_limit.is_none() && page.is_bare() {
            page = page.or_as_shown_by_scripts(&decoded.text, &flags, options);
        }
        page.linked_data = linked_data::find(&decoded.text);
        page
    }

    /// The page with what its scripts would show, if that is most of it: posts inside `<noscript>`,
    /// or a page that is sent hidden.
    fn or_as_shown_by_scripts(self, text: &str, flags: &[Flag], options: &ParseOptions) -> Page {
        let is_most = |shown: &Page| {
            shown.over_limit.is_none() && shown.text_bytes() >= self.text_bytes().max(1) * 4
        };
        if let Some(shown) = noscript::shown(text)
            && shown.len() <= options.limits.bytes
        {
            let mut shown = Page::parse_text(&shown, flags.to_vec(), options);
            if is_most(&shown) {
                shown.linked_data = self.linked_data;
                return shown;
            }
        }
        let may_hide = |word: &[u8]| memchr::memmem::find(text.as_bytes(), word).is_some();
        let is_empty = self.text_bytes() <= MAX_EMPTY_BYTES;
        if options.keep_hidden || !is_empty || !(may_hide(b"hidden") || may_hide(b"none")) {
            return self;
        }
        let mut shown =
            Page::parse_text(text, flags.to_vec(), &options.clone().with_keep_hidden(true));
        if shown.text_bytes() < MIN_HIDDEN_BYTES || !is_most(&shown) {
            return self;
        }
        shown.linked_data = self.linked_data;
        shown
    }

    fn parse_text(text: &str, flags: Vec<Flag>, options: &ParseOptions) -> Page {
        let fallback = match options.parser {
            Parser::Html5ever => None,
            Parser::Fast => match fast::parse(text, &options.limits, options.keep_hidden) {
                Ok(tree) => return Page::assemble(tree.arena, tree.quirks, flags, options),
                Err(reason) => Some(reason),
            },
        };
        let mut page = match tree::parse(text, &options.limits, options.keep_hidden) {
            Ok(tree) => Page::assemble(tree.arena, tree.quirks, flags, options),
            Err(over) => Page::over(over, text, flags, options),
        };
        page.fallback = fallback;
        page
    }

    /// Whether there is little visible text; most pages show the contrary after a few nodes.
    fn is_bare(&self) -> bool {
        let mut bytes = 0;
        self.visible_texts().all(|id| {
            bytes += self.text(id).len();
            bytes <= MAX_BARE_BYTES
        })
    }

    /// Bytes of visible text.
    fn text_bytes(&self) -> usize {
        self.visible_texts().map(|id| self.text(id).len()).sum()
    }

    /// Reads a page over a limit, without a tree.
    fn over(over: OverLimit, text: &str, mut flags: Vec<Flag>, options: &ParseOptions) -> Page {
        flags.push(Flag::TooLarge);
        let mut page = Page::assemble(flat::parse(text, &options.limits), true, flags, options);
        page.over_limit = Some(over);
        page
    }

    fn assemble(arena: Arena, quirks: bool, flags: Vec<Flag>, options: &ParseOptions) -> Page {
        let mut page = Page {
            arena,
            quirks,
            flags,
            over_limit: None,
            url: options.url.clone(),
            body: None,
            title: None,
            fallback: None,
            linked_data: Vec::new(),
        };
        let body = page.children(NodeId::ROOT).find(|&id| page.tag(id) == Tag::BODY);
        page.body = body;
        page.title =
            page.before_body().find(|&id| page.tag(id) == Tag::TITLE && !page.node(id).foreign);
        if !page.flags.contains(&Flag::Binary) && page.content_leaves().next().is_none() {
            page.flags.push(Flag::Empty);
        }
        page
    }

    #[inline]
    fn node(&self, id: NodeId) -> &Node {
        &self.arena.nodes[id.index()]
    }

    /// The number of nodes. There is always at least one, the root.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> u32 {
        self.arena.nodes.len() as u32
    }

    /// All nodes, in document order.
    #[inline]
    pub fn nodes(&self) -> NodeRange {
        NodeRange::new(NodeId::ROOT, NodeId::new(self.len()))
    }

    /// The element's tag; [`Tag::TEXT`] for a text.
    #[inline]
    pub fn tag(&self, id: NodeId) -> Tag {
        self.node(id).tag
    }

    /// The element's name; `#text` for a text.
    #[inline]
    pub fn tag_name(&self, id: NodeId) -> &str {
        self.arena.tag_name(self.tag(id))
    }

    /// The hash of the element's name.
    #[doc(hidden)]
    #[inline]
    pub fn tag_hash(&self, id: NodeId) -> u64 {
        self.tag(id).known_hash().unwrap_or_else(|| xxh3_64(self.tag_name(id).as_bytes()))
    }

    /// Whether the node is a text.
    #[inline]
    pub fn is_text(&self, id: NodeId) -> bool {
        self.tag(id) == Tag::TEXT
    }

    /// The text with its white space collapsed; empty for an element.
    #[inline]
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        if node.tag == Tag::TEXT {
            &self.arena.pool[node.start as usize..node.end as usize]
        } else {
            ""
        }
    }

    /// A text inside `pre`, `textarea` or the like with its original white space, including that
    /// before it; `None` for other nodes.
    pub fn preformatted(&self, id: NodeId) -> Option<&str> {
        let found =
            self.arena.preformatted.binary_search_by_key(&id.position(), |p| p.node).ok()?;
        Some(&self.arena.preformatted[found].text)
    }

    /// What separates this node from the text before it.
    #[inline]
    pub fn gap(&self, id: NodeId) -> Gap {
        self.node(id).gap
    }

    /// Whether the element belongs to SVG or MathML.
    #[inline]
    pub fn is_foreign(&self, id: NodeId) -> bool {
        self.node(id).foreign
    }

    /// The node's parent; `None` for the root.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::ROOT).then(|| NodeId::new(self.node(id).parent))
    }

    /// The number of nodes in the subtree, including the node itself.
    #[inline]
    pub fn size(&self, id: NodeId) -> u32 {
        self.node(id).size
    }

    /// The number of ancestors.
    #[inline]
    pub fn depth(&self, id: NodeId) -> u32 {
        self.node(id).depth
    }

    /// The node and all its descendants.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> NodeRange {
        NodeRange::new(id, NodeId::new(id.position() + self.size(id)))
    }

    /// The node's children, in document order.
    #[inline]
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.subtree(id).end;
        let first = Some(id.next()).filter(|&first| first < end);
        std::iter::successors(first, move |&child| {
            Some(self.subtree(child).end).filter(|&next| next < end)
        })
    }

    /// The node's ancestors, from its parent to the root.
    #[inline]
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// The names, in lower case, and values of the element's attributes.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.attrs(id).iter().map(|attr| self.arena.attribute(attr))
    }

    #[inline]
    fn attrs(&self, id: NodeId) -> &[Attr] {
        let node = self.node(id);
        if node.tag == Tag::TEXT {
            &[]
        } else {
            &self.arena.attrs[node.start as usize..node.end as usize]
        }
    }

    /// The values of the attributes `class` and `id`.
    #[inline]
    pub fn class_and_id(&self, id: NodeId) -> impl Iterator<Item = &str> + '_ {
        let named = self.attrs(id).iter().filter(|attr| attr.name == CLASS || attr.name == ID);
        named.map(|attr| self.arena.attribute(attr).1)
    }

    /// The value of the attribute `name`.
    #[inline]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).find(|&(n, _)| n == name).map(|(_, value)| value)
    }

    /// The nodes before the body; all nodes if the page has no body.
    pub(crate) fn before_body(&self) -> NodeRange {
        NodeRange::new(NodeId::ROOT, self.body.unwrap_or(NodeId::new(self.len())))
    }

    /// The body and all its descendants; empty if the page has no body.
    #[inline]
    pub fn body(&self) -> NodeRange {
        self.body.map_or(NodeRange::new(NodeId::ROOT, NodeId::ROOT), |id| self.subtree(id))
    }

    /// The texts of the body, in document order.
    #[inline]
    pub fn visible_texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.body().filter(|&id| self.is_text(id))
    }

    /// The nodes with content: visible texts, images, form values, embedded objects.
    #[inline]
    pub fn content_leaves(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.body().filter(|&id| match self.tag(id) {
            Tag::TEXT
            | Tag::IMG
            | Tag::IFRAME
            | Tag::EMBED
            | Tag::OBJECT
            | Tag::VIDEO
            | Tag::AUDIO => true,
            Tag::INPUT => {
                self.attribute(id, "value").is_some()
                    && self.attribute(id, "type") != Some("hidden")
            }
            _ => false,
        })
    }

    /// The text of the `title` element.
    pub fn title(&self) -> Option<&str> {
        let text = self.children(self.title?).next()?;
        Some(self.text(text))
    }

    /// The page's JSON-LD: what it says about itself, in the order of the page.
    pub fn linked_data(&self) -> &[String] {
        &self.linked_data
    }

    /// What is unusual about the page.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The limit that the page exceeds, if any.
    pub fn over_limit(&self) -> Option<OverLimit> {
        self.over_limit
    }

    /// Why the fast parser left the page to html5ever; `None` if it did not.
    pub fn fallback(&self) -> Option<FallbackReason> {
        self.fallback
    }

    /// An estimate of the memory that learning from the page takes: the page itself and what
    /// methods note about its nodes.
    pub fn estimated_bytes(&self) -> usize {
        /// What a node, its labels, its hashes and the block it may start take.
        const NODE: usize = 512;
        let Arena { nodes, attrs, pool, names, preformatted } = &self.arena;
        let kept: usize = preformatted.iter().map(|kept| kept.text.len()).sum();
        let named: usize = names.iter().map(|name| 2 * name.len() + NODE).sum();
        nodes.len() * NODE + std::mem::size_of_val(&attrs[..]) + pool.len() + kept + named
    }

    /// Whether the page is in quirks mode, which changes how tables nest in paragraphs.
    pub fn is_quirky(&self) -> bool {
        self.quirks
    }

    /// The page's address, if it was given.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}
