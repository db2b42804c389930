//! Chooses the texts that answer a query: those of whole pages, or those of clean ones.
//!
//! Paper: the one of [chunk frequency](crate::methods::ChunkFrequency), section 4.3.1, which says
//! what could be gained but gives no rule. A menu that names the query hides the pages about it, so
//! clean pages should answer. But a template can take the very words that are searched for, and
//! then only whole pages still have them.
//!
//! Rule: words on most pages of a site are template there, and pages of that site are right to lose
//! them. Where they are not, each page that loses them may have lost its content. If these are a
//! tenth of the pages with all words, whole pages answer. Both thresholds were chosen on one part
//! of the queries of the experiment `search` and are reported on the other
//! (`docs/decisions/017-switching-engine.md`).

/// How many pages of a site contain all words of a query.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SiteMatches {
    /// Number of pages of the site.
    pub pages: usize,
    /// Whole pages with all words.
    pub whole: usize,
    /// Of these, pages that still have all words without their template.
    pub clean: usize,
}

/// Words on at least this share of a site's pages are its template.
const TEMPLATE_SHARE: f64 = 0.7;
/// Whole pages answer if at least this share of the pages with all words lost them as content.
const MIN_SHARE_LOST: f64 = 0.1;

/// Whether whole pages should answer a query.
#[must_use]
pub fn prefers_whole(sites: &[SiteMatches]) -> bool {
    let is_template = |site: &&SiteMatches| site.whole as f64 >= TEMPLATE_SHARE * site.pages as f64;
    let lost = sites.iter().filter(|site| !is_template(site));
    let lost: usize = lost.map(|site| site.whole.saturating_sub(site.clean)).sum();
    let all: usize = sites.iter().map(|site| site.whole).sum();
    lost > 0 && lost as f64 >= MIN_SHARE_LOST * all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(pages: usize, whole: usize, clean: usize) -> SiteMatches {
        SiteMatches { pages, whole, clean }
    }

    #[test]
    fn whole_pages_answer_if_content_was_lost() {
        assert!(!prefers_whole(&[]), "nothing is found either way");
        assert!(!prefers_whole(&[site(60, 20, 20)]), "nothing is lost");
        assert!(prefers_whole(&[site(60, 20, 0)]));
        // At the thresholds: a tenth is enough, and seven pages in ten are a template.
        assert!(prefers_whole(&[site(60, 20, 18)]));
        assert!(!prefers_whole(&[site(60, 20, 19)]));
        assert!(prefers_whole(&[site(60, 41, 0)]));
        assert!(!prefers_whole(&[site(60, 42, 0)]));
        // What a menu loses elsewhere does not count, but its pages are among those found.
        assert!(!prefers_whole(&[site(60, 60, 5), site(60, 20, 19)]));
        assert!(prefers_whole(&[site(60, 60, 5), site(60, 20, 12)]));
    }
}
