//! Element names as small numbers, and how each element interrupts the flow of text.

use crate::names::{NameKey, NameTable};

/// The name of an element, as a number: a fixed one for names that HTML knows, one that depends on
/// the page for other names.
///
/// To compare tags of two pages, use [`Page::tag_name`](crate::Page::tag_name) unless both tags are
/// known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tag(pub(crate) u32);

macro_rules! known_tags {
    ($($constant:ident $name:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($constant),* }

        #[allow(missing_docs)]
        impl Tag {
            $(pub const $constant: Tag = Tag(Number::$constant as u32);)*
        }

        const NAMES: [&str; 0 $(+ { let _ = $name; 1 })*] = [$($name),*];
    };
}

// Add new names at the end: the numbers are not stored, but a stable order keeps diffs small.
known_tags! {
    TEXT "#text", HTML "html", HEAD "head", BODY "body", TITLE "title", META "meta", LINK "link",
    BASE "base", SCRIPT "script", STYLE "style", NOSCRIPT "noscript", TEMPLATE "template",
    DIV "div", P "p", SPAN "span", A "a", UL "ul", OL "ol", LI "li", DL "dl", DT "dt", DD "dd",
    TABLE "table", CAPTION "caption", COLGROUP "colgroup", COL "col", THEAD "thead", TBODY "tbody",
    TFOOT "tfoot", TR "tr", TD "td", TH "th", MAP "map", AREA "area", H1 "h1", H2 "h2", H3 "h3",
    H4 "h4", H5 "h5", H6 "h6", HGROUP "hgroup", HR "hr", BR "br", WBR "wbr", SECTION "section",
    NAV "nav", HEADER "header", FOOTER "footer", ASIDE "aside", ARTICLE "article", MAIN "main",
    SEARCH "search", ADDRESS "address", BLOCKQUOTE "blockquote", PRE "pre", LISTING "listing",
    XMP "xmp", PLAINTEXT "plaintext", FIGURE "figure", FIGCAPTION "figcaption", DETAILS "details",
    SUMMARY "summary", DIALOG "dialog", CENTER "center", DIR "dir", MENU "menu", FORM "form",
    FIELDSET "fieldset", LEGEND "legend", LABEL "label", INPUT "input", BUTTON "button",
    SELECT "select", OPTGROUP "optgroup", OPTION "option", TEXTAREA "textarea", DATALIST "datalist",
    OUTPUT "output", PROGRESS "progress", METER "meter", IMG "img", PICTURE "picture",
    SOURCE "source", VIDEO "video", AUDIO "audio", TRACK "track", CANVAS "canvas", IFRAME "iframe",
    EMBED "embed", OBJECT "object", PARAM "param", APPLET "applet", SVG "svg", MATH "math",
    FRAMESET "frameset", FRAME "frame", NOFRAMES "noframes", NOEMBED "noembed", ABBR "abbr",
    ACRONYM "acronym", B "b", BDI "bdi", BDO "bdo", BIG "big", CITE "cite", CODE "code",
    DATA "data", DEL "del", DFN "dfn", EM "em", FONT "font", I "i", INS "ins", KBD "kbd",
    MARK "mark", NOBR "nobr", Q "q", RP "rp", RT "rt", RUBY "ruby", S "s", SAMP "samp",
    SMALL "small", STRIKE "strike", STRONG "strong", SUB "sub", SUP "sup", TIME "time", TT "tt",
    U "u", VAR "var", RB "rb", RTC "rtc", MARQUEE "marquee", BLINK "blink", BASEFONT "basefont",
    BGSOUND "bgsound", KEYGEN "keygen", IMAGE "image", ISINDEX "isindex",
    FOREIGN_OBJECT "foreignObject", DESC "desc", G "g", PATH "path", USE "use", RECT "rect",
    CIRCLE "circle", LINE "line", POLYGON "polygon", SYMBOL "symbol", DEFS "defs", MI "mi", MO "mo",
    MN "mn", MS "ms", MTEXT "mtext", MROW "mrow", MGLYPH "mglyph", MALIGNMARK "malignmark",
    ANNOTATION_XML "annotation-xml",
}

/// Number of the first tag that depends on the page.
pub(crate) const FIRST_UNKNOWN: u32 = NAMES.len() as u32;

static BY_NAME: NameTable<{ NAMES.len() }> = NameTable::new(&NAMES);

static NAME_HASHES: [u64; NAMES.len()] = {
    let mut hashes = [0; NAMES.len()];
    let mut number = 0;
    while number < NAMES.len() {
        hashes[number] = xxhash_rust::const_xxh3::xxh3_64(NAMES[number].as_bytes());
        number += 1;
    }
    hashes
};

static FLOWS: [Flow; NAMES.len()] = {
    let mut flows = [Flow::Block; NAMES.len()];
    let mut number = 0;
    while number < NAMES.len() {
        flows[number] = Tag(number as u32).known_flow();
        number += 1;
    }
    flows
};

/// How an element interrupts the text around it.
///
/// Not `non_exhaustive`: these are all cases, and code that writes text should handle each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flow {
    /// `a<b>b</b>` is one word.
    Inline,
    /// `a<img>b` are two words on one line.
    Atomic,
    /// `a<p>b</p>` are two lines.
    Block,
}

impl Tag {
    /// The tag for a name that HTML knows.
    pub fn known(name: &str) -> Option<Tag> {
        Tag::by_key(NameKey::new(name.as_bytes())?)
    }

    /// The tag for a packed name that HTML knows.
    pub(crate) fn by_key(key: NameKey) -> Option<Tag> {
        BY_NAME.get(key).filter(|&number| number > 0).map(Tag)
    }

    /// The name of a known tag; `None` for other names.
    #[inline]
    pub fn known_name(self) -> Option<&'static str> {
        NAMES.get(self.0 as usize).copied()
    }

    /// The [`xxh3_64`](xxhash_rust::xxh3::xxh3_64) hash of a known name.
    #[inline]
    pub(crate) fn known_hash(self) -> Option<u64> {
        NAME_HASHES.get(self.0 as usize).copied()
    }

    /// How the element interrupts the text around it.
    #[inline]
    pub fn flow(self) -> Flow {
        // Unknown elements are layout containers far more often than parts of a word.
        FLOWS.get(self.0 as usize).copied().unwrap_or(Flow::Block)
    }

    #[rustfmt::skip]
    const fn known_flow(self) -> Flow {
        match self {
            Tag::A | Tag::ABBR | Tag::ACRONYM | Tag::B | Tag::BDI | Tag::BDO | Tag::BIG
            | Tag::CITE | Tag::CODE | Tag::DATA | Tag::DEL | Tag::DFN | Tag::EM | Tag::FONT
            | Tag::I | Tag::INS | Tag::KBD | Tag::LABEL | Tag::MARK | Tag::NOBR | Tag::Q
            | Tag::RB | Tag::RP | Tag::RT | Tag::RTC | Tag::RUBY | Tag::S | Tag::SAMP
            | Tag::SMALL | Tag::SPAN | Tag::STRIKE | Tag::STRONG | Tag::SUB | Tag::SUP
            | Tag::TIME | Tag::TT | Tag::U | Tag::VAR | Tag::WBR | Tag::BLINK
            | Tag::TEXT => Flow::Inline,
            Tag::IMG | Tag::PICTURE | Tag::SOURCE | Tag::VIDEO | Tag::AUDIO | Tag::TRACK
            | Tag::CANVAS | Tag::IFRAME | Tag::EMBED | Tag::OBJECT | Tag::PARAM | Tag::APPLET
            | Tag::SVG | Tag::MATH | Tag::INPUT | Tag::BUTTON | Tag::SELECT | Tag::OPTGROUP
            | Tag::OPTION | Tag::TEXTAREA | Tag::OUTPUT | Tag::PROGRESS | Tag::METER | Tag::MAP
            | Tag::AREA | Tag::MARQUEE => Flow::Atomic,
            _ => Flow::Block,
        }
    }

    /// Whether the element is void: it has no content and no end tag.
    #[inline]
    pub fn is_void(self) -> bool {
        matches!(
            self,
            Tag::AREA
                | Tag::BASE
                | Tag::BR
                | Tag::COL
                | Tag::EMBED
                | Tag::FRAME
                | Tag::HR
                | Tag::IMG
                | Tag::INPUT
                | Tag::LINK
                | Tag::META
                | Tag::PARAM
                | Tag::SOURCE
                | Tag::TRACK
                | Tag::WBR
        )
    }

    /// Whether white space inside the element is part of the text.
    #[inline]
    pub fn keeps_white_space(self) -> bool {
        matches!(self, Tag::PRE | Tag::LISTING | Tag::XMP | Tag::PLAINTEXT | Tag::TEXTAREA)
    }

    /// Whether the element is never shown, whatever it contains.
    #[inline]
    pub fn is_never_shown(self) -> bool {
        matches!(
            self,
            Tag::SCRIPT | Tag::STYLE | Tag::NOSCRIPT | Tag::TEMPLATE | Tag::NOFRAMES | Tag::NOEMBED
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_maps_to_its_tag() {
        for &name in &NAMES[1..] {
            assert_eq!(Tag::known(name).and_then(Tag::known_name), Some(name));
            let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
            assert_eq!(Tag::known(name).and_then(Tag::known_hash), Some(hash));
        }
        assert_eq!(Tag::known("#text"), None, "no element is mistaken for a text");
        assert_eq!(Tag::known("x-card"), None);
    }
}
