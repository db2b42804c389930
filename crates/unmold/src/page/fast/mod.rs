//! The fast lane: the tree of nearly every page, built straight from its bytes.
//!
//! It follows the tokenizer and the tree construction rules of the HTML standard, as html5ever
//! does, but reads runs of text, values, comments and scripts by vector search instead of character
//! by character, keeps texts as ranges of the page until they are written, and writes attributes
//! into the arena as they are read. What it does not know it does not guess: at the first such
//! construct it stops, and html5ever reads the whole page. So the tree is always html5ever's; tests
//! compare both lanes node for node.
//!
//! | construct | in the fast lane | rule of the standard |
//! |---|---|---|
//! | text, named and numeric references | yes | 13.2.5.1, 13.2.5.72–80 |
//! | tags, attributes, duplicates | yes | 13.2.5.6–8, 13.2.5.32–40 |
//! | comments, bogus comments, processing instructions | yes | 13.2.5.41–52 |
//! | scripts with `<!--`, raw text, RCDATA | yes | 13.2.5.2–4, 13.2.5.9–31 |
//! | doctype, well-formed | yes, and quirks mode | 13.2.5.53–68, 13.2.6.4.1 |
//! | doctype, anything else | hands over: [`HandOver::Doctype`] | |
//! | initial … after head, in body, after body | yes | 13.2.6.4.1–7, 13.2.6.4.19, 22 |
//! | implied end tags, scopes | yes | 13.2.4.2, 13.2.6.3 |
//! | active formatting elements, adoption agency | yes | 13.2.4.3, 13.2.6.4.7 |
//! | tables, foster parenting, text in tables | yes | 13.2.6.1, 13.2.6.4.9–15 |
//! | SVG, MathML, integration points | yes | 13.2.6.5 |
//! | `annotation-xml`, CDATA | hands over: [`HandOver::AnnotationXml`], [`HandOver::Cdata`] | |
//! | `template`, `frameset`, `plaintext` | hands over: [`HandOver::Template`] … | 13.2.6.4.16, 18 |
//! | NUL, byte order mark inside the page | hands over: [`HandOver::Nul`], [`HandOver::ByteOrderMark`] | 13.2.3.5 |
//! | space or line feed as reference where white space decides | hands over: [`HandOver::SpaceReference`] | |
//! | near a limit on nodes, depth or attributes | hands over: [`HandOver::Limit`] | |
//!
//! Time is linear in the page but for what the limits bound: scopes and formatting elements are
//! searched for on a stack of at most `depth` elements.

mod foreign;
mod formatting;
mod name;
mod raw;
mod rules;
mod scan;
mod stack;
mod tables;
mod text;

use super::arena::{Arena, Writer};
use super::limits::Limits;
use super::tag::Tag;
use super::tree::{Tree, slice_starts};
use name::{Name, Sets};
use raw::{DOCUMENT, NONE, RawTree};
use text::Place;

/// Why a page was handed over to html5ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum HandOver {
    /// A NUL character.
    Nul,
    /// U+FEFF inside the page.
    ByteOrderMark,
    /// A doctype that is not well-formed.
    Doctype,
    /// A `template` element.
    Template,
    /// A `frameset` element.
    Frameset,
    /// A `plaintext` element.
    Plaintext,
    /// A CDATA section in SVG or MathML.
    Cdata,
    /// MathML's `annotation-xml`.
    AnnotationXml,
    /// White space written as a character reference where white space decides.
    SpaceReference,
    /// Near a limit on nodes, depth or attributes.
    Limit,
}

impl HandOver {
    /// All reasons.
    pub const ALL: [HandOver; 10] = [
        HandOver::Nul,
        HandOver::ByteOrderMark,
        HandOver::Doctype,
        HandOver::Template,
        HandOver::Frameset,
        HandOver::Plaintext,
        HandOver::Cdata,
        HandOver::AnnotationXml,
        HandOver::SpaceReference,
        HandOver::Limit,
    ];

    /// The word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            HandOver::Nul => "nul",
            HandOver::ByteOrderMark => "byte order mark",
            HandOver::Doctype => "doctype",
            HandOver::Template => "template",
            HandOver::Frameset => "frameset",
            HandOver::Plaintext => "plaintext",
            HandOver::Cdata => "cdata",
            HandOver::AnnotationXml => "annotation-xml",
            HandOver::SpaceReference => "space reference",
            HandOver::Limit => "limit",
        }
    }
}

/// What to do after a token has been processed by one mode.
enum Next {
    Done,
    /// The same token once more, in another mode.
    Again(Mode),
}

type Step = Result<Next, HandOver>;

/// The standard's insertion modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    AfterBody,
    AfterAfterBody,
}

/// A start or end tag.
#[derive(Clone, Copy, Debug)]
struct TagToken {
    tag: Tag,
    is_end: bool,
    self_closing: bool,
    /// It has a `hidden` attribute or a style that hides it.
    hidden: bool,
    /// Range of the arena's attributes.
    attrs: (u32, u32),
}

/// An element on the stack of open elements.
#[derive(Clone, Copy)]
struct Open {
    node: u32,
    name: Name,
    sets: Sets,
}

/// An entry of the list of active formatting elements.
#[derive(Clone, Copy)]
struct Formatting {
    /// [`NONE`] for a marker.
    node: u32,
    tag: Tag,
    attrs: (u32, u32),
    hidden: bool,
}

impl Formatting {
    const MARKER: Formatting =
        Formatting { node: NONE, tag: Tag::TEXT, attrs: (0, 0), hidden: false };

    fn is_marker(&self) -> bool {
        self.node == NONE
    }
}

struct Parser<'a> {
    html: &'a str,
    limits: &'a Limits,
    /// Where the next token begins.
    at: usize,
    /// Where the reference parser last told its sink something: see [`Parser::heard`].
    heard: usize,
    /// Tags that added attributes to an element already there.
    merges: u32,
    /// Comments and idle white space, which are no nodes here but count as such.
    left_out: usize,
    tree: RawTree,
    writer: Writer,
    /// For each attribute name the last tag that had it.
    last_tag_with: Vec<u32>,
    tags: u32,
    scratch: String,
    mode: Mode,
    quirks: bool,
    stack: Vec<Open>,
    /// How many elements of each known name are on the stack.
    open_count: [u32; super::tag::FIRST_UNKNOWN as usize],
    /// Open foreign elements with the name of one that keeps white space, such as `plaintext` in
    /// `svg`.
    foreign_keeping_space: u32,
    formatting: Vec<Formatting>,
    head: u32,
    form: u32,
    /// Nodes that would be put into a table are put before it.
    foster: bool,
    /// Text inside a table of which it is not yet known whether it is all white space.
    table_text: Vec<(usize, usize)>,
}

/// Parses `html`, or says why html5ever must.
pub(super) fn parse(html: &str, limits: &Limits, keep_hidden: bool) -> Result<Tree, HandOver> {
    if memchr::memchr(0, html.as_bytes()).is_some() {
        return Err(HandOver::Nul);
    }
    if drops_byte_order_mark(html) {
        return Err(HandOver::ByteOrderMark);
    }
    let mut parser = Parser::new(html, limits);
    parser.run()?;
    let quirks = parser.quirks;
    Ok(Tree { arena: parser.write(keep_hidden), quirks })
}

/// Whether html5ever may drop a U+FEFF: it does so wherever it is fed anew, which is at each slice
/// and after some tags.
fn drops_byte_order_mark(html: &str) -> bool {
    let mut starts = slice_starts(html).peekable();
    memchr::memmem::find_iter(html.as_bytes(), "\u{feff}".as_bytes()).any(|at| {
        while starts.next_if(|&start| start < at).is_some() {}
        starts.peek() == Some(&at) || html.as_bytes()[at - 1] == b'>'
    })
}

impl<'a> Parser<'a> {
    fn new(html: &'a str, limits: &'a Limits) -> Parser<'a> {
        // Real pages have a node for every 30 to 100 bytes.
        let nodes = html.len() / 40 + 16;
        Parser {
            html,
            limits,
            at: 0,
            heard: 0,
            merges: 0,
            left_out: 0,
            tree: RawTree::new(nodes),
            writer: Writer::new(nodes, html.len() / 2),
            last_tag_with: vec![0; 160],
            tags: 0,
            scratch: String::new(),
            mode: Mode::Initial,
            quirks: false,
            stack: Vec::with_capacity(32),
            open_count: [0; super::tag::FIRST_UNKNOWN as usize],
            foreign_keeping_space: 0,
            formatting: Vec::new(),
            head: NONE,
            form: NONE,
            foster: false,
            table_text: Vec::new(),
        }
    }

    /// Writes the tree in document order, leaving out what no reader sees.
    fn write(mut self, keep_hidden: bool) -> Arena {
        let mut at = self.tree.node(DOCUMENT).first;
        while at != NONE {
            let node = *self.tree.node(at);
            at = if self.enter(&node, keep_hidden) { node.first } else { self.after(at) };
        }
        self.writer.finish()
    }

    /// Writes one node; true if its children follow.
    fn enter(&mut self, node: &raw::RawNode, keep_hidden: bool) -> bool {
        if node.name == Name::TEXT {
            self.write_text(node);
            return false;
        }
        let tag = node.name.tag();
        let hidden = node.flag && !matches!(tag, Tag::HTML | Tag::BODY);
        if tag.is_never_shown() || hidden && !keep_hidden {
            return false;
        }
        self.writer.open_with(tag, !node.name.is_html(), node.start..node.end);
        let descends = node.first != NONE && tag != Tag::IFRAME;
        if !descends {
            self.writer.close();
        }
        descends
    }

    /// The next node in document order after `at` and all below it; closes the elements that end
    /// before it.
    fn after(&mut self, mut at: u32) -> u32 {
        loop {
            let node = self.tree.node(at);
            if node.next != NONE {
                return node.next;
            }
            at = node.parent;
            if at == DOCUMENT {
                return NONE;
            }
            self.writer.close();
        }
    }

    fn write_text(&mut self, node: &raw::RawNode) {
        let raw = &self.html[node.start as usize..node.end as usize];
        let bytes = raw.as_bytes();
        let decode = !node.flag && memchr::memchr(b'&', bytes).is_some()
            || self.writer.is_preformatted() && memchr::memchr(b'\r', bytes).is_some();
        if !decode {
            self.writer.text(raw);
            return;
        }
        self.scratch.clear();
        text::push_decoded(
            &mut self.scratch,
            raw,
            if node.flag { Place::Literal } else { Place::Text },
        );
        self.writer.text(&self.scratch);
    }
}
