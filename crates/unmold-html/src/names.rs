//! Tables of the names that HTML knows, built at compile time.
//!
//! A look-up packs the bytes of a name into one number and needs one multiplication and usually one
//! comparison; there is no hash map.

/// A name of at most sixteen bytes, packed into a number.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NameKey(pub(crate) u128);

impl NameKey {
    /// Maximum length of a name in bytes.
    pub(crate) const MAX_LEN: usize = 16;

    pub(crate) const fn new(name: &[u8]) -> Option<NameKey> {
        if name.len() > NameKey::MAX_LEN {
            return None;
        }
        let mut key = 0;
        let mut at = 0;
        while at < name.len() {
            key |= (name[at] as u128) << (8 * at);
            at += 1;
        }
        Some(NameKey(key))
    }

    const fn slot(self) -> usize {
        let folded = self.0 as u64 ^ ((self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (folded.wrapping_mul(0xff51_afd7_ed55_8ccd) >> (64 - SLOT_BITS)) as usize
    }
}

const SLOT_BITS: u32 = 10;
const SLOTS: usize = 1 << SLOT_BITS;
const EMPTY: u8 = u8::MAX;

/// A fixed set of names, numbered from 0.
pub(crate) struct NameTable<const N: usize> {
    keys: [u128; N],
    /// Number of the name whose search starts at this slot or before it.
    slots: [u8; SLOTS],
}

impl<const N: usize> NameTable<N> {
    pub(crate) const fn new(names: &[&str; N]) -> NameTable<N> {
        assert!(N < EMPTY as usize);
        let mut table = NameTable { keys: [0; N], slots: [EMPTY; SLOTS] };
        let mut number = 0;
        while number < N {
            let Some(key) = NameKey::new(names[number].as_bytes()) else {
                panic!("a known name is too long")
            };
            table.keys[number] = key.0;
            let mut slot = key.slot();
            while table.slots[slot] != EMPTY {
                slot = (slot + 1) % SLOTS;
            }
            table.slots[slot] = number as u8;
            number += 1;
        }
        table
    }

    /// The number of a name.
    #[inline]
    pub(crate) fn get(&self, key: NameKey) -> Option<u32> {
        let mut slot = key.slot();
        loop {
            let number = self.slots[slot % SLOTS];
            if number == EMPTY {
                return None;
            }
            if self.keys[number as usize] == key.0 {
                return Some(u32::from(number));
            }
            slot += 1;
        }
    }
}

/// Numbers of `class` and `id` in [`ATTRIBUTES`].
pub(crate) const CLASS: u32 = 0;
pub(crate) const ID: u32 = 1;

/// Attribute names with a fixed number. Others are listed in the page.
#[rustfmt::skip]
pub(crate) const ATTRIBUTES: [&str; 120] = [
    "class", "id", "href", "src", "style", "alt", "title", "name", "type", "value", "content",
    "rel", "width", "height", "target", "hidden", "lang", "dir", "xmlns", ":xmlns", "xml:lang",
    "xmlns:xlink", "xlink:href", "viewbox", "fill", "stroke", "stroke-width", "d", "points",
    "transform", "aria-label", "aria-hidden", "aria-expanded", "aria-labelledby", "aria-controls",
    "aria-haspopup", "aria-current", "role", "tabindex", "border", "cellpadding", "cellspacing",
    "valign", "align", "bgcolor", "color", "face", "size", "colspan", "rowspan", "nowrap",
    "onclick", "onload", "onmouseover", "onmouseout", "onsubmit", "onchange", "onfocus", "onblur",
    "method", "action", "for", "placeholder", "maxlength", "checked", "selected", "disabled",
    "readonly", "required", "autocomplete", "accept", "media", "charset", "http-equiv", "property",
    "itemprop", "itemscope", "itemtype", "itemid", "datetime", "async", "defer", "crossorigin",
    "integrity", "nonce", "language", "loading", "decoding", "srcset", "sizes", "data-src",
    "data-id", "data-toggle", "data-target", "data-type", "data-url", "data-title", "data-name",
    "data-value", "data-href", "data-index", "data-track", "link", "vlink", "alink", "text",
    "background", "hspace", "vspace", "clear", "summary", "scope", "usemap", "coords", "shape",
    "frameborder", "scrolling", "allowfullscreen", "rev", "start",
];

pub(crate) static ATTRIBUTE_TABLE: NameTable<{ ATTRIBUTES.len() }> = NameTable::new(&ATTRIBUTES);

/// The number of a known attribute's name.
pub(crate) const fn attribute_number(name: &str) -> u32 {
    let names = &ATTRIBUTES;
    let mut number = 0;
    while number < names.len() {
        if names[number].len() == name.len() && is_equal(names[number].as_bytes(), name.as_bytes())
        {
            return number as u32;
        }
        number += 1;
    }
    panic!("not a known attribute")
}

const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_maps_to_its_number() {
        for (number, name) in ATTRIBUTES.iter().enumerate() {
            let key = NameKey::new(name.as_bytes()).expect("short");
            assert_eq!(
                ATTRIBUTE_TABLE.get(key),
                Some(number as u32),
                "{name} is listed twice or not found"
            );
        }
        assert_eq!([CLASS, ID].map(|number| ATTRIBUTES[number as usize]), ["class", "id"]);
        assert_eq!(ATTRIBUTE_TABLE.get(NameKey::default()), None);
        assert_eq!(NameKey::new(b"seventeen letters"), None);
    }
}
