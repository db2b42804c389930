//! Words, and the form in which texts are compared.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The words of a text: maximal runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_character(c)).filter(|word| !word.is_empty())
}

fn is_word_character(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() }
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
    fn comparison_ignores_case_and_composition() {
        assert_eq!(comparison_form("Cafe\u{301} ÉTÉ"), "café été");
        assert!(matches!(comparison_form("plain"), Cow::Borrowed("plain")));
    }
}
