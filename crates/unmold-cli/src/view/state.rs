//! The viewer's state: pages, templates, and what was found out about them so far.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Deserialize;
use unmold::cluster::{Clustering, PathSet};
use unmold::template::{NodePath, OverrideVerdict, Selector, text_key};
use unmold::{
    CleanOptions, CleanPage, Explanation, KindTemplate, MethodName, NodeId, Page, Settings, Source,
    Template, TemplateSet, clean_page,
};

use super::catalog::{Catalog, Entry, Site};
use super::css;
use super::survey::Survey;
use crate::args::InputArgs;
use crate::cores::AllCores;
use crate::templates::{read_templates, write_templates};

/// Pages that are kept parsed and marked: those somebody turns to and from.
const KEPT: usize = 24;
/// Pages of a site from which another method learns when it is asked for.
const SAMPLE: usize = 60;

/// Locks even if another thread panicked while it held the lock: contents are replaced as a whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub struct Viewer {
    pub catalog: Catalog,
    pub survey: Survey,
    input_args: InputArgs,
    templates: RwLock<Arc<TemplateSet>>,
    file: Option<PathBuf>,
    /// Only one correction at a time is read, added and written.
    correcting: Mutex<()>,
    others: Mutex<BTreeMap<(u32, MethodName), Option<Arc<Template>>>>,
    kept: Mutex<VecDeque<(Key, Arc<Analysis>)>>,
    costs: Mutex<BTreeMap<u32, Arc<Vec<u64>>>>,
    /// The pages that a report on disk shows.
    pub exported: BTreeSet<u32>,
    #[cfg(feature = "search")]
    pub index: Option<crate::search::Engine>,
}

/// A page, judged by the templates or by another method.
type Key = (u32, Option<MethodName>);

/// A page, parsed and judged.
pub struct Analysis {
    pub page: Page,
    /// Its marks, with reasons.
    pub explanation: Explanation,
    pub styles: Vec<String>,
    /// The template of its site.
    template: Option<Arc<Template>>,
    /// What would be written, without the text.
    pub clean: CleanPage,
}

/// A request to correct a region.
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
        input_args: InputArgs,
        templates: TemplateSet,
        file: Option<PathBuf>,
    ) -> Viewer {
        Viewer {
            survey: Survey::new(catalog.len()),
            catalog,
            input_args,
            templates: RwLock::new(Arc::new(templates)),
            file,
            correcting: Mutex::new(()),
            others: Mutex::default(),
            kept: Mutex::default(),
            costs: Mutex::default(),
            exported: BTreeSet::new(),
            #[cfg(feature = "search")]
            index: None,
        }
    }

    pub fn templates(&self) -> Arc<TemplateSet> {
        Arc::clone(&self.templates.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether corrections are kept.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// The page with its marks, by the templates or by another method learned when first asked for.
    pub fn analyse(&self, number: u32, method: Option<MethodName>) -> Result<Arc<Analysis>> {
        let key = (number, method);
        if let Some((_, found)) = lock(&self.kept).iter().find(|(kept, _)| *kept == key) {
            return Ok(Arc::clone(found));
        }
        let site = self.entry(number)?.site;
        let template = match method {
            None => self.templates().get(&self.site(site)?.name).cloned(),
            Some(method) => self.learned_by(site, method),
        };
        let analysis = Arc::new(self.judge(number, template)?);
        let mut kept = lock(&self.kept);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((key, Arc::clone(&analysis)));
        Ok(analysis)
    }

    pub fn entry(&self, number: u32) -> Result<&Entry> {
        self.catalog.entry(number).with_context(|| format!("there is no page {number}"))
    }

    /// Parses and cleans a page by the template of its site.
    pub fn clean(&self, number: u32, templates: &TemplateSet) -> Result<CleanPage> {
        let raw = self.catalog.read(number)?;
        let page = Page::parse_with(&raw.bytes, &self.input_args.parse_options(&raw));
        let template = templates.get(&raw.site).map(Arc::as_ref);
        Ok(clean_page(template, &page, &CleanOptions::default()))
    }

    /// Parses and judges a page.
    pub fn judge(&self, number: u32, template: Option<Arc<Template>>) -> Result<Analysis> {
        let raw = self.catalog.read(number)?;
        let page = Page::parse_with(&raw.bytes, &self.input_args.parse_options(&raw));
        let explanation = match &template {
            Some(template) => template.explain(&page),
            None => Explanation::without_template(&page),
        };
        let clean = clean_page(template.as_deref(), &page, &CleanOptions::default());
        let styles = css::style_elements(&raw.bytes);
        Ok(Analysis { styles, page, explanation, template, clean })
    }

    /// The template of a site by another method, learned from pages spread over the input. `None`
    /// if there are too few: pages are then passed through.
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

    fn sample(&self, site: u32) -> Vec<Page> {
        let pages = &self.catalog.sites()[site as usize].pages;
        spread(pages, SAMPLE)
            .into_par_iter()
            .filter_map(|number| self.catalog.read(number).ok())
            .map(|raw| Page::parse_with(&raw.bytes, &self.input_args.parse_options(&raw)))
            .collect()
    }

    /// The cost of clustering pages of the site before the first merge and after each.
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

    /// Adds what somebody said to the template of a page, writes the file, and says what was done.
    pub fn correct(&self, correction: &Correction) -> Result<String> {
        let _one_at_a_time = lock(&self.correcting);
        let analysis = self.analyse(correction.page, None)?;
        let kind = analysis.kind().context("the page has no template that could be corrected")?;
        if correction.node.position() >= analysis.page.len() {
            bail!("the page has no such node: load it again");
        }
        let selector = match correction.scope {
            Scope::Place => {
                Selector { path: Some(NodePath::of(&analysis.page, correction.node)), text: None }
            }
            Scope::Text => {
                let key = text_key(&analysis.page, correction.node);
                if key.is_empty() {
                    bail!("the region has no words: mark its place instead");
                }
                Selector { path: None, text: Some(key) }
            }
        };
        let place = selector
            .path
            .as_ref()
            .map_or_else(|| "wherever it is said".to_owned(), NodePath::to_string);
        // What others wrote meanwhile stays.
        let mut templates = match &self.file {
            Some(file) => read_templates(file)?,
            None => (*self.templates()).clone(),
        };
        let site = &self.site(self.entry(correction.page)?.site)?.name;
        let corrected = templates.get_mut(site).and_then(|known| known.kind_mut(kind.name()));
        let corrected = corrected
            .with_context(|| format!("the template {} is not in the file any more", kind.name()))?;
        let serial = corrected.overrides_mut().add(selector, correction.verdict, None);
        if let Some(file) = &self.file {
            // Under another name first: it is never half there. A link to the file stays one.
            let file =
                file.canonicalize().with_context(|| format!("cannot write {}", file.display()))?;
            write_templates(&file, &templates, false)?;
        }
        self.replace(templates);
        let kept = if self.has_file() {
            "saved"
        } else {
            "kept until the viewer ends, because it has no template file"
        };
        Ok(format!("Override {serial} of {} {kept}: {place}", kind.name()))
    }

    fn replace(&self, templates: TemplateSet) {
        *self.templates.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(templates);
        lock(&self.kept).clear();
        self.survey.start_again();
    }

    /// The site with this number.
    pub fn site(&self, number: u32) -> Result<&Site> {
        self.catalog
            .sites()
            .get(number as usize)
            .with_context(|| format!("there is no site {number}"))
    }
}

/// At most `max` of the pages, evenly spread.
pub fn spread(pages: &[u32], max: usize) -> Vec<u32> {
    let step = pages.len().div_ceil(max.max(1)).max(1);
    pages.iter().copied().step_by(step).collect()
}

/// The templates of all kinds of page, numbered through all sites.
pub fn numbered(set: &TemplateSet) -> impl Iterator<Item = (usize, &Template, &KindTemplate)> {
    let kinds = set
        .iter()
        .flat_map(|template| template.kinds().iter().map(move |kind| (template.as_ref(), kind)));
    kinds.enumerate().map(|(number, (template, kind))| (number, template, kind))
}

/// The number of a kind's template among all of the set.
pub fn number_of(set: &TemplateSet, name: &str) -> Option<usize> {
    numbered(set).find(|(_, _, kind)| kind.name() == name).map(|(number, _, _)| number)
}

impl Analysis {
    /// The template of the page's kind.
    pub fn kind(&self) -> Option<&KindTemplate> {
        self.template.as_ref()?.kind(self.clean.template.as_deref()?)
    }

    /// Why each node is what it is: sentences, and for each node the number of its own.
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

/// Sentences, each once.
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
