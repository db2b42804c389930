//! Plain text: a line for every block, inline text together, the cells of a table row apart by
//! tabs.

use super::{Step, Stripped, walk};
use crate::page::{Flow, Gap, NodeId, Page, Tag};

/// The visible texts of the page that are `wanted`.
pub(super) fn write(stripped: &Stripped, wanted: impl Fn(NodeId) -> bool) -> String {
    let page = stripped.page();
    let mut writer = Writer { page, out: String::new(), between: Between::Nothing };
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
                        // What stood on the two sides of a removed word must not become one word.
                        writer.put(Between::Space);
                    }
                }
                Step::Enter(id) | Step::Leave(id) => writer.border(page.tag(id)),
            },
        );
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

    fn border(&mut self, tag: Tag) {
        self.put(match tag.flow() {
            // Two cells of data are apart by a tab; paragraphs inside a cell of a layout table
            // bring their own lines.
            _ if matches!(tag, Tag::TD | Tag::TH) => Between::Tab,
            Flow::Inline => Between::Nothing,
            Flow::Atomic => Between::Space,
            Flow::Block => Between::Line,
        });
    }

    fn text(&mut self, id: NodeId) {
        if self.page.gap(id) != Gap::None {
            self.put(Between::Space);
        }
        match self.page.preformatted(id) {
            Some(text) => self.preformatted(text),
            None => {
                self.separate();
                self.out.push_str(self.page.text(id));
            }
        }
        self.between = Between::Nothing;
    }

    /// White space is part of the text: only what it does not bring itself is added.
    fn preformatted(&mut self, text: &str) {
        if self.between == Between::Line {
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
            match self.between {
                Between::Nothing => {}
                Between::Space => self.out.push(' '),
                Between::Tab => self.out.push('\t'),
                Between::Line => self.out.push('\n'),
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
    fn blocks_apart_inline_together() {
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
    fn pre_is_written_as_it_was() {
        check(
            "<p>x<pre>\nfn main() {\n    <b>call</b>();\n}\n</pre>y",
            "x\nfn main() {\n    call();\n}\ny",
        );
        check("<pre>  indented\n<i>a</i>\n\n<i>b</i></pre>", "  indented\na\n\nb");
    }

    #[test]
    fn nothing_visible_is_nothing() {
        check("", "");
        check("<title>t</title><script>x</script><p hidden>y</p><!-- z -->", "");
    }
}
