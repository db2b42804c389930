//! Writes plain text: one line per block, inline text on the same line, tabs between the cells of a
//! table row.

use super::{Step, Stripped, walk};
use crate::page::{Flow, Gap, NodeId, Page, Tag};

/// Writes the visible texts of the page that are `wanted`.
pub(super) fn write(stripped: &Stripped, wanted: impl Fn(NodeId) -> bool) -> String {
    let page = stripped.page();
    let mut writer = Writer { page, out: String::new(), separator: Separator::Nothing };
    if let Some(body) = page.body().next() {
        walk(
            page,
            body,
            |_| true,
            |step| match step {
                Step::Enter(id) if page.is_text(id) => {
                    if wanted(id) {
                        writer.text(id);
                    } else {
                        // The words on both sides of a removed one must not be joined.
                        writer.require(Separator::Space);
                    }
                }
                Step::Enter(id) | Step::Leave(id) => writer.border(page.tag(id)),
            },
        );
    }
    writer.out
}

/// The separator to write before the next text, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Separator {
    Nothing,
    Space,
    Tab,
    Line,
}

struct Writer<'a> {
    page: &'a Page,
    out: String,
    separator: Separator,
}

impl Writer<'_> {
    fn require(&mut self, separator: Separator) {
        self.separator = self.separator.max(separator);
    }

    fn border(&mut self, tag: Tag) {
        self.require(match tag.flow() {
            // Cells of data are separated by a tab; paragraphs inside a cell of a layout table are
            // on lines of their own.
            _ if matches!(tag, Tag::TD | Tag::TH) => Separator::Tab,
            Flow::Inline => Separator::Nothing,
            Flow::Atomic => Separator::Space,
            Flow::Block => Separator::Line,
        });
    }

    fn text(&mut self, id: NodeId) {
        if self.page.gap(id) != Gap::None {
            self.require(Separator::Space);
        }
        match self.page.preformatted(id) {
            Some(text) => self.preformatted(text),
            None => {
                self.separate();
                self.out.push_str(self.page.text(id));
            }
        }
        self.separator = Separator::Nothing;
    }

    /// White space is part of the text, so a separator is added only if the text does not start
    /// with one.
    fn preformatted(&mut self, text: &str) {
        if self.separator == Separator::Line {
            self.separate();
            self.out.push_str(text.trim_start_matches(['\r', '\n']));
            return;
        }
        if !text.starts_with(char::is_whitespace) {
            self.separate();
        }
        self.out.push_str(text);
    }

    fn separate(&mut self) {
        if !self.out.is_empty() {
            match self.separator {
                Separator::Nothing => {}
                Separator::Space => self.out.push(' '),
                Separator::Tab => self.out.push('\t'),
                Separator::Line => self.out.push('\n'),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Page, Stripped};

    fn check(html: &str, expected: &str) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        assert_eq!(Stripped::untouched(&page).text(), expected, "{html}");
    }

    #[test]
    fn blocks_are_separate_lines_and_inline_text_is_joined() {
        check("<p>Green <b>tea</b>.</p><p>Black<i>bird</i></p>", "Green tea.\nBlackbird");
        check("<div>a<div>b</div>c</div>", "a\nb\nc");
        check("one<br>two", "one\ntwo");
        check("<a>x</a>, <a>y</a> <a>z</a>", "x, y z");
        check("<ul><li>a<li>b</ul>", "a\nb");
        check("left<img src=x>right", "left right");
    }

    #[test]
    fn tables_are_rows_of_cells() {
        check(
            "<table><tr><th>Name<th>Price<tr><td>Tea<td>3.50</table>after",
            "Name\tPrice\nTea\t3.50\nafter",
        );
        check("<table><tr><td><p>a<p>b</td><td>c</td></tr></table>", "a\nb\nc");
    }

    #[test]
    fn pre_keeps_its_white_space() {
        check(
            "<p>x<pre>\nfn main() {\n    <b>call</b>();\n}\n</pre>y",
            "x\nfn main() {\n    call();\n}\ny",
        );
        check("<pre>  indented\n<i>a</i>\n\n<i>b</i></pre>", "  indented\na\n\nb");
    }

    #[test]
    fn invisible_text_is_left_out() {
        check("", "");
        check("<title>t</title><script>x</script><p hidden>y</p><!-- z -->", "");
    }
}
