//! The language of a code block, as highlighters note it.

use crate::page::{NodeId, Page};

/// Before the name in a class: Prism, highlight.js and mdBook; older ones; GitHub; Sphinx.
const PREFIXES: [&str; 5] = ["language-", "lang-", "highlight-source-", "highlight-", "brush:"];
/// Classes next to which the name stands alone: highlight.js, Pandoc.
const COMPANIONS: [&str; 2] = ["hljs", "sourceCode"];
/// What Sphinx, highlight.js and Prism write for code in no language, and classes of themes.
const NO_LANGUAGE: [&str; 14] = [
    "default",
    "none",
    "text",
    "plain",
    "plaintext",
    "nohighlight",
    "no-highlight",
    "notranslate",
    "hljs",
    "sourcecode",
    "output",
    "editable",
    "source",
    "txt",
];

/// The language that the element names.
pub(super) fn language_of(page: &Page, id: NodeId) -> Option<&str> {
    let named = ["data-lang", "data-language"].iter().find_map(|name| page.attribute(id, name));
    let class = page.attribute(id, "class").unwrap_or("");
    let words = || class.split([' ', '\t', '\n', ';', ',']).filter(|word| !word.is_empty());
    let prefixed = || {
        words().enumerate().find_map(|(at, word)| {
            let name = PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix))?;
            // `brush: js` is two words.
            if word == "brush:" { words().nth(at + 1) } else { Some(name) }
        })
    };
    let beside = || {
        let has_companion = words().any(|word| COMPANIONS.contains(&word));
        words().find(|word| has_companion && !COMPANIONS.contains(word))
    };
    named.or_else(prefixed).or_else(beside).filter(|name| is_language(name))
}

fn is_language(name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= 32
        && name.chars().all(is_name)
        && !NO_LANGUAGE.contains(&name.to_ascii_lowercase().as_str())
}
