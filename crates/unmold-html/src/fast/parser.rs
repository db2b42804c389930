//! The state of the fast parser, and the tokens and modes that its rules work with.

use super::name::{Name, Sets};
use super::raw::{NONE, RawTree};
use crate::arena::Writer;
use crate::fallback::FallbackReason;
use crate::limits::Limits;
use crate::tag::{FIRST_UNKNOWN, Tag};

/// What to do after one mode has processed a token.
pub(super) enum Next {
    Done,
    /// Process the same token again, in another mode.
    Again(Mode),
}

pub(super) type Step = Result<Next, FallbackReason>;

/// The standard's insertion modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
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
pub(super) struct TagToken {
    pub(super) tag: Tag,
    pub(super) is_end: bool,
    pub(super) self_closing: bool,
    /// The tag has a `hidden` attribute or a style that hides the element.
    pub(super) hidden: bool,
    /// Range of the arena's attributes.
    pub(super) attrs: (u32, u32),
}

/// An element on the stack of open elements.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) node: u32,
    pub(super) name: Name,
    pub(super) sets: Sets,
}

/// An entry of the list of active formatting elements.
#[derive(Clone, Copy)]
pub(super) struct Formatting {
    /// [`NONE`] for a marker.
    pub(super) node: u32,
    pub(super) tag: Tag,
    pub(super) attrs: (u32, u32),
    pub(super) hidden: bool,
}

impl Formatting {
    pub(super) const MARKER: Formatting =
        Formatting { node: NONE, tag: Tag::TEXT, attrs: (0, 0), hidden: false };

    pub(super) fn is_marker(&self) -> bool {
        self.node == NONE
    }
}

/// The parser. Its rules are in the other files of this module.
pub(super) struct FastParser<'a> {
    pub(super) html: &'a str,
    pub(super) limits: &'a Limits,
    /// Where the next token starts.
    pub(super) at: usize,
    /// Where html5ever would last have called its sink: see [`FastParser::note_event`].
    pub(super) last_event: usize,
    /// Number of tags that added attributes to an existing element.
    pub(super) attribute_merges: u32,
    /// Comments and redundant white space: not nodes here, but html5ever counts them.
    pub(super) skipped_nodes: usize,
    pub(super) tree: RawTree,
    pub(super) writer: Writer,
    /// For each attribute name, the number of the last tag that had it.
    pub(super) last_tag_with: Vec<u32>,
    /// Number of tags read so far.
    pub(super) tags: u32,
    pub(super) scratch: String,
    pub(super) mode: Mode,
    pub(super) quirks: bool,
    pub(super) stack: Vec<Open>,
    /// Number of elements of each known name on the stack.
    pub(super) open_count: [u32; FIRST_UNKNOWN as usize],
    /// Number of open foreign elements whose name is that of an HTML element that keeps white
    /// space, such as `plaintext` in `svg`.
    pub(super) foreign_keeping_space: u32,
    pub(super) formatting: Vec<Formatting>,
    pub(super) head: u32,
    pub(super) form: u32,
    /// Foster parenting: nodes that would go into a table go before it.
    pub(super) foster: bool,
    /// Text in a table, held back until it is known whether it is all white space.
    pub(super) table_text: Vec<(usize, usize)>,
}

impl<'a> FastParser<'a> {
    pub(super) fn new(html: &'a str, limits: &'a Limits) -> FastParser<'a> {
        // Real pages have a node for every 30 to 100 bytes.
        let nodes = html.len() / 40 + 16;
        FastParser {
            html,
            limits,
            at: 0,
            last_event: 0,
            attribute_merges: 0,
            skipped_nodes: 0,
            tree: RawTree::new(nodes),
            writer: Writer::new(nodes, html.len() / 2),
            last_tag_with: vec![0; 160],
            tags: 0,
            scratch: String::new(),
            mode: Mode::Initial,
            quirks: false,
            stack: Vec::with_capacity(32),
            open_count: [0; FIRST_UNKNOWN as usize],
            foreign_keeping_space: 0,
            formatting: Vec::new(),
            head: NONE,
            form: NONE,
            foster: false,
            table_text: Vec::new(),
        }
    }
}
