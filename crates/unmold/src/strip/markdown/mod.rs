//! Writes Markdown: CommonMark with tables and strikethrough as on GitHub.
//!
//! Existing crates for this take HTML and parse it again, with their own tree and a second
//! html5ever in the build, and recurse on the depth of the page. Here the page is walked once with
//! an explicit stack and becomes a flat list of [blocks](print::Block). The text of a block is
//! collected as [runs](inline::Run) of one style and [written](inline::write) at its end; blocks
//! are indented once all are known.
//!
//! Invariant: read as CommonMark, the output has the page's text, character by character except for
//! white space. Where Markdown cannot express the page (emphasis inside a word with punctuation,
//! lists in a table), formatting is dropped, never text. The tests check this against an
//! independent reader.
//!
//! time: linear in the page, times [`MAX_DEPTH`] for indentation.

mod emphasis;
mod escape;
mod inline;
mod language;
mod math;
mod notes;
mod print;
mod shape;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{Images, Links, Step, Stripped, WriteOptions, walk};
use crate::page::{Flow, Gap, NodeId, NodeRange, Page, Tag};
use inline::{Before, Content, EM, Line, Link, Manner, Run, STRIKE, STRONG, Style};
use language::language_of;
use notes::Notes;
use print::{Block, Container};
use shape::Shapes;
use table::Grid;

/// Quotes and lists nested deeper are written at this level, because every line pays for its
/// indentation.
const MAX_DEPTH: usize = 16;

/// A link around several blocks is repeated in each of them, up to this many: its address may be
/// long.
const MAX_LINKED_BLOCKS: usize = 16;

/// Attributes with the address of an image that is not loaded at once.
const LAZY_SOURCES: [&str; 3] = ["data-src", "data-original", "data-lazy-src"];

pub(super) fn write(stripped: &Stripped, options: WriteOptions) -> String {
    let base = options.base(stripped.page());
    write_blocks(stripped, options, Manner { plain: false, base: base.as_ref() })
}

/// The same blocks without any markup.
pub(super) fn write_plain(stripped: &Stripped) -> String {
    let options = WriteOptions::default().with_links(Links::Drop).with_images(Images::Drop);
    write_blocks(stripped, options, Manner { plain: true, base: None })
}

fn write_blocks(stripped: &Stripped, options: WriteOptions, manner: Manner) -> String {
    let page = stripped.page();
    let mut writer = Writer::new(page, Shapes::of(stripped), options, manner);
    if !manner.plain && options.links != Links::Drop {
        writer.notes = Notes::of(stripped);
    }
    let mut removed_up_to = NodeId::ROOT;
    if let Some(body) = page.body().next() {
        walk(
            page,
            body,
            |_| true,
            |step| match step {
                Step::Enter(id) | Step::Leave(id) if id < removed_up_to && !stripped.keeps(id) => {}
                Step::Enter(id) if !stripped.keeps(id) => {
                    removed_up_to = page.subtree(id).end;
                    writer.removed(id);
                }
                Step::Enter(id) => writer.enter(id),
                Step::Leave(id) => writer.leave(id),
            },
        );
    }
    writer.flush();
    // A rule separates, so at the end it was above something that is removed.
    while matches!(writer.blocks.last(), Some(Block::Rule)) {
        writer.blocks.pop();
    }
    print::print(&print::without_bare_items(writer.blocks), manner.plain)
}

/// An open container of the page.
struct Frame {
    container: Container,
    /// Whether the container is written; beyond [`MAX_DEPTH`] only its contents are.
    shown: bool,
    /// Number of the next item in a numbered list.
    next: Option<u32>,
    /// Whether the surrounding container was opened only for this one.
    closes_outer: bool,
}

struct Writer<'a, 'o> {
    page: &'a Page,
    options: WriteOptions,
    manner: Manner<'o>,
    /// A formula or a mark of a footnote that is written already.
    skipped: NodeRange,
    notes: Notes,
    shapes: Shapes,
    blocks: Vec<Block>,
    frames: Vec<Frame>,
    /// Number of open frames that indent.
    depth: usize,
    /// Runs of the current block.
    runs: Vec<Run<'a>>,
    before: Before,
    line: Line,
    style: OpenStyle<'a>,
    /// The open `pre` and its text.
    code: Option<(NodeId, String)>,
    table: Option<Grid<'a>>,
}

/// Inline elements that are open around the current text.
#[derive(Default)]
struct OpenStyle<'a> {
    emphasis: [u32; 3],
    code: u32,
    /// The emphasis around the code, which can have none inside.
    around_code: [bool; 3],
    links: Vec<Option<Link<'a>>>,
    /// Number of blocks in which the innermost link has been written.
    linked_blocks: usize,
    /// Number of open quotations without text so far.
    quotations: usize,
}

impl<'a> OpenStyle<'a> {
    fn now(&self) -> Style<'a> {
        let code = self.code > 0;
        let emphasis = if code { self.around_code } else { self.emphasis.map(|depth| depth > 0) };
        Style { link: self.links.last().copied().flatten(), emphasis, code }
    }
}

fn emphasis(tag: Tag) -> Option<usize> {
    match tag {
        Tag::EM | Tag::I => Some(EM),
        Tag::STRONG | Tag::B | Tag::DT => Some(STRONG),
        Tag::DEL | Tag::S | Tag::STRIKE => Some(STRIKE),
        _ => None,
    }
}

fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::CODE | Tag::KBD | Tag::SAMP | Tag::TT)
}

fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::UL | Tag::OL | Tag::MENU | Tag::DIR)
}

fn is_list_part(tag: Tag) -> bool {
    is_list(tag) || tag == Tag::LI
}

fn is_code_block(tag: Tag) -> bool {
    matches!(tag, Tag::PRE | Tag::LISTING | Tag::XMP | Tag::PLAINTEXT)
}

impl<'a, 'o> Writer<'a, 'o> {
    fn new(
        page: &'a Page,
        shapes: Shapes,
        options: WriteOptions,
        manner: Manner<'o>,
    ) -> Writer<'a, 'o> {
        Writer {
            page,
            options,
            manner,
            skipped: NodeRange::new(NodeId::ROOT, NodeId::ROOT),
            notes: Notes::default(),
            shapes,
            blocks: Vec::new(),
            frames: Vec::new(),
            depth: 0,
            runs: Vec::new(),
            before: Before::Nothing,
            line: Line::Paragraph,
            style: OpenStyle::default(),
            code: None,
            table: None,
        }
    }

    fn enter(&mut self, id: NodeId) {
        let tag = self.page.tag(id);
        if self.skipped.contains(id) || self.formula(id, tag) || self.note(id) {
            return;
        }
        if self.code.is_some() {
            self.enter_in_code_block(id, tag);
            return;
        }
        match tag {
            Tag::TEXT => self.text(id),
            // Icons appear in the middle of lines, so the parts of a drawing are not blocks.
            _ if self.page.is_foreign(id) => self.space(),
            Tag::BR => self.line_break(),
            Tag::IMG => self.image(id),
            Tag::A => self.enter_link(id),
            Tag::Q => self.style.quotations += 1,
            _ if is_code(tag) => self.enter_code(),
            _ if tag.flow() == Flow::Inline => self.enter_emphasis(tag),
            _ if tag.flow() == Flow::Atomic => self.space(),
            _ => self.enter_block(id, tag),
        }
    }

    fn leave(&mut self, id: NodeId) {
        let tag = self.page.tag(id);
        if self.skipped.contains(id) {
            return;
        }
        if self.code.is_some() {
            self.leave_in_code_block(id, tag);
            return;
        }
        match tag {
            Tag::TEXT | Tag::BR | Tag::IMG => {}
            _ if self.page.is_foreign(id) => self.space(),
            Tag::A => {
                self.style.links.pop();
            }
            Tag::Q => self.end_quotation(),
            _ if is_code(tag) => self.style.code = self.style.code.saturating_sub(1),
            _ if tag.flow() == Flow::Inline => self.leave_emphasis(tag),
            _ if tag.flow() == Flow::Atomic => self.space(),
            _ => self.leave_block(id, tag),
        }
    }

    /// A removed subtree still separates its neighbours, and counts among items and cells.
    fn removed(&mut self, id: NodeId) {
        let tag = self.page.tag(id);
        if let Some((_, code)) = &mut self.code {
            end_word(code);
            return;
        }
        match tag {
            Tag::BR => self.line_break(),
            _ if tag.flow() != Flow::Block || self.page.is_foreign(id) => self.space(),
            Tag::TR => self.row(),
            Tag::TD | Tag::TH => self.cell(id, Vec::new()),
            Tag::LI => {
                self.flush();
                self.count_item();
            }
            _ => self.flush(),
        }
    }

    fn enter_block(&mut self, id: NodeId, tag: Tag) {
        self.flush();
        if let Some(number) = self.notes.text(id) {
            self.count_item();
            self.open(Container::Note(number), self.depth < MAX_DEPTH);
            return;
        }
        match tag {
            _ if self.line == Line::Cell && is_list_part(tag) => {}
            Tag::BLOCKQUOTE => self.open(Container::Quote, self.depth < MAX_DEPTH),
            Tag::LI => self.open_item(id),
            Tag::HR => self.blocks.push(Block::Rule),
            Tag::DT => self.enter_emphasis(tag),
            Tag::TABLE if self.shapes.is_plain(id) => self.table = Some(Grid::default()),
            Tag::TR => self.row(),
            Tag::TD | Tag::TH if self.table.is_some() => self.line = Line::Cell,
            _ if is_list(tag) => self.open_list(id, tag),
            _ if is_code_block(tag) => self.code = Some((id, String::new())),
            _ => {
                if let Some(level) = shape::heading_level(tag).filter(|_| self.shapes.is_plain(id))
                {
                    self.line = Line::Heading(level);
                }
            }
        }
    }

    fn leave_block(&mut self, id: NodeId, tag: Tag) {
        if self.notes.text(id).is_some() {
            self.flush();
            self.close();
            return;
        }
        match tag {
            Tag::TD | Tag::TH if self.table.is_some() => {
                self.line = Line::Paragraph;
                let runs = self.take_runs();
                self.cell(id, runs);
            }
            _ if shape::heading_level(tag).is_some() && self.shapes.is_plain(id) => {
                self.end_heading()
            }
            _ => self.flush(),
        }
        match tag {
            _ if self.line == Line::Cell && is_list_part(tag) => {}
            Tag::BLOCKQUOTE | Tag::LI => self.close(),
            Tag::DT => self.leave_emphasis(tag),
            Tag::TABLE => self.end_table(),
            _ if is_list(tag) => self.close(),
            _ => {}
        }
    }

    // Text

    fn text(&mut self, id: NodeId) {
        if self.page.gap(id) != Gap::None {
            self.space();
        }
        if self.style.quotations > 0 {
            let marks = "\"".repeat(std::mem::take(&mut self.style.quotations));
            self.push(Content::Text(marks.into()), Style { code: false, ..self.style.now() });
        }
        let style = self.style.now();
        let text = self.page.text(id);
        let parts = if style.code { vec![math::Part::Text(text)] } else { math::parts(text) };
        for part in parts {
            match part {
                math::Part::Text(text) => self.push_words(text, style),
                math::Part::Formula(formula)
                    if self.line == Line::Cell && formula.tex.contains('|') =>
                {
                    self.push_words(formula.source, style);
                }
                math::Part::Formula(math::Written { tex, display, .. }) => {
                    let content = Content::Math { tex: tex.into(), display };
                    self.push(content, Style { code: false, ..style });
                }
            }
        }
    }

    /// A part of a text, whose white space at its ends separates it from the others.
    fn push_words(&mut self, text: &'a str, style: Style<'a>) {
        let words = text.trim();
        if text.starts_with(char::is_whitespace) {
            self.space();
        }
        if !words.is_empty() {
            self.push(Content::Text(words.into()), style);
        }
        if text.ends_with(char::is_whitespace) {
            self.space();
        }
    }

    fn push(&mut self, content: Content<'a>, style: Style<'a>) {
        let before = std::mem::replace(&mut self.before, Before::Nothing);
        self.runs.push(Run { content, before, style });
    }

    fn space(&mut self) {
        self.before = self.before.max(Before::Space);
    }

    /// Pages without paragraphs separate them by two line breaks in a row.
    fn line_break(&mut self) {
        if self.before == Before::Break {
            self.flush();
        } else {
            self.before = Before::Break;
        }
    }

    fn end_quotation(&mut self) {
        if self.style.quotations > 0 {
            self.style.quotations -= 1;
        } else if !self.runs.is_empty() {
            self.before = Before::Nothing;
            self.push(Content::Text("\"".into()), Style { code: false, ..self.style.now() });
        }
    }

    /// Writes a formula whose TeX is known and skips its elements. Returns whether it is one.
    fn formula(&mut self, id: NodeId, tag: Tag) -> bool {
        let found = match tag {
            _ if self.code.is_some() => None,
            Tag::MATH => math::annotation(self.page, id),
            Tag::SPAN | Tag::DIV => math::of_class(self.page, id),
            Tag::IMG => math::of_image(self.page, id),
            _ => None,
        };
        let Some(math::Formula { tex, display }) = found else { return false };
        if self.line == Line::Cell && tex.contains('|') {
            return false;
        }
        if tag == Tag::DIV {
            self.flush();
        }
        if display || tag == Tag::IMG || self.page.gap(id.next()) != Gap::None {
            self.space();
        }
        self.push(Content::Math { tex: Cow::Owned(tex), display }, Style::default());
        self.skipped = self.page.subtree(id);
        match tag {
            Tag::DIV => self.flush(),
            Tag::IMG => self.space(),
            _ => {}
        }
        true
    }

    /// Writes the mark of a footnote, and skips links back to it. Returns whether it is one.
    fn note(&mut self, id: NodeId) -> bool {
        let number = self.notes.reference(id);
        if number.is_none() && !self.notes.is_back_link(id) || self.code.is_some() {
            return false;
        }
        if let Some(number) = number {
            self.push(Content::Note(number), Style::default());
        }
        self.skipped = self.page.subtree(id);
        true
    }

    fn image(&mut self, id: NodeId) {
        self.space();
        if self.options.images == Images::Drop {
            return;
        }
        let alt = self.page.attribute(id, "alt").unwrap_or("");
        let src = self.source(id);
        if src.is_empty() {
            return;
        }
        let style = Style { code: false, ..self.style.now() };
        // Inline image data is not an address, so only the alternative text is written.
        if !has_scheme(src, "data:") {
            self.push(Content::Image { alt, src }, style);
        } else if !alt.trim().is_empty() {
            let words: Vec<&str> = alt.split_whitespace().collect();
            self.push(Content::Text(words.join(" ").into()), style);
        }
        self.space();
    }

    /// The address of an image; of one that scripts load when it comes into view, where they find
    /// it.
    fn source(&self, id: NodeId) -> &'a str {
        let value = |name: &str| trimmed(self.page.attribute(id, name).unwrap_or(""));
        let src = value("src");
        if !src.is_empty() && !has_scheme(src, "data:") {
            return src;
        }
        let lazy = LAZY_SOURCES.iter().map(|name| value(name));
        let of_set = ["srcset", "data-srcset"]
            .iter()
            .map(|name| value(name).split([' ', ',']).next().unwrap_or(""));
        lazy.chain(of_set)
            .find(|address| !address.is_empty() && !has_scheme(address, "data:"))
            .unwrap_or(src)
    }

    fn enter_link(&mut self, id: NodeId) {
        let href = self.page.attribute(id, "href").map_or("", trimmed);
        // Headings of manuals lead to themselves.
        let is_permalink = matches!(self.line, Line::Heading(_)) && href.starts_with('#');
        let leads_somewhere = self.options.links != Links::Drop
            && !href.is_empty()
            && !is_permalink
            && !has_scheme(href, "javascript:");
        self.style.links.push(leads_somewhere.then_some(Link { id, href }));
        self.style.linked_blocks = 0;
    }

    fn enter_code(&mut self) {
        if self.style.code == 0 {
            self.style.around_code = self.style.now().emphasis;
        }
        self.style.code += 1;
    }

    fn enter_emphasis(&mut self, tag: Tag) {
        if let Some(kind) = emphasis(tag) {
            self.style.emphasis[kind] += 1;
        }
    }

    fn leave_emphasis(&mut self, tag: Tag) {
        if let Some(kind) = emphasis(tag) {
            self.style.emphasis[kind] = self.style.emphasis[kind].saturating_sub(1);
        }
    }

    // Blocks

    /// Ends the current block. A heading or a cell continues, because it must stay on one line.
    fn flush(&mut self) {
        match self.line {
            Line::Paragraph => {}
            Line::Heading(_) => return self.space(),
            Line::Cell => {
                self.before = Before::Break;
                return;
            }
        }
        let runs = self.take_runs();
        if !runs.is_empty() {
            self.push_text(runs, Line::Paragraph);
        }
    }

    /// Adds a block of text, unless nothing of it is written.
    fn push_text(&mut self, runs: Vec<Run<'a>>, line: Line) {
        let text = inline::write(runs, line, self.manner);
        if !text.is_empty() {
            self.blocks.push(Block::Text(text));
        }
    }

    fn end_heading(&mut self) {
        let line = std::mem::replace(&mut self.line, Line::Paragraph);
        let runs = self.take_runs();
        if !runs.is_empty() {
            self.push_text(runs, line);
        }
    }

    /// Takes the runs of a block that ends here.
    fn take_runs(&mut self) -> Vec<Run<'a>> {
        self.before = Before::Nothing;
        if let (Some(link), false) = (self.style.links.last_mut(), self.runs.is_empty()) {
            self.style.linked_blocks += 1;
            if self.style.linked_blocks == MAX_LINKED_BLOCKS {
                *link = None;
            }
        }
        std::mem::take(&mut self.runs)
    }

    fn open(&mut self, container: Container, shown: bool) {
        self.frames.push(Frame { container, shown, next: None, closes_outer: false });
        if shown {
            self.depth += usize::from(indents(container));
            self.blocks.push(Block::Open(container));
        }
    }

    /// Closes the innermost container, and any that was opened only for it.
    fn close(&mut self) {
        while let Some(frame) = self.frames.pop() {
            if frame.shown {
                self.depth -= usize::from(indents(frame.container));
                // Drop containers that are empty.
                if matches!(self.blocks.last(), Some(Block::Open(_))) {
                    self.blocks.pop();
                } else {
                    self.blocks.push(Block::Close(frame.container));
                }
            }
            if !frame.closes_outer {
                break;
            }
        }
    }

    fn is_in_list(&self) -> bool {
        let innermost = self.frames.last().map(|frame| frame.container);
        matches!(innermost, Some(Container::List | Container::StrayList))
    }

    fn open_list(&mut self, id: NodeId, tag: Tag) {
        let last = self.blocks.last();
        // A list between two items belongs to the first of them, as rendered by browsers.
        let reopens = match last {
            Some(&Block::Close(item @ Container::Item(_))) if self.is_in_list() => Some(item),
            _ => None,
        };
        if let Some(container) = reopens {
            self.blocks.pop();
            self.frames.push(Frame { container, shown: true, next: None, closes_outer: false });
            self.depth += 1;
        }
        self.open(Container::List, self.depth < MAX_DEPTH);
        if let Some(frame) = self.frames.last_mut() {
            frame.closes_outer = reopens.is_some();
            if tag == Tag::OL {
                let start =
                    self.page.attribute(id, "start").and_then(|start| start.trim().parse().ok());
                frame.next = Some(start.unwrap_or(1));
            }
        }
    }

    fn open_item(&mut self, id: NodeId) {
        let stray = !self.is_in_list();
        if stray {
            self.open_stray_list();
        }
        self.renumber(id);
        let number = self.count_item();
        let shown = self.frames.last().is_some_and(|list| list.shown);
        self.open(Container::Item(number), shown);
        if let Some(frame) = self.frames.last_mut() {
            frame.closes_outer = stray;
        }
    }

    /// Opens a list around an item outside of any list, or continues the one around the previous
    /// item.
    fn open_stray_list(&mut self) {
        let container = Container::StrayList;
        if matches!(self.blocks.last(), Some(Block::Close(Container::StrayList))) {
            self.blocks.pop();
            self.frames.push(Frame { container, shown: true, next: None, closes_outer: false });
        } else {
            self.open(container, self.depth < MAX_DEPTH);
        }
    }

    /// An item of a numbered list may say which number it has.
    fn renumber(&mut self, item: NodeId) {
        let value = self.page.attribute(item, "value").and_then(|value| value.trim().parse().ok());
        let next = self.frames.last_mut().and_then(|list| list.next.as_mut());
        if let (Some(value), Some(next)) = (value, next) {
            *next = value;
        }
    }

    /// The number of the next item, if its list is numbered.
    fn count_item(&mut self) -> Option<u32> {
        let next = self.frames.last_mut()?.next.as_mut()?;
        let number = *next;
        *next = next.saturating_add(1);
        // A list marker cannot have more digits.
        Some(number.min(999_999_999))
    }

    // Tables

    fn row(&mut self) {
        if let Some(grid) = &mut self.table {
            grid.row();
        }
    }

    fn cell(&mut self, id: NodeId, runs: Vec<Run<'a>>) {
        self.before = Before::Nothing;
        let span = |name| {
            self.page.attribute(id, name).and_then(|value| value.trim().parse().ok()).unwrap_or(1)
        };
        let (columns, rows) = (span("colspan"), span("rowspan"));
        if let Some(grid) = &mut self.table {
            grid.cell(runs, columns, rows);
        }
    }

    fn end_table(&mut self) {
        match self.table.take().map(|grid| grid.write(self.manner)) {
            None => {}
            Some(Ok(lines)) => self.blocks.push(Block::Lines(lines)),
            Some(Err(cells)) => cells.for_each(|runs| self.push_text(runs, Line::Paragraph)),
        }
    }

    // Code blocks

    fn enter_in_code_block(&mut self, id: NodeId, tag: Tag) {
        let Some((_, code)) = &mut self.code else { return };
        match tag {
            Tag::TEXT => code.push_str(self.page.preformatted(id).unwrap_or(self.page.text(id))),
            Tag::BR => code.push('\n'),
            _ if tag.flow() == Flow::Block && !self.page.is_foreign(id) => end_line(code),
            _ => {}
        }
    }

    fn leave_in_code_block(&mut self, id: NodeId, tag: Tag) {
        match self.code.take() {
            Some((pre, code)) if pre == id => self.code_block(pre, &code),
            Some((pre, mut code)) => {
                if tag.flow() == Flow::Block && tag != Tag::BR && !self.page.is_foreign(id) {
                    end_line(&mut code);
                }
                self.code = Some((pre, code));
            }
            None => {}
        }
    }

    fn code_block(&mut self, pre: NodeId, code: &str) {
        // A reader would take a carriage return for the end of the line, and the next one would
        // lack its indentation.
        let code = code.replace("\r\n", "\n").replace('\r', "\n");
        let code = code.trim_end().trim_start_matches('\n');
        if code.is_empty() {
            return;
        }
        if self.manner.plain {
            self.blocks.push(Block::Lines(code.to_owned()));
            return;
        }
        let fence = "`".repeat(escape::longest_run(code, '`').max(2) + 1);
        let language = self.language(pre).unwrap_or("");
        self.blocks.push(Block::Lines(format!("{fence}{language}\n{code}\n{fence}")));
    }

    /// The language that highlighters put in a class or an attribute of the `pre`, of the `code`
    /// inside it or of the `div`s around it.
    fn language(&self, pre: NodeId) -> Option<&'a str> {
        let inside = self.page.children(pre).find(|&id| self.page.tag(id) == Tag::CODE);
        // Beside a column of line numbers, the code is in a table.
        let in_table = self.page.ancestors(pre).take(2).any(|id| self.page.tag(id) == Tag::TD);
        let around = self.page.ancestors(pre).take(if in_table { 8 } else { 2 });
        let elements = std::iter::once(pre).chain(inside).chain(around);
        elements.into_iter().find_map(|id| language_of(self.page, id))
    }
}

fn indents(container: Container) -> bool {
    matches!(container, Container::Quote | Container::Item(_) | Container::Note(_))
}

fn end_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

fn end_word(code: &mut String) {
    if !code.ends_with(char::is_whitespace) {
        code.push(' ');
    }
}

fn trimmed(address: &str) -> &str {
    address.trim_matches(|c: char| c.is_ascii_control() || c == ' ')
}

/// Whether an address has the scheme. Browsers skip line feeds and tabs, which is how scripts are
/// smuggled past filters.
fn has_scheme(address: &str, scheme: &str) -> bool {
    let mut bytes = address.bytes().filter(|b| !b.is_ascii_control());
    scheme.bytes().all(|expected| bytes.next().is_some_and(|b| b.to_ascii_lowercase() == expected))
}
