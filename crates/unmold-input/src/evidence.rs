//! What the bytes of a page say about its site: the host it names, and the texts it shows.
//!
//! Nothing is parsed: a rough look at the tags is enough to compare pages, and costs little.

use memchr::{memchr, memmem};

use super::host::host_of;

/// Bytes of a page in which it names its host.
const HEAD: usize = 64 << 10;

/// Shorter texts are found on pages of any site.
const MIN_TEXT: usize = 4;

/// A rough look at a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The host that the page itself names.
    pub host: Option<String>,
    /// Hashes of the texts between its tags, sorted.
    pub texts: Vec<u64>,
}

impl Profile {
    pub fn of(bytes: &[u8]) -> Profile {
        let mut texts = Vec::new();
        for_each_text(bytes, |text| texts.push(hash(text)));
        texts.sort_unstable();
        texts.dedup();
        Profile { host: declared_host(bytes), texts }
    }
}

/// The host of the page's canonical link, its `<base>`, or its `og:url`.
pub fn declared_host(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(HEAD)];
    let mut found: [Option<String>; 3] = [None, None, None];
    for tag in tags(head) {
        let (place, url) = match tag_name(tag).as_str() {
            "link"
                if value(tag, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("canonical")) =>
            {
                (0, value(tag, "href"))
            }
            "base" => (1, value(tag, "href")),
            "meta" if value(tag, "property").as_deref() == Some("og:url") => {
                (2, value(tag, "content"))
            }
            _ => continue,
        };
        if found[place].is_none() {
            found[place] = url.and_then(|url| host_of(&url));
        }
    }
    found.into_iter().flatten().next()
}

/// The contents of all start tags, between `<` and `>`.
fn tags(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += memchr(b'<', &bytes[at..])? + 1;
        let end = memchr(b'>', &bytes[at..])?;
        let tag = &bytes[at..at + end];
        at += end;
        Some(tag)
    })
}

fn tag_name(tag: &[u8]) -> String {
    let end = tag.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(tag.len());
    String::from_utf8_lossy(&tag[..end]).to_ascii_lowercase()
}

/// The value of an attribute of a tag.
fn value(tag: &[u8], name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += memmem::find(&lower[at..], name.as_bytes())?;
        let after = at + name.len();
        let starts = at > 0 && lower[at - 1].is_ascii_whitespace();
        at = after;
        let rest = tag[after..].trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"=").filter(|_| starts) else { continue };
        let rest = rest.trim_ascii_start();
        let (rest, end) = match rest.first() {
            Some(&quote @ (b'"' | b'\'')) => (&rest[1..], memchr(quote, &rest[1..])),
            _ => (rest, rest.iter().position(u8::is_ascii_whitespace)),
        };
        let text = &rest[..end.unwrap_or(rest.len())];
        return Some(String::from_utf8_lossy(text).replace("&amp;", "&").trim().to_owned());
    }
}

/// Calls `take` for the text between any two tags, without white space at its ends.
fn for_each_text(bytes: &[u8], mut take: impl FnMut(&[u8])) {
    let mut rest = bytes;
    while let Some(start) = memchr(b'<', rest) {
        let text = rest[..start].trim_ascii();
        if text.len() >= MIN_TEXT {
            take(text);
        }
        rest = after_tag(&rest[start..]);
    }
}

/// What follows the tag, comment, script or style that `bytes` starts with.
fn after_tag(bytes: &[u8]) -> &[u8] {
    let after = |end: &[u8]| match memmem::find(bytes, end) {
        Some(at) => &bytes[at + end.len()..],
        None => &bytes[bytes.len()..],
    };
    if bytes.starts_with(b"<!--") {
        return after(b"-->");
    }
    match tag_name(&bytes[1..]).as_str() {
        "script" => after(b"</script>"),
        "style" => after(b"</style>"),
        _ => after(b">"),
    }
}

/// FNV-1a: the same on every machine, and in every version of Rust.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Number of values that two sorted lists have in common.
pub fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next();
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_its_host() {
        for (html, expected) in [
            ("<link rel=\"canonical\" href=\"https://www.tea.example/a\">", Some("tea.example")),
            ("<LINK HREF='http://tea.example/?a=1&amp;b' REL='Canonical' >", Some("tea.example")),
            ("<base href=http://jam.example/ target=_top>", Some("jam.example")),
            ("<meta property='og:url' content='http://a.example'>", Some("a.example")),
            (
                "<base href=http://b.example/><link rel=canonical href=http://c.example/x>",
                Some("c.example"),
            ),
            ("<link rel=canonical href=/relative><base href=http://b.example/>", Some("b.example")),
            ("<link rel=stylesheet href=http://cdn.example/x.css>", None),
            ("<link rel=canonical", None),
            ("", None),
        ] {
            assert_eq!(declared_host(html.as_bytes()).as_deref(), expected, "{html}");
        }
    }

    #[test]
    fn texts_are_those_between_tags() {
        let texts = |html: &str| {
            let mut texts = Vec::new();
            for_each_text(html.as_bytes(), |text| {
                texts.push(String::from_utf8_lossy(text).into_owned());
            });
            texts
        };
        let html =
            "<p> Home page </p><script>if (a<b) text()</script><!-- <p>no -->\n<b>Contact</b> us";
        assert_eq!(texts(html), ["Home page", "Contact"]);
        assert!(texts("<script>never closed < >").is_empty());
        let profile = Profile::of(b"<p>Home page<p>Contact<p>Home page<p>");
        assert_eq!(profile.texts.len(), 2);
        assert_eq!(shared(&profile.texts, &Profile::of(b"<p>Contact<p>").texts), 1);
    }
}
