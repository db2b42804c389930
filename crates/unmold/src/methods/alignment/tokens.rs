//! Turns a page into a sequence of tokens: one for each start tag, end tag and text, in document
//! order.
//!
//! Tokens come from the cleaned tree, not from the markup, so that start and end tags are balanced
//! and each token has a node. A token is written as in HTML (`<a href="http://x/">`, `</a>`,
//! `home`), escaped so that no text looks like a tag. Two tokens are equal if and only if their
//! written forms are; the template file holds the written form.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::page::{
    LabelProfile, NodeId, Page, comparison_form, content_attributes, push_link,
    push_without_numbers_of_sentence,
};

/// Which attributes of a start tag must agree for two tokens to be equal. Texts are compared in
/// comparison form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// All of them, in lower case and sorted, as in the paper.
    AllAttributes,
    /// Those of a label profile.
    Profile(LabelProfile),
}

/// When two tokens are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Equality {
    pub identity: Identity,
    pub mask_digits: bool,
}

/// A token of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub node: NodeId,
    /// Whether it is the node's end tag. Only start tags and texts are marked.
    pub is_end: bool,
}

/// Visits the tokens of a page in document order, each with its written form.
pub(super) fn visit_tokens(page: &Page, equality: Equality, mut visit: impl FnMut(Token, &str)) {
    let base = page.link_base();
    let mut open: Vec<NodeId> = Vec::new();
    let mut written = String::new();
    for id in page.nodes() {
        close(page, &mut open, id, &mut written, &mut visit);
        written.clear();
        if page.is_text(id) {
            push_text(&mut written, page.text(id), equality.mask_digits);
        } else {
            push_start_tag(&mut written, page, id, equality.identity, base.as_ref());
            if !page.tag(id).is_void() {
                open.push(id);
            }
        }
        visit(Token { node: id, is_end: false }, &written);
    }
    close(page, &mut open, page.nodes().end, &mut written, &mut visit);
}

/// Visits the end tags of the elements that end before the node `next`.
fn close(
    page: &Page,
    open: &mut Vec<NodeId>,
    next: NodeId,
    written: &mut String,
    visit: &mut impl FnMut(Token, &str),
) {
    while let Some(id) = open.pop_if(|id| page.subtree(*id).end <= next) {
        written.clear();
        written.push_str("</");
        written.push_str(page.tag_name(id));
        written.push('>');
        visit(Token { node: id, is_end: true }, written);
    }
}

fn push_text(out: &mut String, text: &str, mask_digits: bool) {
    let start = out.len();
    if mask_digits {
        push_without_numbers_of_sentence(out, text);
    } else {
        out.push_str(&comparison_form(text));
    }
    escape(out, start..out.len());
}

fn push_start_tag(
    out: &mut String,
    page: &Page,
    id: NodeId,
    identity: Identity,
    base: Option<&Url>,
) {
    out.push('<');
    out.push_str(page.tag_name(id));
    let content = match identity {
        Identity::AllAttributes => &[],
        Identity::Profile(profile) => content_attributes(page.tag(id), profile),
    };
    let is_compared = |name: &str| match identity {
        Identity::AllAttributes => true,
        Identity::Profile(LabelProfile::Tag) => false,
        Identity::Profile(LabelProfile::TagContent | LabelProfile::TagShown) => {
            content.contains(&name)
        }
        Identity::Profile(LabelProfile::TagIdClass) => {
            content.contains(&name) || matches!(name, "id" | "class")
        }
    };
    let mut attributes: Vec<(&str, &str)> =
        page.attributes(id).filter(|&(name, _)| is_compared(name)).collect();
    attributes.sort_unstable();
    for (name, value) in attributes {
        push_attribute(out, name, value, base);
    }
    out.push('>');
}

fn push_attribute(out: &mut String, name: &str, value: &str, base: Option<&Url>) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    let start = out.len();
    match name {
        "href" | "src" | "action" => push_link(out, value, base),
        "class" => {
            let mut classes: Vec<&str> = value.split_whitespace().collect();
            classes.sort_unstable();
            classes.dedup();
            push_lower_case_words(out, classes.into_iter());
        }
        _ => push_lower_case_words(out, value.split_whitespace()),
    }
    escape(out, start..out.len());
    out.push('"');
}

fn push_lower_case_words<'a>(out: &mut String, words: impl Iterator<Item = &'a str>) {
    for (number, word) in words.enumerate() {
        if number > 0 {
            out.push(' ');
        }
        out.push_str(&comparison_form(word));
    }
}

/// Escapes the characters that could make a text look like a tag, or one value like two.
fn escape(out: &mut String, range: Range<usize>) {
    if !out[range.clone()].contains(['&', '<', '"']) {
        return;
    }
    let escaped =
        out[range.clone()].replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    out.replace_range(range, &escaped);
}

/// The key by which a token is looked up; the same on every machine.
pub(super) fn token_hash(written: &str) -> u64 {
    xxh3_64(written.as_bytes())
}

/// Numbers the distinct tokens of several pages, starting at 0.
#[derive(Default, Debug)]
pub(super) struct TokenTable {
    numbers: KeyedMap<u64, u32>,
    written: Vec<Box<str>>,
}

impl TokenTable {
    /// The numbers of a page's tokens.
    pub fn read(&mut self, page: &Page, equality: Equality) -> Vec<u32> {
        let mut tokens = Vec::new();
        visit_tokens(page, equality, |_, written| {
            let next = self.written.len() as u32;
            let number = *self.numbers.entry(token_hash(written)).or_insert(next);
            if number == next {
                self.written.push(written.into());
            }
            tokens.push(number);
        });
        tokens
    }

    /// Whether a token is a text. Texts are escaped, so none begins with `<`.
    pub fn is_text(&self, number: u32) -> bool {
        !self.written(number).starts_with('<')
    }

    /// The written form of a token.
    pub fn written(&self, number: u32) -> &str {
        &self.written[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::ParseOptions;

    fn tokens(html: &str, identity: Identity) -> Vec<String> {
        let options = ParseOptions::default().with_url("http://site.invalid/a/b".to_owned());
        let page = Page::parse_with(html.as_bytes(), &options);
        let mut found = Vec::new();
        visit_tokens(&page, Equality { identity, mask_digits: false }, |_, written| {
            found.push(written.to_owned())
        });
        let inner = ["<html>", "<head>", "</head>", "<body>", "</body>", "</html>"];
        found.retain(|token| !inner.contains(&token.as_str()));
        found
    }

    #[test]
    fn tags_and_texts_are_tokens_and_a_void_element_is_one_token() {
        assert_eq!(
            tokens("<div>Tea<br>Cake</div>", Identity::AllAttributes),
            ["<div>", "tea", "<br>", "cake", "</div>"]
        );
    }

    #[test]
    fn identity_selects_the_compared_attributes() {
        let html = "<a title=' More  Tea' class='b A b' href='../tea#top' id=x>x</a>";
        for (identity, expected) in [
            (Identity::Profile(LabelProfile::Tag), "<a>"),
            (Identity::Profile(LabelProfile::TagContent), r#"<a href="http://site.invalid/tea">"#),
            (
                Identity::Profile(LabelProfile::TagIdClass),
                r#"<a class="a b" href="http://site.invalid/tea" id="x">"#,
            ),
            (
                Identity::AllAttributes,
                r#"<a class="a b" href="http://site.invalid/tea" id="x" title="more tea">"#,
            ),
        ] {
            assert_eq!(tokens(html, identity), [expected, "x", "</a>"]);
        }
    }

    #[test]
    fn texts_and_values_are_escaped() {
        assert_eq!(
            tokens("&lt;p> &amp;lt;", Identity::AllAttributes),
            ["&lt;p> &amp;lt;"],
            "a text that looks like a tag"
        );
        assert_eq!(
            tokens("<p title='x\" id=\"y'>", Identity::AllAttributes),
            [r#"<p title="x&quot; id=&quot;y">"#, "</p>"]
        );
    }
}
