//! How pages are written.

use url::Url;

use crate::page::{Page, Tag};

/// What happens to links.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Links {
    /// Written as on the page.
    Keep,
    /// Written as whole addresses, if the address of the page is known.
    #[default]
    Absolute,
    /// Only their text is written.
    Drop,
}

/// What happens to images.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Images {
    /// Written.
    #[default]
    Keep,
    /// Left out.
    Drop,
}

/// How a page is written. `Default` is all that is on the page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// What happens to links.
    pub links: Links,
    /// What happens to images.
    pub images: Images,
    /// HTML: write only the content, in an `article` element, without head, wrappers and
    /// attributes of the layout.
    pub fragment: bool,
}

impl WriteOptions {
    /// Sets [`WriteOptions::links`].
    #[must_use]
    pub fn with_links(self, links: Links) -> WriteOptions {
        WriteOptions { links, ..self }
    }

    /// Sets [`WriteOptions::images`].
    #[must_use]
    pub fn with_images(self, images: Images) -> WriteOptions {
        WriteOptions { images, ..self }
    }

    /// Sets [`WriteOptions::fragment`].
    #[must_use]
    pub fn with_fragment(self, fragment: bool) -> WriteOptions {
        WriteOptions { fragment, ..self }
    }

    /// What relative addresses of the page are relative to, if they are to be made absolute and it
    /// is known: its `<base>`, or its own address.
    pub(super) fn base(self, page: &Page) -> Option<Url> {
        if self.links != Links::Absolute {
            return None;
        }
        let own = page.url().and_then(|url| Url::parse(url).ok());
        let base = page
            .nodes()
            .take_while(|&id| page.tag(id) != Tag::BODY)
            .find(|&id| page.tag(id) == Tag::BASE)
            .and_then(|id| page.attribute(id, "href"))
            .and_then(|href| match &own {
                Some(own) => own.join(href).ok(),
                None => Url::parse(href).ok(),
            });
        base.or(own).filter(|url| matches!(url.scheme(), "http" | "https"))
    }
}

/// The whole address of a link; the link itself if the base is not known, or if it leads to a place
/// on the page.
pub(super) fn absolute(address: &str, base: Option<&Url>) -> String {
    match base.map(|base| base.join(address)) {
        Some(Ok(url)) if !address.starts_with('#') => url.into(),
        _ => address.to_owned(),
    }
}
