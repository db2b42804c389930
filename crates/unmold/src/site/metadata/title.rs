//! The title of a page without the name of its site.

use super::clean;
use crate::page::{NodeId, Page, Tag};

/// What separates the title from the name of the site.
const SEPARATORS: [&str; 9] = [" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « ", " : "];
/// Longer texts are no titles.
const MAX_TITLE: usize = 300;

/// The best title: a heading that the `title` element has too, what the page declares, or the
/// `title` element; without what the pages of the site add to it.
pub(super) fn find(
    page: &Page,
    declared: Option<String>,
    site_name: Option<&str>,
    affixes: &[String],
) -> Option<String> {
    let whole = page.title().map(|title| without_affixes(title, affixes));
    let declared = declared.map(|title| without_affixes(&title, affixes).to_owned());
    let heading = headings(page).find(|heading| {
        whole.into_iter().chain(declared.as_deref()).any(|title| is_part(heading, title))
    });
    let host = page.url().and_then(host_of);
    let plain = |title: &str| without_site(title, site_name, host.as_deref()).to_owned();
    heading.or_else(|| declared.as_deref().map(plain)).or_else(|| whole.map(plain))
}

/// The texts of the first headings.
fn headings(page: &Page) -> impl Iterator<Item = String> + '_ {
    page.body()
        .filter(|&id| page.tag(id) == Tag::H1)
        .take(8)
        .filter(|&id| page.subtree(id).len() <= 32)
        .filter_map(|id| clean(&page.joined_text(page.subtree(id))))
        .filter_map(|text| clean(text.trim_end_matches(PERMALINKS)))
        .filter(|text| text.len() <= MAX_TITLE)
}

/// Signs of links from a heading to itself.
const PERMALINKS: [char; 4] = ['¶', '§', '🔗', ' '];

/// The heading that the `title` element has too.
pub(super) fn heading_of_title(page: &Page) -> Option<NodeId> {
    let title = page.title()?;
    page.body()
        .filter(|&id| matches!(page.tag(id), Tag::H1 | Tag::H2 | Tag::H3))
        .take(8)
        .filter(|&id| page.subtree(id).len() <= 32)
        .find(|&id| is_part(&page.joined_text(page.subtree(id)), title))
}

/// The name of the site, if its titles begin or end with it.
pub(super) fn site_name(affixes: &[String]) -> Option<String> {
    let is_separator = |c: char| c.is_whitespace() || "|-–—·:»«".contains(c);
    clean(affixes.first()?.trim_matches(is_separator))
}

/// Whether the heading is a large part of the title.
fn is_part(heading: &str, title: &str) -> bool {
    let (heading, title) = (letters(heading), letters(title));
    3 * heading.len() >= title.len() && !heading.is_empty() && title.contains(&heading)
}

/// Letters and digits in lower case: quotes and dashes are written in many ways.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The title without what the pages of its site share.
fn without_affixes<'t>(title: &'t str, affixes: &[String]) -> &'t str {
    let mut rest = title;
    for affix in affixes {
        let shorter =
            rest.strip_suffix(affix.as_str()).or_else(|| rest.strip_prefix(affix.as_str()));
        rest = shorter.map(str::trim).filter(|left| !left.is_empty()).unwrap_or(rest);
    }
    rest
}

/// The title without a first or last part that is the name of the site, or a short last part.
fn without_site<'t>(title: &'t str, site_name: Option<&str>, host: Option<&str>) -> &'t str {
    let is_site = |part: &str| {
        let part = letters(part);
        let is_host = host.is_some_and(|host| part.len() >= 4 && letters(host).contains(&part));
        is_host || site_name.is_some_and(|name| letters(name) == part)
    };
    let last = SEPARATORS.iter().filter_map(|&separator| title.rsplit_once(separator));
    let last = last.min_by_key(|(_, after)| after.len());
    let first = SEPARATORS.iter().filter_map(|&separator| title.split_once(separator));
    let first = first.min_by_key(|(before, _)| before.len());
    match (first, last) {
        (Some((before, rest)), _) if is_site(before) => rest,
        (_, Some((rest, after))) if is_site(after) => rest,
        (_, Some((rest, after))) if 2 * after.len() <= rest.len() => rest,
        _ => title,
    }
}

fn host_of(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// What at least half of the titles of a site begin or end with, separators included.
pub(super) fn affixes(titles: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // A site may add a section and its name.
    for _ in 0..2 {
        let rest: Vec<&str> = titles.iter().map(|title| without_affixes(title, &found)).collect();
        match common_affix(&rest) {
            Some(affix) => found.push(affix),
            None => break,
        }
    }
    found
}

fn common_affix(titles: &[&str]) -> Option<String> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for title in titles {
        for separator in SEPARATORS.into_iter().chain([": "]) {
            let suffix = title.rfind(separator).map(|at| &title[at..]);
            let prefix = title.find(separator).map(|at| &title[..at + separator.len()]);
            for affix in suffix.into_iter().chain(prefix) {
                *counts.entry(affix).or_default() += 1;
            }
        }
    }
    let is_common = |count: usize| count >= MIN_TITLES && 2 * count >= titles.len();
    let best = counts.into_iter().filter(|&(_, count)| is_common(count));
    best.max_by_key(|&(affix, count)| (count, affix.len())).map(|(affix, _)| affix.to_owned())
}

/// So many titles must have it.
const MIN_TITLES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::ParseOptions;

    fn check(html: &str, expected: &str) {
        let options = ParseOptions::default().with_url("http://www.vennpedia.example/".to_owned());
        let page = Page::parse_with(html.as_bytes(), &options);
        let declared = None;
        assert_eq!(
            find(&page, declared, Some("The Venn"), &[]).as_deref(),
            Some(expected),
            "{html}"
        );
    }

    #[test]
    fn titles_lose_the_name_of_the_site() {
        check("<title>Ada Merrowby - Vennpedia</title>", "Ada Merrowby");
        check("<title>Vennpedia: Ada</title>", "Vennpedia: Ada");
        check("<title>The Venn | Ada</title>", "Ada");
        check("<title>Ada | Rivers | The Venn</title>", "Ada | Rivers");
        check("<title>Tea - a history</title>", "Tea - a history");
        check(
            "<title>Tea, and a long history of it – Unknown</title>",
            "Tea, and a long history of it",
        );
        check(
            "<title>Wikis: Ada Merrowby - Venn</title><h1>Ada <i>Merrowby</i></h1>",
            "Ada Merrowby",
        );
        check("<title>Tea</title><h1>Menu</h1>", "Tea");
    }

    #[test]
    fn what_titles_share_is_learned() {
        let titles = ["Tea :: Leaves :: Shop", "Jam :: Fruit :: Shop", "Bun :: Bread :: Shop"];
        assert_eq!(affixes(&titles), [" :: Shop"]);
        assert_eq!(without_affixes("Milk :: Shop", &affixes(&titles)), "Milk");
        assert_eq!(affixes(&["Tea - Shop", "Jam - Shop"]), [""; 0]);
        assert_eq!(affixes(&["Tea", "Jam", "Bun"]), [""; 0]);
        assert_eq!(affixes(&["Shop: Tea", "Shop: Jam", "Shop: Bun"]), ["Shop: "]);
    }
}
