//! Shows what a page has inside `<noscript>`, for pages that are nearly empty without it: forums
//! whose posts a script would fetch again.

use memchr::memmem;

/// Less than this inside `<noscript>` is a tracking pixel or a request to turn scripts on.
const MIN_BYTES: usize = 1500;

/// The page with every `<noscript>` of its body turned into a `<div>`; `None` if they hold little.
pub(super) fn shown(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    let body = memmem::find(bytes, b"<body")?;
    let starts: Vec<usize> =
        memmem::find_iter(&bytes[body..], OPEN).map(|at| body + at + 1).collect();
    let ends: Vec<usize> =
        memmem::find_iter(&bytes[body..], CLOSE).map(|at| body + at + 2).collect();
    let mut inside = 0;
    for &start in &starts {
        let next = ends.partition_point(|&end| end < start);
        inside += ends.get(next).map_or(0, |end| end - start);
    }
    if inside < MIN_BYTES {
        return None;
    }
    let mut names: Vec<usize> = starts.into_iter().chain(ends).collect();
    names.sort_unstable();
    let mut shown = String::with_capacity(html.len());
    let mut from = 0;
    for at in names {
        shown.push_str(&html[from..at]);
        shown.push_str("div     ");
        from = at + "noscript".len();
    }
    shown.push_str(&html[from..]);
    Some(shown)
}

const OPEN: &[u8] = b"<noscript";
const CLOSE: &[u8] = b"</noscript";

#[cfg(test)]
mod tests {
    use crate::{Limits, Page};

    fn texts(html: &str) -> String {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        page.visible_texts().map(|id| page.text(id)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn posts_inside_noscript_are_read_if_there_is_little_else() {
        let posts =
            "<div class=post><p>The ferry leaves at noon, bring a coat.</p></div>".repeat(60);
        let page = |shell: &str| {
            format!(
                "<head><noscript><style>p{{}}</style></noscript></head><body>{shell}<noscript>{posts}</noscript></body>"
            )
        };
        assert!(texts(&page("<p>Loading")).contains("bring a coat"));
        let much = "<p>The whole story is here for everybody to read.</p>".repeat(100);
        assert!(!texts(&page(&much)).contains("bring a coat"), "a page that needs no scripts");
        assert_eq!(texts("<body><p>One<noscript>Please turn scripts on</noscript>"), "One");
    }

    #[test]
    fn a_page_that_is_sent_hidden_is_read() {
        let story = "<p>The ferry leaves at noon, bring a coat.</p>".repeat(60);
        let page = |shell: &str| format!("<body>{shell}<div hidden id='S:0'>{story}</div></body>");
        assert!(texts(&page("<p>Loading")).contains("bring a coat"));
        let much = "<p>The whole story is here for everybody to read.</p>".repeat(100);
        assert!(!texts(&page(&much)).contains("bring a coat"), "the hidden part is a small part");
        assert_eq!(texts("<body><p>One<div hidden>A dialog</div>"), "One");
    }
}
