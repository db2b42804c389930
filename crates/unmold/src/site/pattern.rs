//! Groups pages of a site that are likely to be of one kind, by their addresses alone.

use xxhash_rust::xxh3::xxh3_64;

/// A hash shared by addresses of the same shape: `/tag/tea/` and `/tag/jam/`, `/2024/05/tea.html`
/// and `/2023/11/jam.html`.
///
/// * Scheme, host, fragment, parameter values and a final `index.html` are dropped.
/// * The last segment becomes `*` and its extension; the namespace of a wiki page (`File:`) stays.
///   If parameters follow, it names a program and is treated like any other segment.
/// * The first segment that is a word stays. Segments that are not words (with a digit, long, or of
///   several parts) and all later ones become `*`: below `/tag/`, the name of a tag is not a kind
///   of page.
/// * Two letters (a language) and names with a dot (a program, the folder of a host) stay, and do
///   not count as the first word.
///
/// The rules were chosen by looking at the page types of labelled sites: `docs/methods/auto.md`.
#[must_use]
pub fn url_pattern(address: &str) -> u64 {
    xxh3_64(pattern(address).as_bytes())
}

fn pattern(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let (path, query) =
        address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let mut segments: Vec<&str> =
        without_host(path).split('/').filter(|segment| !segment.is_empty()).collect();
    if query.is_none() {
        segments.pop_if(|last| is_index(last));
    }
    let page = if query.is_none() { segments.pop() } else { None };
    let mut pattern = String::new();
    let mut had_word = false;
    for segment in segments {
        let is_kept = is_language_or_dotted(segment) || (!had_word && is_word(segment));
        had_word |= is_kept && !is_language_or_dotted(segment);
        pattern.push('/');
        pattern.push_str(if is_kept { segment } else { "*" });
    }
    pattern.push('/');
    if let Some(page) = page {
        push_page(page, &mut pattern);
    }
    if let Some(query) = query {
        push_parameters(query, &mut pattern);
    }
    pattern
}

fn without_host(path: &str) -> &str {
    let is_scheme =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match path.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => {
            rest.split_once('/').map_or("", |(_, path)| path)
        }
        _ => path,
    }
}

/// Whether the segment is the index page of its folder.
fn is_index(segment: &str) -> bool {
    segment.split_once('.').is_some_and(|(stem, rest)| {
        matches!(stem, "index" | "default") && extension(segment) == Some(rest)
    })
}

fn push_page(page: &str, pattern: &mut String) {
    if let Some((namespace, _)) = page.split_once(':').filter(|(namespace, _)| is_word(namespace)) {
        pattern.push_str(namespace);
        pattern.push(':');
    }
    pattern.push('*');
    if let Some(extension) = extension(page) {
        pattern.push('.');
        pattern.push_str(&extension.to_ascii_lowercase());
    }
}

fn push_parameters(query: &str, pattern: &mut String) {
    let name = |parameter: &'_ str| parameter.split('=').next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = query.split(['&', ';']).map(name).collect();
    names.iter_mut().filter(|name| !is_word(name)).for_each(|name| *name = "*".to_owned());
    names.sort_unstable();
    names.dedup();
    pattern.push('?');
    pattern.push_str(&names.join("&"));
}

fn extension(segment: &str) -> Option<&str> {
    let (_, extension) = segment.rsplit_once('.')?;
    let is_short = (1..=5).contains(&extension.len());
    (is_short && extension.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(extension)
}

fn is_language_or_dotted(segment: &str) -> bool {
    let is_language = segment.len() == 2 && segment.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_language || (segment.contains('.') && !segment.contains(char::is_numeric))
}

/// Whether the segment is neither a number nor a title.
fn is_word(segment: &str) -> bool {
    const MAX_LEN: usize = 20;
    const MAX_HYPHENS: usize = 1;
    !segment.contains(char::is_numeric)
        && segment.chars().count() <= MAX_LEN
        && segment.matches(['-', '_']).count() <= MAX_HYPHENS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_of_addresses() {
        for (address, expected) in [
            ("", "/"),
            ("/", "/"),
            ("http://shop.example", "/"),
            ("http://shop.example/", "/"),
            ("http://shop.example/index.html", "/"),
            ("https://shop.example:8080/product/blue-tea-pot/", "/product/*"),
            ("https://shop.example/product/blue-tea-pot/index.html", "/product/*"),
            ("/product/blue-tea-pot", "/product/*"),
            ("/product/blue-tea-pot/feed/", "/product/*/*"),
            ("/tag/tea/page/2/", "/tag/*/*/*"),
            ("/tag/tea/", "/tag/*"),
            ("/2024/05/17/all-about-tea.HTML", "/*/*/*/*.html"),
            ("/all-about-our-tea/more", "/*/*"),
            ("/en/blog/tea", "/en/blog/*"),
            ("/a-word/x", "/a-word/*"),
            ("/quiteimpossiblylongword/x", "/*/*"),
            ("/wiki/File:Tea.png", "/wiki/File:*.png"),
            ("/wiki/Tea:_a_story", "/wiki/Tea:*"),
            ("/wiki/17:30", "/wiki/*"),
            ("/index.php/Help:Tea", "/index.php/Help:*"),
            ("www.shop.example/blog/tea.html", "/www.shop.example/blog/*.html"),
            ("/viewtopic.php?t=17&f=3#p9", "/viewtopic.php/?f&t"),
            ("/viewtopic.php?f=4&t=18", "/viewtopic.php/?f&t"),
            ("/memberlist.php?mode=a", "/memberlist.php/?mode"),
            ("/index.php?id=7&id=8", "/index.php/?id"),
            ("/item?", "/item/?"),
            ("/item?12345", "/item/?*"),
            ("0075.html", "/*.html"),
            ("index.html", "/"),
            ("blog/index.html", "/*"),
            ("/reindex.html", "/*.html"),
            ("/web/2020/http://tea.example/x", "/web/*/*/tea.example/*"),
            ("/茶/杯", "/茶/*"),
            ("//", "/"),
        ] {
            assert_eq!(pattern(address), expected, "{address}");
        }
    }

    proptest! {
        #[test]
        fn numbers_do_not_matter(
            host in "[a-z]{1,9}",
            path in "(/[a-z0-9-]{1,9}){0,4}",
            n in 0u32..999,
            m in 0u32..999,
        ) {
            let address = |number| {
                format!("https://{host}.example{path}/{number}.html?page={number}#{number}")
            };
            prop_assert_eq!(url_pattern(&address(n)), url_pattern(&address(m)));
        }

        #[test]
        fn any_text_has_a_pattern(address in "\\PC{0,40}") {
            prop_assert!(pattern(&address).starts_with('/'));
        }
    }
}
