//! Finds the headings and tables that can be written as such.
//!
//! Markdown headings have one line, and tables one line per row. A heading that was never closed
//! and swallows the page, or a table that lays out a page's columns, is written as the blocks it
//! holds. This takes a pass beforehand, because the contents of a table are known only at its end.

use crate::page::{Flow, NodeId, Page, Tag};
use crate::strip::{Step, Stripped, walk};

/// The headings and tables that hold blocks.
pub(super) struct Shapes {
    holds_blocks: Vec<bool>,
}

impl Shapes {
    pub(super) fn of(stripped: &Stripped) -> Shapes {
        let page = stripped.page();
        let mut scan = Scan {
            page,
            holds_blocks: vec![false; page.len() as usize],
            open: Vec::new(),
            part: Part::Between,
            border: false,
        };
        if let Some(body) = page.body().next() {
            walk(
                page,
                body,
                |id| stripped.keeps(id),
                |step| match step {
                    Step::Enter(id) => scan.enter(id),
                    Step::Leave(id) => scan.leave(id),
                },
            );
        }
        Shapes { holds_blocks: scan.holds_blocks }
    }

    /// Whether a heading fits on one line, or each row of a table does.
    pub(super) fn is_plain(&self, id: NodeId) -> bool {
        !self.holds_blocks[id.index()]
    }
}

pub(super) fn heading_level(tag: Tag) -> Option<u8> {
    [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6]
        .iter()
        .zip(1..)
        .find(|&(&h, _)| h == tag)
        .map(|(_, n)| n)
}

/// Elements with a Markdown form of their own, which does not fit into a line.
fn is_structure(tag: Tag) -> bool {
    let code = matches!(tag, Tag::PRE | Tag::LISTING | Tag::XMP | Tag::PLAINTEXT);
    is_line(tag)
        || code
        || matches!(tag, Tag::TABLE | Tag::BLOCKQUOTE | Tag::HR)
        || heading_level(tag).is_some()
}

/// The parts of lists. In the cell of a table with a header, their items are lines.
fn is_line(tag: Tag) -> bool {
    matches!(tag, Tag::UL | Tag::OL | Tag::MENU | Tag::DIR | Tag::LI | Tag::DL | Tag::DT | Tag::DD)
}

/// A cell with more lines is easier to read as blocks.
const MAX_LINES: usize = 8;

/// A table whose first nodes include one of these is a table of data, not one that lays out a page.
const HEADER_NODES: usize = 256;

fn has_header(page: &Page, table: NodeId) -> bool {
    page.subtree(table).take(HEADER_NODES).any(|id| page.tag(id) == Tag::TH)
}

/// The current part of a table.
enum Part {
    Between,
    Caption,
    Cell { lines: usize },
}

struct Scan<'a> {
    page: &'a Page,
    holds_blocks: Vec<bool>,
    /// Open headings and tables, and whether they are tables with a header. A nested one is itself
    /// a block, so only the innermost can still be plain.
    open: Vec<(NodeId, bool)>,
    part: Part,
    /// Whether a block border has been passed since the last text.
    border: bool,
}

impl Scan<'_> {
    fn enter(&mut self, id: NodeId) {
        let tag = self.page.tag(id);
        if self.page.is_foreign(id) {
            return;
        }
        if matches!(tag, Tag::TEXT | Tag::IMG) {
            self.text();
            return;
        }
        if is_structure(tag) && !(is_line(tag) && self.is_in_cell_of_data()) {
            self.mark_innermost();
        }
        match tag {
            Tag::TD | Tag::TH => self.part = Part::Cell { lines: 0 },
            Tag::CAPTION => self.part = Part::Caption,
            Tag::TABLE => self.open.push((id, has_header(self.page, id))),
            _ if heading_level(tag).is_some() => self.open.push((id, false)),
            _ => {}
        }
        self.pass(tag);
    }

    fn leave(&mut self, id: NodeId) {
        if self.open.last().is_some_and(|&(open, _)| open == id) {
            self.open.pop();
        }
        if matches!(self.page.tag(id), Tag::TD | Tag::TH | Tag::CAPTION) {
            self.part = Part::Between;
        }
        if !self.page.is_foreign(id) {
            self.pass(self.page.tag(id));
        }
    }

    fn pass(&mut self, tag: Tag) {
        self.border |= tag.flow() == Flow::Block && tag != Tag::BR;
    }

    fn text(&mut self) {
        let in_table = self.open.last().is_some_and(|&(id, _)| self.page.tag(id) == Tag::TABLE);
        let border = std::mem::take(&mut self.border);
        let max_lines = if self.is_in_cell_of_data() { MAX_LINES } else { 1 };
        let fits = match &mut self.part {
            Part::Caption => true,
            Part::Between => false,
            Part::Cell { lines } => {
                *lines += usize::from(border || *lines == 0);
                *lines <= max_lines
            }
        };
        if in_table && !fits {
            self.mark_innermost();
        }
    }

    fn is_in_cell_of_data(&self) -> bool {
        let in_cell = matches!(self.part, Part::Cell { .. });
        in_cell && self.open.last().is_some_and(|&(_, has_header)| has_header)
    }

    fn mark_innermost(&mut self) {
        if let Some(&(id, _)) = self.open.last() {
            self.holds_blocks[id.index()] = true;
        }
    }
}
