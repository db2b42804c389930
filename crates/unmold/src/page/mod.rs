//! What is on a page? An immutable tree in document order, and what can be read off it.
//!
//! Node ids are positions in document order: the subtree of `id` is `id..id + size(id)`. Clean-up
//! happens while the tree is written: comments, scripts, styles and hidden elements are left out,
//! adjacent texts are one, white space is collapsed. Everything else (labels, subtree hashes,
//! chunks, words, paths) is computed when asked for.

mod arena;
mod chunk;
mod decode;
mod fast;
mod flat;
mod guard;
mod label;
mod limits;
mod names;
mod noscript;
mod path;
mod sink;
mod tag;
mod tree;
mod words;

use std::ops::Range;

pub use arena::Gap;
use arena::{Arena, Attr, Node};
pub use chunk::{Chunk, Delimiters};
pub use fast::HandOver;
pub(crate) use label::subtree_hashes;
pub use label::{Interner, LabelProfile};
pub(crate) use label::{content_attributes, push_link, push_without_numbers_of_sentence};
pub use limits::{Flag, Limits, OverLimit};
use names::{CLASS, ID};
pub use tag::{Flow, Tag};
pub use words::{comparison_form, words};
pub(crate) use words::{for_each_word_hash, is_word_character, number_of_words, word_key};
use xxhash_rust::xxh3::xxh3_64;

/// Position of a node in document order.
pub type NodeId = u32;

/// How a page is read.
#[derive(Clone, Default, Debug)]
pub struct ParseOptions {
    /// What the page may cost.
    pub limits: Limits,
    /// Charset named by the HTTP header.
    pub charset: Option<String>,
    /// Address of the page, against which links are resolved when they are compared.
    pub url: Option<String>,
    /// Keep elements with the `hidden` attribute or an inline `display:none`.
    pub keep_hidden: bool,
    /// Which parser builds the tree.
    pub lane: Lane,
}

/// Which parser builds the tree. Both build the same one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lane {
    /// Ours, and html5ever for pages with something ours does not know.
    #[default]
    Fast,
    /// html5ever for all pages: what the fast lane is compared with.
    Html5ever,
}

/// One web page: a tree of elements and texts in document order.
///
/// ```
/// use unmold::{Limits, Page};
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
    hand_over: Option<HandOver>,
}

/// A page with less visible text may have its content inside `<noscript>`.
const MAX_BARE_BYTES: usize = 3000;

impl Page {
    /// Reads a page from its bytes. Never fails: what cannot be read as usual is
    /// [flagged](Page::flags).
    pub fn parse(bytes: &[u8], limits: &Limits) -> Page {
        Page::parse_with(bytes, &ParseOptions { limits: limits.clone(), ..ParseOptions::default() })
    }

    /// [`Page::parse`] with all options.
    pub fn parse_with(bytes: &[u8], options: &ParseOptions) -> Page {
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
        let page = Page::parse_text(&decoded.text, flags.clone(), options);
        if page.over_limit.is_some() || !page.is_bare() {
            return page;
        }
        match noscript::shown(&decoded.text) {
            Some(text) if text.len() <= options.limits.bytes => {
                let shown = Page::parse_text(&text, flags, options);
                if shown.text_bytes() >= page.text_bytes() * 4 { shown } else { page }
            }
            _ => page,
        }
    }

    fn parse_text(text: &str, flags: Vec<Flag>, options: &ParseOptions) -> Page {
        let hand_over = match options.lane {
            Lane::Html5ever => None,
            Lane::Fast => match fast::parse(text, &options.limits, options.keep_hidden) {
                Ok(tree) => return Page::assemble(tree.arena, tree.quirks, flags, options),
                Err(reason) => Some(reason),
            },
        };
        let mut page = match tree::parse(text, &options.limits, options.keep_hidden) {
            Ok(tree) => Page::assemble(tree.arena, tree.quirks, flags, options),
            Err(over) => Page::over(over, text, flags, options),
        };
        page.hand_over = hand_over;
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

    /// A page over a limit.
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
            hand_over: None,
        };
        let body = page.children(0).find(|&id| page.tag(id) == Tag::BODY);
        page.body = body;
        let before_body = page.body.unwrap_or(page.len());
        page.title =
            (0..before_body).find(|&id| page.tag(id) == Tag::TITLE && !page.node(id).foreign);
        if !page.flags.contains(&Flag::Binary) && page.content_leaves().next().is_none() {
            page.flags.push(Flag::Empty);
        }
        page
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.arena.nodes[id as usize]
    }

    /// Number of nodes. There is always at least one, the root.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.arena.nodes.len() as u32
    }

    /// All nodes, in document order.
    pub fn nodes(&self) -> Range<NodeId> {
        0..self.len()
    }

    /// The element's name, or [`Tag::TEXT`].
    pub fn tag(&self, id: NodeId) -> Tag {
        self.node(id).tag
    }

    /// The element's name as it is written, or `#text`.
    pub fn tag_name(&self, id: NodeId) -> &str {
        self.arena.tag_name(self.tag(id))
    }

    /// Hash of the element's name.
    pub(crate) fn tag_hash(&self, id: NodeId) -> u64 {
        self.tag(id).known_hash().unwrap_or_else(|| xxh3_64(self.tag_name(id).as_bytes()))
    }

    /// Whether the node is a text.
    pub fn is_text(&self, id: NodeId) -> bool {
        self.tag(id) == Tag::TEXT
    }

    /// A text with its white space collapsed; empty for elements.
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        if node.tag == Tag::TEXT {
            &self.arena.pool[node.start as usize..node.end as usize]
        } else {
            ""
        }
    }

    /// A text inside `pre` or `textarea` as it was written, with the white space before it.
    pub fn preformatted(&self, id: NodeId) -> Option<&str> {
        let found = self.arena.preformatted.binary_search_by_key(&id, |p| p.node).ok()?;
        Some(&self.arena.preformatted[found].text)
    }

    /// What stood between this node and the text before it.
    pub fn gap(&self, id: NodeId) -> Gap {
        self.node(id).gap
    }

    /// Whether the element belongs to SVG or MathML.
    pub fn is_foreign(&self, id: NodeId) -> bool {
        self.node(id).foreign
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id > 0).then(|| self.node(id).parent)
    }

    /// Number of nodes of the subtree, the node itself included.
    pub fn size(&self, id: NodeId) -> u32 {
        self.node(id).size
    }

    /// Number of ancestors.
    pub fn depth(&self, id: NodeId) -> u32 {
        self.node(id).depth
    }

    /// The node and all below it.
    pub fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..id + self.size(id)
    }

    /// The children, from left to right.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = id + self.size(id);
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&child| {
            Some(child + self.size(child)).filter(|&next| next < end)
        })
    }

    /// The node's ancestors, from its parent to the root.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// Attributes as written, names in lower case.
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.attrs(id).iter().map(|attr| self.arena.attribute(attr))
    }

    fn attrs(&self, id: NodeId) -> &[Attr] {
        let node = self.node(id);
        if node.tag == Tag::TEXT {
            &[]
        } else {
            &self.arena.attrs[node.start as usize..node.end as usize]
        }
    }

    /// The values of `class` and `id`.
    pub(crate) fn class_and_id(&self, id: NodeId) -> impl Iterator<Item = &str> + '_ {
        let named = self.attrs(id).iter().filter(|attr| attr.name == CLASS || attr.name == ID);
        named.map(|attr| self.arena.attribute(attr).1)
    }

    /// The value of one attribute.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).find(|&(n, _)| n == name).map(|(_, value)| value)
    }

    /// The body and all below it; empty for a page without one.
    pub fn body(&self) -> Range<NodeId> {
        self.body.map_or(0..0, |id| self.subtree(id))
    }

    /// The texts a reader sees, in document order.
    pub fn visible_texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.body().filter(|&id| self.is_text(id))
    }

    /// The nodes that carry content: visible texts, images, form values, embedded objects.
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

    /// What is unusual about the page.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The limit the page has passed.
    pub fn over_limit(&self) -> Option<OverLimit> {
        self.over_limit
    }

    /// Why the fast lane left the page to html5ever; `None` if it did not.
    pub fn hand_over(&self) -> Option<HandOver> {
        self.hand_over
    }

    /// Whether a browser lays the page out in quirks mode, which changes how tables nest in
    /// paragraphs.
    pub fn is_quirky(&self) -> bool {
        self.quirks
    }

    /// Address of the page, when it was given.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}
