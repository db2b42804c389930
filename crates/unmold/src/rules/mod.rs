//! Which selectors take a site's template away? For tools that know no templates but can be told
//! what to leave out.
//!
//! Every `id`, class and telling element name on the sample's pages is a candidate. One that
//! selects content, too, is none; of the others the one that takes most of what is left of the
//! template is chosen, again and again. What names do not tell, rules cannot: they take away less
//! than the template does.
//!
//! time: linear in the pages, and rules × candidates × matches for the choice. space: the matches
//! of all candidates. Thresholds: a rule may take one word of content for a hundred of template,
//! and must take a thousandth of the template; both are for readers of the list, who want few rules
//! that they can trust, and were not tuned.

mod selector;

use std::collections::BTreeMap;

pub use selector::Selector;

use crate::marks::Marks;
use crate::page::{NodeId, Page};
use crate::strip::strip;

/// Words of content that a rule may take, for each word of template.
const MOST_CONTENT: f64 = 0.01;
/// Share of the template that a rule must take to be worth a line.
const LEAST_GAIN: f64 = 0.001;
/// More rules than this nobody reads.
const MOST_RULES: usize = 100;

/// A selector, and what it takes away from the pages of the sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What it selects.
    pub selector: Selector,
    /// Pages on which it selects something.
    pub pages: u32,
    /// Words of template in what it selects, on all pages.
    pub template_words: u64,
    /// Words of content there.
    pub content_words: u64,
}

/// The rules of a site, the one that takes most away first, checked on the pages they were found
/// on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rules {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Pages they were checked on.
    pub pages: u32,
    /// Words of template on them, and those that all rules together take away.
    pub template_words: u64,
    /// See there.
    pub template_taken: u64,
    /// Words of content on them, and those that all rules together take away.
    pub content_words: u64,
    /// See there.
    pub content_taken: u64,
}

/// A page with the words of its texts.
struct Counted<'a> {
    page: &'a Page,
    /// Words of template and of content, of each node with all below it.
    words: Vec<(u64, u64)>,
}

impl<'a> Counted<'a> {
    fn new(page: &'a Page, marks: &Marks) -> Counted<'a> {
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
        Counted { page, words }
    }
}

/// Elements that a selector selects: page and node, none inside another.
type Matches = Vec<(usize, NodeId)>;

/// Finds rules for the pages of a site, each with its marks.
pub fn find_rules<'a>(pages: impl IntoIterator<Item = (&'a Page, &'a Marks)>) -> Rules {
    let pages: Vec<Counted> =
        pages.into_iter().map(|(page, marks)| Counted::new(page, marks)).collect();
    let all = pages.iter().map(|counted| counted.words.first().copied().unwrap_or_default());
    let (template_words, content_words) =
        all.fold((0, 0), |sum, page| (sum.0 + page.0, sum.1 + page.1));
    let mut candidates = candidates(&pages);
    let mut taken = Taken::nothing(&pages);
    let mut rules = Vec::new();
    let least = (template_words as f64 * LEAST_GAIN).max(1.0) as u64;
    while rules.len() < MOST_RULES {
        // Of equals the first by name.
        let gains = candidates
            .iter()
            .map(|(rule, matches)| taken.gain(&pages, matches).min(rule.template_words));
        let Some((best, _)) = gains
            .enumerate()
            .filter(|&(_, gain)| gain >= least)
            .max_by_key(|&(at, gain)| (gain, std::cmp::Reverse(at)))
        else {
            break;
        };
        let (rule, matches) = candidates.swap_remove(best);
        candidates.sort_by(|a, b| a.0.selector.cmp(&b.0.selector));
        taken.take(&pages, &matches);
        rules.push(rule);
    }
    let (template_taken, content_taken) = taken.words(&pages);
    Rules {
        rules,
        pages: pages.len() as u32,
        template_words,
        template_taken,
        content_words,
        content_taken,
    }
}

/// All selectors that take template and next to no content, sorted.
fn candidates(pages: &[Counted]) -> Vec<(Rule, Matches)> {
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
        let mut on: Vec<usize> = matches.iter().map(|&(page, _)| page).collect();
        on.dedup();
        (Rule { selector, pages: on.len() as u32, template_words, content_words }, matches)
    });
    with_counts
        .filter(|(rule, _)| {
            rule.template_words > 0
                && rule.content_words as f64 <= MOST_CONTENT * rule.template_words as f64
        })
        .collect()
}

/// What the rules so far take away.
struct Taken {
    /// Of each page, each node.
    nodes: Vec<Vec<bool>>,
}

impl Taken {
    fn nothing(pages: &[Counted]) -> Taken {
        Taken {
            nodes: pages.iter().map(|counted| vec![false; counted.page.len() as usize]).collect(),
        }
    }

    /// Words of template that the matches would take away beyond what is taken.
    fn gain(&self, pages: &[Counted], matches: &Matches) -> u64 {
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

    fn take(&mut self, pages: &[Counted], matches: &Matches) {
        for &(page, id) in matches {
            pages[page].page.subtree(id).for_each(|id| self.nodes[page][id.index()] = true);
        }
    }

    /// Words of template and of content that are taken.
    fn words(&self, pages: &[Counted]) -> (u64, u64) {
        let texts = pages.iter().zip(&self.nodes).flat_map(|(counted, taken)| {
            counted
                .page
                .visible_texts()
                .filter(|&id| taken[id.index()])
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

    fn found(htmls: &[String]) -> Rules {
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
    fn menus_are_named_and_content_is_not() {
        let rules = found(&site(|n| {
            format!(
                "<div id=menu><ul class=links><li>Home<li>News<li>Shop</ul></div><div class=text>Story of the {n} \
                 lost shoes <b class=note>told here</b></div><p class=foot>Imprint and contact</p>"
            )
        }));
        let css: Vec<String> = rules.rules.iter().map(|rule| rule.selector.css()).collect();
        // Of `div#menu` and `ul.links`, which take the same, the first by name.
        assert_eq!(css, ["div#menu", "p.foot", "b.note"]);
        assert_eq!((rules.template_words, rules.template_taken), (6 * 8, 6 * 8));
        assert_eq!(rules.content_taken, 0);
        assert!(rules.rules.iter().all(|rule| rule.pages == 6));
    }

    #[test]
    fn a_name_that_content_has_too_is_no_rule() {
        let rules = found(&site(|n| {
            format!("<p class=box>Home News Shop</p><p class=box>Story of the {n} shoes</p>")
        }));
        assert_eq!(rules.rules, []);
        assert_eq!(rules.template_taken, 0);
    }

    #[test]
    fn elements_inside_selected_ones_are_not_counted_twice() {
        let rules = found(&site(|n| {
            format!("<ul class=m><li>Home<ul class=m><li>News</ul></ul><p>Story {n}</p>")
        }));
        assert_eq!(rules.rules.len(), 1);
        assert_eq!((rules.rules[0].template_words, rules.template_words), (12, 12));
    }

    #[test]
    fn no_pages_have_no_rules() {
        assert_eq!(find_rules(std::iter::empty()), Rules::default());
    }
}
