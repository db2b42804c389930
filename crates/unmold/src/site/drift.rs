//! Do the pages of a site still fit its templates?
//!
//! Thresholds: pages of 62 labelled sites have at least 0.94 of what is usual, those of nine sites
//! after a redesign 0.03 at most (`docs/crawls.md`). Three quarters is nearer to the former: a
//! template that is half gone is gone.

use std::collections::BTreeMap;

use crate::page::Page;
use crate::template::{Template, TemplateSet, thousandths};

/// With less than this share of what is usual a template has drifted.
const LEAST_OF_USUAL: f64 = 0.75;
/// With more than this share of pages that fit no cluster there are new layouts to learn.
const MOST_UNCLUSTERED: f64 = 0.25;
/// Fewer pages say nothing.
const LEAST_PAGES: u64 = 3;

/// How the pages of a template fit it. Sums of whole numbers: neither order nor grouping of the
/// pages matters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fit {
    /// Pages seen.
    pub pages: u64,
    /// Those of them that fit no cluster.
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

    /// Share of the template found on a page, mean of the pages; 0 for none.
    pub fn template_match(&self) -> f64 {
        self.matched as f64 / 1000.0 / self.pages.max(1) as f64
    }

    /// Whether the pages have become too different from those the template was learned from.
    pub fn has_drifted(&self, template: &Template) -> bool {
        let usual = f64::from(template.usual_match.unwrap_or(0)) / 1000.0;
        let is_foreign = self.template_match() < LEAST_OF_USUAL * usual;
        let is_new = self.unclustered as f64 > MOST_UNCLUSTERED * self.pages as f64;
        self.pages >= LEAST_PAGES && (is_foreign || is_new)
    }
}

/// How the pages fit the templates of their site, by the name of the template.
pub fn fits(templates: &TemplateSet, site: &str, pages: &[&Page]) -> BTreeMap<String, Fit> {
    let mut fits: BTreeMap<String, Fit> = BTreeMap::new();
    for page in pages {
        if let Some((template, is_clustered)) = templates.for_page(site, page) {
            let found = f64::from(template.mark(page).template_match());
            fits.entry(template.name.clone()).or_default().add(found, !is_clustered);
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{ChunkFrequency, Method, Sample};
    use crate::page::Limits;
    use crate::template::Learned;

    fn site(menu: &[&str]) -> Vec<Page> {
        let menu: String = menu.iter().map(|entry| format!("<li>{entry}</li>")).collect();
        let page = |n: u32| {
            Page::parse(format!("<ul>{menu}</ul><p>Story {n}").as_bytes(), &Limits::default())
        };
        (0..6).map(page).collect()
    }

    fn learned(pages: &[&Page]) -> TemplateSet {
        let learned = ChunkFrequency::default()
            .learn(&Sample::new(pages.iter().copied()))
            .expect("six pages");
        let template = Template::new("s#1", "s", Learned::ChunkFrequency(learned)).fitted_to(pages);
        TemplateSet::new([template])
    }

    #[test]
    fn a_redesign_is_a_drift_and_a_new_menu_entry_is_none() {
        let old = site(&["Home", "News", "Shop", "Help", "Imprint"]);
        let old: Vec<&Page> = old.iter().collect();
        let templates = learned(&old);
        let template = templates.for_site("s").expect("learned");
        assert_eq!(template.usual_match, Some(1000));
        for (menu, has_drifted) in [
            (vec!["Home", "News", "Shop", "Help", "Imprint"], false),
            (vec!["Home", "News", "Shop", "Help", "Imprint", "Jobs"], false),
            (vec!["Home", "News", "Shop", "Help", "Jobs"], false),
            (vec!["Start", "Stories", "Market", "Help", "About"], true),
        ] {
            let pages = site(&menu);
            let fits = fits(&templates, "s", &pages.iter().collect::<Vec<_>>());
            assert_eq!(fits["s#1"].has_drifted(template), has_drifted, "{menu:?}: {fits:?}");
        }
    }

    #[test]
    fn two_pages_say_nothing_and_foreign_sites_have_no_fit() {
        let old = site(&["Home", "News", "Shop"]);
        let old: Vec<&Page> = old.iter().collect();
        let templates = learned(&old);
        let new = site(&["Start", "Stories", "Market"]);
        let two = fits(&templates, "s", &new.iter().take(2).collect::<Vec<_>>());
        assert!(!two["s#1"].has_drifted(templates.for_site("s").expect("learned")));
        assert!(fits(&templates, "other", &old).is_empty());
    }

    #[test]
    fn pages_of_no_cluster_are_a_drift_when_they_are_many() {
        let templates = learned(&site(&["Home", "News"]).iter().collect::<Vec<_>>());
        let template = templates.for_site("s").expect("learned");
        for (unclustered, has_drifted) in [(2, false), (3, true)] {
            let mut fit = Fit::default();
            (0..8).for_each(|n| fit.add(1.0, n < unclustered));
            assert_eq!(fit.has_drifted(template), has_drifted);
        }
    }
}
