//! Finds the comments of readers below an article.
//!
//! They are a part of their own: a corpus of articles is better without them, and one of opinions
//! is made of them. Sites name them alike (`class="comments"`, `id="respond"`), and what has the
//! heading of the page in it, or all of its text, is the page itself, such as a thread of a forum.

use super::Stripped;
use crate::page::{Flow, NodeId, Page, Tag};

/// Words in classes and ids of the elements around comments.
const NAMES: [&str; 8] = [
    "comments",
    "comment",
    "commentlist",
    "commentarea",
    "respond",
    "disqus",
    "kommentare",
    "commentaires",
];

/// The outermost elements that hold comments.
pub(super) fn regions(stripped: &Stripped) -> Vec<NodeId> {
    let page = stripped.page();
    let length = |id: NodeId| if stripped.keeps(id) { page.text(id).len() } else { 0 };
    let mut before = vec![0];
    for id in page.nodes() {
        before.push(before[id.index()] + length(id));
    }
    let kept = |id: NodeId| before[page.subtree(id).end.index()] - before[id.index()];
    let headings: Vec<NodeId> = page.body().filter(|&id| page.tag(id) == Tag::H1).collect();
    let holds_heading = |id: NodeId| {
        let inside = page.subtree(id);
        let first = headings.partition_point(|&heading| heading < inside.start);
        headings.get(first).is_some_and(|&heading| heading < inside.end)
    };
    let mut found = Vec::new();
    let mut end = NodeId::ROOT;
    for id in page.body() {
        let is_region = id >= end
            && page.tag(id).flow() == Flow::Block
            && id != page.body().start
            && holds_comments(page, id)
            && !holds_heading(id);
        if is_region {
            end = page.subtree(id).end;
            found.push(id);
        }
    }
    let all = page.body().next().map_or(0, kept);
    let of_comments: usize = found.iter().map(|&id| kept(id)).sum();
    if of_comments == 0 || of_comments == all {
        found.clear();
    }
    found
}

fn holds_comments(page: &Page, id: NodeId) -> bool {
    page.attribute(id, "itemprop").is_some_and(|name| name.eq_ignore_ascii_case("comment"))
        || page.class_and_id(id).any(|names| names.split_whitespace().any(is_name))
}

/// `comments`, `post-comments`, `comment-list`; not `comment-count` and `no-comments`.
fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    const OTHERS: [&str; 9] =
        ["count", "counter", "number", "link", "no", "open", "closed", "meta", "has"];
    words.clone().any(|word| NAMES.contains(&word)) && !words.any(|word| OTHERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Page, Stripped};

    fn check(html: &str, text: &str, comments: &str) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let stripped = Stripped::untouched(&page);
        let (left, found) = match stripped.without_comments() {
            Some((left, comments)) => (left.text(), comments.text()),
            None => (stripped.text(), String::new()),
        };
        assert_eq!((left.as_str(), found.as_str()), (text, comments), "{html}");
    }

    #[test]
    fn comments_are_a_part_of_their_own() {
        check("<h1>T</h1><p>a<div id=comments><p>b</div><p>c", "T\na\nc", "b");
        check(
            "<p>a<ol class=comment-list><li class=comment>b<li class=comment>c</ol>",
            "a",
            "b\nc",
        );
        check("<p>a<div itemprop=comment>b</div><div itemprop=comment>c</div>", "a", "b\nc");
    }

    #[test]
    fn a_page_of_comments_is_a_page() {
        check("<div class=comments><p>a</div>", "a", "");
        check("<div class=comments><h1>T</h1><p>a</div><p>b", "T\na\nb", "");
        check("<p>a<span class=comment>b</span><div class=comment-count>3</div>", "ab\n3", "");
    }
}
