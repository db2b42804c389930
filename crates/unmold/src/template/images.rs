//! Images that the pages of a site share: logos, arrows, icons, badges.
//!
//! An image without text is judged by what the rest of a page is judged by: how many pages have it.
//! It is known by its address without scheme and host, because pages of one site write the same
//! address as `/i/top.png`, `../i/top.png` and `http://tea.example/i/top.png`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;
use url::Url;

use crate::marks::{Marks, Source};
use crate::page::{NodeId, Page, Tag};

/// Images on this share of the pages are template, in percent.
const COMMON: usize = 20;
/// Of a few pages, so many must have it; of two to four, two.
const MIN_PAGES: usize = 3;
/// Longer addresses carry data of their own.
const MAX_ADDRESS: usize = 300;

/// An image that is part of the template.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TemplateImage {
    /// Its address without scheme and host, or from the first folder that is named.
    pub address: String,
    /// Pages of the sample that have it.
    pub pages: u32,
}

/// The images that are part of a template, sorted by address.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateImages(Vec<TemplateImage>);

impl TemplateImages {
    pub(crate) fn learn(pages: &[&Page]) -> TemplateImages {
        let mut counts: KeyedMap<String, u32> = KeyedMap::default();
        for page in pages {
            let own: BTreeSet<String> = images(page).filter_map(|id| address(page, id)).collect();
            for address in own {
                *counts.entry(address).or_default() += 1;
            }
        }
        let few = if pages.len() < 5 { 2 } else { MIN_PAGES };
        let is_common = |pages_with: u32| {
            let pages_with = pages_with as usize;
            pages_with >= few && 100 * pages_with >= COMMON * pages.len()
        };
        let mut found: Vec<TemplateImage> = counts
            .into_iter()
            .filter(|&(_, pages)| is_common(pages))
            .map(|(address, pages)| TemplateImage { address, pages })
            .collect();
        found.sort();
        TemplateImages(found)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The images.
    pub fn list(&self) -> &[TemplateImage] {
        &self.0
    }

    /// Marks the images of a page that are template.
    pub(crate) fn mark(&self, page: &Page, marks: &mut Marks) {
        if self.is_empty() {
            return;
        }
        for id in images(page) {
            let Some(own) = address(page, id) else { continue };
            if let Ok(at) = self.0.binary_search_by(|image| image.address.as_str().cmp(&own)) {
                marks.set(id, 1.0, Some(Source::Pages(self.0[at].pages)));
            }
        }
    }
}

fn images(page: &Page) -> impl Iterator<Item = NodeId> + '_ {
    page.body().filter(|&id| page.tag(id) == Tag::IMG)
}

/// What an image is known by.
fn address(page: &Page, id: NodeId) -> Option<String> {
    let lazy = ["src", "data-src", "data-original", "data-lazy-src"];
    let written = lazy
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .map(str::trim)
        .find(|src| !src.is_empty() && !src.starts_with("data:"))?;
    if written.len() > MAX_ADDRESS {
        return None;
    }
    let own = page.url().and_then(|url| Url::parse(url).ok());
    let whole = match &own {
        Some(own) => own.join(written).ok(),
        None => Url::parse(written).ok(),
    };
    Some(match whole {
        Some(whole) => {
            let path = whole.path().trim_start_matches('/');
            whole.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
        }
        None => {
            let mut path = written;
            while let Some(rest) = ["../", "./", "/"].iter().find_map(|up| path.strip_prefix(up)) {
                path = rest;
            }
            path.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Limits, ParseOptions};

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), &Limits::default())
    }

    #[test]
    fn an_image_is_the_same_however_its_address_is_written() {
        let address_of = |html: &str, url: Option<&str>| {
            let mut options = ParseOptions::default();
            if let Some(url) = url {
                options = options.with_url(url.to_owned());
            }
            let page = Page::parse_with(html.as_bytes(), &options);
            images(&page).next().and_then(|id| address(&page, id))
        };
        for (src, url) in [
            ("../i/top.png", None),
            ("/i/top.png", None),
            ("http://tea.example/i/top.png", None),
            ("../i/top.png", Some("http://tea.example/a/b.html")),
            ("//tea.example/i/top.png", Some("http://tea.example/")),
        ] {
            assert_eq!(
                address_of(&format!("<img src='{src}'>"), url).as_deref(),
                Some("i/top.png")
            );
        }
        assert_eq!(address_of("<img src='data:image/gif;base64,R0'>", None), None);
        assert_eq!(address_of("<img src='' data-src=a.png>", None).as_deref(), Some("a.png"));
    }

    #[test]
    fn images_of_many_pages_are_template() {
        let pages: Vec<Page> = (0..10)
            .map(|n| {
                let thumb = if n < 2 { "<img src=shared.png>" } else { "" };
                page(&format!("<img src=logo.png><p>Text {n}<img src={n}.png>{thumb}"))
            })
            .collect();
        let learned = TemplateImages::learn(&pages.iter().collect::<Vec<_>>());
        assert_eq!(learned.list(), [TemplateImage { address: "logo.png".to_owned(), pages: 10 }]);
        let mut marks = Marks::none(&pages[0]);
        learned.mark(&pages[0], &mut marks);
        let marked: Vec<bool> = images(&pages[0]).map(|id| marks.is_template(id)).collect();
        assert_eq!(marked, [true, false, false]);
        assert!(TemplateImages::learn(&[&pages[0]]).is_empty());
    }
}
