//! Writes HTML that parses to the same tree again.

use url::Url;

use super::options::absolute;
use super::{Images, Links, Step, Stripped, WriteOptions, walk};
use crate::page::{Flow, Gap, NodeId, Page, Tag};

pub(super) fn write(stripped: &Stripped, options: WriteOptions) -> String {
    let page = stripped.page();
    let base = options.base(page);
    let drops = |id| match page.tag(id) {
        Tag::IMG => options.images == Images::Drop,
        _ => false,
    };
    let unlinks = |id| options.links == Links::Drop && page.tag(id) == Tag::A;
    // In quirks mode a table may be inside a paragraph, in standards mode it closes the paragraph.
    // So the mode must be preserved.
    let mut out = String::from(if page.is_quirky() { "" } else { "<!DOCTYPE html>\n" });
    let mut gaps = Gaps::default();
    walk(
        page,
        NodeId::ROOT,
        |id| stripped.keeps(id) && !drops(id),
        |step| match step {
            Step::Enter(id) if page.is_text(id) => gaps.text(page, id, &mut out),
            Step::Enter(id) | Step::Leave(id) if unlinks(id) => gaps.after_text = false,
            Step::Enter(id) => {
                gaps.before(page, id, &mut out);
                start_tag(page, id, base.as_ref(), &mut out);
            }
            Step::Leave(id) if !page.is_text(id) => {
                end_tag(page, id, &mut out);
                gaps.after_text = false;
            }
            Step::Leave(_) => {}
        },
    );
    out.push('\n');
    out
}

/// The white space between texts, which is written where the page has it.
#[derive(Default)]
pub(super) struct Gaps {
    /// Whether the last node was a text. Removed nodes separated the texts around them: without a
    /// space these would become one word.
    pub(super) after_text: bool,
    /// Whether the space since the last text is written.
    spaced: bool,
}

impl Gaps {
    /// The space before the start tag of an element in a line, if it is there and not inside.
    /// Images separate texts by themselves, so a space around them is not known.
    pub(super) fn before(&mut self, page: &Page, id: NodeId, out: &mut String) {
        let is_in_line = page.tag(id).flow() != Flow::Block && !page.is_foreign(id);
        if is_in_line && page.gap(id) == Gap::Space && !self.spaced {
            out.push(' ');
            self.spaced = true;
        }
        self.after_text = false;
    }

    pub(super) fn text(&mut self, page: &Page, id: NodeId, out: &mut String) {
        text(page, id, self.spaced, self.after_text, out);
        (self.spaced, self.after_text) = (false, true);
    }
}

/// The tag name to write. `plaintext` cannot be closed, so its text goes into a `pre`.
fn name(page: &Page, id: NodeId) -> &str {
    if page.tag(id) == Tag::PLAINTEXT { "pre" } else { page.tag_name(id) }
}

fn start_tag(page: &Page, id: NodeId, base: Option<&Url>, out: &mut String) {
    start_tag_with(page, id, name(page, id), base, |_| true, out);
}

/// A start tag with another name, and only with the attributes that are wanted.
pub(super) fn start_tag_with(
    page: &Page,
    id: NodeId,
    name: &str,
    base: Option<&Url>,
    wanted: impl Fn(&str) -> bool,
    out: &mut String,
) {
    out.push('<');
    out.push_str(name);
    for (name, value) in page.attributes(id).filter(|(name, _)| wanted(name)) {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        let address = match base {
            Some(_) if matches!(name, "href" | "src") => absolute(value.trim(), base),
            _ => String::new(),
        };
        let value = if address.is_empty() { value } else { &address };
        for c in value.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '"' => out.push_str("&quot;"),
                '\u{a0}' => out.push_str("&nbsp;"),
                c => out.push(c),
            }
        }
        out.push('"');
    }
    out.push('>');
}

fn end_tag(page: &Page, id: NodeId, out: &mut String) {
    end_tag_of(page, id, name(page, id), out);
}

pub(super) fn end_tag_of(page: &Page, id: NodeId, name: &str, out: &mut String) {
    if page.tag(id).is_void() && !page.is_foreign(id) {
        return;
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn text(page: &Page, id: NodeId, spaced: bool, after_text: bool, out: &mut String) {
    let parent = page.parent(id).map(|parent| page.tag(parent));
    let text = match page.preformatted(id) {
        Some(text) => {
            // The parser drops the first line feed of these elements.
            let first =
                text.starts_with('\n') && page.parent(id).is_some_and(|parent| parent.next() == id);
            if first && parent.is_some_and(Tag::keeps_white_space) {
                out.push('\n');
            }
            if after_text && !text.starts_with(char::is_whitespace) {
                out.push(' ');
            }
            text
        }
        None => {
            if page.gap(id) == Gap::Space && !spaced || after_text {
                out.push(' ');
            }
            page.text(id)
        }
    };
    if parent == Some(Tag::XMP) {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Page, Stripped};

    #[test]
    fn spaces_stay_where_they_are() {
        for html in [
            "an oiled <b>span</b>ner, <i>or</i> <u>so</u>",
            "one<b> two</b> three",
            "<a href=\"x\">a</a> » <a href=\"y\">b</a>",
            "<span>£</span><span>12</span>",
            "<p>a <b><i>b</i> c</b></p><p> d</p>",
        ] {
            let page = Page::parse(html.as_bytes(), &Limits::default());
            let out = Stripped::untouched(&page).html();
            let body = out.split("<body>").nth(1).and_then(|rest| rest.split("</body>").next());
            assert_eq!(body, Some(html.replace("<p> d", "<p>d").as_str()));
        }
    }
}
