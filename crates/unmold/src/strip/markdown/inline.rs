//! Writes the text of one block from runs of the same style.
//!
//! Styles are flat, one set per run, whatever elements they came from. So repeated, adjacent and
//! empty emphasis disappears by itself, and delimiters are always next to text because white space
//! belongs to the borders between runs.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use super::emphasis::{self, Delimiter};
use super::escape::{self, Context};
use crate::page::NodeId;
use crate::strip::options::absolute;

/// Number of times a block is written with some of its emphasis dropped, before all of it is
/// dropped.
const ATTEMPTS: usize = 8;

/// The separator between a run and the one before it, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Before {
    Nothing,
    Space,
    Break,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link<'a> {
    pub(super) id: NodeId,
    pub(super) href: &'a str,
}

pub(super) const EM: usize = 0;
pub(super) const STRONG: usize = 1;
pub(super) const STRIKE: usize = 2;
/// Text, character and width of the delimiters by kind of emphasis.
const DELIMITERS: [(&str, char, usize); 3] = [("*", '*', 1), ("**", '*', 2), ("~~", '~', 2)];

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Style<'a> {
    pub(super) link: Option<Link<'a>>,
    /// By [`EM`], [`STRONG`], [`STRIKE`].
    pub(super) emphasis: [bool; 3],
    pub(super) code: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    /// TeX, which is written as it is.
    Math {
        tex: Cow<'a, str>,
        display: bool,
    },
    /// The mark of a footnote.
    Note(u32),
    Image {
        alt: &'a str,
        src: &'a str,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Run<'a> {
    pub(super) content: Content<'a>,
    pub(super) before: Before,
    pub(super) style: Style<'a>,
}

/// The kind of block that the runs belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    Paragraph,
    Heading(u8),
    Cell,
}

/// How runs are written.
#[derive(Clone, Copy, Default)]
pub(super) struct Manner<'o> {
    /// Text without any markup.
    pub(super) plain: bool,
    /// What addresses are relative to, if they are to be made absolute.
    pub(super) base: Option<&'o Url>,
}

/// Writes the runs of one block. A paragraph may have several lines; everything else is one line.
pub(super) fn write(mut runs: Vec<Run>, line: Line, manner: Manner) -> String {
    if manner.plain {
        return write_plain(&runs, line);
    }
    if matches!(line, Line::Heading(_)) {
        runs.iter_mut().for_each(|run| run.before = run.before.min(Before::Space));
    }
    let mut attempts = 0;
    loop {
        runs = merge(runs);
        if unmark_misread_code(&mut runs, line) {
            runs = merge(runs);
        }
        let draft = Draft::of(&runs, line == Line::Cell, manner.base);
        let wrong = emphasis::misread(&draft.text, &draft.delimiters);
        if wrong.is_empty() {
            return finish(draft.text, line);
        }
        let spans: Vec<Span> = wrong.into_iter().map(|span| draft.spans[span].clone()).collect();
        attempts += 1;
        if attempts == ATTEMPTS {
            runs.iter_mut().for_each(|run| run.style.emphasis = [false; 3]);
        }
        for Span { kind, runs: range } in spans {
            runs[range].iter_mut().for_each(|run| run.style.emphasis[kind] = false);
        }
    }
}

fn write_plain(runs: &[Run], line: Line) -> String {
    let mut out = String::new();
    for run in runs {
        let text: Cow<str> = match &run.content {
            Content::Text(text) => text.as_ref().into(),
            Content::Math { tex, display } => math(tex, *display).into(),
            Content::Image { .. } | Content::Note(_) => continue,
        };
        if !out.is_empty() {
            out.push_str(match run.before {
                Before::Nothing => "",
                Before::Break if line == Line::Paragraph => "\n",
                Before::Space | Before::Break => " ",
            });
        }
        out.push_str(&text);
    }
    out
}

fn math(tex: &str, display: bool) -> String {
    if display { format!("$${tex}$$") } else { format!("${tex}$") }
}

/// Turns code that would be misread into plain text; returns whether there was any.
///
/// A table consumes the backslash before a pipe, also in code, and readers disagree about two of
/// them. A bracket and a colon inside the first link of a paragraph would turn it into a link
/// reference definition.
fn unmark_misread_code(runs: &mut [Run], line: Line) -> bool {
    let mut found = false;
    for run in runs.iter_mut().filter(|run| run.style.code) {
        let Content::Text(text) = &run.content else { continue };
        let in_cell = line == Line::Cell && (text.contains("\\|") || text.ends_with('\\'));
        let in_link = run.style.link.is_some() && text.contains("]:");
        run.style.code = !in_cell && !in_link;
        found |= in_cell || in_link;
    }
    found
}

/// Joins adjacent runs of the same style.
fn merge(runs: Vec<Run>) -> Vec<Run> {
    let mut merged: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        if let Some(Run { content: Content::Text(text), style, .. }) = merged.last_mut()
            && let Content::Text(next) = &run.content
            && *style == run.style
            && run.before != Before::Break
        {
            let text = text.to_mut();
            if run.before == Before::Space {
                text.push(' ');
            }
            text.push_str(next);
        } else {
            merged.push(run);
        }
    }
    merged
}

fn finish(text: String, line: Line) -> String {
    match line {
        Line::Cell => text,
        Line::Heading(level) => {
            let mut out = "#".repeat(level.into());
            out.push(' ');
            insert_backslash(&text, escape::heading_end(&text), &mut out);
            out
        }
        Line::Paragraph => {
            let mut out = String::with_capacity(text.len());
            for (index, line) in text.split('\n').enumerate() {
                if index > 0 {
                    out.push('\n');
                }
                insert_backslash(line, escape::line_start(line, index == 0), &mut out);
            }
            out
        }
    }
}

fn insert_backslash(text: &str, at: Option<usize>, out: &mut String) {
    let (before, after) = text.split_at(at.unwrap_or(0));
    out.push_str(before);
    if at.is_some() {
        out.push('\\');
    }
    out.push_str(after);
}

/// Adjacent runs with one kind of emphasis.
#[derive(Clone)]
struct Span {
    kind: usize,
    runs: Range<usize>,
}

/// What can enclose runs: [`EM`], [`STRONG`], [`STRIKE`] or a link. Layers of equal length nest in
/// the order of [`LAYERS`]: a reader takes the inner two of three asterisks for strong.
type Layer = usize;
const LINK: Layer = 3;
const LAYERS: [Layer; 4] = [LINK, EM, STRONG, STRIKE];

/// A block as first written, before checking how its emphasis reads.
struct Draft<'r, 'a> {
    runs: &'r [Run<'a>],
    text: String,
    delimiters: Vec<Delimiter>,
    spans: Vec<Span>,
    context: Context,
    base: Option<&'r Url>,
    /// Number of runs whose border to the previous run is written.
    separated: usize,
}

impl<'r, 'a> Draft<'r, 'a> {
    fn of(runs: &'r [Run<'a>], cell: bool, base: Option<&'r Url>) -> Draft<'r, 'a> {
        let tildes = runs.iter().any(|run| run.style.emphasis[STRIKE]);
        let context = Context { brackets: false, cell, tildes };
        let mut draft = Draft {
            runs,
            text: String::new(),
            delimiters: Vec::new(),
            spans: Vec::new(),
            context,
            base,
            separated: 0,
        };
        draft.range(0..runs.len(), [false; 4]);
        draft
    }

    /// Writes a range of runs inside the layers that are `open`. Recurses at most once per layer.
    fn range(&mut self, range: Range<usize>, open: [bool; 4]) {
        let mut at = range.start;
        while at < range.end {
            let layers = LAYERS.into_iter().filter(|&layer| !open[layer]);
            let ends = layers.map(|layer| (layer, self.end(layer, at, range.end, open)));
            let widest = ends.reduce(|best, next| if next.1 > best.1 { next } else { best });
            self.separate(at);
            at = match widest.filter(|&(_, end)| end > at) {
                None => {
                    self.content(at);
                    at + 1
                }
                Some((layer, end)) => {
                    let mut open = open;
                    open[layer] = true;
                    if layer == LINK {
                        self.link(at..end, open);
                    } else {
                        self.emphasis(layer, at..end, open);
                    }
                    end
                }
            };
        }
    }

    /// The end of a layer that starts at the run `at`; `at` itself if the run does not have it.
    fn end(&self, layer: Layer, at: usize, limit: usize, open: [bool; 4]) -> usize {
        let runs = &self.runs[at..limit];
        let link = |run: &Run<'a>| run.style.link;
        let Some(first) = runs.first().map(link) else { return at };
        if layer == LINK {
            let length =
                runs.iter().take_while(|run| first.is_some() && link(run) == first).count();
            return at + length;
        }
        let length = runs.iter().take_while(|run| run.style.emphasis[layer]).count();
        // A link that is only partly emphasised is not split: the emphasis ends before it.
        let next = runs.get(length).and_then(link).filter(|_| !open[LINK]);
        let inside = runs[..length]
            .iter()
            .rev()
            .take_while(|run| next.is_some() && link(run) == next)
            .count();
        at + if inside < length { length - inside } else { length }
    }

    fn separate(&mut self, at: usize) {
        if at < self.separated {
            return;
        }
        self.separated = at + 1;
        if at > 0 {
            self.text.push_str(match self.runs[at].before {
                Before::Nothing => "",
                Before::Space => " ",
                Before::Break if self.context.cell => "<br>",
                Before::Break => "\\\n",
            });
        }
    }

    fn link(&mut self, range: Range<usize>, open: [bool; 4]) {
        let Some(link) = self.runs[range.start].style.link else { return };
        // An exclamation mark before it would make the link an image.
        if self.text.ends_with('!') {
            self.text.pop();
            self.text.push_str("\\!");
        }
        self.text.push('[');
        self.context.brackets = true;
        self.range(range, open);
        self.context.brackets = false;
        self.text.push_str("](");
        self.destination(link.href);
        self.text.push(')');
    }

    fn destination(&mut self, address: &str) {
        let cell = self.context.cell;
        match self.base {
            None => escape::destination(address, cell, &mut self.text),
            base => escape::destination(&absolute(address, base), cell, &mut self.text),
        }
    }

    fn emphasis(&mut self, kind: usize, range: Range<usize>, open: [bool; 4]) {
        let span = self.spans.len();
        self.spans.push(Span { kind, runs: range.clone() });
        self.delimiter(kind, span, true);
        self.range(range, open);
        self.delimiter(kind, span, false);
    }

    fn delimiter(&mut self, kind: usize, span: usize, opens: bool) {
        let (text, character, width) = DELIMITERS[kind];
        self.delimiters.push(Delimiter { at: self.text.len(), character, width, opens, span });
        self.text.push_str(text);
    }

    fn content(&mut self, at: usize) {
        let run = &self.runs[at];
        match &run.content {
            Content::Text(text) if run.style.code => {
                escape::code(text, self.context.cell, &mut self.text)
            }
            Content::Text(text) => escape::text(text, self.context, &mut self.text),
            Content::Math { tex, display } => self.text.push_str(&math(tex, *display)),
            Content::Note(number) => self.text.push_str(&format!("[^{number}]")),
            Content::Image { alt, src } => {
                self.text.push_str("![");
                let words: Vec<&str> = alt.split_whitespace().collect();
                escape::text(
                    &words.join(" "),
                    Context { brackets: true, ..self.context },
                    &mut self.text,
                );
                self.text.push_str("](");
                self.destination(src);
                self.text.push(')');
            }
        }
    }
}
