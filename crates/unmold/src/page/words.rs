//! Words, and the form in which texts are compared.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The words of a text: maximal runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_character(c)).filter(|word| !word.is_empty())
}

fn is_word_character(c: char) -> bool {
    if c.is_ascii() { is_word_byte(c as u8) } else { c.is_alphanumeric() }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The form in which texts are compared: NFC, lower case.
pub fn comparison_form(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Owned(text.to_lowercase());
    }
    Cow::Owned(text.nfc().collect::<String>().to_lowercase())
}

/// Appends the comparison form of `text`.
pub(super) fn push_comparison_form(out: &mut String, text: &str) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
    } else {
        out.push_str(&comparison_form(text));
    }
}

/// The words of `text` in comparison form, separated by one space.
pub(crate) fn word_key(text: &str) -> String {
    let mut bytes = Vec::new();
    push_word_key(text, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Appends [`word_key`] as bytes.
pub(crate) fn push_word_key(text: &str, key: &mut Vec<u8>) {
    let start = key.len();
    if !text.is_ascii() {
        for word in words(&comparison_form(text)) {
            if key.len() > start {
                key.push(b' ');
            }
            key.extend_from_slice(word.as_bytes());
        }
        return;
    }
    // Most texts are ASCII. The key is no longer than the text: words are apart by at least one byte there too.
    key.resize(start + text.len(), 0);
    let mut end = start;
    let mut is_apart = false;
    for byte in text.bytes() {
        match KEY_BYTES[byte as usize] {
            0 => is_apart = end > start,
            letter => {
                if is_apart {
                    key[end] = b' ';
                    end += 1;
                    is_apart = false;
                }
                key[end] = letter;
                end += 1;
            }
        }
    }
    key.truncate(end);
}

/// Word bytes in lower case, 0 for all others.
static KEY_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if is_word_byte(byte) {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let found: Vec<&str> = words("Don't stop: 3.5 snake_case, Grüße… 東京タワー").collect();
        assert_eq!(found, ["Don", "t", "stop", "3", "5", "snake_case", "Grüße", "東京タワー"]);
        assert_eq!(words(" … ").count(), 0);
    }

    #[test]
    fn keys_are_the_words_in_comparison_form() {
        for (text, key) in [
            ("Home | Shop", "home shop"),
            (" … ", ""),
            ("-a-B_1-", "a b_1"),
            ("ÉTÉ, Été!", "été été"),
            ("", ""),
        ] {
            assert_eq!(word_key(text), key);
        }
    }

    #[test]
    fn comparison_ignores_case_and_composition() {
        assert_eq!(comparison_form("Cafe\u{301} ÉTÉ"), "café été");
        assert!(matches!(comparison_form("plain"), Cow::Borrowed("plain")));
    }
}
