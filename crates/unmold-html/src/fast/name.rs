//! Names of elements with their namespace, and the sets of elements that the tree construction
//! rules refer to.

use crate::tag::{FIRST_UNKNOWN, Tag};

/// An element's name and namespace in one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name(u32);

const SVG: u32 = 1 << 30;
const MATHML: u32 = 1 << 31;

impl Name {
    pub(super) const TEXT: Name = Name(Tag::TEXT.0);
    /// The document.
    pub(super) const ROOT: Name = Name(u32::MAX);

    pub(super) const fn html(tag: Tag) -> Name {
        Name(tag.0)
    }

    pub(super) const fn svg(tag: Tag) -> Name {
        Name(tag.0 | SVG)
    }

    pub(super) const fn mathml(tag: Tag) -> Name {
        Name(tag.0 | MATHML)
    }

    pub(super) const fn tag(self) -> Tag {
        Tag(self.0 & !(SVG | MATHML))
    }

    pub(super) const fn is_html(self) -> bool {
        self.0 < SVG
    }

    pub(super) const fn is_svg(self) -> bool {
        self.0 & (SVG | MATHML) == SVG
    }

    /// Index into tables of known HTML names.
    pub(super) fn known(self) -> Option<usize> {
        (self.0 < FIRST_UNKNOWN).then_some(self.0 as usize)
    }

    pub(super) fn sets(self) -> Sets {
        if let Some(number) = self.known() {
            return HTML_SETS[number];
        }
        let scope = if self.is_html() {
            false
        } else if self.is_svg() {
            self.is_svg_integration_point()
        } else {
            self.is_mathml_integration_point()
        };
        if scope { Sets::SCOPE } else { Sets(0) }
    }

    /// SVG elements that contain HTML.
    pub(super) fn is_svg_integration_point(self) -> bool {
        self.is_svg() && matches!(self.tag(), Tag::FOREIGN_OBJECT | Tag::DESC | Tag::TITLE)
    }

    /// MathML elements that contain text and inline HTML.
    pub(super) fn is_mathml_integration_point(self) -> bool {
        !self.is_html()
            && !self.is_svg()
            && matches!(self.tag(), Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT)
    }
}

/// The standard's sets of elements, as bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sets(u16);

impl Sets {
    pub(super) const SPECIAL: Sets = Sets(1);
    /// Elements that end a search for an element "in scope".
    pub(super) const SCOPE: Sets = Sets(2);
    pub(super) const BUTTON_SCOPE: Sets = Sets(2 | 4);
    pub(super) const LIST_SCOPE: Sets = Sets(2 | 8);
    pub(super) const TABLE_SCOPE: Sets = Sets(16);
    /// Elements whose end tag may be omitted.
    pub(super) const IMPLIED_END: Sets = Sets(32);
    pub(super) const HEADING: Sets = Sets(64);
    /// Elements whose text goes before the table.
    pub(super) const FOSTERING: Sets = Sets(128);
    pub(super) const BODY_CONTEXT: Sets = Sets(256);
    pub(super) const ROW_CONTEXT: Sets = Sets(512);
    pub(super) const CELL: Sets = Sets(1024);
    /// `table`, `tbody` and `tfoot`.
    pub(super) const TABLE_OUTER: Sets = Sets(2048);

    pub(super) const fn intersects(self, other: Sets) -> bool {
        self.0 & other.0 != 0
    }
}

static HTML_SETS: [Sets; FIRST_UNKNOWN as usize] = {
    let mut table = [Sets(0); FIRST_UNKNOWN as usize];
    let mut number = 0;
    while number < FIRST_UNKNOWN {
        table[number as usize] = sets_of(Tag(number));
        number += 1;
    }
    table
};

#[rustfmt::skip]
const fn sets_of(tag: Tag) -> Sets {
    let mut sets = 0;
    if matches!(tag,
        Tag::ADDRESS | Tag::APPLET | Tag::AREA | Tag::ARTICLE | Tag::ASIDE | Tag::BASE
        | Tag::BASEFONT | Tag::BGSOUND | Tag::BLOCKQUOTE | Tag::BODY | Tag::BR | Tag::BUTTON
        | Tag::CAPTION | Tag::CENTER | Tag::COL | Tag::COLGROUP | Tag::DD | Tag::DETAILS | Tag::DIR
        | Tag::DIV | Tag::DL | Tag::DT | Tag::EMBED | Tag::FIELDSET | Tag::FIGCAPTION | Tag::FIGURE
        | Tag::FOOTER | Tag::FORM | Tag::FRAME | Tag::FRAMESET | Tag::H1 | Tag::H2 | Tag::H3
        | Tag::H4 | Tag::H5 | Tag::H6 | Tag::HEAD | Tag::HEADER | Tag::HGROUP | Tag::HR | Tag::HTML
        | Tag::IFRAME | Tag::IMG | Tag::INPUT | Tag::ISINDEX | Tag::LI | Tag::LINK | Tag::LISTING
        | Tag::MAIN | Tag::MARQUEE | Tag::MENU | Tag::META | Tag::NAV | Tag::NOEMBED
        | Tag::NOFRAMES | Tag::NOSCRIPT | Tag::OBJECT | Tag::OL | Tag::P | Tag::PARAM
        | Tag::PLAINTEXT | Tag::PRE | Tag::SCRIPT | Tag::SECTION | Tag::SELECT | Tag::SOURCE
        | Tag::STYLE | Tag::SUMMARY | Tag::TABLE | Tag::TBODY | Tag::TD | Tag::TEMPLATE
        | Tag::TEXTAREA | Tag::TFOOT | Tag::TH | Tag::THEAD | Tag::TITLE | Tag::TR | Tag::TRACK
        | Tag::UL | Tag::WBR | Tag::XMP)
    {
        sets |= Sets::SPECIAL.0;
    }
    if matches!(tag,
        Tag::APPLET | Tag::CAPTION | Tag::HTML | Tag::TABLE | Tag::TD | Tag::TH | Tag::MARQUEE
        | Tag::OBJECT | Tag::SELECT | Tag::TEMPLATE)
    {
        sets |= Sets::SCOPE.0;
    }
    if matches!(tag, Tag::BUTTON) {
        sets |= 4;
    }
    if matches!(tag, Tag::OL | Tag::UL) {
        sets |= 8;
    }
    if matches!(tag, Tag::HTML | Tag::TABLE | Tag::TEMPLATE) {
        sets |= Sets::TABLE_SCOPE.0;
    }
    if matches!(tag,
        Tag::DD | Tag::DT | Tag::LI | Tag::OPTION | Tag::OPTGROUP | Tag::P | Tag::RB | Tag::RP
            | Tag::RT | Tag::RTC)
    {
        sets |= Sets::IMPLIED_END.0;
    }
    if matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6) {
        sets |= Sets::HEADING.0;
    }
    if matches!(tag, Tag::TABLE | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR) {
        sets |= Sets::FOSTERING.0;
    }
    if matches!(tag, Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TEMPLATE | Tag::HTML) {
        sets |= Sets::BODY_CONTEXT.0;
    }
    if matches!(tag, Tag::TR | Tag::TEMPLATE | Tag::HTML) {
        sets |= Sets::ROW_CONTEXT.0;
    }
    if matches!(tag, Tag::TD | Tag::TH) {
        sets |= Sets::CELL.0;
    }
    if matches!(tag, Tag::TABLE | Tag::TBODY | Tag::TFOOT) {
        sets |= Sets::TABLE_OUTER.0;
    }
    Sets(sets)
}

/// The SVG name with capitals, such as `clipPath`, for a lower-case name.
pub(super) fn svg_name(lower: &str) -> Option<&'static str> {
    const NAMES: [&str; 37] = [
        "altGlyph",
        "altGlyphDef",
        "altGlyphItem",
        "animateColor",
        "animateMotion",
        "animateTransform",
        "clipPath",
        "feBlend",
        "feColorMatrix",
        "feComponentTransfer",
        "feComposite",
        "feConvolveMatrix",
        "feDiffuseLighting",
        "feDisplacementMap",
        "feDistantLight",
        "feDropShadow",
        "feFlood",
        "feFuncA",
        "feFuncB",
        "feFuncG",
        "feFuncR",
        "feGaussianBlur",
        "feImage",
        "feMerge",
        "feMergeNode",
        "feMorphology",
        "feOffset",
        "fePointLight",
        "feSpecularLighting",
        "feSpotLight",
        "feTile",
        "feTurbulence",
        "foreignObject",
        "glyphRef",
        "linearGradient",
        "radialGradient",
        "textPath",
    ];
    NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(lower))
}
