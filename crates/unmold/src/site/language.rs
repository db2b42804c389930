//! The language of a text, by the trigrams of its letters.

use whatlang::Lang;

/// A few sentences are enough, and the rest of a long text costs time.
const MAX_BYTES: usize = 1000;
/// Fewer letters say little.
const MIN_LETTERS: usize = 40;

/// The language of a text as a code of ISO 639-1; `None` if it cannot be told.
pub(super) fn detect(text: &str) -> Option<&'static str> {
    let start = &text[..text.floor_char_boundary(MAX_BYTES)];
    // A Chinese sentence has far fewer letters than an English one.
    let weight = |c: char| if c.is_ascii() { 1 } else { 3 };
    let letters: usize = start.chars().filter(|c| c.is_alphabetic()).map(weight).sum();
    if letters < MIN_LETTERS {
        return None;
    }
    let found = whatlang::detect(start)?;
    found.is_reliable().then(|| code(found.lang()))
}

/// The code of two letters.
fn code(language: Lang) -> &'static str {
    match language {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "no",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        for (text, expected) in [
            ("The ferry leaves the harbour at seven, and nobody waits for the fog to lift.", "en"),
            (
                "Die Fähre verlässt den Hafen um sieben, und niemand wartet auf besseres Wetter.",
                "de",
            ),
            ("Το πλοίο φεύγει από το λιμάνι στις επτά και κανείς δεν περιμένει.", "el"),
            ("渡轮七点钟离开港口，没有人等待雾散去，码头上只剩下几只海鸥。", "zh"),
        ] {
            assert_eq!(detect(text), Some(expected), "{text}");
        }
        assert_eq!(detect("Tea 2024"), None);
    }
}
