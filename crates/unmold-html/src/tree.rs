//! Builds the tree of a page with html5ever, and renumbers it in document order.
//!
//! Invariant: apart from the table of entities, only this file and `sink` use html5ever.

use crate::hash::KeyedMap;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, ParseOpts, QualName, local_name, parse_document};

use crate::arena::{Arena, Writer};
use crate::guard::AttributeGuard;
use crate::limits::{Limits, OverLimit};
use crate::sink::{DOCUMENT, NONE, RawData, RawNode, RawTree, Sink};
use crate::tag::Tag;

/// Length of the slices that html5ever is fed. Limits are checked between slices, so a slice bounds
/// the work on a page after it exceeds a limit.
const SLICE: usize = 4 << 10;
/// Number of slices without a call of the sink before the guard reads them.
const QUIET_SLICES: usize = 8;

pub(crate) struct Tree {
    pub(crate) arena: Arena,
    pub(crate) quirks: bool,
}

/// Parses `html`, or returns the limit that it exceeds.
pub(crate) fn parse(html: &str, limits: &Limits, keep_hidden: bool) -> Result<Tree, OverLimit> {
    let raw = parse_raw(html, limits)?;
    let quirks = raw.quirks;
    Ok(Tree { arena: Renumbering::new(&raw, html.len(), keep_hidden).run(), quirks })
}

fn parse_raw(html: &str, limits: &Limits) -> Result<RawTree, OverLimit> {
    // Real pages have a node for every 30 to 100 bytes.
    let mut parser = parse_document(Sink::new(limits, html.len() / 40 + 16), ParseOpts::default());
    let buffer = StrTendril::from_slice(html);
    let mut quiet = QuietInput::default();
    for start in slice_starts(html) {
        let end = slice_end(html, start);
        let slice = &html[start..end];
        parser.process(buffer.subtendril(start as u32, (end - start) as u32));
        let sink = &parser.tokenizer.sink.sink;
        if let Some(over) = sink.over() {
            return Err(over);
        }
        if quiet.observe(slice, sink.calls()) > limits.attributes {
            return Err(OverLimit::Attributes);
        }
    }
    Ok(parser.finish())
}

/// Where the slices start that html5ever is fed.
pub(crate) fn slice_starts(html: &str) -> impl Iterator<Item = usize> {
    let first = (!html.is_empty()).then_some(0);
    std::iter::successors(first, |&start| {
        Some(slice_end(html, start)).filter(|&end| end < html.len())
    })
}

fn slice_end(html: &str, start: usize) -> usize {
    html.ceil_char_boundary((start + SLICE).min(html.len()))
}

/// Input during which the sink is not called: a long tag, comment or attribute value.
#[derive(Default)]
struct QuietInput<'a> {
    /// The sink's number of calls when the quiet input started.
    calls: u64,
    /// Slices that the guard has not read yet: reading them takes time, and most quiet inputs are
    /// short. The first slice is the one with the last call, in which the tag in progress may have
    /// started.
    waiting: Vec<&'a str>,
    guard: Option<AttributeGuard>,
}

impl<'a> QuietInput<'a> {
    /// Maximum number of attributes that the tag in progress can have after `slice`.
    fn observe(&mut self, slice: &'a str, calls: u64) -> usize {
        if calls != self.calls {
            (self.calls, self.guard) = (calls, None);
            self.waiting.clear();
        }
        self.waiting.push(slice);
        if self.waiting.len() <= QUIET_SLICES && self.guard.is_none() {
            return 0;
        }
        let guard = self.guard.get_or_insert_default();
        self.waiting.drain(..).for_each(|slice| guard.read(slice.as_bytes()));
        guard.max_attributes()
    }
}

/// Walks the raw tree in document order and writes it, without what no reader sees.
struct Renumbering<'a> {
    raw: &'a RawTree,
    keep_hidden: bool,
    writer: Writer,
    tags: KeyedMap<LocalName, Tag>,
    attribute_names: KeyedMap<LocalName, u32>,
}

impl<'a> Renumbering<'a> {
    fn new(raw: &'a RawTree, length: usize, keep_hidden: bool) -> Renumbering<'a> {
        let writer = Writer::new(raw.nodes.len(), length / 2);
        Renumbering {
            raw,
            keep_hidden,
            writer,
            tags: KeyedMap::default(),
            attribute_names: KeyedMap::default(),
        }
    }

    fn run(mut self) -> Arena {
        let raw = self.raw;
        let mut at = raw.nodes[DOCUMENT as usize].first;
        while at != NONE {
            let node = &raw.nodes[at as usize];
            at = if self.enter(node) { node.first } else { self.after(at) };
        }
        self.writer.finish()
    }

    /// Writes one node; returns whether its children follow.
    fn enter(&mut self, node: &RawNode) -> bool {
        match &node.data {
            RawData::Text(text) => {
                self.writer.text(text);
                false
            }
            RawData::Element { name, html, attrs, .. } => {
                let tag = self.tag(name);
                if tag.is_never_shown() || !self.keep_hidden && is_hidden(tag, attrs) {
                    return false;
                }
                self.writer.open(tag, !html);
                self.attributes(attrs);
                // The contents of an iframe are shown only by browsers without support for it.
                let descends = node.first != NONE && tag != Tag::IFRAME;
                if !descends {
                    self.writer.close();
                }
                descends
            }
            RawData::Root | RawData::Ignored => false,
        }
    }

    fn attributes(&mut self, attrs: &[Attribute]) {
        for attr in attrs {
            let name = self.attribute_name(&attr.name);
            self.writer.attr(name, &attr.value);
        }
    }

    fn attribute_name(&mut self, name: &QualName) -> u32 {
        if let Some(prefix) = &name.prefix {
            return self.writer.attribute_name(&format!("{prefix}:{}", name.local));
        }
        if let Some(&number) = self.attribute_names.get(&name.local) {
            return number;
        }
        let number = self.writer.attribute_name(&name.local.to_ascii_lowercase());
        self.attribute_names.insert(name.local.clone(), number);
        number
    }

    /// The next node in document order after the subtree of `at`. Closes the elements that end
    /// before it.
    fn after(&mut self, mut at: u32) -> u32 {
        loop {
            let node = &self.raw.nodes[at as usize];
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

    fn tag(&mut self, name: &LocalName) -> Tag {
        if let Some(&tag) = self.tags.get(name) {
            return tag;
        }
        let tag = self.writer.tag(name);
        self.tags.insert(name.clone(), tag);
        tag
    }
}

/// Whether an element has the `hidden` attribute or an inline `display:none`. `html` and `body` do
/// not count: some pages hide themselves until a script shows them.
fn is_hidden(tag: Tag, attrs: &[Attribute]) -> bool {
    !matches!(tag, Tag::HTML | Tag::BODY)
        && attrs.iter().any(|attr| match attr.name.local {
            local_name!("hidden") => true,
            local_name!("style") => hides(&attr.value),
            _ => false,
        })
}

/// Whether an inline style has `display:none`.
pub(crate) fn hides(style: &str) -> bool {
    // Most styles do not mention `display`.
    let mentions_display = memchr::memchr2_iter(b'd', b'D', style.as_bytes()).any(|at| {
        style.as_bytes()[at..].get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"display"))
    });
    mentions_display
        && style.split(';').any(|declaration| {
            declaration.split_once(':').is_some_and(|(property, value)| {
                let value = value.trim();
                let value = value.strip_suffix("!important").unwrap_or(value).trim_end();
                property.trim().eq_ignore_ascii_case("display")
                    && value.eq_ignore_ascii_case("none")
            })
        })
}
