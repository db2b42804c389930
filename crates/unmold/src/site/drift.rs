//! Drift: whether the pages of a site still fit its template.
//!
//! Thresholds: pages of 62 labelled sites have at least 0.94 of the usual match, those of nine
//! sites after a redesign at most 0.03 (`docs/crawls.md`). Three quarters is on the safe side: a
//! template of which half is gone is gone.

use std::collections::BTreeMap;

use crate::page::Page;
use crate::template::{KindTemplate, Template, thousandths};

/// Below this share of the usual match, a template has drifted.
const MIN_OF_USUAL: f64 = 0.75;
/// Above this share of pages that fit no cluster, there are new layouts to learn.
const MAX_UNCLUSTERED: f64 = 0.25;
/// Fewer pages prove nothing.
const MIN_PAGES: u64 = 3;

/// How the pages of a template fit it. Sums of whole numbers: neither order nor grouping of the
/// pages matters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fit {
    /// Pages seen.
    pub pages: u64,
    /// Pages that fit no cluster.
    pub unclustered: u64,
    matched: u64,
}

impl Fit {
    /// Adds a page.
    pub fn add(&mut self, template_match: f64, is_unclustered: bool) {
        self.pages += 1;
        self.unclustered += u64::from(is_unclustered);
        self.matched += thousandths(template_match as f32);
    }

    /// Mean share of the template on a page; 0 without pages.
    pub fn template_match(&self) -> f64 {
        self.matched as f64 / 1000.0 / self.pages.max(1) as f64
    }

    /// Whether the pages differ too much from those the template was learned from.
    pub fn has_drifted(&self, template: &KindTemplate) -> bool {
        let usual = f64::from(template.usual_match().unwrap_or(0)) / 1000.0;
        let is_foreign = self.template_match() < MIN_OF_USUAL * usual;
        let is_new = self.unclustered as f64 > MAX_UNCLUSTERED * self.pages as f64;
        self.pages >= MIN_PAGES && (is_foreign || is_new)
    }
}

impl Template {
    /// How pages fit the templates of their kinds, by name.
    pub fn fits(&self, pages: &[&Page]) -> BTreeMap<String, Fit> {
        let mut fits: BTreeMap<String, Fit> = BTreeMap::new();
        for page in pages {
            let (kind, is_clustered) = self.kind_of(page);
            let found = f64::from(kind.learned().template_match(page));
            fits.entry(kind.name().to_owned()).or_default().add(found, !is_clustered);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;
    use crate::{MethodName, Settings, learn};

    fn site(menu: &[&str]) -> Vec<Page> {
        let menu: String = menu.iter().map(|entry| format!("<li>{entry}</li>")).collect();
        let page = |n: u32| {
            Page::parse(format!("<ul>{menu}</ul><p>Story {n}").as_bytes(), &Limits::default())
        };
        (0..6).map(page).collect()
    }

    fn learned(pages: &[Page]) -> Template {
        learn(pages, &Settings::default().with_method(MethodName::ChunkFrequency))
            .expect("six pages")
    }

    #[test]
    fn a_redesign_is_a_drift_and_a_new_menu_entry_is_none() {
        let template = learned(&site(&["Home", "News", "Shop", "Help", "Imprint"]));
        let kind = &template.kinds()[0];
        assert_eq!(kind.usual_match(), Some(1000));
        for (menu, has_drifted) in [
            (vec!["Home", "News", "Shop", "Help", "Imprint"], false),
            (vec!["Home", "News", "Shop", "Help", "Imprint", "Jobs"], false),
            (vec!["Home", "News", "Shop", "Help", "Jobs"], false),
            (vec!["Start", "Stories", "Market", "Help", "About"], true),
        ] {
            let pages = site(&menu);
            let fits = template.fits(&pages.iter().collect::<Vec<_>>());
            assert_eq!(fits["site#1"].has_drifted(kind), has_drifted, "{menu:?}: {fits:?}");
        }
    }

    #[test]
    fn two_pages_prove_nothing() {
        let template = learned(&site(&["Home", "News", "Shop"]));
        let new = site(&["Start", "Stories", "Market"]);
        let two = template.fits(&new.iter().take(2).collect::<Vec<_>>());
        assert!(!two["site#1"].has_drifted(&template.kinds()[0]));
    }

    #[test]
    fn pages_of_no_cluster_are_a_drift_when_they_are_many() {
        let template = learned(&site(&["Home", "News"]));
        for (unclustered, has_drifted) in [(2, false), (3, true)] {
            let mut fit = Fit::default();
            (0..8).for_each(|n| fit.add(1.0, n < unclustered));
            assert_eq!(fit.has_drifted(&template.kinds()[0]), has_drifted);
        }
    }
}
