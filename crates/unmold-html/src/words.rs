//! Splits text into words and brings it into a form for comparison.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The words of a text: maximal runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_character(c)).filter(|word| !word.is_empty())
}

/// Whether a character is part of a word: a letter, a digit or an underscore.
pub fn is_word_character(c: char) -> bool {
    match plain(c) {
        Plain::Letter(_) => true,
        Plain::Other => false,
        Plain::Unknown => c.is_alphanumeric(),
    }
}

/// The role of a character in words, for characters that do not depend on their context: they are
/// in NFC whatever comes before them, and their lower case is one character.
#[derive(Clone, Copy)]
enum Plain {
    /// Part of a word; the character in lower case.
    Letter(char),
    /// Between words.
    Other,
    /// Depends on its context, or has to be looked up.
    Unknown,
}

fn plain(c: char) -> Plain {
    let lower = |c: char| Plain::Letter(char::from_u32(c as u32 + 32).unwrap_or(c));
    match c {
        '\0'..='\x7f' => match KEY_BYTES[c as usize] {
            0 => Plain::Other,
            letter => Plain::Letter(letter as char),
        },
        // General punctuation; Latin-1 operators; East Asian punctuation.
        '\u{2000}'..='\u{203f}' | '×' | '÷' | '\u{3000}'..='\u{3002}' | '\u{ff00}'..='\u{ff0f}' => {
            Plain::Other
        }
        'ª' | '²' | '³' | 'µ' | '¹' | 'º' | '¼'..='¾' => Plain::Unknown,
        '\u{80}'..='¿' => Plain::Other,
        'À'..='Þ' | 'А'..='Я' => lower(c),
        'ß'..='ÿ' | 'а'..='я' | '\u{4e00}'..='\u{9fff}' => Plain::Letter(c),
        _ => Plain::Unknown,
    }
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
pub(crate) fn push_comparison_form(out: &mut String, text: &str) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
    } else {
        out.push_str(&comparison_form(text));
    }
}

/// The words of `text` in comparison form, separated by one space.
pub fn word_key(text: &str) -> String {
    let mut bytes = Vec::new();
    push_word_key(text, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Appends [`word_key`] as bytes.
fn push_word_key(text: &str, key: &mut Vec<u8>) {
    let start = key.len();
    if !text.is_ascii() {
        if !push_plain_key(text, key) {
            key.truncate(start);
            push_any_key(text, key);
        }
        return;
    }
    // Most texts are ASCII. The key is not longer than the text, in which words are also separated
    // by at least one byte.
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

/// The number of words of a text. In scripts without spaces, two characters count as a word.
pub fn number_of_words(text: &str) -> f32 {
    let (mut words, mut unspaced, mut in_word) = (0, 0, false);
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.len().min(8);
        let bytes = u64::from_le_bytes(first_eight(rest.as_bytes()));
        if bytes & HIGH_BITS == 0 {
            let letters = word_bytes(bytes);
            words += high_bits_set(letters & !(letters << 8 | u64::from(in_word) << 7));
            in_word = letters >> (8 * length - 1) & 1 == 1;
            rest = &rest[length..];
            continue;
        }
        let end = rest.ceil_char_boundary(length);
        for c in rest[..end].chars() {
            let is_letter = is_word_character(c);
            unspaced += u32::from(is_letter && c >= '\u{2e80}');
            words += u32::from(is_letter && c < '\u{2e80}' && !in_word);
            in_word = is_letter;
        }
        rest = &rest[end..];
    }
    words as f32 + unspaced as f32 * 0.5
}

/// The first eight bytes, padded with zeros.
fn first_eight(bytes: &[u8]) -> [u8; 8] {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut eight = [0; 8];
        eight.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        eight
    })
}

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Number of bytes whose highest bit is set; no other bits may be set. Faster than `count_ones` on
/// processors without an instruction for it.
fn high_bits_set(bits: u64) -> u32 {
    ((bits >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

/// Sets the highest bit of each byte that is part of a word, for eight bytes of ASCII. Adding
/// `128 - min` to a byte sets its highest bit if it is at least `min`, and never carries into the
/// next byte.
fn word_bytes(bytes: u64) -> u64 {
    let each = |byte: u8| u64::from(byte) * 0x0101_0101_0101_0101;
    let at_least = |bytes: u64, min: u8| bytes + each(128 - min);
    let in_lower_case = bytes | each(0x20);
    let letter = at_least(in_lower_case, b'a') & !at_least(in_lower_case, b'z' + 1);
    let digit = at_least(bytes, b'0') & !at_least(bytes, b'9' + 1);
    let underscore = !at_least(bytes ^ each(b'_'), 1);
    (letter | digit | underscore) & HIGH_BITS
}

/// Calls `take` with the hash of each word of `text` in comparison form.
pub fn for_each_word_hash(text: &str, mut take: impl FnMut(u64)) {
    let mut hash = 0;
    let mut add = |letter: u8| match letter {
        0 if hash != 0 => take(std::mem::take(&mut hash)),
        0 => {}
        letter => hash = (hash ^ u64::from(letter)).wrapping_mul(0x517c_c1b7_2722_0a95) | 1,
    };
    if text.is_ascii() {
        text.bytes().for_each(|byte| add(KEY_BYTES[byte as usize]));
    } else {
        word_key(text).bytes().for_each(|byte| add(if byte == b' ' { 0 } else { byte }));
    }
    add(0);
}

/// [`push_word_key`] for a text in which every character is [`plain`]. Returns false for any other
/// text; what was appended to the key is then invalid.
fn push_plain_key(text: &str, key: &mut Vec<u8>) -> bool {
    let start = key.len();
    let mut is_apart = false;
    for c in text.chars() {
        match plain(c) {
            Plain::Other => is_apart = key.len() > start,
            Plain::Letter(letter) => {
                if is_apart {
                    key.push(b' ');
                    is_apart = false;
                }
                key.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Plain::Unknown => return false,
        }
    }
    true
}

/// [`push_word_key`] without shortcuts.
fn push_any_key(text: &str, key: &mut Vec<u8>) {
    let start = key.len();
    let text = comparison_form(text);
    for word in
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
    {
        if key.len() > start {
            key.push(b' ');
        }
        key.extend_from_slice(word.as_bytes());
    }
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_characters_agree_with_unicode() {
        for c in (0..=0xffff).filter_map(char::from_u32) {
            assert_eq!(is_word_character(c), c.is_alphanumeric() || c == '_', "{c:?}");
            if let Plain::Letter(lower) = plain(c) {
                assert_eq!(comparison_form(&c.to_string()), lower.to_string());
                // After a letter as well: it does not compose with what comes before it.
                assert_eq!(is_nfc_quick(['e', c].into_iter()), IsNormalized::Yes, "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn shortcuts_give_the_same_keys(
            text in "[a-zA-Z0-9_ ,.|ÄßñµªÿЖжйΣς字—“”\u{301}\u{2000}\u{212b}\u{130}，。×½]{0,20}",
        ) {
            let mut plain = Vec::new();
            push_any_key(&text, &mut plain);
            prop_assert_eq!(word_key(&text), String::from_utf8(plain).unwrap());
        }
    }

    #[test]
    fn two_characters_are_a_word_in_scripts_without_spaces() {
        for (text, words) in
            [("one two", 2.0), ("東京タワー", 2.5), ("Äpfel und 字", 2.5), ("—", 0.0), ("", 0.0)]
        {
            assert_eq!(number_of_words(text), words, "{text}");
        }
    }

    proptest! {
        #[test]
        fn words_are_counted_eight_bytes_at_a_time(
            text in "[ -~]{0,40}[a-z Äßñ—“]{0,9}[ -~]{0,40}",
        ) {
            prop_assert_eq!(number_of_words(&text), words(&text).count() as f32);
        }

        #[test]
        fn equal_words_have_equal_hashes(
            left in "[a-bA-B0Äß ,]{0,12}",
            right in "[a-bA-B0Äß ,]{0,12}",
        ) {
            let hashes = |text: &str| {
                let mut hashes = Vec::new();
                for_each_word_hash(text, |hash| hashes.push(hash));
                hashes
            };
            prop_assert_eq!(hashes(&left) == hashes(&right), word_key(&left) == word_key(&right));
        }
    }

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
