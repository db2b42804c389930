//! Writes HTML that parses to the same tree again.

use url::Url;

use super::options::absolute;
use super::{Images, Links, Step, Stripped, WriteOptions, walk};
use crate::page::{Gap, NodeId, Page, Tag};

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
    // Removed nodes separated the texts around them. Without a space these would become one word.
    let mut after_text = false;
    walk(
        page,
        NodeId::ROOT,
        |id| stripped.keeps(id) && !drops(id),
        |step| match step {
            Step::Enter(id) if page.is_text(id) => {
                text(page, id, after_text, &mut out);
                after_text = true;
            }
            Step::Enter(id) | Step::Leave(id) if unlinks(id) => {}
            Step::Enter(id) => {
                start_tag(page, id, base.as_ref(), &mut out);
                after_text = false;
            }
            Step::Leave(id) if !page.is_text(id) => {
                end_tag(page, id, &mut out);
                after_text = false;
            }
            Step::Leave(_) => {}
        },
    );
    out.push('\n');
    out
}

/// The tag name to write. `plaintext` cannot be closed, so its text goes into a `pre`.
fn name(page: &Page, id: NodeId) -> &str {
    if page.tag(id) == Tag::PLAINTEXT { "pre" } else { page.tag_name(id) }
}

fn start_tag(page: &Page, id: NodeId, base: Option<&Url>, out: &mut String) {
    out.push('<');
    out.push_str(name(page, id));
    for (name, value) in page.attributes(id) {
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
    if page.tag(id).is_void() && !page.is_foreign(id) {
        return;
    }
    out.push_str("</");
    out.push_str(name(page, id));
    out.push('>');
}

fn text(page: &Page, id: NodeId, after_text: bool, out: &mut String) {
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
            if page.gap(id) == Gap::Space || after_text {
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
