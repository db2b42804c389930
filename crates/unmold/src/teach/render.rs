//! A page as a list of its blocks, short enough for a prompt or a form.

use std::fmt::Write;

use crate::page::{NodeId, NodeRange, Page};
use crate::pipeline::block_ranges;

/// Characters of a block that are shown.
const SHOWN: usize = 100;
/// Of a run of blocks at one place, so many are shown at its start, and one at its end.
const FIRST: usize = 4;
/// Runs up to this length are shown as a whole.
const SHORT_RUN: usize = 8;

/// The blocks of a page, one a line, `number element: text`; and how many there are. Of long runs
/// of blocks at one place, such as the rows of a table, only some are shown.
pub(super) fn render(page: &Page) -> (String, usize) {
    let ranges = block_ranges(page);
    let places: Vec<String> = ranges.iter().map(|range| place(page, range.start)).collect();
    let mut out = String::new();
    let mut at = 0;
    while at < ranges.len() {
        let run = places[at..].iter().take_while(|place| **place == places[at]).count();
        let end = at + run;
        for (number, range) in ranges.iter().enumerate().take(end).skip(at) {
            if run > SHORT_RUN && (at + FIRST..end - 1).contains(&number) {
                if number == at + FIRST {
                    let (first, last) = (number + 1, end - 1);
                    let _ = writeln!(out, "{first}-{last} {}: …", places[at]);
                }
                continue;
            }
            let _ = writeln!(out, "{} {}: {}", number + 1, places[at], shown(page, range));
        }
        at = end;
    }
    (out, ranges.len())
}

/// The element around a text and the one around it, with the first word of their classes.
fn place(page: &Page, text: NodeId) -> String {
    let mut names: Vec<String> = page.ancestors(text).take(3).map(|id| name(page, id)).collect();
    names.retain(|name| !matches!(name.as_str(), "body" | "html"));
    names.reverse();
    names.join(">")
}

fn name(page: &Page, id: NodeId) -> String {
    let mut name = page.tag_name(id).to_owned();
    let first = |attribute| page.attribute(id, attribute)?.split_ascii_whitespace().next();
    if let Some(id) = first("id") {
        name = format!("{name}#{id}");
    } else if let Some(class) = first("class") {
        name = format!("{name}.{class}");
    }
    name.chars().take(40).collect()
}

/// The start of a text, with the number of its words if that is not all.
fn shown(page: &Page, range: &NodeRange) -> String {
    let text = page.joined_text(range.clone());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => {
            let words = crate::page::words(&text).count();
            format!("{}… ({words} words)", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn blocks_are_numbered_and_long_runs_cut() {
        let rows: String = (1..=12).map(|n| format!("<tr><td>Row {n}</td></tr>")).collect();
        let html = format!(
            "<nav id=top><a>Home</a></nav><article class='post x'><h1>Tea</h1><p>{}</p></article>\
             <table>{rows}</table>",
            "word ".repeat(40)
        );
        let (text, blocks) = render(&Page::parse(html.as_bytes(), &Limits::default()));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((blocks, lines.len()), (15, 9), "{text}");
        assert_eq!(lines[0], "1 nav#top>a: Home");
        assert_eq!(lines[1], "2 article.post>h1: Tea");
        assert!(
            lines[2].starts_with("3 article.post>p: word word")
                && lines[2].ends_with("… (40 words)")
        );
        assert_eq!(lines[7], "8-14 tbody>tr>td: …");
        assert_eq!(lines[8], "15 tbody>tr>td: Row 12");
    }
}
