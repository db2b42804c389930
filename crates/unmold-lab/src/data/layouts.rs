//! Reads the layouts of labelled sets on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use unmold::{Limits, Marks, Page, strip};
use walkdir::WalkDir;

use super::gold::{Gold, PageFile, SiteFiles};
use super::selector::Selector;

/// How labels and pages are laid out in a folder.
#[derive(Clone, Deserialize, Debug)]
#[serde(tag = "layout", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layout {
    /// Our own: `SITE/pages/**` and `SITE/gold.jsonl`.
    Labelled,
    /// SWDE as published: `webpages/VERTICAL/VERTICAL-SITE(N)/0000.htm`,
    /// `groundtruth/VERTICAL/VERTICAL-SITE-ATTRIBUTE.txt`.
    Swde,
    /// `NAME.json` with the labels and values of every page, and a folder `NAME` of pages, both
    /// anywhere: Expanded SWDE beside the pages of SWDE, the collections of EXALG.
    LabelValues,
    /// A folder of pages beside a folder of texts with the same names, at any depth: CleanEval,
    /// Dragnet, Big9.
    Pairs,
    /// `original/ID.html`, `annotated/ID.html` with marked spans, `url-mapping.txt`: L3S-GN1.
    AnnotatedSpans,
    /// `CLASS/SITE/PAGE`, pages with their HTTP headers: WebKB.
    ClassFolders,
    /// Folders of pages whose content is given by selectors.
    Selectors {
        /// The sites.
        sites: Vec<SelectedSite>,
    },
}

/// A site whose content is given by selectors.
#[derive(Clone, Deserialize, Debug)]
pub struct SelectedSite {
    /// Its name and its folder.
    pub name: String,
    /// Its types of pages. A page has the first type whose `path` occurs in its own.
    pub types: Vec<SelectedType>,
    /// Maximum number of pages of each type, drawn by the hash of their path.
    pub pages: usize,
}

/// A type of pages.
#[derive(Clone, Deserialize, Debug)]
pub struct SelectedType {
    /// Its name.
    pub name: String,
    /// Substring of the paths of its pages.
    pub path: String,
    /// Selector of their content.
    pub content: Selector,
}

impl Layout {
    /// A short description.
    pub fn name(&self) -> &'static str {
        match self {
            Layout::Labelled => "SITE/pages and SITE/gold.jsonl",
            Layout::Swde => "webpages/ and groundtruth/",
            Layout::LabelValues => "NAME.json and folders NAME of pages",
            Layout::Pairs => "folders of pages beside folders of texts",
            Layout::AnnotatedSpans => "original/ and annotated/",
            Layout::ClassFolders => "CLASS/SITE/PAGE",
            Layout::Selectors { .. } => "unpacked packages",
        }
    }

    /// Whether the folder appears to have this layout.
    pub fn is_at(&self, folder: &Path) -> bool {
        match self {
            Layout::Labelled => labelled_sites(folder).is_ok_and(|sites| !sites.is_empty()),
            Layout::Swde => folder.join("groundtruth").is_dir() && folder.join("webpages").is_dir(),
            Layout::LabelValues => {
                files(folder).iter().any(|path| path.extension().is_some_and(|e| e == "json"))
            }
            Layout::AnnotatedSpans => {
                folder.join("annotated").is_dir() && folder.join("original").is_dir()
            }
            Layout::Pairs | Layout::ClassFolders => {
                !folder.join("gold.jsonl").exists() && subfolders(folder).is_ok()
            }
            Layout::Selectors { sites } => {
                sites.iter().any(|site| folder.join(&site.name).is_dir())
            }
        }
    }

    /// Reads all sites of the folder.
    pub fn read(&self, folder: &Path) -> Result<Vec<SiteFiles>> {
        match self {
            Layout::Labelled => {
                labelled_sites(folder)?.iter().map(|site| labelled_site(site)).collect()
            }
            Layout::Swde => swde(folder),
            Layout::LabelValues => label_values(folder),
            Layout::Pairs => pairs(folder),
            Layout::AnnotatedSpans => annotated_spans(folder),
            Layout::ClassFolders => class_folders(folder),
            Layout::Selectors { sites } => {
                let there = sites.iter().filter(|site| folder.join(&site.name).is_dir());
                there.map(|site| selected_site(folder, site)).collect()
            }
        }
    }
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    Ok(folders)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn stem_of(path: &Path) -> String {
    let name = name_of(path);
    name.split_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
}

fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All files below the folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.into_path())
        .collect()
}

// Ours.

/// Folders with a `gold.jsonl` in `folder` or directly below it.
fn labelled_sites(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_site = |folder: &Path| folder.join("gold.jsonl").is_file();
    if is_site(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    Ok(subfolders(folder)?.into_iter().filter(|folder| is_site(folder)).collect())
}

fn labelled_site(folder: &Path) -> Result<SiteFiles> {
    let gold = folder.join("gold.jsonl");
    let text = std::fs::read_to_string(&gold)
        .with_context(|| format!("cannot read {}", gold.display()))?;
    let pages = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(n, line)| {
            let label: Gold = serde_json::from_str(line)
                .with_context(|| format!("{}, line {}: not a label", gold.display(), n + 1))?;
            let path = folder.join("pages").join(&label.file);
            Ok(PageFile { gold: label, path, has_header: false })
        })
        .collect::<Result<_>>()?;
    Ok(SiteFiles { name: name_of(folder), pages })
}

/// Labelled sites at `root` or up to two levels below it, by the name of the folder that contains
/// them.
pub(super) fn labelled_sets(root: &Path) -> Result<BTreeMap<String, Vec<SiteFiles>>> {
    let mut sets: BTreeMap<String, Vec<SiteFiles>> = BTreeMap::new();
    let mut level = vec![root.to_owned()];
    for _ in 0..4 {
        let mut below = Vec::new();
        for folder in level {
            if folder.join("gold.jsonl").is_file() {
                let set = folder.parent().map(name_of).unwrap_or_default();
                sets.entry(set).or_default().extend(without_single_pages(labelled_site(&folder)?));
            } else {
                below.extend(subfolders(&folder)?);
            }
        }
        level = below;
    }
    Ok(sets)
}

/// Pages that are to be judged alone become sites of one page, named after their folder and file.
fn without_single_pages(mut site: SiteFiles) -> Vec<SiteFiles> {
    let (single, shared): (Vec<PageFile>, Vec<PageFile>) =
        site.pages.into_iter().partition(|page| page.gold.single);
    let alone = |page: PageFile| SiteFiles {
        name: format!("{}/{}", site.name, page.gold.file),
        pages: vec![page],
    };
    let mut sites: Vec<SiteFiles> = single.into_iter().map(alone).collect();
    if !shared.is_empty() {
        site.pages = shared;
        sites.push(site);
    }
    sites
}

// SWDE.

fn swde(folder: &Path) -> Result<Vec<SiteFiles>> {
    let mut sites = Vec::new();
    for vertical in subfolders(&folder.join("webpages"))? {
        let truths = files(&folder.join("groundtruth").join(name_of(&vertical)));
        for site in subfolders(&vertical)? {
            // The name of the folder ends with the number of its pages in parentheses.
            let name = name_of(&site).split('(').next().unwrap_or_default().to_owned();
            let mut values: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
            for truth in &truths {
                let stem = stem_of(truth);
                if let Some(attribute) = stem.strip_prefix(&format!("{name}-")) {
                    for (page, found) in swde_values(&read_text(truth)?) {
                        values.entry(page).or_default().insert(attribute.to_owned(), found);
                    }
                }
            }
            let pages = files(&site)
                .into_iter()
                .map(|path| {
                    let attributes = values.remove(&stem_of(&path)).unwrap_or_default();
                    let gold = Gold {
                        file: name_of(&path),
                        kind: Some("detail".into()),
                        attributes,
                        ..Gold::default()
                    };
                    PageFile { gold, path, has_header: false }
                })
                .collect();
            sites.push(SiteFiles { name, pages });
        }
    }
    Ok(sites)
}

/// Two header lines, then tab-separated lines: page, number of values, values. `<NULL>` means no
/// value.
fn swde_values(text: &str) -> Vec<(String, Vec<String>)> {
    let lines = text.lines().skip(2).filter_map(|line| {
        let mut fields = line.split('\t');
        let page = fields.next()?.trim();
        let values: Vec<String> = fields
            .skip(1)
            .map(|value| unescaped(value.trim()))
            .filter(|value| !value.is_empty() && value != "<NULL>")
            .collect();
        (!page.is_empty() && !values.is_empty()).then(|| (page.to_owned(), values))
    });
    lines.collect()
}

/// Decodes a value. Values are written as in the source of the page, with `&amp;` and the like, and
/// parsed as a page.
fn unescaped(value: &str) -> String {
    if !value.contains('&') {
        return value.to_owned();
    }
    let page = Page::parse(value.as_bytes(), &Limits::default());
    page.visible_texts().map(|id| page.text(id)).collect::<Vec<_>>().join(" ")
}

// Labels and values of every page.

/// Pages of a site that are read, drawn by the hash of their name: sites have up to 2000.
const MAX_PAGES: usize = 200;

/// A label of each page that names its topic. It is not on the page.
const TOPIC: &str = "topic_entity_name";

fn label_values(folder: &Path) -> Result<Vec<SiteFiles>> {
    type Values = BTreeMap<String, BTreeMap<String, Vec<String>>>;
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let folders: BTreeMap<String, PathBuf> = walk
        .filter(|entry| entry.file_type().is_dir() && entry.depth() > 0)
        .map(|entry| (name_of(entry.path()), entry.into_path()))
        .collect();
    let mut sites = Vec::new();
    for path in files(folder).iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(pages) = folders.get(&stem) else { continue };
        let values: Values = serde_json::from_str(&read_text(path)?)
            .with_context(|| format!("{}: no labels and values of pages", path.display()))?;
        let mut known: Vec<(String, BTreeMap<String, Vec<String>>)> = values.into_iter().collect();
        known.sort_by_key(|(page, _)| xxhash_rust::xxh3::xxh3_64(page.as_bytes()));
        known.truncate(MAX_PAGES);
        known.sort();
        let page = |(file, mut pairs): (String, BTreeMap<String, Vec<String>>)| {
            pairs.retain(|label, values| {
                values.retain(|value| !value.trim().is_empty());
                !label.contains(TOPIC) && !values.is_empty()
            });
            let path = pages.join(&file);
            let kind = Some("detail".into());
            let gold = Gold { file, kind, pairs, ..Gold::default() };
            path.is_file().then_some(PageFile { gold, path, has_header: false })
        };
        let name = stem.split('(').next().unwrap_or_default().to_owned();
        sites.push(SiteFiles { name, pages: known.into_iter().filter_map(page).collect() });
    }
    Ok(sites)
}

// Pages beside texts.

/// Lower-case names of folders with pages, and of folders with texts.
const PAGE_FOLDERS: [&str; 6] = ["html", "original", "orig", "input", "pages", "source"];
const TEXT_FOLDERS: [&str; 8] =
    ["gold", "text", "txt", "clean", "corrected", "goldstandard", "gold-standard", "truth"];

fn pairs(folder: &Path) -> Result<Vec<SiteFiles>> {
    let mut sites = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(parent) = folders.pop() {
        let below = subfolders(&parent)?;
        let named = |names: &[&str]| {
            below.iter().find(|folder| names.contains(&name_of(folder).to_lowercase().as_str()))
        };
        match (named(&PAGE_FOLDERS), named(&TEXT_FOLDERS)) {
            (Some(pages), Some(texts)) => sites.extend(paired(pages, texts, &name_of(&parent))?),
            _ => folders.extend(below),
        }
    }
    Ok(sites)
}

/// A site for each folder of pages. Pages directly in `pages` belong to the site `name`.
fn paired(pages: &Path, texts: &Path, name: &str) -> Result<Vec<SiteFiles>> {
    let key = |root: &Path, path: &Path| {
        let folder = path
            .parent()
            .and_then(|parent| parent.strip_prefix(root).ok())
            .unwrap_or(Path::new(""));
        (folder.to_string_lossy().into_owned(), stem_of(path))
    };
    let text_of: BTreeMap<(String, String), PathBuf> =
        files(texts).into_iter().map(|path| (key(texts, &path), path)).collect();
    let mut sites: BTreeMap<String, SiteFiles> = BTreeMap::new();
    for path in files(pages) {
        let key = key(pages, &path);
        let Some(text) = text_of.get(&key) else { continue };
        let site = if key.0.is_empty() {
            name.to_owned()
        } else {
            format!("{name}-{}", key.0.replace('/', "-"))
        };
        let file = path.strip_prefix(pages).unwrap_or(&path).to_string_lossy().into_owned();
        let gold =
            Gold { file, content: Some(plain_content(&read_text(text)?)), ..Gold::default() };
        let entry = sites
            .entry(site.clone())
            .or_insert_with(|| SiteFiles { name: site, pages: Vec::new() });
        entry.pages.push(PageFile { gold, path, has_header: false });
    }
    Ok(sites.into_values().collect())
}

/// Gold text without the additions of the sets: CleanEval's address and its `<p>`, `<h>`, `<l>`
/// markers, Dragnet's comments.
fn plain_content(text: &str) -> String {
    let content = text.split("!@#$%^&*()").next().unwrap_or(text);
    content
        .lines()
        .filter(|line| !line.trim_start().starts_with("URL:"))
        .map(|line| {
            let line = line.trim_start();
            ["<p>", "<h>", "<l>"]
                .iter()
                .find_map(|mark| line.strip_prefix(mark))
                .unwrap_or(line)
                .trim_start()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

// L3S-GN1.

/// Classes of spans that are content: headline, full text, supplement. Others are user comments and
/// related text.
const CONTENT_SPANS: [&str; 3] = ["x-nc-sel1", "x-nc-sel2", "x-nc-sel3"];

fn annotated_spans(folder: &Path) -> Result<Vec<SiteFiles>> {
    let hosts = url_hosts(&folder.join("url-mapping.txt"));
    let mut sites: BTreeMap<String, SiteFiles> = BTreeMap::new();
    for path in files(&folder.join("original")) {
        let annotated = folder.join("annotated").join(name_of(&path));
        let Ok(bytes) = std::fs::read(&annotated) else { continue };
        let site = hosts.get(&stem_of(&path)).cloned().unwrap_or_else(|| "unknown".to_owned());
        let gold =
            Gold { file: name_of(&path), content: Some(span_text(&bytes)), ..Gold::default() };
        let entry = sites
            .entry(site.clone())
            .or_insert_with(|| SiteFiles { name: site, pages: Vec::new() });
        entry.pages.push(PageFile { gold, path, has_header: false });
    }
    Ok(sites.into_values().collect())
}

/// Host of each page, from lines with an id and an address.
fn url_hosts(path: &Path) -> BTreeMap<String, String> {
    let text = read_text(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let (id, url) = line.split_once(char::is_whitespace)?;
        let id = id.trim_matches(['<', '>']).rsplit(':').next()?.to_owned();
        let host = url.trim().split("://").nth(1)?.split('/').next()?.to_owned();
        Some((id, host))
    });
    lines.collect()
}

fn span_text(bytes: &[u8]) -> String {
    let page = Page::parse(bytes, &Limits::default());
    let is_content = |id| {
        let classes = page.ancestors(id).filter_map(|id| page.attribute(id, "class"));
        // The innermost annotation decides.
        let nearest =
            classes.flat_map(str::split_whitespace).find(|class| class.starts_with("x-nc-sel"));
        nearest.is_some_and(|class| CONTENT_SPANS.contains(&class))
    };
    let mut marks = Marks::with_threshold(&page, 0.5);
    for id in page.visible_texts().collect::<Vec<_>>() {
        if !is_content(id) {
            marks.set(id, 1.0, None);
        }
    }
    strip(&page, &marks).text()
}

// WebKB.

fn class_folders(folder: &Path) -> Result<Vec<SiteFiles>> {
    let mut sites: BTreeMap<String, SiteFiles> = BTreeMap::new();
    for class in subfolders(folder)? {
        for site in subfolders(&class)? {
            let name = name_of(&site);
            let entry =
                sites.entry(name.clone()).or_insert_with(|| SiteFiles { name, pages: Vec::new() });
            for path in files(&site) {
                let attributes = BTreeMap::from([("class".to_owned(), vec![name_of(&class)])]);
                let file = format!("{}/{}", name_of(&class), name_of(&path));
                let gold =
                    Gold { file, kind: Some(name_of(&class)), attributes, ..Gold::default() };
                entry.pages.push(PageFile { gold, path, has_header: true });
            }
        }
    }
    Ok(sites.into_values().collect())
}

// Content by selector.

fn selected_site(folder: &Path, site: &SelectedSite) -> Result<SiteFiles> {
    let root = folder.join(&site.name);
    let mut by_type: BTreeMap<usize, Vec<(u64, String, PathBuf)>> = BTreeMap::new();
    for path in files(&root) {
        let file = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
        let is_page = file.ends_with(".html") || file.ends_with(".htm");
        let kind = site.types.iter().position(|kind| is_page && file.contains(&kind.path));
        if let Some(kind) = kind {
            let rank = xxhash_rust::xxh3::xxh3_64(file.as_bytes());
            by_type.entry(kind).or_default().push((rank, file, path));
        }
    }
    let mut pages = Vec::new();
    for (kind, mut found) in by_type {
        let kind = &site.types[kind];
        found.sort();
        let labelled = found.into_iter().filter_map(|(_, file, path)| {
            let bytes = std::fs::read(&path).ok()?;
            let content = kind.content.text(&Page::parse(&bytes, &Limits::default()))?;
            let gold = Gold {
                file,
                kind: Some(kind.name.clone()),
                content: Some(content),
                ..Gold::default()
            };
            Some(PageFile { gold, path, has_header: false })
        });
        pages.extend(labelled.take(site.pages));
    }
    pages.sort_by(|left, right| left.gold.file.cmp(&right.gold.file));
    Ok(SiteFiles { name: site.name.clone(), pages })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files to a new folder.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        folder
    }

    /// Site, file and content or attributes of each page.
    fn read(layout: &Layout, files: &[(&str, &str)]) -> Vec<(String, String, String)> {
        let folder = folder(files);
        assert!(layout.is_at(folder.path()));
        let sites = layout.read(folder.path()).expect("a set");
        let mut pages: Vec<_> = sites
            .iter()
            .flat_map(|site| site.pages.iter().map(move |page| (site, page)))
            .map(|(site, page)| {
                let gold = &page.gold;
                let label =
                    gold.content.clone().unwrap_or_else(|| format!("{:?}", gold.attributes));
                assert!(page.read().is_ok(), "{}", page.path.display());
                (site.name.clone(), gold.file.clone(), label)
            })
            .collect();
        pages.sort();
        pages
    }

    fn page(site: &str, file: &str, label: &str) -> (String, String, String) {
        (site.to_owned(), file.to_owned(), label.to_owned())
    }

    #[test]
    fn swde_as_published() {
        let pages = read(
            &Layout::Swde,
            &[
                ("webpages/camera/camera-buy(2)/0000.htm", "<p>"),
                ("webpages/camera/camera-buy(2)/0001.htm", "<p>"),
                (
                    "groundtruth/camera/camera-buy-price.txt",
                    "camera\tbuy\tprice\n2\t2\n0000\t1\t$5\n0001\t1\t<NULL>\n",
                ),
                ("groundtruth/camera/camera-buy-model.txt", "x\nx\n0000\t2\tA &amp; B\tC\n"),
                ("groundtruth/camera/camera-buyers-price.txt", "x\nx\n0000\t1\twrong\n"),
            ],
        );
        let attributes = r#"{"model": ["A & B", "C"], "price": ["$5"]}"#;
        assert_eq!(
            pages,
            [page("camera-buy", "0000.htm", attributes), page("camera-buy", "0001.htm", "{}")]
        );
    }

    #[test]
    fn every_label_and_value() {
        let labels = r#"{"0000.htm": {"topic_entity_name": ["Up"], "Details|Genre:": ["Drama", ""]},
            "0001.htm": {"Genre:": [""]}, "0002.htm": {"Genre:": ["lost"]}}"#;
        let folder = folder(&[
            ("labels/movie/movie-x(3).json", labels),
            ("labels/movie/movie-y(1).json", "{}"),
            ("webpages/movie/movie-x(3)/0000.htm", "<p>"),
            ("webpages/movie/movie-x(3)/0001.htm", "<p>"),
        ]);
        assert!(Layout::LabelValues.is_at(folder.path()));
        let sites = Layout::LabelValues.read(folder.path()).expect("a set");
        assert_eq!((sites.len(), sites[0].name.as_str()), (1, "movie-x"));
        let pairs: Vec<_> = sites[0].pages.iter().map(|page| &page.gold.pairs).collect();
        let expected = BTreeMap::from([("Details|Genre:".to_owned(), vec!["Drama".to_owned()])]);
        assert_eq!(pairs, [&expected, &BTreeMap::new()]);
    }

    #[test]
    fn pages_beside_texts() {
        let pages = read(
            &Layout::Pairs,
            &[
                ("en/original/1.html", "<p>"),
                ("en/original/2.html", "<p>"),
                ("en/gold/1.txt", "URL: http://x.example\n<h>Title\n  <p>Some text"),
                ("dragnet/HTML/T1.html", "<p>"),
                ("dragnet/Corrected/T1.html.corrected.txt", "Text\n!@#$%^&*()  COMMENTS\nmore"),
                ("big9/html/news/a.html", "<p>"),
                ("big9/gold/news/a.txt", "News"),
            ],
        );
        assert_eq!(
            pages,
            [
                page("big9-news", "news/a.html", "News"),
                page("dragnet", "T1.html", "Text"),
                page("en", "1.html", "Title\nSome text")
            ]
        );
    }

    #[test]
    fn annotated_pages() {
        let annotated = "<span class='x-nc-sel1'>Title</span><p>menu</p>\
                         <span class='x-nc-sel2'>Text <span class='x-nc-sel4'>more</span></span>";
        let pages = read(
            &Layout::AnnotatedSpans,
            &[
                ("original/ab-1.html", "<p>"),
                ("annotated/ab-1.html", annotated),
                ("url-mapping.txt", "<urn:uuid:ab-1> http://news.example/x/y\n"),
            ],
        );
        assert_eq!(pages.len(), 1);
        assert_eq!((pages[0].0.as_str(), pages[0].1.as_str()), ("news.example", "ab-1.html"));
        assert_eq!(pages[0].2.split_whitespace().collect::<Vec<_>>(), ["Title", "Text"]);
    }

    #[test]
    fn classes_are_folders() {
        let pages = read(
            &Layout::ClassFolders,
            &[("course/cornell/http_x", "Server: y\n\n<p>a"), ("student/cornell/z", "<p>b")],
        );
        assert_eq!(
            pages,
            [
                page("cornell", "course/http_x", r#"{"class": ["course"]}"#),
                page("cornell", "student/z", r#"{"class": ["student"]}"#)
            ]
        );
    }

    #[test]
    fn content_by_selector() {
        let layout: Layout = serde_json::from_str(
            r#"{"layout": "selectors", "sites": [{"name": "doc", "pages": 1, "types": [
                {"name": "api", "path": "api/", "content": "div.body"}
            ]}]}"#,
        )
        .expect("a layout");
        let html = "<nav>menu</nav><div class=body>Text</div>";
        let pages = read(
            &layout,
            &[
                ("doc/api/a.html", html),
                ("doc/api/b.html", html),
                ("doc/other.html", html),
                ("doc/api/c.txt", html),
            ],
        );
        assert_eq!(pages.len(), 1);
        assert_eq!(pages[0].2, "Text");
    }
}
