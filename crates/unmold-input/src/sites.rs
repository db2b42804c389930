//! Decides which pages of a folder are one site.
//!
//! Folders named like hosts are sites, as in a mirror made by wget. Pages that name the same host
//! (canonical link, `<base>`, `og:url`) are one site. Beyond that, two folders are one site if they
//! share much of the text that is repeated on their pages: pages of one site have its menus and
//! footers in common, pages of different sites have next to nothing. For the same reason the pages
//! of one folder without others are several sites if they fall into groups that share nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::evidence::{Profile, declared_host, hash, shared};

/// How pages are put into sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SiteBy {
    /// By the host of the URL; in folders by what the pages have in common.
    #[default]
    Auto,
    /// By host: of the URL, of a folder named like a host, or the one that the page names.
    Host,
    /// Each folder of the top level is a site.
    Folder,
    /// Each input is one site.
    One,
}

/// Pages that are looked at in all: enough for a thousand folders.
const MAX_EXAMINED: usize = 1024;
/// Pages that are looked at in one of several folders, and in a folder without others.
const MAX_OF_FOLDER: usize = 6;
const MAX_OF_FLAT_FOLDER: usize = 96;
/// Bytes that are looked at of each page.
pub const EXAMINED_BYTES: usize = 256 << 10;

/// Two folders are one site if this share of the repeated texts of one is repeated in the other.
/// 97 % of 1215 folders share more with another of their site, 0.1 % of 9730 pairs of sites do
/// (`docs/decisions/020-which-pages-are-one-site.md`).
const SAME_SITE: f64 = 0.4;
/// The same if the pages name different hosts.
const SAME_SITE_DESPITE_HOSTS: f64 = 0.7;
/// Fewer shared texts prove nothing, unless nearly all are shared: manuals made by one tool have
/// "Index", "Next" and "Previous" in common.
const MIN_SHARED: usize = 5;
const NEARLY_ALL: f64 = 0.9;
/// A folder with fewer repeated texts, or a page with fewer texts, gives no evidence.
const MIN_EVIDENCE: usize = 5;
/// Two pages with fewer texts or less than this share of texts in common are strangers. A flat
/// folder is a collection of strangers if at most `FEW` of its pairs are not.
const MIN_RELATED: usize = 3;
const STRANGERS: f64 = 0.1;
const FEW: f64 = 0.1;
/// Pages that are needed to call a folder a collection.
const MIN_COLLECTION: usize = 5;
/// Pages without relatives in a group that is a site next to one with most of the pages: two pages
/// may be alike by chance.
const MIN_GROUP: usize = 3;
/// Members of a site that a folder is compared with.
const MAX_COMPARED: usize = 8;
/// A site with this share of the examined folders takes those that were not examined.
const MOST: f64 = 0.8;
/// Sites named in the message.
const MAX_NAMED: usize = 3;

/// What was decided about the pages of a folder.
#[derive(Debug, Clone)]
pub struct Sites {
    /// Folders that all pages are in, with a slash at the end: `pages/`, or nothing.
    prefix: String,
    /// Site of pages that nothing else is known about.
    name: String,
    rule: Rule,
    /// What was decided, and how to change it, in words.
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    One,
    Folder,
    Host,
    /// Each page is a site of its own.
    Page,
    /// The site of the group that a page shares most with, or its own.
    Groups(Vec<Group>),
    Decided {
        /// By top-level folder; pages outside of folders are under the empty name.
        folders: BTreeMap<String, FolderRule>,
        /// Site of folders that were not examined; `None` is their own name.
        otherwise: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FolderRule {
    Site(String),
    /// By the host that the page names. Hosts that are not listed are sites of their own.
    Hosts {
        known: BTreeMap<String, String>,
        /// Site of pages that name none; `None` leaves it to the groups.
        without: Option<String>,
        groups: Vec<Group>,
    },
}

/// A site of a folder without others.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    site: String,
    /// Texts on several of its pages, sorted.
    texts: Vec<u64>,
}

/// The site of the group that has most in common with a page, or the page's own.
fn site_by_groups(groups: &[Group], id: &str, bytes: &[u8]) -> String {
    let page = Profile::of(bytes);
    let counted = groups.iter().map(|group| (shared(&page.texts, &group.texts), group));
    let found = counted.filter(|&(common, _)| common >= MIN_RELATED);
    // The first of several with the same number.
    let best = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or_else(|| id.to_owned(), |(_, group)| group.site.clone())
}

/// Access to the folder that is decided about.
pub trait Pages {
    /// The folders and pages directly in a folder, which is relative to the root.
    fn entries(&self, folder: &str) -> (Vec<String>, bool);
    /// Ids of all pages in a folder.
    fn pages<'a>(&'a self, folder: &'a str) -> Box<dyn Iterator<Item = String> + 'a>;
    /// The first bytes of a page.
    fn bytes(&self, id: &str) -> Vec<u8>;
}

/// Pages of a folder that name the same host, or none.
struct Cell {
    folder: String,
    /// Whether the folder is that of a host.
    is_host: bool,
    host: Option<String>,
    /// Texts that are repeated on its pages.
    repeated: Vec<u64>,
}

impl Sites {
    /// Decides about the folder called `name`.
    pub fn decide(name: String, by: SiteBy, pages: &impl Pages) -> Sites {
        let fixed = |rule| Sites { prefix: String::new(), name: name.clone(), rule, note: None };
        match by {
            SiteBy::One => fixed(Rule::One),
            SiteBy::Folder => fixed(Rule::Folder),
            SiteBy::Host => fixed(Rule::Host),
            SiteBy::Auto => Sites::by_evidence(name, pages),
        }
    }

    fn by_evidence(root: String, pages: &impl Pages) -> Sites {
        let prefix = common_folder(pages);
        let name = prefix.split('/').next().filter(|name| !name.is_empty());
        let name = name.map_or_else(|| root.clone(), str::to_owned);
        let (folders, has_pages) = pages.entries(&prefix);
        let groups = sampled(&prefix, folders, has_pages, pages);
        let (rule, note) = match groups.len() {
            0 => (Rule::One, None),
            1 if is_host_like(groups.keys().next().map_or("", String::as_str)) => {
                (Rule::Folder, None)
            }
            _ => decided(&root, &name, &groups),
        };
        Sites { prefix, name, rule, note }
    }

    /// The site of a page. `head` gives its first bytes, if they are needed.
    pub fn site_of(&self, id: &str, head: impl FnOnce() -> Vec<u8>) -> String {
        let below = id.strip_prefix(&self.prefix).unwrap_or(id);
        let folder = below.split_once('/').map_or("", |(folder, _)| folder);
        match &self.rule {
            Rule::One => self.name.clone(),
            Rule::Page => id.to_owned(),
            Rule::Groups(groups) => site_by_groups(groups, id, &head()),
            Rule::Folder if folder.is_empty() => self.name.clone(),
            Rule::Folder => folder.to_owned(),
            Rule::Host => id
                .split('/')
                .rev()
                .skip(1)
                .find(|part| is_host_like(part))
                .map(str::to_owned)
                .or_else(|| declared_host(&head()))
                .unwrap_or_else(|| self.name.clone()),
            Rule::Decided { folders, otherwise } => match folders.get(folder) {
                Some(FolderRule::Site(site)) => site.clone(),
                Some(FolderRule::Hosts { known, without, groups }) => {
                    let head = head();
                    match (declared_host(&head), without) {
                        (Some(host), _) => known.get(&host).cloned().unwrap_or(host),
                        (None, Some(site)) => site.clone(),
                        (None, None) => site_by_groups(groups, id, &head),
                    }
                }
                None => otherwise.clone().unwrap_or_else(|| folder.to_owned()),
            },
        }
    }
}

/// The folder that all pages are in, with a slash at the end; empty if they are in several.
fn common_folder(pages: &impl Pages) -> String {
    let mut prefix = String::new();
    loop {
        let (folders, has_pages) = pages.entries(&prefix);
        if has_pages {
            return prefix;
        }
        let mut with_pages = folders
            .into_iter()
            .filter(|folder| pages.pages(&format!("{prefix}{folder}/")).next().is_some());
        match (with_pages.next(), with_pages.next()) {
            // The folder of a host is a site, not just a folder around one.
            (Some(only), None) if !is_host_like(&only) => prefix.push_str(&format!("{only}/")),
            _ => return prefix,
        }
    }
}

/// Looks at some pages of each folder that has pages. Which ones depends on their ids only.
fn sampled(
    prefix: &str,
    folders: Vec<String>,
    has_pages: bool,
    pages: &impl Pages,
) -> BTreeMap<String, Vec<Profile>> {
    let number = folders.len() + usize::from(has_pages);
    let limit = match number {
        1 => MAX_OF_FLAT_FOLDER,
        _ => (MAX_EXAMINED / number.max(1)).clamp(1, MAX_OF_FOLDER),
    };
    let mut names: Vec<String> = folders;
    names.sort_by_key(|name| hash(name.as_bytes()));
    names.truncate(MAX_EXAMINED);
    let look = |ids: &mut dyn Iterator<Item = String>| -> Vec<Profile> {
        let mut chosen: Vec<(u64, String)> = Vec::new();
        for id in ids {
            chosen.push((hash(id.as_bytes()), id));
            if chosen.len() > 4 * limit {
                chosen.sort_unstable();
                chosen.truncate(limit);
            }
        }
        chosen.sort_unstable();
        chosen.iter().take(limit).map(|(_, id)| Profile::of(&pages.bytes(id))).collect()
    };
    let mut groups: BTreeMap<String, Vec<Profile>> = BTreeMap::new();
    for name in names {
        let folder = format!("{prefix}{name}/");
        let profiles = look(&mut pages.pages(&folder));
        if !profiles.is_empty() {
            groups.insert(name, profiles);
        }
    }
    if has_pages {
        let is_direct = |id: &String| !id[prefix.len()..].contains('/');
        let direct = look(&mut pages.pages(prefix).filter(is_direct));
        groups.insert(String::new(), direct);
    }
    groups
}

fn decided(
    root: &str,
    name: &str,
    groups: &BTreeMap<String, Vec<Profile>>,
) -> (Rule, Option<String>) {
    let cells = cells_of(groups);
    let flat = groups.len() == 1;
    if let (true, [Cell { host: None, .. }]) = (flat, cells.as_slice())
        && let Some(pages) = groups.values().next()
    {
        let pages: Vec<&Profile> = pages.iter().collect();
        let found = groups_of(name, &pages);
        if !found.is_empty() {
            let note = format!(
                "{root}: {} sites by the texts that the pages share; if they are one, pass \
                 --site-by one or --site NAME",
                found.len()
            );
            return (Rule::Groups(found), Some(note));
        }
        if are_strangers(&pages) {
            let note = format!(
                "{root}: the pages have nothing in common, each is taken as a site of its own; if \
                 they are one site, pass --site-by one"
            );
            return (Rule::Page, Some(note));
        }
    }
    let site_of_cell = components(&cells);
    let number = site_of_cell.iter().max().map_or(0, |last| last + 1);
    if number <= 1 {
        let note = (!flat).then(|| {
            format!(
                "{root}: its {} folders are one site; --site-by folder makes them several",
                groups.len()
            )
        });
        return (Rule::One, note);
    }
    let names = names_of(name, &cells, &site_of_cell, number);
    let rule = rule_of(name, groups, &cells, &site_of_cell, &names);
    let shown: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if number > MAX_NAMED { ", …" } else { "" };
    let note = format!(
        "{root}: {number} sites ({}{more}); if they are one, pass --site-by one or --site NAME",
        shown.join(", ")
    );
    (rule, Some(note))
}

fn cells_of(groups: &BTreeMap<String, Vec<Profile>>) -> Vec<Cell> {
    let mut cells: BTreeMap<(&str, Option<&str>), Vec<&Profile>> = BTreeMap::new();
    let has_hosts = are_hosts(groups.keys().map(String::as_str));
    let is_host = |folder: &str| has_hosts && is_host_like(folder);
    for (folder, pages) in groups {
        for page in pages {
            // The name of the folder says more than what a page says about itself.
            let host = page.host.as_deref().filter(|_| !is_host(folder));
            cells.entry((folder, host)).or_default().push(page);
        }
    }
    let cell = |((folder, host), pages): ((&str, Option<&str>), Vec<&Profile>)| Cell {
        folder: folder.to_owned(),
        is_host: is_host(folder),
        host: host.map(str::to_owned),
        repeated: repeated(&pages),
    };
    cells.into_iter().map(cell).collect()
}

/// Texts on at least half of the pages, and on more than one; all texts of a single page.
fn repeated(pages: &[&Profile]) -> Vec<u64> {
    on_several(pages, if pages.len() == 1 { 1 } else { pages.len().div_ceil(2).max(2) })
}

/// Texts on at least `min` pages, sorted.
fn on_several(pages: &[&Profile], min: usize) -> Vec<u64> {
    let mut all: Vec<u64> = pages.iter().flat_map(|page| page.texts.iter().copied()).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).filter(|same| same.len() >= min).map(|same| same[0]).collect()
}

fn likeness(a: &[u64], b: &[u64]) -> f64 {
    let common = shared(a, b);
    let share = common as f64 / a.len().min(b.len()).max(1) as f64;
    if common >= MIN_SHARED || common > 1 && share >= NEARLY_ALL { share } else { 0.0 }
}

fn are_related(a: &Profile, b: &Profile) -> bool {
    let common = shared(&a.texts, &b.texts);
    let least = STRANGERS * a.texts.len().min(b.texts.len()) as f64;
    common >= MIN_RELATED && common as f64 >= least
}

fn are_strangers(pages: &[&Profile]) -> bool {
    let pages: Vec<&Profile> =
        pages.iter().copied().filter(|page| page.texts.len() >= MIN_EVIDENCE).collect();
    let pairs =
        || pages.iter().enumerate().flat_map(|(at, a)| pages[at + 1..].iter().map(move |b| (a, b)));
    let related = pairs().filter(|(a, b)| are_related(a, b)).count();
    pages.len() >= MIN_COLLECTION && related as f64 <= FEW * pairs().count() as f64
}

/// The sites that pages of one folder fall into; none if they may all be of one.
///
/// Of 144 real sites, six fall into groups that share nothing. Of 2183 pages in 30 mixtures of
/// three, five and ten sites, 6 % are put with those of another
/// (`docs/decisions/020-which-pages-are-one-site.md`).
fn groups_of(name: &str, pages: &[&Profile]) -> Vec<Group> {
    let mut groups: Vec<Vec<&Profile>> = Vec::new();
    for &page in pages {
        let (related, mut others): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|member| are_related(member, page)));
        let mut joined: Vec<&Profile> = related.into_iter().flatten().collect();
        joined.push(page);
        others.push(joined);
        groups = others;
    }
    groups.retain(|group| group.len() > 1 && repeated(group).len() >= MIN_EVIDENCE);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let is_minor = |group: &Vec<&Profile>| group.len() < MIN_GROUP;
    let has_one = groups.first().is_none_or(|most| most.len() as f64 >= MOST * pages.len() as f64);
    if groups.len() < 2 || has_one && is_minor(&groups[1]) {
        return Vec::new();
    }
    let group = |(number, pages): (usize, Vec<&Profile>)| Group {
        site: format!("{name}-{number}"),
        texts: on_several(&pages, 2),
    };
    (1..).zip(groups).map(group).collect()
}

fn is_one_site(a: &Cell, b: &Cell) -> bool {
    if a.is_host || b.is_host {
        return a.folder == b.folder;
    }
    // Without evidence, pages at the top make the whole folder one site.
    let says_nothing = |cell: &Cell| cell.repeated.len() < MIN_EVIDENCE;
    let at_the_top = a.folder != b.folder && (a.folder.is_empty() || b.folder.is_empty());
    match (&a.host, &b.host) {
        (Some(a), Some(b)) if a == b => true,
        (None, _) | (_, None) if at_the_top && (says_nothing(a) || says_nothing(b)) => true,
        (Some(_), Some(_)) => likeness(&a.repeated, &b.repeated) >= SAME_SITE_DESPITE_HOSTS,
        _ => likeness(&a.repeated, &b.repeated) >= SAME_SITE,
    }
}

/// Number of the site of each cell; sites are numbered in the order of their first cells.
fn components(cells: &[Cell]) -> Vec<usize> {
    let mut sites: Vec<Vec<usize>> = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let (same, mut others): (Vec<_>, Vec<_>) = sites.into_iter().partition(|site| {
            let spread = site.iter().step_by(site.len().div_ceil(MAX_COMPARED));
            spread.chain(site.last()).any(|&other| is_one_site(cell, &cells[other]))
        });
        let mut joined: Vec<usize> = same.into_iter().flatten().collect();
        joined.push(number);
        joined.sort_unstable();
        others.push(joined);
        others.sort_unstable();
        sites = others;
    }
    let mut of_cell = vec![0; cells.len()];
    for (site, members) in sites.iter().enumerate() {
        members.iter().for_each(|&cell| of_cell[cell] = site);
    }
    of_cell
}

/// Names sites by their folder, or by the host that their pages name if a folder has several sites.
fn names_of(name: &str, cells: &[Cell], of_cell: &[usize], number: usize) -> Vec<String> {
    let mixed = |folder: &str| {
        let mut sites = cells.iter().zip(of_cell).filter(|(cell, _)| cell.folder == folder);
        let first = sites.next().map(|(_, site)| site);
        sites.any(|(_, site)| Some(site) != first)
    };
    (0..number)
        .map(|site| {
            let members = || cells.iter().zip(of_cell).filter(|(_, of)| **of == site);
            let folder = members().map(|(cell, _)| cell.folder.as_str()).min().unwrap_or("");
            let host = members().find_map(|(cell, _)| cell.host.clone());
            match (mixed(folder), host, folder) {
                (true, Some(host), _) => host,
                (_, _, "") => name.to_owned(),
                _ => folder.to_owned(),
            }
        })
        .collect()
}

/// The groups that pages of a folder which name no host may belong to: sites whose pages do, and
/// those that the others fall into.
fn groups_without_host(
    name: &str,
    pages: &[Profile],
    hosts: impl Iterator<Item = Group>,
) -> Vec<Group> {
    let pages: Vec<&Profile> = pages.iter().filter(|page| page.host.is_none()).collect();
    hosts.chain(groups_of(name, &pages)).collect()
}

fn rule_of(
    name: &str,
    groups: &BTreeMap<String, Vec<Profile>>,
    cells: &[Cell],
    of_cell: &[usize],
    names: &[String],
) -> Rule {
    let mut folders: BTreeMap<String, FolderRule> = BTreeMap::new();
    let mut sizes = vec![0usize; names.len()];
    for same in cells.chunk_by(|a, b| a.folder == b.folder) {
        let start = cells.iter().position(|cell| cell.folder == same[0].folder).unwrap_or(0);
        let sites = &of_cell[start..start + same.len()];
        sites.iter().for_each(|&site| sizes[site] += 1);
        let rule = if sites.iter().all(|site| *site == sites[0]) {
            FolderRule::Site(names[sites[0]].clone())
        } else {
            let hosts = same.iter().zip(sites);
            let known =
                hosts.filter_map(|(cell, &site)| Some((cell.host.clone()?, names[site].clone())));
            let without = same.iter().zip(sites).find(|(cell, _)| {
                let is_collection = cell.folder.is_empty() && cell.repeated.len() < MIN_EVIDENCE;
                cell.host.is_none() && !is_collection
            });
            let without = without.map(|(_, &site)| names[site].clone());
            let named = same.iter().zip(sites).filter(|(cell, _)| cell.host.is_some());
            let named = named.map(|(cell, &site)| Group {
                site: names[site].clone(),
                texts: cell.repeated.clone(),
            });
            let pages = groups.get(&same[0].folder).map_or(&[][..], Vec::as_slice);
            let groups = groups_without_host(name, pages, named);
            FolderRule::Hosts { known: known.collect(), without, groups }
        };
        folders.insert(same[0].folder.clone(), rule);
    }
    let all: usize = sizes.iter().sum();
    let main = sizes.iter().position(|&size| size as f64 >= MOST * all as f64);
    Rule::Decided { folders, otherwise: main.map(|site| names[site].clone()) }
}

/// Extensions that look like the last part of a host name.
const NOT_A_DOMAIN: [&str; 18] = [
    "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi", "js", "css", "xml", "txt",
    "md", "git", "old", "bak", "files",
];

/// Whether a folder is named like a host: `www.tea.example`, `tea.example:8080`, `127.0.0.1`.
fn is_host_like(name: &str) -> bool {
    let host = match name.rsplit_once([':', '+', '_']) {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => name,
    };
    if host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return true;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let last = labels.last().copied().unwrap_or_default();
    labels.len() >= 2
        && labels.iter().all(is_label)
        && (last.starts_with("xn--") || last.chars().all(char::is_alphabetic))
        && last.chars().count() >= 2
        && !NOT_A_DOMAIN.contains(&last.to_ascii_lowercase().as_str())
}

/// Whether folders that are named like hosts are hosts. Hosts share their last names (`com`); parts
/// of one thing share the first: `java.base`, `java.sql`, `jdk.net`.
fn are_hosts<'a>(folders: impl Iterator<Item = &'a str>) -> bool {
    let names: Vec<&str> = folders
        .filter(|folder| is_host_like(folder))
        .map(|name| name.strip_prefix("www.").unwrap_or(name))
        .collect();
    let first: BTreeSet<&str> = names.iter().filter_map(|name| name.split('.').next()).collect();
    let last: BTreeSet<&str> = names.iter().filter_map(|name| name.rsplit('.').next()).collect();
    last.len() <= 2 * first.len()
}

/// The path of a page or folder below `root`.
pub fn below(root: &Path, id: &str) -> PathBuf {
    if id.is_empty() { root.to_owned() } else { root.join(id) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages in memory: id and HTML.
    struct Given(Vec<(String, String)>);

    impl Pages for Given {
        fn entries(&self, folder: &str) -> (Vec<String>, bool) {
            let below = || self.0.iter().filter_map(|(id, _)| id.strip_prefix(folder));
            let mut folders: Vec<String> =
                below().filter_map(|id| Some(id.split_once('/')?.0.to_owned())).collect();
            folders.dedup();
            (folders, below().any(|id| !id.contains('/')))
        }

        fn pages<'a>(&'a self, folder: &'a str) -> Box<dyn Iterator<Item = String> + 'a> {
            Box::new(
                self.0.iter().map(|(id, _)| id.clone()).filter(move |id| id.starts_with(folder)),
            )
        }

        fn bytes(&self, id: &str) -> Vec<u8> {
            let found = self.0.iter().find(|(other, _)| other == id);
            found.map_or_else(Vec::new, |(_, html)| html.clone().into_bytes())
        }
    }

    /// `folder menu`: three pages in each folder with this menu and, after `@`, this host.
    fn check(folders: &[(&str, &str)], expected: &[(&str, &str)]) -> Sites {
        let mut pages = Vec::new();
        for (folder, menu) in folders {
            let (menu, host) = menu.split_once('@').unwrap_or((menu, ""));
            let host = match host {
                "" => String::new(),
                host => format!("<link rel=canonical href=http://{host}/>"),
            };
            for n in 0..3 {
                let html: String =
                    menu.split(' ').map(|word| format!("<li>{word} entry</li>")).collect();
                let id = format!("{folder}{n}{}.html", &menu[..2]);
                pages.push((id, format!("{host}<ul>{html}</ul><p>Only on page {folder} {n}</p>")));
            }
        }
        pages.sort();
        let given = Given(pages);
        let sites = Sites::decide("root".to_owned(), SiteBy::Auto, &given);
        for (folder, expected) in expected {
            let id = given.0.iter().map(|(id, _)| id).find(|id| id.starts_with(folder));
            let id = id.expect("a page");
            assert_eq!(sites.site_of(id, || given.bytes(id)), *expected, "{id} {sites:?}");
        }
        sites
    }

    const SHOP: &str = "Hats Shoes Coats Cart Imprint";
    const BLOG: &str = "Posts About Archive Feed Tags";

    #[test]
    fn folders_that_share_their_menus_are_one_site() {
        let sites =
            check(&[("hats/", SHOP), ("shoes/", SHOP)], &[("hats", "root"), ("shoes", "root")]);
        assert!(sites.note.expect("a note").contains("--site-by folder"));
        check(&[("", SHOP), ("shoes/", SHOP)], &[("0", "root"), ("shoes", "root")]);
        check(&[("pages/a/", SHOP), ("pages/b/", SHOP)], &[("pages/a", "pages")]);
    }

    #[test]
    fn folders_that_share_nothing_are_sites() {
        let sites =
            check(&[("blog/", BLOG), ("shop/", SHOP)], &[("blog", "blog"), ("shop", "shop")]);
        assert!(sites.note.expect("a note").contains("--site-by one"));
        check(
            &[("", BLOG), ("hats/", SHOP), ("shoes/", SHOP)],
            &[("0", "root"), ("hats", "hats"), ("shoes", "hats")],
        );
    }

    #[test]
    fn folders_named_like_hosts_are_sites_below_a_stray_page() {
        check(
            &[("", BLOG), ("a.example/", SHOP), ("www.b.example/x/", SHOP)],
            &[("0", "root"), ("a.example", "a.example"), ("www.b.example", "www.b.example")],
        );
        check(&[("a.example/x/", SHOP), ("a.example/y/", BLOG)], &[("a.example/y", "a.example")]);
    }

    #[test]
    fn folders_named_like_modules_are_no_hosts() {
        let modules = ["java.base/", "java.se/", "java.sql/", "jdk.jfr/", "jdk.net/"];
        let folders = modules.map(|module| (module, SHOP));
        check(&folders, &modules.map(|module| (module, "root")));
    }

    #[test]
    fn pages_that_name_their_host_are_told_apart_in_one_folder() {
        let sites = check(
            &[
                ("", "Posts About Archive Feed Tags@blog.example"),
                ("", "Hats Shoes Coats Cart Imprint@shop.example"),
            ],
            &[],
        );
        let page = |host: &str| format!("<base href=http://{host}/>").into_bytes();
        assert_eq!(sites.site_of("x.html", || page("blog.example")), "blog.example");
        assert_eq!(sites.site_of("x.html", || page("new.example")), "new.example");
        assert_eq!(sites.site_of("x.html", Vec::new), "x.html");
        // Pages that name no host are no reason to take all hosts for one site.
        let strangers = "Ann Ben Cid Dan Eve";
        check(
            &[
                ("", "Posts About Archive Feed Tags@blog.example"),
                ("", "Hats Shoes Coats Cart Imprint@shop.example"),
                ("", strangers),
            ],
            &[("0Po", "blog.example"), ("0Ha", "shop.example"), ("0An", "root")],
        );
        // One site under two names.
        check(
            &[
                ("a/", "Hats Shoes Coats Cart Imprint@a.example"),
                ("b/", "Hats Shoes Coats Cart Imprint@b.example"),
            ],
            &[("a", "root"), ("b", "root")],
        );
        // One host, two layouts.
        check(
            &[
                ("a/", "Hats Shoes Coats Cart Imprint@a.example"),
                ("b/", "Posts About Archive Feed Tags@a.example"),
            ],
            &[("b", "root")],
        );
    }

    #[test]
    fn strangers_in_one_folder_are_sites_of_their_own() {
        let page = |n: usize| {
            let words = ["tea", "jam", "owl", "bee", "fir", "elm"];
            let html: String =
                (0..6).map(|m| format!("<p>{} {} {n}", words[n], words[m])).collect();
            (format!("{n}.html"), html + "<p>")
        };
        let given = Given((0..6).map(page).collect());
        let sites = Sites::decide("root".to_owned(), SiteBy::Auto, &given);
        assert_eq!(sites.site_of("3.html", Vec::new), "3.html");
        assert!(sites.note.is_some());
        let few = Given((0..3).map(page).collect());
        let sites = Sites::decide("root".to_owned(), SiteBy::Auto, &few);
        assert_eq!(sites.site_of("3.html", Vec::new), "root");
    }

    /// Five sites with four pages each in one folder; some of them name their hosts.
    fn mixture(hosts: &[&str]) -> Given {
        let words = ["tea", "jam", "owl", "bee", "fir"];
        let page = |site: usize, n: usize| {
            let menu: String =
                (0..6).map(|m| format!("<li>{} menu {m}</li>", words[site])).collect();
            let link = hosts.get(site).filter(|host| !host.is_empty());
            let link = link.map_or_else(String::new, |host| format!("<base href=http://{host}/>"));
            let text: String = (0..9).map(|m| format!("<p>Text {site} {n} {m}</p>")).collect();
            (format!("{n}{}.html", words[site]), format!("{link}<ul>{menu}</ul>{text}"))
        };
        Given((0..4).flat_map(|n| (0..5).map(move |site| page(site, n))).collect())
    }

    #[test]
    fn sites_in_one_folder_are_told_apart_by_the_texts_they_share() {
        for hosts in [&[][..], &["tea.example", "", "owl.example"][..], &["tea.example"; 1][..]] {
            let given = mixture(hosts);
            let sites = Sites::decide("root".to_owned(), SiteBy::Auto, &given);
            let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for (id, _) in &given.0 {
                let site = sites.site_of(id, || given.bytes(id));
                found.entry(site).or_default().push(&id[1..4]);
            }
            assert_eq!(found.len(), 5, "{found:?}");
            assert!(found.values().all(|of| of.len() == 4 && of.iter().all(|id| *id == of[0])));
            assert!(sites.note.expect("a note").contains("--site-by one"));
            assert_eq!(found.contains_key("tea.example"), !hosts.is_empty(), "{found:?}");
        }
    }

    #[test]
    fn a_few_odd_pages_make_no_site() {
        let mut pages = mixture(&[]).0;
        pages.retain(|(id, _)| id.ends_with("tea.html") || id.ends_with("jam.html"));
        let copy =
            |n: usize| (format!("x{n}.html"), pages[0].1.replace("Text", &format!("Word {n}")));
        pages.extend((0..12).map(copy).collect::<Vec<_>>());
        pages.retain(|(id, _)| !(id.ends_with("jam.html") && id.as_str() > "2"));
        let sites = Sites::decide("root".to_owned(), SiteBy::Auto, &Given(pages));
        assert_eq!(sites.site_of("0jam.html", Vec::new), "root");
        assert_eq!(sites.note, None);
    }

    #[test]
    fn the_user_decides() {
        let given = Given(vec![("a/x.html".to_owned(), String::new())]);
        let page = || b"<base href=http://h.example/>".to_vec();
        for (by, id, expected) in [
            (SiteBy::One, "a/x.html", "root"),
            (SiteBy::Folder, "a/x.html", "a"),
            (SiteBy::Folder, "x.html", "root"),
            (SiteBy::Host, "a/x.html", "h.example"),
            (SiteBy::Host, "crawl/b.example/x/y.html", "b.example"),
        ] {
            assert_eq!(Sites::decide("root".to_owned(), by, &given).site_of(id, page), expected);
        }
    }

    #[test]
    fn host_names() {
        for name in [
            "www.tea.example",
            "tea.co.uk",
            "tea.example_8080",
            "127.0.0.1:80",
            "localhost",
            "a.xn--p1ai",
        ] {
            assert!(is_host_like(name), "{name}");
        }
        for name in [
            "",
            "pages",
            "2.0",
            "v1.2",
            "index.php",
            "python3.11-doc",
            ".git",
            "a..b",
            "page_files",
            "x.y",
        ] {
            assert!(!is_host_like(name), "{name}");
        }
    }
}
