//! Finds selectors that remove a site's template, for tools that know no templates but can be told
//! what to leave out.
//!
//! Every `id`, class and boilerplate element name on the sample's pages is a candidate. Candidates
//! that also select content are dropped. Of the others, the one that removes most of the remaining
//! template is chosen, repeatedly. Rules can only use names, so they remove less than the template
//! does.
//!
//! time: linear in the pages, plus rules × candidates × matches for the choice. space: the matches
//! of all candidates. Thresholds: a rule may remove one word of content per hundred of template,
//! and must remove a thousandth of the template. Both are for people who read the list and want a
//! few rules they can trust; they were not tuned.

mod selector;

use std::collections::BTreeMap;

pub use selector::Selector;

use crate::marks::Marks;
use crate::page::{NodeId, Page};
use crate::strip::strip;

/// Maximum words of content that a rule may remove per word of template.
const MAX_CONTENT: f64 = 0.01;
/// Minimum share of the template that a rule must remove to be worth a line.
const MIN_GAIN: f64 = 0.001;
/// Maximum number of rules; nobody reads more.
const MAX_RULES: usize = 100;

/// A selector, and what it removes from the pages of the sample.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Selects the elements to remove.
    pub selector: Selector,
    /// Number of pages on which it selects something.
    pub pages: u32,
    /// Words of template in the selected elements, on all pages.
    pub template_words: u64,
    /// Words of content in the selected elements, on all pages.
    pub content_words: u64,
}

/// The rules of a site, the most effective first, measured on the pages they were found on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Rules {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Number of pages the rules were measured on.
    pub pages: u32,
    /// Words of template on these pages.
    pub template_words: u64,
    /// Words of template that all rules together remove.
    pub template_taken: u64,
    /// Words of content on these pages.
    pub content_words: u64,
    /// Words of content that all rules together remove.
    pub content_taken: u64,
}

/// A page with its word counts.
struct CountedPage<'a> {
    page: &'a Page,
    /// Words of template and of content in the subtree of each node.
    words: Vec<(u64, u64)>,
}

impl<'a> CountedPage<'a> {
    fn new(page: &'a Page, marks: &Marks) -> CountedPage<'a> {
        let stripped = strip(page, marks);
        let mut words = vec![(0, 0); page.len() as usize];
        for id in page.visible_texts() {
            let number = crate::page::words(page.text(id)).count() as u64;
            words[id.index()] = if stripped.keeps(id) { (0, number) } else { (number, 0) };
        }
        for id in page.nodes().rev() {
            let (template, content) = words[id.index()];
            if let Some(parent) = page.parent(id) {
                let sum = &mut words[parent.index()];
                *sum = (sum.0 + template, sum.1 + content);
            }
        }
        CountedPage { page, words }
    }
}

/// Elements that a selector selects, as page and node, none inside another.
type Matches = Vec<(usize, NodeId)>;

/// Finds rules for the pages of a site, given with their marks.
#[must_use]
pub fn find_rules<'a>(pages: impl IntoIterator<Item = (&'a Page, &'a Marks)>) -> Rules {
    let pages: Vec<CountedPage> =
        pages.into_iter().map(|(page, marks)| CountedPage::new(page, marks)).collect();
    let all = pages.iter().map(|counted| counted.words.first().copied().unwrap_or_default());
    let (template_words, content_words) =
        all.fold((0, 0), |sum, page| (sum.0 + page.0, sum.1 + page.1));
    let mut candidates = candidates(&pages);
    let mut removed = Removed::nothing(&pages);
    let mut rules = Vec::new();
    let min_gain = (template_words as f64 * MIN_GAIN).max(1.0) as u64;
    while rules.len() < MAX_RULES {
        // On a tie, the first by name wins.
        let gains = candidates
            .iter()
            .map(|(rule, matches)| removed.gain(&pages, matches).min(rule.template_words));
        let Some((best, _)) = gains
            .enumerate()
            .filter(|&(_, gain)| gain >= min_gain)
            .max_by_key(|&(at, gain)| (gain, std::cmp::Reverse(at)))
        else {
            break;
        };
        let (rule, matches) = candidates.swap_remove(best);
        candidates.sort_by(|a, b| a.0.selector.cmp(&b.0.selector));
        removed.add(&pages, &matches);
        rules.push(rule);
    }
    let (template_taken, content_taken) = removed.words(&pages);
    Rules {
        rules,
        pages: pages.len() as u32,
        template_words,
        template_taken,
        content_words,
        content_taken,
    }
}

/// All selectors that remove template and next to no content, sorted.
fn candidates(pages: &[CountedPage]) -> Vec<(Rule, Matches)> {
    let mut found: BTreeMap<Selector, Matches> = BTreeMap::new();
    for (number, counted) in pages.iter().enumerate() {
        let body = counted.page.body();
        for id in body.clone().skip(1).filter(|&id| !counted.page.is_text(id)) {
            for selector in Selector::of(counted.page, id) {
                let matches = found.entry(selector).or_default();
                let is_inside = matches.last().is_some_and(|&(page, outer)| {
                    page == number && counted.page.subtree(outer).contains(id)
                });
                if !is_inside {
                    matches.push((number, id));
                }
            }
        }
    }
    let with_counts = found.into_iter().map(|(selector, matches)| {
        let words = matches.iter().map(|&(page, id)| pages[page].words[id.index()]);
        let (template_words, content_words) =
            words.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let mut on_pages: Vec<usize> = matches.iter().map(|&(page, _)| page).collect();
        on_pages.dedup();
        (Rule { selector, pages: on_pages.len() as u32, template_words, content_words }, matches)
    });
    with_counts
        .filter(|(rule, _)| {
            rule.template_words > 0
                && rule.content_words as f64 <= MAX_CONTENT * rule.template_words as f64
        })
        .collect()
}

/// What the rules chosen so far remove.
struct Removed {
    /// For each page, whether each node is removed.
    nodes: Vec<Vec<bool>>,
}

impl Removed {
    fn nothing(pages: &[CountedPage]) -> Removed {
        Removed {
            nodes: pages.iter().map(|counted| vec![false; counted.page.len() as usize]).collect(),
        }
    }

    /// Words of template that the matches would remove in addition.
    fn gain(&self, pages: &[CountedPage], matches: &Matches) -> u64 {
        let new = matches.iter().filter(|&&(page, id)| !self.nodes[page][id.index()]);
        new.map(|&(page, id)| {
            let texts = pages[page]
                .page
                .subtree(id)
                .filter(|&id| pages[page].page.is_text(id) && !self.nodes[page][id.index()]);
            texts.map(|id| pages[page].words[id.index()].0).sum::<u64>()
        })
        .sum()
    }

    fn add(&mut self, pages: &[CountedPage], matches: &Matches) {
        for &(page, id) in matches {
            pages[page].page.subtree(id).for_each(|id| self.nodes[page][id.index()] = true);
        }
    }

    /// Words of template and of content that are removed.
    fn words(&self, pages: &[CountedPage]) -> (u64, u64) {
        let texts = pages.iter().zip(&self.nodes).flat_map(|(counted, removed)| {
            counted
                .page
                .visible_texts()
                .filter(|&id| removed[id.index()])
                .map(|id| counted.words[id.index()])
        });
        texts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::LearnedTemplate;
    use crate::methods::{ChunkFrequency, Method, Sample};
    use crate::page::Limits;

    fn rules_of(htmls: &[String]) -> Rules {
        let pages: Vec<Page> =
            htmls.iter().map(|html| Page::parse(html.as_bytes(), &Limits::default())).collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).expect("enough pages");
        let marks: Vec<Marks> = pages.iter().map(|page| template.mark(page)).collect();
        find_rules(pages.iter().zip(&marks))
    }

    fn site(page: impl Fn(usize) -> String) -> Vec<String> {
        (0..6).map(page).collect()
    }

    #[test]
    fn rules_select_menus_but_not_content() {
        let rules = rules_of(&site(|n| {
            format!(
                "<div id=menu><ul class=links><li>Home<li>News<li>Shop</ul></div>\
                 <div class=text>Story of the {n} lost shoes <b class=note>told here</b></div>\
                 <p class=foot>Imprint and contact</p>"
            )
        }));
        let css: Vec<String> = rules.rules.iter().map(|rule| rule.selector.css()).collect();
        // `div#menu` and `ul.links` remove the same; the first by name wins.
        assert_eq!(css, ["div#menu", "p.foot", "b.note"]);
        assert_eq!((rules.template_words, rules.template_taken), (6 * 8, 6 * 8));
        assert_eq!(rules.content_taken, 0);
        assert!(rules.rules.iter().all(|rule| rule.pages == 6));
    }

    #[test]
    fn a_name_shared_with_content_is_no_rule() {
        let rules = rules_of(&site(|n| {
            format!("<p class=box>Home News Shop</p><p class=box>Story of the {n} shoes</p>")
        }));
        assert_eq!(rules.rules, []);
        assert_eq!(rules.template_taken, 0);
    }

    #[test]
    fn nested_matches_are_counted_once() {
        let rules = rules_of(&site(|n| {
            format!("<ul class=m><li>Home<ul class=m><li>News</ul></ul><p>Story {n}</p>")
        }));
        assert_eq!(rules.rules.len(), 1);
        assert_eq!((rules.rules[0].template_words, rules.template_words), (12, 12));
    }

    #[test]
    fn without_pages_there_are_no_rules() {
        assert_eq!(find_rules(std::iter::empty()), Rules::default());
    }
}
