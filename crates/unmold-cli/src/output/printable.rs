//! Text of pages that may end up on a terminal.
//!
//! Pages, ids and titles may contain escape sequences, with which a terminal can be made to show
//! something else, or to type.

use std::borrow::Cow;
use std::io::Write;

use anyhow::{Context, Result};

/// The text on one line, with control characters written out: `\u{1b}[2J`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The text with control characters replaced, except for line breaks and tabs.
pub fn printable_text(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(is_odd, "\u{fffd}"))
}

/// Prints a text with [`printable_text`].
pub fn print_text(text: &str) -> Result<()> {
    std::io::stdout()
        .write_all(printable_text(text).as_bytes())
        .context("cannot write to standard output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_reaches_the_terminal() {
        assert_eq!(printable("a\u{1b}[2J\nb\u{9b}é"), "a\\u{1b}[2J\\nb\\u{9b}é");
        assert_eq!(
            printable_text("a\u{1b}[2J\n\tb\r\u{9b}é"),
            "a\u{fffd}[2J\n\tb\u{fffd}\u{fffd}é"
        );
        assert!(matches!(printable_text("plain\ntext"), Cow::Borrowed(_)));
    }
}
