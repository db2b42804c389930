//! Compares pages with a reference: `scraper` keeps html5ever's tree unchanged, and a plain
//! recursive clean-up of that tree must give the same nodes.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{corpus, html_files, outline, parse, soup};
use proptest::prelude::*;
use scraper::{ElementRef, Html, Node};
use unmold_html::{Flag, Limits, Page};

/// The reference tree after the clean-up, in the form of [`outline`].
struct Reference {
    keep_hidden: bool,
    lines: Vec<String>,
    /// Text that adjacent nodes may continue, with its depth.
    text: Option<(usize, String)>,
}

impl Reference {
    fn of(html: &str, keep_hidden: bool) -> Vec<String> {
        let document = Html::parse_document(html);
        let mut reference = Reference { keep_hidden, lines: Vec::new(), text: None };
        reference.element(document.root_element(), 0);
        reference.flush();
        reference.lines
    }

    fn flush(&mut self) {
        if let Some((depth, text)) = self.text.take() {
            let words: Vec<&str> = text.split_whitespace().collect();
            if !words.is_empty() {
                self.lines.push(format!("{depth} {:?}", words.join(" ")));
            }
        }
    }

    fn element(&mut self, element: ElementRef, depth: usize) {
        let name = element.value().name();
        if ["script", "style", "noscript", "template", "noframes", "noembed"].contains(&name)
            || !self.keep_hidden && is_hidden(element)
        {
            return;
        }
        self.flush();
        let mut attributes: Vec<String> = element
            .value()
            .attrs
            .iter()
            .map(|(name, value)| {
                let name = match &name.prefix {
                    Some(prefix) => format!("{prefix}:{}", name.local),
                    None => name.local.to_ascii_lowercase().to_string(),
                };
                format!("{name}={:?}", &**value)
            })
            .collect();
        attributes.sort();
        self.lines.push(format!("{depth} {name} {}", attributes.join(" ")));
        if name != "iframe" {
            for child in element.children() {
                match child.value() {
                    Node::Text(text) => {
                        self.text
                            .get_or_insert_with(|| (depth + 1, String::new()))
                            .1
                            .push_str(text);
                    }
                    Node::Element(_) => {
                        self.element(ElementRef::wrap(child).expect("an element"), depth + 1)
                    }
                    _ => {}
                }
            }
        }
        self.flush();
    }
}

fn is_hidden(element: ElementRef) -> bool {
    let style = element
        .attr("style")
        .unwrap_or("")
        .to_ascii_lowercase()
        .replace([' ', '\t', '\n', '\r'], "");
    let none = |d: &str| d == "display:none" || d == "display:none!important";
    !["html", "body"].contains(&element.value().name())
        && (element.attr("hidden").is_some() || style.split(';').any(none))
}

/// The lines of a page with little text are not longer than this.
const MAX_BARE_LINES: usize = 40_000;

fn check(html: &str) {
    let (ours, mut reference) = (outline(&parse(html)), Reference::of(html, false));
    // Pages that show next to nothing are read with their hidden parts.
    let bytes: usize = reference.iter().map(String::len).sum();
    if ours.len() > reference.len() && bytes < MAX_BARE_LINES {
        reference = Reference::of(html, true);
    }
    if ours != reference {
        let first = ours
            .iter()
            .zip(&reference)
            .position(|(a, b)| a != b)
            .unwrap_or(ours.len().min(reference.len()));
        panic!("node {first}: {:?} instead of {:?}", ours.get(first), reference.get(first));
    }
}

#[test]
fn clean_up_of_awkward_pages() {
    for html in [
        "",
        "text",
        "<p>a<!-- c -->b<script>x</script>c",
        "<table>stray<tr><td>cell</table>after",
        "<b><p>x</b>y</p>z",
        "<a>1<a>2",
        "<frameset><frame src=x></frameset>",
        "<svg><foreignObject><p>x</p></foreignObject><style>s</style><title>t</title></svg>",
        "<svg xlink:href=a href=b></svg>",
        "<div style='DISPLAY : none !important'>x</div>",
        "<body hidden>shown",
        "<ruby>漢<rt>kan</rt></ruby>",
    ] {
        check(html);
    }
}

#[test]
fn fixtures_give_the_reference_tree() {
    for path in html_files(&common::repository().join("fixtures")) {
        check(&String::from_utf8_lossy(&std::fs::read(path).expect("readable")));
    }
}

#[test]
fn needs_corpus_every_page_gives_the_reference_tree() {
    let Some(corpus) = corpus() else { return };
    let mut pages = 0;
    for set in ["sites", "docs", "swde", "big9", "dragnet", "cleanportaleval"] {
        for path in html_files(&corpus.join(set)) {
            let bytes = std::fs::read(&path).expect("readable");
            let page = Page::parse(&bytes, &Limits::default());
            if page.flags().iter().any(|flag| matches!(flag, Flag::TooLarge | Flag::Binary)) {
                continue;
            }
            let html = String::from_utf8_lossy(&bytes);
            // The reference clean-up is recursive; pages of the corpus are not deep.
            std::panic::catch_unwind(|| check(&html))
                .unwrap_or_else(|_| panic!("{}", path.display()));
            pages += 1;
        }
    }
    assert!(pages > 5_000, "only {pages} pages");
}

proptest! {
    #[test]
    fn soup_gives_the_reference_tree(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        check(&soup(&seed));
    }
}
