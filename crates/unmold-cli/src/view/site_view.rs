//! The views of sites: templates, drift, flags, and lists of pages.

use std::collections::BTreeMap;

use anyhow::Result;
use maud::{Markup, html};
use unmold::{KindTemplate, TemplateSet};

use super::chart::{self, Cell};
use super::layout::{Links, Shell, counted, percent};
use super::state::{Viewer, numbered};
use super::survey::{FLAGS, Seen, meaning};

/// Number of pages or sites per list.
const PER_LIST: usize = 100;
/// Number of example pages per template.
const EXAMPLES: usize = 3;

impl Viewer {
    pub(super) fn can_search(&self) -> bool {
        #[cfg(feature = "search")]
        return self.index.is_some();
        #[cfg(not(feature = "search"))]
        false
    }

    fn shell(&self, links: Links, title: &str) -> Shell {
        Shell {
            links,
            title: title.to_owned(),
            breadcrumbs: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: self.can_search(),
        }
    }

    /// Lists all sites, or shows the site if there is only one.
    pub fn home(&self, links: Links, from: usize) -> Result<String> {
        let sites = self.catalog.sites();
        if let [_only] = sites {
            return self.site_page(links, 0);
        }
        let templates = self.templates();
        // A report has no server to fetch the next list from, so it lists all sites.
        let per_list = if links.exported { sites.len() } else { PER_LIST };
        let shell = self.shell(links, "Sites");
        let content = html! {
            h1 {
                (counted(self.catalog.len() as usize, "page"))
                " of " (counted(sites.len(), "site"))
            }
            @if sites.is_empty() { p { "No HTML page in the input." } }
            div.scroll { table {
                thead { tr {
                    th scope="col" { "Site" }
                    th.number scope="col" { "Pages" }
                    th.number scope="col" { "Templates" }
                } }
                tbody {
                    @for (number, site) in sites.iter().enumerate().skip(from).take(per_list) {
                        tr {
                            td { a href=(links.to("site", number)) { (site.name) } }
                            td.number { (site.pages.len()) }
                            td.number { (templates_of(&templates, &site.name).count()) }
                        }
                    }
                }
            } }
            @if !links.exported { (pager("./?", from, sites.len())) }
        };
        Ok(shell.page(&content))
    }

    /// Shows one site.
    pub fn site_page(&self, links: Links, number: u32) -> Result<String> {
        let site = self.site(number)?;
        let templates = self.templates();
        let seen = self.survey.of(&site.pages);
        let done = seen.iter().filter(|(_, seen)| seen.is_some()).count();
        let mut shell = self.shell(links, &site.name);
        if done < site.pages.len() && !links.exported {
            shell.data.push(("surveying", "yes".to_owned()));
        }
        let groups = groups(&templates, &site.name, &seen);
        let content = html! {
            h1 { (site.name) }
            p {
                (counted(site.pages.len(), "page")) ", "
                (counted(templates_of(&templates, &site.name).count(), "template")) ". "
                @if done < site.pages.len() {
                    span role="status" {
                        (done) " pages analysed so far; this page reloads itself."
                    }
                }
                @if !links.exported { " " a href=(format!("pages-{number}")) { "All pages" } }
            }
            h2 { "Templates" }
            (chart::treemap(&self.cells(links, &templates, &groups)))
            p.small.soft { "Area: number of pages. Darker: more of their text is template." }
            (self.table(links, &templates, &groups))
            (self.drift(&templates, &groups))
            (self.flags(links, number, &seen))
            h2 { "Clustering cost after each merge" }
            (self.cost_chart(links, number))
        };
        Ok(shell.page(&content))
    }

    fn cells(&self, links: Links, templates: &TemplateSet, groups: &[Group]) -> Vec<Cell> {
        let mut cells: Vec<Cell> = groups
            .iter()
            .map(|group| Cell {
                size: (group.pages.len() as f64).max(0.5),
                shade: group.share,
                label: group.name(templates),
                title: format!(
                    "{}: {}, {} template",
                    group.name(templates),
                    counted(group.pages.len(), "page"),
                    percent(group.share)
                ),
                link: group.template.map(|number| links.to("template", number)),
            })
            .collect();
        cells.sort_by(|a, b| b.size.total_cmp(&a.size));
        cells
    }

    fn table(&self, links: Links, templates: &TemplateSet, groups: &[Group]) -> Markup {
        html! {
            div.scroll { table {
                thead { tr {
                    th scope="col" { "Template" }
                    th scope="col" { "Method" }
                    th.number scope="col" { "Sampled pages" }
                    th.number scope="col" { "Pages" }
                    th.number scope="col" { "Template share" }
                    th.number scope="col" { "Match" }
                    th.number scope="col" { "Corrections" }
                    th scope="col" { "Examples" }
                } }
                tbody {
                    @for group in groups {
                        @let kind = group.kind(templates);
                        tr {
                            td { @match group.template {
                                Some(number) => a href=(links.to("template", number)) {
                                    (group.name(templates))
                                },
                                None => "no template",
                            } }
                            td { @if let Some(kind) = kind { (kind.learned().method()) } }
                            td.number { @if let Some(kind) = kind { (kind.learned().pages()) } }
                            td.number { (group.pages.len()) }
                            td.number { (percent(group.share)) }
                            td.number {
                                @if group.template.is_some() { (percent(group.mean_match())) }
                            }
                            td.number {
                                @if let Some(kind) = kind { (kind.overrides().iter().count()) }
                            }
                            td {
                                @for &page in group.pages.iter().take(EXAMPLES) {
                                    (self.page_link(links, page)) " "
                                }
                            }
                        }
                    }
                }
            } }
        }
    }

    pub(super) fn page_link(&self, links: Links, page: u32) -> Markup {
        let name = self.catalog.entry(page).map_or("", |entry| &entry.id);
        let is_there = !links.exported || self.exported.contains(&page);
        html! { @if is_there { a href=(links.to("page", page)) { (name) } } @else { (name) } }
    }

    fn drift(&self, templates: &TemplateSet, groups: &[Group]) -> Markup {
        let matched =
            groups.iter().filter(|group| group.template.is_some() && !group.matches.is_empty());
        html! {
            h2 { "Match with the template, in input order" }
            p.small.soft {
                "Where a line drops, the site was redesigned or the pages have another layout. "
                "The dashed line is a full match."
            }
            @for group in matched {
                @let name = group.name(templates);
                @let label = format!(
                    "match of {} pages of {name} in input order, {} on average",
                    group.matches.len(),
                    percent(group.mean_match())
                );
                h3.small { (name) }
                (chart::line(&group.matches, 1.0, &label))
            }
        }
    }

    fn flags(&self, links: Links, site: u32, seen: &[(u32, Option<Seen>)]) -> Markup {
        let count = |bit: usize| {
            seen.iter()
                .filter(|(_, seen)| seen.is_some_and(|seen| seen.flags & (1 << bit) != 0))
                .count()
        };
        let counts: Vec<(usize, usize)> =
            (0..FLAGS.len()).map(|bit| (bit, count(bit))).filter(|(_, n)| *n > 0).collect();
        html! {
            h2 { "Flagged pages" }
            @if counts.is_empty() { p { "None." } } @else {
                div.scroll { table {
                    thead { tr {
                        th scope="col" { "Flag" }
                        th.number scope="col" { "Pages" }
                        th scope="col" { "Meaning" }
                    } }
                    tbody { @for (bit, number) in counts { tr {
                        td { span.flag { (FLAGS[bit].name()) } }
                        td.number {
                            @if links.exported { (number) } @else {
                                a href=(format!("pages-{site}?flag={}", FLAGS[bit].name())) {
                                    (number)
                                }
                            }
                        }
                        td { (meaning(FLAGS[bit])) }
                    } } }
                } }
            }
        }
    }

    fn cost_chart(&self, links: Links, site: u32) -> Markup {
        if links.exported {
            return self.cost_svg(site);
        }
        // Clustering takes a moment, so the script loads the chart later.
        html! {
            div data-part=(format!("costs-{site}")) {
                p {
                    a href=(format!("cost-{site}")) {
                        "Cluster a sample of the site and plot the cost"
                    }
                }
            }
        }
    }

    /// Returns only the chart, for a page that is already shown.
    pub fn cost_part(&self, number: u32) -> Result<String> {
        self.site(number)?;
        Ok(self.cost_svg(number).into_string())
    }

    fn cost_svg(&self, site: u32) -> Markup {
        let costs: Vec<f64> = self.costs(site).iter().map(|&cost| cost as f64).collect();
        let (first, last) =
            (costs.first().copied().unwrap_or(0.0), costs.last().copied().unwrap_or(0.0));
        let label = format!("clustering cost after each merge, from {first} to {last}");
        html! {
            (chart::line(&costs, first, &label))
            p.small.soft {
                "Number of paths that describe a sample of the site: " (first)
                " before the first merge, " (last) " after the last ("
                (costs.len().saturating_sub(1)) " merges, left to right)."
            }
        }
    }

    /// Shows the cost of clustering a sample of the site.
    pub fn cost_page(&self, links: Links, number: u32) -> Result<String> {
        let site = self.site(number)?;
        let mut shell = self.shell(links, &format!("Clustering cost · {}", site.name));
        shell.breadcrumbs.push((site.name.clone(), links.to("site", number)));
        Ok(shell.page(&html! {
            h1 { "Clustering cost after each merge" }
            (self.cost_svg(number))
        }))
    }

    /// Lists the pages of a site, optionally only those of a template or with a flag.
    pub fn page_list(&self, links: Links, number: u32, choice: &Choice) -> Result<String> {
        let site = self.site(number)?;
        let seen = self.survey.of(&site.pages);
        let wanted: Vec<(u32, Option<Seen>)> = if choice.is_all() {
            seen
        } else {
            seen.into_iter()
                .filter(|(_, seen)| seen.is_some_and(|seen| choice.takes(&seen)))
                .collect()
        };
        let templates = self.templates();
        let mut shell = self.shell(links, &format!("Pages · {}", site.name));
        shell.breadcrumbs.push((site.name.clone(), links.to("site", number)));
        let content = html! {
            h1 {
                (counted(wanted.len(), "page"))
                @if !choice.is_all() { " so far" }
                @if let Some(flag) = &choice.flag { " with the flag " (flag) }
            }
            div.scroll { table {
                thead { tr {
                    th scope="col" { "Page" }
                    th scope="col" { "Template" }
                    th.number scope="col" { "Template share" }
                    th.number scope="col" { "Match" }
                    th scope="col" { "Flags" }
                } }
                tbody {
                    @for (page, seen) in wanted.iter().skip(choice.from).take(PER_LIST) {
                        tr {
                            td { (self.page_link(links, *page)) }
                            (seen_cells(links, &templates, *seen))
                        }
                    }
                }
            } }
            (pager(&choice.address(number), choice.from, wanted.len()))
        };
        Ok(shell.page(&content))
    }
}

/// Table cells with the statistics of a page; empty if it was not visited yet.
fn seen_cells(links: Links, templates: &TemplateSet, seen: Option<Seen>) -> Markup {
    let template = seen.and_then(|seen| seen.template);
    let kind = template.and_then(|number| numbered(templates).nth(number as usize));
    html! {
        td {
            @if let Some((number, _, kind)) = kind {
                a href=(links.to("template", number)) { (kind.name()) }
            }
        }
        td.number { @if let Some(seen) = seen { (percent(f64::from(seen.template_share))) } }
        td.number {
            @if let Some(share) = seen.and_then(|seen| seen.template_match) {
                (percent(f64::from(share)))
            }
        }
        td {
            @if let Some(seen) = seen {
                @for (bit, flag) in FLAGS.iter().enumerate() {
                    @if seen.flags & (1 << bit) != 0 { span.flag { (flag.name()) } " " }
                }
            }
        }
    }
}

/// Selects the pages of a site to list.
#[derive(Default)]
pub struct Choice {
    pub template: Option<u32>,
    pub flag: Option<String>,
    pub from: usize,
}

impl Choice {
    fn is_all(&self) -> bool {
        self.template.is_none() && self.flag.is_none()
    }

    fn takes(&self, seen: &Seen) -> bool {
        let bit =
            self.flag.as_deref().map(|name| FLAGS.iter().position(|flag| flag.name() == name));
        let has_flag = match bit {
            None => true,
            Some(None) => false,
            Some(Some(bit)) => seen.flags & (1 << bit) != 0,
        };
        has_flag && (self.template.is_none() || self.template == seen.template)
    }

    fn address(&self, site: u32) -> String {
        let mut address = format!("pages-{site}?");
        if let Some(template) = self.template {
            address.push_str(&format!("template={template}&"));
        }
        // Only known flags may go into the address: the value comes from a request.
        if let Some(flag) = FLAGS.iter().find(|flag| Some(flag.name()) == self.flag.as_deref()) {
            address.push_str(&format!("flag={}&", flag.name()));
        }
        address
    }
}

/// Links to the next and previous part of a list.
fn pager(address: &str, from: usize, all: usize) -> Markup {
    let to = |from: usize| format!("{address}from={from}");
    html! {
        @if all > PER_LIST {
            nav.controls aria-label="Pagination" {
                @if from > 0 {
                    a rel="prev" href=(to(from.saturating_sub(PER_LIST))) { "Previous" }
                }
                span { (from + 1) "–" (all.min(from + PER_LIST)) " of " (all) }
                @if from + PER_LIST < all {
                    a rel="next" href=(to(from + PER_LIST)) { "Next" }
                }
            }
        }
    }
}

/// Returns the numbers of the templates of a site.
fn templates_of<'a>(set: &'a TemplateSet, site: &'a str) -> impl Iterator<Item = usize> {
    numbered(set).filter(move |(_, own, _)| own.site() == site).map(|(number, _, _)| number)
}

/// The visited pages of one template.
struct Group {
    template: Option<usize>,
    pages: Vec<u32>,
    /// Mean share of their text that is template.
    share: f64,
    /// Match of each page, in input order.
    matches: Vec<f64>,
}

/// Groups the pages of a site by template. Pages without a template come last.
fn groups(templates: &TemplateSet, site: &str, seen: &[(u32, Option<Seen>)]) -> Vec<Group> {
    let mut found: BTreeMap<Option<u32>, Vec<(u32, Seen)>> = BTreeMap::new();
    for (page, seen) in seen {
        if let Some(seen) = seen {
            found.entry(seen.template).or_default().push((*page, *seen));
        }
    }
    let own: Vec<Group> = templates_of(templates, site)
        .map(|number| {
            Group::of(Some(number), found.remove(&Some(number as u32)).unwrap_or_default())
        })
        .collect();
    let without = found.remove(&None).map(|pages| Group::of(None, pages));
    own.into_iter().chain(without).collect()
}

impl Group {
    fn of(template: Option<usize>, own: Vec<(u32, Seen)>) -> Group {
        let all: f64 = own.iter().map(|(_, seen)| f64::from(seen.template_share)).sum();
        Group {
            template,
            share: if own.is_empty() { 0.0 } else { all / own.len() as f64 },
            matches: own
                .iter()
                .filter_map(|(_, seen)| seen.template_match.map(f64::from))
                .collect(),
            pages: own.into_iter().map(|(page, _)| page).collect(),
        }
    }

    /// Returns the group's template.
    fn kind<'a>(&self, templates: &'a TemplateSet) -> Option<&'a KindTemplate> {
        numbered(templates).nth(self.template?).map(|(_, _, kind)| kind)
    }

    fn name(&self, templates: &TemplateSet) -> String {
        self.kind(templates).map_or("no template", KindTemplate::name).to_owned()
    }

    fn mean_match(&self) -> f64 {
        if self.matches.is_empty() {
            0.0
        } else {
            self.matches.iter().sum::<f64>() / self.matches.len() as f64
        }
    }
}
