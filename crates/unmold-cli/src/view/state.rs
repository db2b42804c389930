//! The viewer's state: pages, templates, caches and corrections.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Deserialize;
use unmold::cluster::{Clustering, PathSet};
use unmold::teach::{Label, Pick};
use unmold::template::{NodePath, OverrideVerdict, Selector, text_key};
use unmold::{
    CleanOptions, CleanPage, Explanation, KindTemplate, MethodName, NodeId, Page, Settings, Source,
    Template, TemplateSet, clean_page,
};

use super::catalog::{Catalog, Entry, Site};
use super::css;
use super::survey::Survey;
use super::sync::lock;
use crate::cores::AllCores;
use crate::labels::{self, Labels};
use crate::stream::ReadOptions;
use crate::templates::{Replace, read_templates, write_templates};

/// Number of parsed and marked pages to cache.
const MAX_CACHED: usize = 24;
/// Number of pages that another method learns from when it is selected.
const SAMPLE: usize = 60;

/// The templates of sites by other methods; `None` where there are too few pages.
type ByMethod = BTreeMap<(u32, MethodName), Option<Arc<Template>>>;

/// The state that all requests share.
pub struct Viewer {
    pub catalog: Catalog,
    pub survey: Survey,
    read: ReadOptions,
    templates: RwLock<Arc<TemplateSet>>,
    /// Where corrections are saved.
    file: Option<PathBuf>,
    /// Where corrections are added as labels.
    labels: Option<PathBuf>,
    /// Held while a correction is read, added and written.
    pub(super) correcting: Mutex<()>,
    /// Templates of other methods than the one in use, by site.
    others: Mutex<ByMethod>,
    cache: Mutex<VecDeque<(Key, Arc<Analysis>)>>,
    costs: Mutex<BTreeMap<u32, Arc<Vec<u64>>>>,
    /// The pages in an exported report.
    pub exported: BTreeSet<u32>,
    #[cfg(feature = "search")]
    pub index: Option<crate::search::Engine>,
}

/// A page, and the method that marks it; `None` is the templates in use.
type Key = (u32, Option<MethodName>);

/// A parsed and marked page.
pub struct Analysis {
    pub page: Page,
    /// Marks with reasons.
    pub explanation: Explanation,
    pub styles: Vec<String>,
    /// The template of the page's site.
    template: Option<Arc<Template>>,
    /// The clean page as `unmold strip` would write it.
    pub clean: CleanPage,
}

/// A request to correct the verdict on a region.
#[derive(Deserialize)]
pub struct Correction {
    page: u32,
    node: NodeId,
    verdict: OverrideVerdict,
    scope: Scope,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Scope {
    Place,
    Text,
}

impl Viewer {
    pub fn new(
        catalog: Catalog,
        read: ReadOptions,
        templates: TemplateSet,
        file: Option<PathBuf>,
    ) -> Viewer {
        Viewer {
            survey: Survey::new(catalog.len()),
            catalog,
            read,
            templates: RwLock::new(Arc::new(templates)),
            file,
            labels: None,
            correcting: Mutex::new(()),
            others: Mutex::default(),
            cache: Mutex::default(),
            costs: Mutex::default(),
            exported: BTreeSet::new(),
            #[cfg(feature = "search")]
            index: None,
        }
    }

    /// Adds corrections to a file of labels, too. A file that is there must be one.
    pub fn set_labels(&mut self, file: Option<PathBuf>) -> Result<()> {
        if let Some(file) = file.as_deref().filter(|file| file.exists()) {
            Labels::check(file)?;
        }
        self.labels = file;
        Ok(())
    }

    pub fn templates(&self) -> Arc<TemplateSet> {
        Arc::clone(&self.templates.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether corrections are saved.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Returns the page with its marks, by the templates in use or by another method, which is
    /// learned on first use.
    pub fn analyse(&self, number: u32, method: Option<MethodName>) -> Result<Arc<Analysis>> {
        let key = (number, method);
        if let Some((_, found)) = lock(&self.cache).iter().find(|(cached, _)| *cached == key) {
            return Ok(Arc::clone(found));
        }
        let site = self.entry(number)?.site;
        let template = match method {
            None => self.templates().get(&self.site(site)?.name).cloned(),
            Some(method) => self.learned_by(site, method),
        };
        let analysis = Arc::new(self.mark(number, template)?);
        let mut cache = lock(&self.cache);
        if cache.len() >= MAX_CACHED {
            cache.pop_front();
        }
        cache.push_back((key, Arc::clone(&analysis)));
        Ok(analysis)
    }

    pub fn entry(&self, number: u32) -> Result<&Entry> {
        self.catalog.entry(number).with_context(|| format!("no page {number}"))
    }

    /// Parses and cleans a page with the template of its site.
    pub fn clean(&self, number: u32, templates: &TemplateSet) -> Result<CleanPage> {
        let raw = self.catalog.read(number)?;
        let page = self.read.parse(&raw);
        let template = templates.get(&raw.site).map(Arc::as_ref);
        Ok(clean_page(template, &page, &CleanOptions::default()))
    }

    /// Parses and marks a page.
    pub fn mark(&self, number: u32, template: Option<Arc<Template>>) -> Result<Analysis> {
        let raw = self.catalog.read(number)?;
        let page = self.read.parse(&raw);
        let explanation = match &template {
            Some(template) => template.explain(&page),
            None => Explanation::without_template(&page),
        };
        let clean = clean_page(template.as_deref(), &page, &CleanOptions::default());
        let styles = css::style_elements(&raw.bytes);
        Ok(Analysis { styles, page, explanation, template, clean })
    }

    /// Returns the template of a site by another method, learned from pages spread over the input.
    /// Returns `None` if there are too few pages; they are then shown unmarked.
    fn learned_by(&self, site: u32, method: MethodName) -> Option<Arc<Template>> {
        let mut others = lock(&self.others);
        if let Some(known) = others.get(&(site, method)) {
            return known.clone();
        }
        let sample = self.sample(site);
        let pages: Vec<&Page> = sample.iter().collect();
        let name = &self.catalog.sites()[site as usize].name;
        let settings = Settings::default().with_method(method);
        let learned = settings.learn_site(name, &pages, &AllCores).ok().map(Arc::new);
        others.insert((site, method), learned.clone());
        learned
    }

    pub(super) fn sample(&self, site: u32) -> Vec<Page> {
        let pages = &self.catalog.sites()[site as usize].pages;
        spread(pages, SAMPLE)
            .into_par_iter()
            .filter_map(|number| self.catalog.read(number).ok())
            .map(|raw| self.read.parse(&raw))
            .collect()
    }

    /// Returns the cost of clustering a sample of the site, before the first merge and after each.
    pub fn costs(&self, site: u32) -> Arc<Vec<u64>> {
        let mut costs = lock(&self.costs);
        let costs = costs.entry(site).or_insert_with(|| {
            let settings = Clustering::default();
            let paths: Vec<PathSet> = self
                .sample(site)
                .par_iter()
                .map(|page| PathSet::of(page, settings.paths))
                .collect();
            Arc::new(settings.cluster(&paths).costs().to_vec())
        });
        Arc::clone(costs)
    }

    /// Adds a correction to the template of a page and saves the file. Returns a message for the
    /// user.
    pub fn correct(&self, correction: &Correction) -> Result<String> {
        let _one_at_a_time = lock(&self.correcting);
        let analysis = self.analyse(correction.page, None)?;
        let kind = analysis.kind().context("the page has no template to correct")?;
        if correction.node.position() >= analysis.page.len() {
            bail!("the page has no such node: reload it");
        }
        let selector = match correction.scope {
            Scope::Place => {
                Selector { path: Some(NodePath::of(&analysis.page, correction.node)), text: None }
            }
            Scope::Text => {
                let key = text_key(&analysis.page, correction.node);
                if key.is_empty() {
                    bail!("the region has no words: correct its place instead");
                }
                Selector { path: None, text: Some(key) }
            }
        };
        let place = selector
            .path
            .as_ref()
            .map_or_else(|| "everywhere the text occurs".to_owned(), NodePath::to_string);
        let mut templates = self.newest()?;
        let site = &self.site(self.entry(correction.page)?.site)?.name;
        let corrected = templates.get_mut(site).and_then(|known| known.kind_mut(kind.name()));
        let corrected = corrected
            .with_context(|| format!("the template {} is no longer in the file", kind.name()))?;
        let serial = corrected.overrides_mut().add(selector, correction.verdict, None);
        self.add_label(correction, &analysis)?;
        let outcome = self.save(templates)?;
        Ok(format!("Override {serial} of {} {outcome}: {place}", kind.name()))
    }

    /// Returns the templates of the file, which another program may have changed.
    pub(super) fn newest(&self) -> Result<TemplateSet> {
        match &self.file {
            Some(file) => read_templates(file),
            None => Ok((*self.templates()).clone()),
        }
    }

    /// Saves corrected templates and uses them. Returns what happened to them.
    pub(super) fn save(&self, templates: TemplateSet) -> Result<&'static str> {
        if let Some(file) = &self.file {
            // Resolve links first: the atomic write would replace the link itself.
            let file =
                file.canonicalize().with_context(|| format!("cannot write {}", file.display()))?;
            write_templates(&file, &templates, Replace::Templates)?;
        }
        self.replace(templates);
        Ok(if self.has_file() {
            "saved"
        } else {
            "kept until the viewer stops, because there is no template file"
        })
    }

    /// Uses templates that mark pages as before.
    pub(super) fn keep(&self, templates: TemplateSet) {
        *self.templates.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(templates);
    }

    /// Reads and parses a page.
    pub(super) fn parsed(&self, number: u32) -> Result<Page> {
        Ok(self.read.parse(&self.catalog.read(number)?))
    }

    /// Adds a correction to the file of labels: what it says about this page.
    fn add_label(&self, correction: &Correction, analysis: &Analysis) -> Result<()> {
        let Some(file) = &self.labels else { return Ok(()) };
        let path = NodePath::of(&analysis.page, correction.node).to_string();
        let picked = Some(vec![Pick::Selector(path)]);
        let (keep, drop) = match correction.verdict {
            OverrideVerdict::Content => (picked, None),
            OverrideVerdict::Template => (None, picked),
            // The method decides again: nothing is said about the page.
            OverrideVerdict::Learned => return Ok(()),
        };
        let entry = self.entry(correction.page)?;
        let site = Some(self.site(entry.site)?.name.clone());
        let label = Label { id: entry.id.clone(), site, keep, drop, text: None, partial: true };
        labels::add(file, &label)
    }

    fn replace(&self, templates: TemplateSet) {
        self.keep(templates);
        lock(&self.cache).clear();
        self.survey.restart();
    }

    /// Returns the site with this number.
    pub fn site(&self, number: u32) -> Result<&Site> {
        self.catalog.sites().get(number as usize).with_context(|| format!("no site {number}"))
    }
}

/// Picks at most `max` of the pages, evenly spread.
pub fn spread(pages: &[u32], max: usize) -> Vec<u32> {
    let step = pages.len().div_ceil(max.max(1)).max(1);
    pages.iter().copied().step_by(step).collect()
}

/// Numbers the templates of all kinds across all sites.
pub fn numbered(set: &TemplateSet) -> impl Iterator<Item = (usize, &Template, &KindTemplate)> {
    let kinds = set
        .iter()
        .flat_map(|template| template.kinds().iter().map(move |kind| (template.as_ref(), kind)));
    kinds.enumerate().map(|(number, (template, kind))| (number, template, kind))
}

/// Returns the number of the template with this name.
pub fn number_of(set: &TemplateSet, name: &str) -> Option<usize> {
    numbered(set).find(|(_, _, kind)| kind.name() == name).map(|(number, _, _)| number)
}

impl Analysis {
    /// Returns the template of the page's kind.
    pub fn kind(&self) -> Option<&KindTemplate> {
        self.template.as_ref()?.kind(self.clean.template.as_deref()?)
    }

    /// Explains the mark of each node. Returns the distinct sentences, and for each node the index
    /// of its sentence.
    pub fn reasons(&self) -> (Vec<String>, Vec<Option<usize>>) {
        let mut reasons = Reasons::default();
        let mut of_nodes = vec![None; self.page.len() as usize];
        let Some(kind) = self.kind() else { return (reasons.list, of_nodes) };
        for id in self.page.nodes() {
            let why = match (self.explanation.why(id), self.explanation.marks.source(id)) {
                (Some(why), _) => Some(why.to_owned()),
                (None, Some(Source::Part(part))) => kind.learned().describe(part),
                (None, _) => None,
            };
            of_nodes[id.index()] = why.map(|why| reasons.number(why));
        }
        (reasons.list, of_nodes)
    }
}

/// Distinct sentences.
#[derive(Default)]
struct Reasons {
    list: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Reasons {
    fn number(&mut self, reason: String) -> usize {
        *self.numbers.entry(reason).or_insert_with_key(|reason| {
            self.list.push(reason.clone());
            self.list.len() - 1
        })
    }
}
