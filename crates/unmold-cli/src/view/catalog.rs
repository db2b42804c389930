//! Lists all pages and reads their bytes on demand.
//!
//! Pages of a folder are read from disk when they are shown. Archives can only be read from the
//! start, so their pages are compressed into an unnamed temporary file once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};

use crate::input::{Input, InputEvent, Listed, RawPage, read_page_file};
use crate::report::Report;

/// zstd level: fast, and still shrinks pages to a fifth.
const LEVEL: i32 = 1;

/// A page without its bytes.
pub struct Entry {
    pub id: String,
    pub url: Option<String>,
    /// Number of the page's site.
    pub site: u32,
    charset: Option<String>,
    place: Place,
}

enum Place {
    File { root: u32, path: PathBuf },
    Spool { offset: u64, length: usize },
}

/// The pages of one site in input order.
pub struct Site {
    pub name: String,
    pub pages: Vec<u32>,
}

/// All pages of the input.
pub struct Catalog {
    entries: Vec<Entry>,
    sites: Vec<Site>,
    roots: Vec<PathBuf>,
    spool: Mutex<File>,
    max_bytes: usize,
}

impl Catalog {
    pub fn new(input: &Input, max_bytes: usize, report: &mut Report) -> Result<Catalog> {
        let mut spool =
            tempfile::tempfile().context("cannot write pages to the temporary folder")?;
        let mut building = Building::default();
        let progress = report.start("listing", input);
        for listed in input.list() {
            match listed {
                Listed::Folder { root, pages } => {
                    let root = building.root(root)?;
                    for page in pages {
                        match page {
                            Ok(page) => {
                                let place = Place::File { root, path: page.path };
                                building.add(page.id, None, page.site, None, place);
                            }
                            Err(problem) => report_problem(report, *problem),
                        }
                    }
                }
                Listed::Stream(events) => {
                    for event in events {
                        match event {
                            InputEvent::Page(page) => building.spool(page, &mut spool)?,
                            other => report_problem(report, other),
                        }
                    }
                }
            }
        }
        drop(progress);
        Ok(building.finish(spool, max_bytes))
    }

    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub fn entry(&self, page: u32) -> Option<&Entry> {
        self.entries.get(page as usize)
    }

    /// Returns the first page with this id.
    #[cfg(feature = "search")]
    pub fn find(&self, id: &str) -> Option<u32> {
        self.entries.iter().position(|entry| entry.id == id).map(|at| at as u32)
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    pub fn site_of(&self, entry: &Entry) -> &Site {
        &self.sites[entry.site as usize]
    }

    /// Reads a page with its bytes.
    pub fn read(&self, page: u32) -> Result<RawPage> {
        let entry = self.entry(page).with_context(|| format!("there is no page {page}"))?;
        let (bytes, truncated) = self.bytes(entry)?;
        let site = self.site_of(entry).name.as_str();
        let mut page = RawPage::new(entry.id.as_str(), site, bytes);
        page.url = entry.url.clone();
        page.charset = entry.charset.clone();
        page.truncated = truncated;
        Ok(page)
    }

    /// The bytes of a page, and whether they are only its beginning.
    fn bytes(&self, entry: &Entry) -> Result<(Vec<u8>, bool)> {
        match &entry.place {
            Place::File { path, .. } => read_page_file(path, self.max_bytes)
                .with_context(|| format!("cannot read {}", path.display())),
            Place::Spool { offset, length } => {
                let mut packed = vec![0; *length];
                let mut spool =
                    self.spool.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                spool.seek(SeekFrom::Start(*offset))?;
                spool.read_exact(&mut packed)?;
                drop(spool);
                let bytes = zstd::decode_all(&packed[..])?;
                let truncated = bytes.len() > self.max_bytes;
                Ok((bytes, truncated))
            }
        }
    }

    /// Returns the number of the input folder that the page's resources may come from, and the
    /// page's folder in it.
    pub fn folder_of<'a>(&self, entry: &'a Entry) -> Option<(u32, &'a str)> {
        match entry.place {
            Place::File { root, .. } => {
                Some((root, entry.id.rsplit_once('/').map_or("", |(folder, _)| folder)))
            }
            Place::Spool { .. } => None,
        }
    }

    /// Returns an input folder with all links resolved.
    pub fn root(&self, number: u32) -> Option<&Path> {
        self.roots.get(number as usize).map(PathBuf::as_path)
    }
}

fn report_problem(report: &mut Report, event: InputEvent) {
    match event {
        InputEvent::Page(_) => {}
        InputEvent::Skipped { place, why } => report.skipped(&place, why),
        InputEvent::Problem { place, what } => report.failure(&place, &what),
    }
}

#[derive(Default)]
struct Building {
    entries: Vec<Entry>,
    names: BTreeMap<String, u32>,
    sites: Vec<Site>,
    roots: Vec<PathBuf>,
    end: u64,
}

impl Building {
    fn root(&mut self, root: &Path) -> Result<u32> {
        let shown = root.display();
        self.roots
            .push(root.canonicalize().with_context(|| format!("cannot read folder {shown}"))?);
        Ok(self.roots.len() as u32 - 1)
    }

    fn spool(&mut self, page: RawPage, spool: &mut File) -> Result<()> {
        let packed = zstd::encode_all(&page.bytes[..], LEVEL)?;
        spool.write_all(&packed).context("cannot write pages to the temporary folder")?;
        let place = Place::Spool { offset: self.end, length: packed.len() };
        self.end += packed.len() as u64;
        self.add(page.id, page.url, page.site, page.charset, place);
        Ok(())
    }

    fn add(
        &mut self,
        id: String,
        url: Option<String>,
        site: String,
        charset: Option<String>,
        place: Place,
    ) {
        let number = *self.names.entry(site).or_insert_with_key(|name| {
            self.sites.push(Site { name: name.clone(), pages: Vec::new() });
            self.sites.len() as u32 - 1
        });
        self.sites[number as usize].pages.push(self.entries.len() as u32);
        self.entries.push(Entry { id, url, site: number, charset, place });
    }

    fn finish(self, spool: File, max_bytes: usize) -> Catalog {
        Catalog {
            entries: self.entries,
            sites: self.sites,
            roots: self.roots,
            spool: Mutex::new(spool),
            max_bytes,
        }
    }
}
