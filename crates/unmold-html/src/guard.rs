//! Detects a tag with too many attributes while html5ever is still reading it.
//!
//! html5ever compares each attribute of a tag with all before it: 100 000 of them take seconds, a
//! million take minutes, and the sink is not called until the tag ends. So when the tokenizer has
//! not called the sink for a while, the guard counts attributes in the input since the last call.
//! It does not know which `<` opened the tag in progress; it follows all candidates at once, which
//! needs only one count per lexical state.

/// The lexical state of a candidate inside a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// After `<`: this is a tag only if a name follows.
    Opened,
    BetweenAttributes,
    Name,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

const STATES: [State; 7] = [
    State::Opened,
    State::BetweenAttributes,
    State::Name,
    State::BeforeValue,
    State::DoubleQuoted,
    State::SingleQuoted,
    State::Unquoted,
];

/// Maximum number of attributes that the tag in progress can have, per lexical state.
#[derive(Default)]
pub(crate) struct AttributeGuard {
    max: [Option<u32>; STATES.len()],
}

impl AttributeGuard {
    /// Reads `bytes`, in which each `<` may be the start of the tag in progress.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let mut next = [None; STATES.len()];
            for state in STATES {
                if let Some(count) = self.max[state as usize]
                    && let Some((state, begins)) = step(state, byte)
                {
                    let slot: &mut Option<u32> = &mut next[state as usize];
                    *slot = (*slot).max(Some(count + u32::from(begins)));
                }
            }
            if byte == b'<' {
                next[State::Opened as usize] = Some(0);
            }
            self.max = next;
        }
    }

    /// Maximum number of attributes that the tag in progress can have.
    pub(crate) fn max_attributes(&self) -> usize {
        self.max.iter().flatten().max().map_or(0, |&count| count as usize)
    }
}

/// The state after `byte`, and whether `byte` starts an attribute; `None` if it ends the tag.
fn step(state: State, byte: u8) -> Option<(State, bool)> {
    let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
    Some(match (state, byte) {
        (State::DoubleQuoted, b'"') | (State::SingleQuoted, b'\'') => {
            (State::BetweenAttributes, false)
        }
        (State::DoubleQuoted | State::SingleQuoted, _) => (state, false),
        (_, b'>') => return None,
        // The tag's name is counted as an attribute: one too many does no harm.
        (State::Opened, _) if byte.is_ascii_alphabetic() || byte == b'/' => (State::Name, true),
        (State::Opened, _) => return None,
        (State::BeforeValue, b'"') => (State::DoubleQuoted, false),
        (State::BeforeValue, b'\'') => (State::SingleQuoted, false),
        (State::BeforeValue, _) => {
            (if space { State::BeforeValue } else { State::Unquoted }, false)
        }
        (State::Unquoted, _) => {
            (if space { State::BetweenAttributes } else { State::Unquoted }, false)
        }
        (State::Name, b'=') => (State::BeforeValue, false),
        // `name = value`: there may be a space before the equals sign.
        (State::BetweenAttributes, b'=') => (State::BeforeValue, true),
        (_, b'/') => (State::BetweenAttributes, false),
        (_, _) if space => (State::BetweenAttributes, false),
        (State::BetweenAttributes, _) => (State::Name, true),
        (State::Name, _) => (State::Name, false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(html: &str) -> usize {
        let mut guard = AttributeGuard::default();
        guard.read(html.as_bytes());
        guard.max_attributes()
    }

    #[test]
    fn counts_at_least_the_attributes_of_an_open_tag() {
        for (html, attributes) in [
            ("<a b c d", 3),
            ("<a b=1 c='x y z' d=\"> < u v w\" e", 4),
            ("<a/b/c/d", 3),
            ("<a b=\"\"c=\"\"d", 3),
            ("<!-- <x y=\" --> <a b c d e f", 5),
        ] {
            assert!(count(html) >= attributes, "{html}: {} < {attributes}", count(html));
        }
    }

    #[test]
    fn long_values_are_not_counted_as_attributes() {
        let words = "word ".repeat(10_000);
        assert!(count(&format!("<p>text</p><div data-json=\"{words}")) < 10);
        assert_eq!(count("<p class=a>closed</p>"), 0);
        assert_eq!(count(&format!("<!-- {words}")), 0);
    }
}
