//! Reads and writes the search index. The only module that uses tantivy.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use tantivy::collector::{DocSetCollector, TopDocs};
use tantivy::directory::INDEX_WRITER_LOCK;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, STRING, Schema, TEXT, Value};
use tantivy::snippet::SnippetGenerator;
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument, Term};
use unmold::switching::{SiteMatches, prefers_whole};

use super::pages::Searchable;

/// Words in the title count double. Words in the template count little: they still find a page that
/// nothing else finds.
const TITLE_WEIGHT: f32 = 2.0;
const TEMPLATE_WEIGHT: f32 = 0.05;
const URL_WEIGHT: f32 = 0.5;
/// Memory that the writer uses before it writes a segment.
const WRITER_BYTES: usize = 64 << 20;
const SNIPPET_CHARACTERS: usize = 180;
/// Maximum number of hits: all of them are held in memory.
const MAX_HITS: usize = 10_000;
/// With more opening brackets than this, brackets are ignored; with more `NOT`s, they are words.
const MAX_NESTING: usize = 32;
/// Longer queries are cut.
const MAX_QUERY_BYTES: usize = 64 << 10;
/// Indexes up to this size are checked for damage before they are searched: the engine does not
/// survive all of it. Reading a larger one for each query would take too long.
const MAX_CHECKED_BYTES: u64 = 256 << 20;
/// Maximum number of pages to examine before the texts that answer a query are chosen.
const MAX_EXAMINED: usize = 1000;

#[derive(Clone, Copy)]
struct Fields {
    id: Field,
    url: Field,
    site: Field,
    title: Field,
    content: Field,
    template: Field,
    whole: Field,
}

impl Fields {
    fn schema() -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let fields = Fields {
            id: schema.add_text_field("id", STRING | STORED),
            url: schema.add_text_field("url", TEXT | STORED),
            site: schema.add_text_field("site", STRING | STORED),
            title: schema.add_text_field("title", TEXT | STORED),
            content: schema.add_text_field("content", TEXT | STORED),
            template: schema.add_text_field("template", TEXT),
            whole: schema.add_text_field("whole", TEXT | STORED),
        };
        (schema.build(), fields)
    }

    fn of(schema: &Schema) -> Option<Fields> {
        let field = |name: &str| schema.get_field(name).ok();
        Some(Fields {
            id: field("id")?,
            url: field("url")?,
            site: field("site")?,
            title: field("title")?,
            content: field("content")?,
            template: field("template")?,
            whole: field("whole")?,
        })
    }
}

const CANNOT_WRITE: &str = "cannot write the index: check free disk space and permissions";
/// Beginning of the names of folders with unfinished indexes.
const UNFINISHED: &str = ".unmold-index-";
/// Unfinished indexes of killed runs are removed after this time. A younger one may belong to a run
/// that is about to lock it.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// Removes the indexes that killed runs did not finish: nobody holds their locks. Fails silently,
/// since they do no harm.
fn remove_abandoned(parent: &Path) {
    let is_unfinished = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
    };
    let is_old = |path: &PathBuf| {
        let time = path.metadata().and_then(|folder| folder.modified()).ok();
        time.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > ABANDONED_AFTER)
    };
    let is_free = |path: &PathBuf| {
        File::open(path.join(&INDEX_WRITER_LOCK.filepath))
            .map_or(true, |lock| lock.try_lock().is_ok())
    };
    let paths = parent.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    for path in paths.filter(is_unfinished).filter(is_old).filter(is_free) {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// Writes an index to a new folder, under a temporary name until it is complete.
pub struct Writer {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
    unfinished: tempfile::TempDir,
}

impl Writer {
    pub fn create(folder: &Path) -> Result<Writer> {
        if folder.exists() && !folder.read_dir().is_ok_and(|mut entries| entries.next().is_none()) {
            bail!(
                "{} already exists: remove it, or choose another folder with -o",
                folder.display()
            );
        }
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot create the folder {}", parent.display()))?;
        remove_abandoned(parent);
        let unfinished = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(parent)
            .with_context(|| format!("cannot write in {}", parent.display()))?;
        let (schema, fields) = Fields::schema();
        let index = Index::create_in_dir(unfinished.path(), schema).context(CANNOT_WRITE)?;
        // One thread and no merging behind our back: the same pages give the same order of equal
        // hits.
        let writer: IndexWriter =
            index.writer_with_num_threads(1, WRITER_BYTES).context(CANNOT_WRITE)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Writer { writer, fields, folder: folder.to_owned(), unfinished })
    }

    pub fn add(&mut self, page: &Searchable) -> Result<()> {
        let fields = &self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.id, &page.id);
        document.add_text(fields.url, page.url.as_deref().unwrap_or(&page.id));
        document.add_text(fields.site, &page.site);
        document.add_text(fields.title, page.title.as_deref().unwrap_or_default());
        document.add_text(fields.content, &page.content);
        document.add_text(fields.template, &page.template_text);
        document.add_text(fields.whole, &page.whole);
        self.writer.add_document(document).context(CANNOT_WRITE)?;
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.writer.commit().context(CANNOT_WRITE)?;
        self.writer.wait_merging_threads().context(CANNOT_WRITE)?;
        if self.folder.exists() {
            std::fs::remove_dir(&self.folder)
                .with_context(|| format!("cannot replace {}", self.folder.display()))?;
        }
        let unfinished = self.unfinished.keep();
        std::fs::rename(&unfinished, &self.folder)
            .with_context(|| format!("cannot rename the index to {}", self.folder.display()))
    }
}

/// A search result.
#[derive(Serialize, Debug)]
pub struct Hit {
    pub score: f32,
    pub id: String,
    pub url: String,
    pub site: String,
    pub title: String,
    /// Excerpt of the text with the query's words between `**`.
    pub snippet: String,
    /// The texts that were searched.
    pub engine: Texts,
}

/// The texts of the pages that answer a query.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Texts {
    /// Whole pages, including their templates.
    Whole,
    /// Content, with the words of the template counting little.
    Clean,
}

/// An open index.
pub struct Engine {
    index: Index,
    fields: Fields,
}

impl Engine {
    pub fn open(folder: &Path) -> Result<Engine> {
        let wrong = || {
            format!(
                "{} is not an index: build one with `unmold index INPUT -o {0}`",
                folder.display()
            )
        };
        let index = Index::open_in_dir(folder).with_context(wrong)?;
        let fields = Fields::of(&index.schema()).with_context(wrong)?;
        let bytes = folder.read_dir().with_context(wrong)?.flatten();
        let bytes: u64 = bytes.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
        if bytes <= MAX_CHECKED_BYTES {
            let damaged = guarded(|| Ok(index.validate_checksum()?))?;
            if let Some(file) = damaged.iter().next() {
                return Err(is_damaged(&format!("{} has changed", file.display())));
            }
        }
        Ok(Engine { index, fields })
    }

    /// The texts that should answer a query.
    pub fn choose(&self, query: &str) -> Result<Texts> {
        guarded(|| self.choose_unguarded(&flat(query)))
    }

    fn choose_unguarded(&self, query: &str) -> Result<Texts> {
        let searcher = self.index.reader().context("cannot read the index")?.searcher();
        let pages_with_all_words = |text: Field| {
            let mut parser = QueryParser::for_index(&self.index, vec![self.fields.title, text]);
            parser.set_conjunction_by_default();
            let (parsed, _) = parser.parse_query_lenient(query);
            searcher.search(&parsed, &DocSetCollector).context(CANNOT_ANSWER)
        };
        let clean = pages_with_all_words(self.fields.content)?;
        // Sets have no order, but the same pages must be examined every time.
        let mut whole: Vec<DocAddress> =
            pages_with_all_words(self.fields.whole)?.into_iter().collect();
        whole.sort_unstable();
        let mut sites: BTreeMap<String, SiteMatches> = BTreeMap::new();
        for &page in whole.iter().take(MAX_EXAMINED) {
            let site = sites.entry(self.site_of(&searcher, page)?).or_default();
            site.whole += 1;
            site.clean += usize::from(clean.contains(&page));
        }
        for (name, site) in &mut sites {
            let term = Term::from_field_text(self.fields.site, name);
            site.pages = searcher.doc_freq(&term).context("cannot read the index")? as usize;
        }
        let matches: Vec<SiteMatches> = sites.into_values().collect();
        Ok(if prefers_whole(&matches) { Texts::Whole } else { Texts::Clean })
    }

    fn site_of(&self, searcher: &Searcher, page: DocAddress) -> Result<String> {
        let document: TantivyDocument = searcher.doc(page).context("cannot read the index")?;
        let site = document.get_first(self.fields.site).and_then(|value| value.as_str());
        Ok(site.unwrap_or_default().to_owned())
    }

    /// Returns the best pages.
    pub fn search(&self, query: &str, texts: Texts, limit: usize) -> Result<Vec<Hit>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        guarded(|| self.search_unguarded(&flat(query), texts, limit.min(MAX_HITS)))
    }

    fn search_unguarded(&self, query: &str, texts: Texts, limit: usize) -> Result<Vec<Hit>> {
        let fields = &self.fields;
        let (text, mut parser) = match texts {
            Texts::Whole => {
                let searched = vec![fields.title, fields.whole];
                (fields.whole, QueryParser::for_index(&self.index, searched))
            }
            Texts::Clean => {
                let searched = vec![fields.title, fields.content, fields.template, fields.url];
                (fields.content, QueryParser::for_index(&self.index, searched))
            }
        };
        parser.set_field_boost(fields.title, TITLE_WEIGHT);
        parser.set_field_boost(fields.template, TEMPLATE_WEIGHT);
        parser.set_field_boost(fields.url, URL_WEIGHT);
        // Queries may contain stray quotes and brackets: search for what can be parsed.
        let (parsed, _) = parser.parse_query_lenient(query);
        let searcher = self.index.reader().context("cannot read the index")?.searcher();
        let found = searcher
            .search(&parsed, &TopDocs::with_limit(limit).order_by_score())
            .context(CANNOT_ANSWER)?;
        let mut snippets = SnippetGenerator::create(&searcher, &*parsed, text)
            .context("cannot search the index")?;
        snippets.set_max_num_chars(SNIPPET_CHARACTERS);
        found
            .into_iter()
            .map(|(score, address)| {
                let document: TantivyDocument =
                    searcher.doc(address).context("cannot read the index")?;
                let stored = |field| {
                    document
                        .get_first(field)
                        .and_then(|value| value.as_str())
                        .unwrap_or_default()
                        .to_owned()
                };
                let snippet = marked(&snippets.snippet_from_doc(&document))
                    .unwrap_or_else(|| stored(text).chars().take(SNIPPET_CHARACTERS).collect());
                Ok(Hit {
                    score,
                    id: stored(fields.id),
                    url: stored(fields.url),
                    site: stored(fields.site),
                    title: stored(fields.title),
                    snippet: snippet.split_whitespace().collect::<Vec<_>>().join(" "),
                    engine: texts,
                })
            })
            .collect()
    }
}

/// Turns a panic of the engine, which damaged indexes cause, into an error.
fn guarded<T>(step: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(step))
        .unwrap_or_else(|_| Err(is_damaged("it cannot be read")))
}

fn is_damaged(why: &str) -> anyhow::Error {
    anyhow!("the index is damaged ({why}): build it again with `unmold index`")
}

const CANNOT_ANSWER: &str = "cannot answer this query: give words, \"a phrase\", +required, \
    -excluded, title:word or site:NAME";

/// The query without what the parser recurses on, if there is much of it. The number of brackets
/// counts, not their depth: whether one closes another depends on quotes and escapes.
fn flat(query: &str) -> String {
    let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
    let has_many = |what: &str| query.matches(what).count() > MAX_NESTING;
    let (brackets, nots) = (has_many("("), has_many("NOT"));
    let query = if brackets { query.replace(['(', ')'], " ") } else { query.to_owned() };
    if nots { query.replace("NOT", "not") } else { query }
}

/// Puts the query's words between `**`.
fn marked(snippet: &tantivy::snippet::Snippet) -> Option<String> {
    if snippet.is_empty() {
        return None;
    }
    let (mut out, mut at) = (String::new(), 0);
    for range in snippet.highlighted() {
        out.push_str(&snippet.fragment()[at..range.start]);
        out.push_str(&format!("**{}**", &snippet.fragment()[range.clone()]));
        at = range.end;
    }
    out.push_str(&snippet.fragment()[at..]);
    Some(out)
}
