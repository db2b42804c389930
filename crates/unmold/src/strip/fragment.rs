//! Writes only the content as HTML: an `article` with paragraphs, headings, lists, tables, links
//! and images, without the head, the wrappers and the attributes of the layout.

use super::html::{Gaps, end_tag_of, start_tag_with};
use super::{Images, Links, Step, Stripped, WriteOptions, walk};
use crate::page::{Flow, NodeId, Page, Tag};

/// Attributes that are part of the content.
const ATTRIBUTES: [&str; 14] = [
    "href",
    "src",
    "alt",
    "id",
    "colspan",
    "rowspan",
    "datetime",
    "lang",
    "dir",
    "start",
    "srcset",
    "cite",
    "data-lang",
    "display",
];

pub(super) fn write(stripped: &Stripped, options: WriteOptions) -> String {
    let page = stripped.page();
    let base = options.base(page);
    let shapes = Shapes::of(stripped);
    let drops = |id: NodeId| match page.tag(id) {
        Tag::IMG => options.images == Images::Drop,
        Tag::SVG | Tag::INPUT | Tag::SELECT | Tag::TEXTAREA => true,
        _ => false,
    };
    let mut out = String::from("<article>");
    let mut gaps = Gaps::default();
    // Elements around the current one that can only hold a line.
    let mut lines = 0usize;
    let mut names: Vec<Option<&str>> = Vec::new();
    let Some(body) = page.body().next() else { return out + "</article>\n" };
    walk(
        page,
        body,
        |id| stripped.keeps(id) && !drops(id),
        |step| match step {
            Step::Enter(id) if page.is_text(id) => gaps.text(page, id, &mut out),
            Step::Enter(id) => {
                let unlinks = options.links == Links::Drop && page.tag(id) == Tag::A;
                let name = shapes.name(page, id, lines > 0).filter(|_| !unlinks);
                lines += usize::from(holds_line(page.tag(id)));
                gaps.before(page, id, &mut out);
                if let Some(name) = name {
                    let is_content = |attribute: &str| {
                        ATTRIBUTES.contains(&attribute) || names_language(page, id, attribute)
                    };
                    start_tag_with(page, id, name, base.as_ref(), is_content, &mut out);
                }
                names.push(name);
            }
            Step::Leave(id) if !page.is_text(id) => {
                lines -= usize::from(holds_line(page.tag(id)));
                if let Some(name) = names.pop().flatten() {
                    end_tag_of(page, id, name, &mut out);
                }
                gaps.after_text = false;
            }
            Step::Leave(_) => {}
        },
    );
    out.push_str("</article>\n");
    out
}

/// The class of code says its language.
fn names_language(page: &Page, id: NodeId, attribute: &str) -> bool {
    attribute == "class" && matches!(page.tag(id), Tag::CODE | Tag::PRE)
}

fn holds_line(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::P
            | Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::DT
            | Tag::CAPTION
            | Tag::SUMMARY
            | Tag::PRE
    )
}

/// What the elements of a page hold of what is left.
struct Shapes {
    text: Vec<bool>,
    block: Vec<bool>,
    /// Text that is not in a block inside.
    line: Vec<bool>,
}

impl Shapes {
    fn of(stripped: &Stripped) -> Shapes {
        let page = stripped.page();
        let none = vec![false; page.len() as usize];
        let mut shapes = Shapes { text: none.clone(), block: none.clone(), line: none };
        for id in page.body().rev().filter(|&id| stripped.keeps(id)) {
            let (at, tag) = (id.index(), page.tag(id));
            let is_text = page.is_text(id);
            shapes.text[at] |= is_text;
            let is_block = tag.flow() == Flow::Block && tag != Tag::BR && !page.is_foreign(id);
            let Some(parent) = page.parent(id) else { continue };
            let up = parent.index();
            shapes.text[up] |= shapes.text[at];
            shapes.block[up] |= shapes.text[at] && (is_block || shapes.block[at]);
            shapes.line[up] |= shapes.text[at] && !is_block && !shapes.block[at];
        }
        shapes
    }

    /// The name that an element is written under; `None` if only its contents are.
    fn name<'p>(&self, page: &'p Page, id: NodeId, in_line: bool) -> Option<&'p str> {
        let tag = page.tag(id);
        let at = id.index();
        let unknown = tag.known_name().is_none();
        match tag {
            Tag::SPAN | Tag::FONT | Tag::LABEL | Tag::BUTTON | Tag::HTML | Tag::BODY => None,
            Tag::DIV
            | Tag::SECTION
            | Tag::ARTICLE
            | Tag::MAIN
            | Tag::HEADER
            | Tag::FOOTER
            | Tag::ASIDE
            | Tag::NAV
            | Tag::CENTER
            | Tag::FORM
            | Tag::FIELDSET => self.wrapper(at, in_line),
            _ if unknown && !page.is_foreign(id) => self.wrapper(at, in_line),
            _ => Some(page.tag_name(id)),
        }
    }

    /// A wrapper with text of its own is a paragraph.
    fn wrapper(&self, at: usize, in_line: bool) -> Option<&'static str> {
        match (self.line[at] && !in_line, self.block[at]) {
            (true, false) => Some("p"),
            (true, true) => Some("div"),
            (false, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Page, Stripped, WriteOptions};

    fn check(html: &str, expected: &str) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let out = Stripped::untouched(&page).html_with(WriteOptions::default().with_fragment(true));
        assert_eq!(out, format!("<article>{expected}</article>\n"), "{html}");
    }

    #[test]
    fn only_the_content_is_written() {
        check(
            "<title>t</title><body class=x><div id=w><div class=c>a <b class=y>b</b></div></div>",
            "<p>a <b>b</b></p>",
        );
        check("<div>a<p>b</p></div>", "<div>a<p>b</p></div>");
        check("<main><h1><div>T</div></h1><p style=x>a</p></main>", "<h1>T</h1><p>a</p>");
        check(
            "<p><a href=u class=l><span>a</span></a> <img src=i alt=j width=3>",
            "<p><a href=\"u\">a</a> <img src=\"i\" alt=\"j\"></p>",
        );
        check(
            "<x-card><pre><code class=language-rs>fn</code></pre></x-card>",
            "<pre><code class=\"language-rs\">fn</code></pre>",
        );
        check("<form><input value=x><svg><path/></svg></form>", "");
    }
}
