//! Counts the characters of a block and masks its numbers, only when it is judged.

use xxhash_rust::xxh3::xxh3_64;

use super::blocks::{Block, mix};
use crate::page::{Page, is_word_character};

/// Counts over the text of a block.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Details {
    /// Letters and digits.
    pub letters: u32,
    pub digits: u32,
    pub capitals: u32,
    /// Commas and the like.
    pub commas: u32,
    /// Full stops and the like.
    pub stops: u32,
    /// Characters between the entries of a menu: `|`, `»`, `·`, `©`.
    pub ornaments: u32,
    /// Currency symbols.
    pub currencies: u32,
    /// Whether it ends like a sentence.
    pub ends_sentence: bool,
    /// Whether it ends with a colon, as labels do.
    pub ends_with_colon: bool,
}

impl Details {
    pub fn of(page: &Page, block: &Block) -> Details {
        let mut details = Details::default();
        for id in block.text_nodes(page) {
            details.count(page.text(id));
        }
        details
    }

    fn count(&mut self, text: &str) {
        self.end_with(text);
        // Most texts are ASCII, and of the others most of the text is.
        let mut rest = text;
        while !rest.is_ascii() {
            let at = rest.bytes().take_while(u8::is_ascii).count();
            self.count_ascii(&rest.as_bytes()[..at]);
            let end =
                rest[at..].find(|c: char| c.is_ascii()).map_or(rest.len(), |length| at + length);
            rest[at..end].chars().for_each(|c| self.add(c));
            rest = &rest[end..];
        }
        self.count_ascii(rest.as_bytes());
    }

    /// The last character that is no closing quote or bracket decides.
    fn end_with(&mut self, text: &str) {
        let text = text.trim_end_matches(['"', '\'', '”', '’', ')', '»']);
        if !text.is_empty() {
            self.ends_sentence = text.ends_with(is_stop);
            self.ends_with_colon = text.ends_with([':', '：']);
        }
    }

    /// [`Details::add`] by one addition for each byte. No field of the sum runs over within a
    /// chunk.
    fn count_ascii(&mut self, text: &[u8]) {
        for chunk in text.chunks(255) {
            let sum: u64 = chunk.iter().map(|&byte| CLASSES[byte as usize]).sum();
            let [letters, digits, capitals, commas, stops, ornaments, currencies, ..] =
                sum.to_le_bytes().map(u32::from);
            self.letters += letters;
            self.digits += digits;
            self.capitals += capitals;
            self.commas += commas;
            self.stops += stops;
            self.ornaments += ornaments;
            self.currencies += currencies;
        }
    }

    fn add(&mut self, c: char) {
        if is_word_character(c) {
            self.letters += 1;
            self.digits += u32::from(c.is_ascii_digit());
            self.capitals += u32::from(c.is_uppercase());
        } else {
            self.commas += u32::from(matches!(c, ',' | ';' | '，' | '、' | '；'));
            self.stops += u32::from(is_stop(c));
            self.ornaments +=
                u32::from(matches!(c, '|' | '»' | '«' | '·' | '©' | '›' | '•' | '/' | '→' | '←'));
            self.currencies += u32::from(matches!(
                c,
                '$' | '€' | '£' | '¥' | '₽' | '₹' | '₫' | '₺' | '₩' | '₴' | '￥'
            ));
        }
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
}

/// What [`Details::add`] counts a byte of ASCII as, a byte for each of letters, digits, capitals,
/// commas, stops, ornaments and currency symbols.
static CLASSES: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte < 128 {
        let kinds = [
            byte.is_ascii_alphanumeric() || byte == b'_',
            byte.is_ascii_digit(),
            byte.is_ascii_uppercase(),
            matches!(byte, b',' | b';'),
            matches!(byte, b'.' | b'!' | b'?'),
            matches!(byte, b'|' | b'/'),
            byte == b'$',
        ];
        let mut kind = 0;
        while kind < kinds.len() {
            table[byte as usize] |= (kinds[kind] as u64) << (8 * kind);
            kind += 1;
        }
        byte += 1;
    }
    table
};

/// Hash of the block's texts with every number the same; the key of the block if there is none.
pub(super) fn masked_key(page: &Page, block: &Block) -> u64 {
    let mut room = Vec::new();
    let keys = block.text_nodes(page).map(|id| {
        let text = page.text(id);
        mask_numbers(text, &mut room);
        xxh3_64(if room.is_empty() { text.as_bytes() } else { &room })
    });
    keys.reduce(mix).unwrap_or(block.key)
}

/// The text with every number as `0`, nothing if it has none. Months stay: a date that changes by
/// the day only is the same, one of another month is not.
fn mask_numbers(text: &str, masked: &mut Vec<u8>) {
    masked.clear();
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(u8::is_ascii_digit) {
        masked.extend_from_slice(&rest[..at]);
        masked.push(b'0');
        let digits = rest[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[at + digits..];
    }
    if !masked.is_empty() {
        masked.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::Limits;
    use crate::pipeline::blocks::Blocks;
    use crate::pipeline::names::Names;

    proptest! {
        #[test]
        fn text_is_counted_character_by_character(text in "[ -~]{0,300}[ÄßñЖ字»。，•…]{0,3}[ -~]{0,300}É?") {
            let (mut fast, mut plain) = (Details::default(), Details::default());
            fast.count(&text);
            text.chars().for_each(|c| plain.add(c));
            plain.end_with(&text);
            prop_assert_eq!(fast, plain);
        }

        #[test]
        fn texts_that_differ_by_numbers_are_alike(left in "[a-b0-1 é]{1,8}", right in "[a-b0-1 é]{1,8}") {
            let masked = |text: &str| {
                let page = Page::parse(format!("<p>{text}").as_bytes(), &Limits::default());
                Blocks::of(&page, &Names::default()).list.first().map(|block| masked_key(&page, block))
            };
            let plain = |text: &str| {
                let mut plain = String::new();
                for c in text.trim().replace("  ", " ").chars().map(|c| if c.is_ascii_digit() { '0' } else { c }) {
                    if c != '0' || !plain.ends_with('0') {
                        plain.push(c);
                    }
                }
                plain
            };
            prop_assume!(!left.contains("   ") && !right.contains("   "));
            prop_assert_eq!(masked(&left) == masked(&right), plain(&left) == plain(&right));
        }
    }

    #[test]
    fn numbers_are_masked_as_a_whole() {
        let mut masked = Vec::new();
        mask_numbers("12 may 2026 ж3", &mut masked);
        assert_eq!(String::from_utf8(masked.clone()).unwrap(), "0 may 0 ж0");
        mask_numbers("may", &mut masked);
        assert_eq!(masked, b"");
    }
}
