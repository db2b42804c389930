//! The template of a site, cut out by its labels: what a person would have cut out by hand.
//!
//! Labels say which words of a page are content. A text is template if most of its words are not;
//! an element is content if it has words and all of them are content; an element without words is
//! what its parent is. What at least half of the site's pages have as template is the site's.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use unmold::methods::AlignmentTemplate;
use unmold::metrics::Agreement;
use unmold::page::words;
use unmold::{Marks, NodeId, Page, strip};

use super::labelled::LabelledSite;
use super::region::content_words;
use crate::data::Gold;

/// Words and texts of a site's template.
#[derive(Clone, Default, Debug)]
pub struct GoldTemplate {
    /// The distinct words, in lower case.
    pub terms: BTreeSet<String>,
    texts: BTreeSet<String>,
}

impl GoldTemplate {
    /// The template of the pages of a site whose content is labelled.
    pub fn of(site: &LabelledSite) -> GoldTemplate {
        let of_page = |(gold, page): &(Gold, Page)| -> Option<[BTreeSet<String>; 2]> {
            let is_template = template_nodes(gold, page)?;
            let texts = page.visible_texts().filter(|id| is_template[id.index()]);
            let texts: BTreeSet<String> = texts.map(|id| page.text(id).to_lowercase()).collect();
            let terms = texts.iter().flat_map(|text| words(text)).map(str::to_owned).collect();
            Some([terms, texts])
        };
        let pages: Vec<[BTreeSet<String>; 2]> = site.pages.par_iter().filter_map(of_page).collect();
        let [terms, texts] = [0, 1].map(|part| {
            let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
            for item in pages.iter().flat_map(|page| &page[part]) {
                *counts.entry(item).or_default() += 1;
            }
            let on_half = counts.into_iter().filter(|&(_, count)| 2 * count >= pages.len());
            on_half.map(|(item, _)| item.clone()).collect()
        });
        GoldTemplate { terms, texts }
    }

    /// Term F of a template, given its text: the measure of the tree mapping paper.
    pub fn agreement(&self, template: &str) -> Agreement {
        let template = template.to_lowercase();
        let found: BTreeSet<&str> = words(&template).collect();
        let common = found.iter().filter(|word| self.terms.contains(**word)).count();
        Agreement::of(common, found.len(), self.terms.len())
    }

    /// The text of a page without the texts of the template.
    pub fn stripped(&self, gold: &Gold, page: &Page) -> String {
        let mut marks = Marks::with_threshold(page, 0.5);
        let is_template = template_nodes(gold, page).unwrap_or_default();
        for id in page.visible_texts().filter(|id| is_template.get(id.index()) == Some(&true)) {
            if self.texts.contains(&page.text(id).to_lowercase()) {
                marks.set(id, 1.0, None);
            }
        }
        marks.lift_to_elements(page);
        strip(page, &marks).text()
    }
}

/// The tokens of a learned template against those of the labels: the measure of the alignment
/// paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TemplateTokens {
    /// Precision and recall of the tokens.
    pub agreement: Agreement,
    /// Number of tokens of the learned template.
    pub found: usize,
    /// Number of tokens of the labels' template.
    pub truth: usize,
    /// Mean number of tokens of a page.
    pub of_page: f64,
}

impl TemplateTokens {
    /// Compares the tokens of a template, with repetitions.
    pub fn of(site: &LabelledSite, template: &AlignmentTemplate) -> TemplateTokens {
        let pages: Vec<PageTokens> =
            site.pages.par_iter().filter_map(|page| PageTokens::of(page, template)).collect();
        let of_page =
            pages.iter().map(|page| page.all).sum::<usize>() as f64 / pages.len().max(1) as f64;
        let truth = gold_tokens(pages);
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for token in template.tokens() {
            *found.entry(&token.token).or_default() += 1;
        }
        let known = |token: &str| truth.get(token).copied().unwrap_or(0);
        let common = found.iter().map(|(token, count)| known(token).min(*count)).sum();
        let (found, truth) = (template.tokens().len(), truth.values().sum());
        TemplateTokens { agreement: Agreement::of(common, found, truth), found, truth, of_page }
    }
}

/// How often each token is on a page as template, and the number of all tokens.
struct PageTokens {
    template: BTreeMap<String, usize>,
    all: usize,
}

impl PageTokens {
    fn of((gold, page): &(Gold, Page), template: &AlignmentTemplate) -> Option<PageTokens> {
        let is_template = template_nodes(gold, page)?;
        let tokens = template.tokens_of(page);
        let all = tokens.len();
        let mut counts = BTreeMap::new();
        for (_, token) in tokens.into_iter().filter(|(id, _)| is_template[id.index()]) {
            *counts.entry(token).or_default() += 1;
        }
        Some(PageTokens { template: counts, all })
    }
}

/// How often each token is in the template of the site: as often as on half of its pages.
fn gold_tokens(pages: Vec<PageTokens>) -> BTreeMap<String, usize> {
    let half = pages.len().div_ceil(2);
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (token, count) in pages.into_iter().flat_map(|page| page.template) {
        counts.entry(token).or_default().push(count);
    }
    let on_half = counts.into_iter().filter(|(_, counts)| counts.len() >= half);
    on_half
        .map(|(token, mut counts)| {
            counts.sort_unstable_by(|a, b| b.cmp(a));
            (token, counts[half - 1])
        })
        .collect()
}

/// Whether each node of a page is template; `None` if the content is not labelled.
fn template_nodes(gold: &Gold, page: &Page) -> Option<Vec<bool>> {
    let mut counted = content_words(page, gold, gold.content.as_deref()?);
    for id in page.nodes().rev() {
        let here = counted[id.index()];
        if let Some(parent) = page.parent(id) {
            counted[parent.index()].all += here.all;
            counted[parent.index()].content += here.content;
        }
    }
    let mut is_template = vec![true; page.len() as usize];
    for id in page.nodes() {
        let here = counted[id.index()];
        is_template[id.index()] = if here.all == 0 {
            page.parent(id).is_none_or(|parent: NodeId| is_template[parent.index()])
        } else if page.is_text(id) {
            2 * here.content < here.all
        } else {
            here.content < here.all
        };
    }
    Some(is_template)
}

#[cfg(test)]
mod tests {
    use unmold::methods::Pruning;
    use unmold::{Alignment, Limits, Method, Sample};

    use super::*;

    /// Four pages with a menu, one of which has a notice as well.
    fn site() -> LabelledSite {
        let page = |number: usize| {
            let notice = if number == 0 { "<p>Closed today</p>" } else { "" };
            let content = format!("story number {number} told here");
            let html = format!(
                "<ul><li>Home<li>Shop</ul>{notice}<div><p>{content}</p><br></div><i>Imprint</i>"
            );
            let gold = Gold { content: Some(content), ..Gold::default() };
            (gold, Page::parse(html.as_bytes(), &Limits::default()))
        };
        LabelledSite::of("tea", (0..4).map(page).collect(), 0)
    }

    #[test]
    fn what_half_of_the_pages_have_outside_the_content_is_template() {
        let site = site();
        let gold = GoldTemplate::of(&site);
        let terms: Vec<&str> = gold.terms.iter().map(String::as_str).collect();
        assert_eq!(terms, ["home", "imprint", "shop"]);
        let (label, page) = &site.pages[0];
        assert_eq!(gold.stripped(label, page), "Closed today\nstory number 0 told here");
        let agreement = gold.agreement("Home\nShop\nstory");
        assert_eq!((agreement.precision, agreement.recall), (2.0 / 3.0, 2.0 / 3.0));
    }

    #[test]
    fn tokens_of_a_template_are_compared_with_those_of_half_of_the_pages() {
        let site = site();
        let pages: Vec<&Page> = site.pages.iter().map(|(_, page)| page).collect();
        let settings = Alignment { pruning: Pruning::Off, ..Alignment::paper() };
        let template = settings.learn(&Sample::new(pages)).expect("pages");
        let tokens = TemplateTokens::of(&site, &template);
        // html, head, body, ul, two li, i, each with its end, and three texts. The div, its
        // paragraph and its br are content, but on all pages: the alignment takes their five tags
        // for template.
        assert_eq!((tokens.truth, tokens.found), (17, 22));
        assert_eq!(tokens.agreement.recall, 1.0);
        assert_eq!(tokens.agreement.precision, 17.0 / 22.0);
        // Each page has its story as well, and the first a notice of three tokens.
        assert_eq!(tokens.of_page, 23.75);
    }
}
