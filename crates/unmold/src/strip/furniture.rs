//! Small furniture inside content: it is on the page for those who look at it in a browser, and
//! says nothing to those who read its text.
//!
//! What is removed: the permalink of a heading (`¶`), its edit link (`[edit]`), the numbers of the
//! lines of code, images of one pixel and images without address, and images that stand among
//! removed texts only, like logos and icons.

use crate::page::{Gap, NodeId, NodeRange, Page, Tag};

/// Texts of links that lead to the heading they are in.
const PERMALINKS: [&str; 6] = ["¶", "#", "§", "🔗", "∞", "permalink"];
/// Texts of links that edit the section they are in, without brackets.
const EDIT_LINKS: [&str; 3] = ["edit", "edit source", "edit section"];
/// Classes of such links, and of links to the source of a function.
const EDIT_CLASSES: [&str; 3] = ["mw-editsection", "editsection", "viewcode-link"];

/// Classes of cells with the numbers of the lines of code: Pygments, Rouge, others.
const LINE_NUMBERS: [&str; 4] = ["linenos", "rouge-gutter", "gutter", "line-numbers"];

pub(super) fn remove(page: &Page, removed: &mut [bool]) {
    let body = page.body();
    remove_repeated_titles(page, removed);
    let texts = Texts::of(page, removed);
    for id in body.clone() {
        let tag = page.tag(id);
        if tag == Tag::IMG && (is_spacer(page, id) || is_among_removed(page, &texts, id))
            || tag == Tag::A && is_heading_link(page, id)
            || tag == Tag::BUTTON && is_in_heading(page, id)
            || is_edit_link(page, id)
            || tag == Tag::TD && is_line_numbers(page, id)
        {
            page.subtree(id).for_each(|id| removed[id.index()] = true);
        }
    }
    // What holds nothing any more is no scaffolding either. Elements without children are content
    // of their own, such as rules and line breaks.
    for id in body.clone().rev().filter(|&id| id != body.start) {
        let mut children = page.children(id).peekable();
        if children.peek().is_some() && children.all(|child| removed[child.index()]) {
            removed[id.index()] = true;
        }
    }
}

/// A line of text that is left.
struct Line {
    nodes: NodeRange,
    text: String,
    is_heading: bool,
}

/// A heading and the same text again right before or after it, such as the caption of an infobox,
/// are one title: the heading stays, the first of two.
fn remove_repeated_titles(page: &Page, removed: &mut [bool]) {
    let mut last: Option<Line> = None;
    let mut texts = page.visible_texts().filter(|&id| !removed[id.index()]).peekable();
    let mut repeated: Vec<NodeRange> = Vec::new();
    while let Some(first) = texts.next() {
        let mut nodes = page.subtree(first);
        while let Some(next) = texts.next_if(|&next| page.gap(next) != Gap::Line) {
            nodes.end = next.next();
        }
        let around = page.ancestors(first).take(4).find(|&id| is_heading(page.tag(id)));
        let is_heading = around.is_some_and(|id| page.subtree(id).end >= nodes.end);
        let text = page.joined_text(nodes.clone());
        let line = Line { nodes, text, is_heading };
        match &last {
            Some(last) if last.text == line.text && (last.is_heading || line.is_heading) => {
                if last.is_heading {
                    repeated.push(line.nodes);
                    continue;
                }
                repeated.push(last.nodes.clone());
            }
            _ => {}
        }
        last = Some(line);
    }
    for id in repeated.into_iter().flatten() {
        removed[id.index()] |= page.is_text(id);
    }
}

/// An image of at most one pixel, or one that holds its own data and says nothing.
fn is_spacer(page: &Page, id: NodeId) -> bool {
    let size = |name| page.attribute(id, name).and_then(|size| size.trim().parse::<f64>().ok());
    let has_text = page.attribute(id, "alt").is_some_and(|alt| !alt.trim().is_empty());
    let src = page.attribute(id, "src").unwrap_or("").trim_start();
    let is_data = src.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    let is_lazy = ["data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"]
        .iter()
        .any(|name| page.attribute(id, name).is_some());
    size("width").is_some_and(|size| size <= 1.0)
        || size("height").is_some_and(|size| size <= 1.0)
        || (src.is_empty() || is_data) && !has_text && !is_lazy
}

/// Numbers of texts, to ask about a subtree without walking it.
struct Texts {
    /// Texts before each node.
    all: Vec<u32>,
    /// Kept texts before each node.
    kept: Vec<u32>,
}

impl Texts {
    fn of(page: &Page, removed: &[bool]) -> Texts {
        let (mut all, mut kept) = (vec![0], vec![0]);
        for id in page.nodes() {
            let is_text = page.is_text(id);
            all.push(all[id.index()] + u32::from(is_text));
            kept.push(kept[id.index()] + u32::from(is_text && !removed[id.index()]));
        }
        Texts { all, kept }
    }

    /// Whether a subtree has texts, and whether one of them is kept.
    fn in_subtree(&self, page: &Page, id: NodeId) -> (bool, bool) {
        let (start, end) = (id.index(), page.subtree(id).end.index());
        (self.all[end] > self.all[start], self.kept[end] > self.kept[start])
    }
}

/// Whether the smallest element around the image that has text has lost all of it, or the image
/// links to the top of the page.
fn is_among_removed(page: &Page, texts: &Texts, id: NodeId) -> bool {
    let to_the_top = page
        .ancestors(id)
        .take(3)
        .filter_map(|ancestor| page.attribute(ancestor, "href"))
        .any(|href| matches!(href.trim(), "#" | "#top"));
    let around = page
        .ancestors(id)
        .take_while(|&ancestor| !matches!(page.tag(ancestor), Tag::BODY | Tag::HTML))
        .map(|ancestor| texts.in_subtree(page, ancestor))
        .find(|&(has_text, _)| has_text);
    to_the_top || around.is_some_and(|(_, is_kept)| !is_kept)
}

fn is_heading(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::DT
            | Tag::CAPTION
            | Tag::FIGCAPTION
    )
}

/// A link in a heading, a term or a caption that leads to this very place.
fn is_heading_link(page: &Page, id: NodeId) -> bool {
    let leads_here = page.attribute(id, "href").is_some_and(|href| href.contains('#'));
    let text = || page.joined_text(page.subtree(id)).trim().to_lowercase();
    leads_here
        && page.subtree(id).len() <= 8
        && PERMALINKS.contains(&text().as_str())
        && (has_class(page, id, "headerlink")
            || page.ancestors(id).take(4).any(|a| is_heading(page.tag(a))))
}

fn is_in_heading(page: &Page, id: NodeId) -> bool {
    page.ancestors(id).take(3).any(|ancestor| is_heading(page.tag(ancestor)))
}

fn is_edit_link(page: &Page, id: NodeId) -> bool {
    if !matches!(page.tag(id), Tag::SPAN | Tag::A | Tag::DIV | Tag::SMALL) {
        return false;
    }
    if EDIT_CLASSES.iter().any(|class| has_class(page, id, class)) {
        return true;
    }
    page.subtree(id).len() <= 8 && is_in_heading(page, id) && {
        let text = page.joined_text(page.subtree(id)).to_lowercase();
        EDIT_LINKS.contains(&text.trim_matches(|c: char| c.is_whitespace() || "[]".contains(c)))
    }
}

/// The column of numbers beside code.
fn is_line_numbers(page: &Page, cell: NodeId) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || c.is_whitespace();
    LINE_NUMBERS.iter().any(|class| has_class(page, cell, class))
        && page.subtree(cell).all(|id| page.text(id).chars().all(is_number))
}

fn has_class(page: &Page, id: NodeId, name: &str) -> bool {
    page.attribute(id, "class").is_some_and(|class| class.split_whitespace().any(|one| one == name))
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Marks, Page, strip};

    /// Texts in capital letters are template.
    fn check(html: &str, expected: &str) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let mut marks = Marks::none(&page);
        for id in page.body().filter(|&id| page.is_text(id)) {
            let text = page.text(id);
            if text.chars().any(char::is_alphabetic) && text.to_uppercase() == text {
                marks.set(id, 1.0, None);
            }
        }
        assert_eq!(strip(&page, &marks).without_furniture().markdown(), expected, "{html}");
    }

    #[test]
    fn links_of_headings_go_and_headings_stay() {
        check("<h2>Tea<a class=headerlink href=#tea>¶</a></h2>", "## Tea");
        check("<h2><a href=#tea>Tea</a></h2>", "## Tea");
        check("<dt id=x><code>brew</code><a class=headerlink href=#x>¶</a></dt>", "**`brew`**");
        check("<h2>See <a href=/c>#</a></h2>", "## See [#](/c)");
        check("<p>See <a href=#n>¶</a> there", "See [¶](#n) there");
        check("<h2>Tower <span class=mw-editsection>[<a href=e>edit</a>]</span></h2>", "## Tower");
        check("<h2>Tower <span>[<a href=e>edit</a>]</span></h2>", "## Tower");
        check("<h2>Edit</h2><p><a href=e>edit</a>", "## Edit\n\n[edit](e)");
        check("<h1>Vec<button title=Copy>Copy item path</button></h1>", "# Vec");
        check("<p>Press <button>Start</button>", "Press Start");
    }

    #[test]
    fn line_numbers_go_and_code_stays() {
        let numbers = "<td class=linenos><pre>1\n2</pre>";
        let code = "<td class=code><div><pre>int a;\nint b;</pre></div>";
        check(
            &format!("<div class=highlight-c><table><tr>{numbers}{code}</table></div>"),
            "```c\nint a;\nint b;\n```",
        );
        check("<table><tr><td class=gutter>1 cup<td>tea</table>", "1 cup\n\ntea");
    }

    #[test]
    fn titles_are_not_printed_twice() {
        check("<h1>Ada</h1><table><caption>Ada</caption><tr><td>b</table>", "# Ada\n\nb");
        check("<p>Ada</p><h1>Ada</h1><p>b", "# Ada\n\nb");
        check("<h2>Ada</h2><h3>Ada</h3><p>Ada", "## Ada");
        check("<p>Ada</p><p>Ada", "Ada\n\nAda");
        check("<h1>Ada</h1><p>Ada <b>Lee</b>", "# Ada\n\nAda **Lee**");
    }

    #[test]
    fn spacers_go_and_pictures_stay() {
        check("<p>a <img src=dot.gif width=1 height=1> b", "a b");
        check(
            "<p>a <img src=data:image/gif;base64,R0> b <img src=x.png width=100>",
            "a b ![](x.png)",
        );
        check("<p>a <img src='data:image/png;base64,R0' alt=Chart>", "a Chart");
    }

    #[test]
    fn images_go_with_the_texts_around_them() {
        check(
            "<div><a href=/><img src=logo.png></a><b>SHOP</b></div><p>Tea <img src=t.png>",
            "Tea ![](t.png)",
        );
        check("<div><img src=logo.png></div><p>Tea", "![](logo.png)\n\nTea");
        check("<p>Tea <a href=#top><img src=up.gif alt=Top></a>", "Tea");
        check("<figure><img src=t.png><figcaption>Tea</figcaption></figure>", "![](t.png)\n\nTea");
    }
}
