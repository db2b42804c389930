//! Escapes characters that Markdown would read as syntax, and only where it would.

/// The context of a text, as far as escaping depends on it.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    /// Inside the square brackets of a link or an image.
    pub(super) brackets: bool,
    /// In the cell of a table.
    pub(super) cell: bool,
    /// In a block with strikethrough, where a single `~` could pair with its delimiters.
    pub(super) tildes: bool,
}

/// Appends a text. What follows it is not known yet, so its last character is escaped if anything
/// that could follow would give it a meaning.
pub(super) fn text(text: &str, context: Context, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = special(rest, context, out);
    }
    out.push_str(rest);
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'`' | b'*' | b'_' | b'~' | b'[' | b']' | b'<' | b'&' | b'|')
}

/// Appends the run of one special character at the start of `text`; returns the rest.
fn special<'t>(text: &'t str, context: Context, out: &mut String) -> &'t str {
    let Some(c) = text.chars().next() else { return text };
    // Emphasis depends on the characters around a whole run; the others are judged one by one.
    let length = if matches!(c, '*' | '_' | '~') {
        text.len() - text.trim_start_matches(c).len()
    } else {
        1
    };
    let (run, rest) = text.split_at(length);
    // There is nothing before the start of a line.
    let before = out.chars().next_back().filter(|&c| c != '\n');
    let after = rest.chars().next();
    let escaped = match c {
        '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
        '`' | '[' => true,
        // All literal opening brackets are escaped, so a closing one can only end a link of ours.
        ']' => context.brackets,
        '*' => !(is_space(before) && is_space(after)),
        // Inside a word, as in snake_case, an underscore has no meaning.
        '_' => !(is_space(before) && is_space(after) || is_letter(before) && is_letter(after)),
        // After a space, or between a slash and a name, it cannot close an earlier one.
        '~' => {
            let opens = match before.map(class) {
                None | Some(Class::Space) => true,
                Some(class) => class == Class::Punctuation && is_letter(after),
            };
            length > 1 || context.tildes || !opens
        }
        '<' => after.is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
        '&' => begins_entity(rest),
        _ => context.cell,
    };
    if escaped {
        for c in run.chars() {
            out.extend(['\\', c]);
        }
    } else {
        out.push_str(run);
    }
    rest
}

fn is_space(c: Option<char>) -> bool {
    c.is_some_and(char::is_whitespace)
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(|c| class(c) == Class::Letter)
}

/// The class of a character in the rules of emphasis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    Punctuation,
    Letter,
    /// Punctuation for some readers but not for others: the standard library cannot tell symbols
    /// from the rest, and readers follow different versions of CommonMark.
    Unknown,
}

pub(super) fn class(c: char) -> Class {
    match c {
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_ascii_punctuation() => Class::Punctuation,
        // Letters in circles and squares are symbols, although Unicode also counts them as
        // alphabetic.
        '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}' => Class::Unknown,
        _ if c.is_ascii() || c.is_alphanumeric() => Class::Letter,
        _ => Class::Unknown,
    }
}

/// Whether an ampersand before `rest` could start a character reference.
fn begins_entity(rest: &str) -> bool {
    // The longest name has 31 letters.
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.bytes().take(40).position(|b| !b.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name.as_bytes()[end] == b';')
}

/// Appends the address of a link or an image.
pub(super) fn destination(address: &str, cell: bool, out: &mut String) {
    // Browsers skip these inside an address; Markdown cannot express them there.
    let skipped = ['\t', '\n', '\r'];
    if address.bytes().any(|b| skipped.contains(&b.into())) {
        plain_destination(&address.replace(skipped, ""), cell, out);
    } else {
        plain_destination(address, cell, out);
    }
}

fn plain_destination(address: &str, cell: bool, out: &mut String) {
    let bracketed = address.is_empty()
        || !has_balanced_parentheses(address)
        || address.bytes().any(|b| matches!(b, b' ' | b'<' | b'>') || b.is_ascii_control());
    if bracketed {
        out.push('<');
    }
    let mut written = 0;
    for (at, byte) in address.bytes().enumerate() {
        let escaped = match byte {
            b'\\' => address[at + 1..].chars().next().is_none_or(|c| c.is_ascii_punctuation()),
            b'<' | b'>' | b'`' => true,
            b'&' => begins_entity(&address[at + 1..]),
            b'|' => cell,
            _ => false,
        };
        if escaped {
            out.push_str(&address[written..at]);
            out.push('\\');
            written = at;
        }
    }
    out.push_str(&address[written..]);
    if bracketed {
        out.push('>');
    }
}

/// Whether the parentheses are balanced and not too deep: readers support only a few levels.
fn has_balanced_parentheses(address: &str) -> bool {
    let mut open = 0;
    for b in address.bytes() {
        match b {
            b'(' if open == 3 => return false,
            b'(' => open += 1,
            b')' if open == 0 => return false,
            b')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Appends `text` between backticks, more of them than its longest run of backticks.
pub(super) fn code(text: &str, cell: bool, out: &mut String) {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let padding = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    out.push_str(&fence);
    out.push_str(padding);
    if cell {
        out.push_str(&text.replace('|', "\\|"));
    } else {
        out.push_str(text);
    }
    out.push_str(padding);
    out.push_str(&fence);
}

/// Length of the longest run of `c`.
pub(super) fn longest_run(text: &str, c: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for next in text.chars() {
        run = if next == c { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Where a line of a paragraph needs a backslash so that it does not start another kind of block.
pub(super) fn line_start(line: &str, first: bool) -> Option<usize> {
    let only = |set: &[char]| line.trim_end_matches('\\').chars().all(|c| set.contains(&c));
    let ends_marker = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\\']);
    match line.chars().next()? {
        '>' => Some(0),
        '#' => {
            let rest = line.trim_start_matches('#');
            (line.len() - rest.len() <= 6 && ends_marker(rest)).then_some(0)
        }
        '+' | '-' if ends_marker(&line[1..]) => Some(0),
        // A rule, the underline of a heading, or the delimiter row of a table, which may begin with
        // the marker of a list item.
        '-' | ':' | '|' if only(&['-', ':', '|', ' ']) => Some(0),
        '=' if !first && only(&['=', ' ']) => Some(0),
        '0'..='9' => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = line.len() - rest.len();
            let marker = rest.starts_with(['.', ')']) && ends_marker(&rest[1..]);
            (digits <= 9 && marker).then_some(digits)
        }
        _ => None,
    }
}

/// Position of the number signs that a reader would take for the closing sequence of a heading.
pub(super) fn heading_end(text: &str) -> Option<usize> {
    let kept = text.trim_end_matches('#');
    (kept.len() < text.len() && (kept.is_empty() || kept.ends_with(' '))).then_some(kept.len())
}
