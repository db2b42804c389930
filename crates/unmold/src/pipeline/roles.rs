//! What the names of an element say about its role: `nav`, `class=sidebar`, `id=comments`.
//!
//! Names are evidence only: a page whose names say nothing is judged by everything else. A role
//! counts for everything inside the element.

use crate::page::Tag;

/// A set of roles, one bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Roles(u32);

/// Number of roles.
pub(super) const ROLES: usize = 20;

/// The words of classes and ids that name each role.
const WORDS: [(&str, &str); ROLES] = [
    ("role navigation", "nav navbar navigation menu submenu topnav mainnav menubar sitemap"),
    ("role footer", "footer foot copyright colophon bottom subfooter"),
    ("role header", "header masthead topbar hdr head logo"),
    ("role sidebar", "sidebar aside side rail widget widgets secondary sidebars"),
    (
        "role related",
        "related recommend recommended recommendation recommendations recs similar upsell upsells cross crosssell also \
         more popular trending latest recent suggestions suggested carousel slider swiper slick",
    ),
    ("role comments", "comment comments reply replies respond disqus discussion commentlist"),
    ("role share", "share sharing social follow addthis addtoany sharedaddy sns"),
    ("role breadcrumb", "breadcrumb breadcrumbs crumb crumbs pathway navtrail"),
    (
        "role dialog",
        "cookie cookies consent gdpr modal popup overlay dialog notice newsletter subscribe signup login signin \
         onetrust toast",
    ),
    (
        "role content",
        "content article post entry body story text maincontent prose richtext markdown",
    ),
    (
        "role product",
        "product price sku spec specs specification specifications attributes variations variant pdp",
    ),
    (
        "role details",
        "meta byline author date published timestamp time avatar profile signature user postprofile",
    ),
    ("role paging", "pagination pager paging paginate next prev previous pages"),
    ("role tags", "tag tags category categories label labels cat topics keywords"),
    ("role advert", "ad ads advert advertisement sponsor sponsored promo promotion banner adsense"),
    ("role filter", "filter filters sort sorting search facet facets toolbar refine"),
    ("role hidden", "hidden sr visually visuallyhidden hide collapse offscreen skip noprint"),
    ("role message", "postbody posts message messages thread topic bbcode forum"),
    ("role main", "main primary"),
    ("role item", "item items list grid card cards result results tile listing row"),
];

/// Roles that contents have, and roles that they do not have.
const INSIDE: u32 = 1 << 9 | 1 << 10 | 1 << 17 | 1 << 18;
const OUTSIDE: u32 = 0x1df | 1 << 12 | 1 << 14 | 1 << 15 | 1 << 16;

impl Roles {
    /// The roles that a tag names.
    pub fn of_tag(tag: Tag) -> Roles {
        Roles(match tag {
            Tag::NAV | Tag::MENU => 1,
            Tag::FOOTER => 1 << 1,
            Tag::HEADER => 1 << 2,
            Tag::ASIDE => 1 << 3,
            Tag::DIALOG => 1 << 8,
            Tag::ARTICLE => 1 << 9,
            Tag::MAIN => 1 << 18,
            _ => 0,
        })
    }

    /// The roles that a class or id names.
    pub fn of_name(name: &str) -> Roles {
        let mut roles = Roles::default();
        let mut start = 0;
        let bytes = name.as_bytes();
        for at in 0..=bytes.len() {
            let ends = at == bytes.len() || !bytes[at].is_ascii_alphabetic();
            // `siteHeader` is two words.
            let turns = !ends
                && at > start
                && bytes[at].is_ascii_uppercase()
                && bytes[at - 1].is_ascii_lowercase();
            if ends || turns {
                roles = roles.with(Roles::of_word(&bytes[start..at]));
                start = if ends { at + 1 } else { at };
            }
        }
        roles
    }

    fn of_word(word: &[u8]) -> Roles {
        if word.len() < 2 || word.len() > MAX_WORD {
            return Roles::default();
        }
        let mut lower = [0; MAX_WORD];
        lower[..word.len()].copy_from_slice(word);
        lower.make_ascii_lowercase();
        let mask = WORD_ROLES.get(&lower).copied().unwrap_or(0);
        Roles(mask)
    }

    /// Both sets.
    pub fn with(self, other: Roles) -> Roles {
        Roles(self.0 | other.0)
    }

    /// Whether any is a role that contents have.
    pub fn is_inside(self) -> bool {
        self.0 & INSIDE != 0
    }

    /// Whether any is a role that contents do not have.
    pub fn is_outside(self) -> bool {
        self.0 & OUTSIDE != 0
    }

    /// Whether any is that of an article or post.
    pub fn is_content(self) -> bool {
        self.0 >> 9 & 1 != 0
    }

    /// Whether any is that of a product.
    pub fn is_product(self) -> bool {
        self.0 >> 10 & 1 != 0
    }

    /// Whether any is that of tags or categories.
    pub fn is_tags(self) -> bool {
        self.0 >> 13 & 1 != 0
    }

    /// Whether any is that of messages of a forum.
    pub fn is_message(self) -> bool {
        self.0 >> 17 & 1 != 0
    }

    /// One number for each role: 1 for those in the set.
    pub fn flags(self) -> [f32; ROLES] {
        std::array::from_fn(|role| (self.0 >> role & 1) as f32)
    }
}

/// The longest word that names a role.
const MAX_WORD: usize = 16;

/// The roles that each word names.
static WORD_ROLES: std::sync::LazyLock<rustc_hash::FxHashMap<[u8; MAX_WORD], u32>> =
    std::sync::LazyLock::new(|| {
        let mut roles = rustc_hash::FxHashMap::default();
        for (role, (_, words)) in WORDS.iter().enumerate() {
            for word in words.split_ascii_whitespace() {
                let mut key = [0; MAX_WORD];
                key[..word.len()].copy_from_slice(word.as_bytes());
                *roles.entry(key).or_insert(0) |= 1 << role;
            }
        }
        roles
    });

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<&'static str> {
        let flags = Roles::of_name(name).flags();
        (0..ROLES).filter(|&role| flags[role] > 0.0).map(|role| WORDS[role].0).collect()
    }

    #[test]
    fn words_of_names_are_roles() {
        assert_eq!(names("site-footer"), ["role footer"]);
        assert_eq!(names("siteHeader main_nav"), ["role navigation", "role header", "role main"]);
        assert_eq!(names("x7f2a9 leather"), [""; 0]);
    }

    #[test]
    fn every_word_fits() {
        for (name, words) in WORDS {
            assert!(words.split_ascii_whitespace().all(|word| word.len() <= MAX_WORD), "{name}");
        }
    }
}
