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
    let list = matches!(
        tag,
        Tag::UL | Tag::OL | Tag::MENU | Tag::DIR | Tag::LI | Tag::DL | Tag::DT | Tag::DD
    );
    let code = matches!(tag, Tag::PRE | Tag::LISTING | Tag::XMP | Tag::PLAINTEXT);
    list || code
        || matches!(tag, Tag::TABLE | Tag::BLOCKQUOTE | Tag::HR)
        || heading_level(tag).is_some()
}

/// The current part of a table.
enum Part {
    Between,
    Caption,
    Cell { has_text: bool },
}

struct Scan<'a> {
    page: &'a Page,
    holds_blocks: Vec<bool>,
    /// Open headings and tables. A nested one is itself a block, so only the innermost can still be
    /// plain.
    open: Vec<NodeId>,
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
        if is_structure(tag) {
            self.mark_innermost();
        }
        match tag {
            Tag::TD | Tag::TH => self.part = Part::Cell { has_text: false },
            Tag::CAPTION => self.part = Part::Caption,
            _ if tag == Tag::TABLE || heading_level(tag).is_some() => self.open.push(id),
            _ => {}
        }
        self.pass(tag);
    }

    fn leave(&mut self, id: NodeId) {
        if self.open.last() == Some(&id) {
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
        let in_table = self.open.last().is_some_and(|&id| self.page.tag(id) == Tag::TABLE);
        let border = std::mem::take(&mut self.border);
        let fits = match &mut self.part {
            Part::Caption => true,
            Part::Between => false,
            Part::Cell { has_text } => !std::mem::replace(has_text, true) || !border,
        };
        if in_table && !fits {
            self.mark_innermost();
        }
    }

    fn mark_innermost(&mut self) {
        if let Some(&id) = self.open.last() {
            self.holds_blocks[id.index()] = true;
        }
    }
}
