//! What the viewer knows: pages, templates, and what was found out about them while somebody
//! looked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Deserialize;
use unmold::cluster::{Clustering, PathSet};
use unmold::site::{Choice, MethodName, judge_page};
use unmold::template::{NodePath, OverrideVerdict, Selector, text_key};
use unmold::{Flag, Learned, Marks, NodeId, Page, Template, TemplateSet};

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

/// All methods, by the names of the command line.
pub const METHODS: [&str; 6] =
    ["auto", "chunk-frequency", "alignment", "tree-mapping", "tree-pattern", "page-clusters"];

/// Locks, even if a thread died while it held the lock: what is in there is replaced as a whole.
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
    others: Mutex<BTreeMap<(u32, &'static str), Arc<TemplateSet>>>,
    kept: Mutex<VecDeque<(Key, Arc<Analysis>)>>,
    costs: Mutex<BTreeMap<u32, Arc<Vec<u64>>>>,
    /// The pages that a report on disk shows.
    pub exported: BTreeSet<u32>,
    #[cfg(feature = "search")]
    pub index: Option<crate::search::Engine>,
}

/// A page, by the method of the templates or by another.
type Key = (u32, Option<&'static str>);

/// A page, read and marked.
pub struct Analysis {
    pub page: Page,
    pub marks: Marks,
    pub styles: Vec<String>,
    /// The set that the template is in.
    pub templates: Arc<TemplateSet>,
    /// Number of its template in the set.
    pub template: Option<usize>,
    pub flags: Vec<Flag>,
    pub content_share: f64,
    pub template_match: Option<f64>,
}

/// What is asked for when a region is corrected.
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
    pub fn analyse(&self, number: u32, method: Option<&'static str>) -> Result<Arc<Analysis>> {
        let key = (number, method);
        if let Some((_, found)) = lock(&self.kept).iter().find(|(kept, _)| *kept == key) {
            return Ok(Arc::clone(found));
        }
        let templates = match method {
            None => self.templates(),
            Some(method) => self.learned_by(self.entry(number)?.site, method)?,
        };
        let analysis = Arc::new(self.mark(number, templates)?);
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

    /// Reads and marks a page.
    pub fn mark(&self, number: u32, templates: Arc<TemplateSet>) -> Result<Analysis> {
        let raw = self.catalog.read(number)?;
        let page = Page::parse_with(&raw.bytes, &self.input_args.parse_options(&raw));
        let judged = judge_page(&templates, &raw.site, &page);
        let name = judged.template.map(|template| template.name.as_str());
        let template =
            name.and_then(|name| templates.templates().iter().position(|one| one.name == name));
        let (marks, flags, content_share) = (judged.marks, judged.flags, judged.content_share);
        Ok(Analysis {
            styles: css::style_elements(&raw.bytes),
            template_match: template.map(|_| f64::from(marks.template_match())),
            page,
            marks,
            template,
            templates,
            flags,
            content_share,
        })
    }

    /// Templates of a site by another method, learned from pages spread over the input.
    fn learned_by(&self, site: u32, method: &'static str) -> Result<Arc<TemplateSet>> {
        let mut others = lock(&self.others);
        if let Some(known) = others.get(&(site, method)) {
            return Ok(Arc::clone(known));
        }
        let choice = Choice {
            method: method.parse::<MethodName>().map_err(anyhow::Error::msg)?,
            ..Choice::default()
        };
        let sample = self.sample(site);
        let pages: Vec<&Page> = sample.iter().collect();
        let name = &self.catalog.sites()[site as usize].name;
        // Too few pages: an empty set passes all pages through.
        let learned =
            choice.settings().learn_site(name, &pages, choice.clustering().as_ref(), &AllCores);
        let learned = Arc::new(learned.unwrap_or_default());
        others.insert((site, method), Arc::clone(&learned));
        Ok(learned)
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
        let template =
            analysis.own_template().context("the page has no template that could be corrected")?;
        if !analysis.page.nodes().contains(correction.node) {
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
        let overrides = templates.overrides_mut(&template.name).with_context(|| {
            format!("the template {} is not in the file any more", template.name)
        })?;
        let serial = overrides.add(selector, correction.verdict, None);
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
        Ok(format!("Override {serial} of {} {kept}: {place}", template.name))
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

/// At most `most` of the pages, evenly spread.
pub fn spread(pages: &[u32], most: usize) -> Vec<u32> {
    let step = pages.len().div_ceil(most.max(1)).max(1);
    pages.iter().copied().step_by(step).collect()
}

/// The word for a method that the command line uses.
pub fn method_of(learned: &Learned) -> &'static str {
    match learned {
        Learned::Auto(_) => "auto",
        Learned::ChunkFrequency(_) => "chunk-frequency",
        Learned::Alignment(_) => "alignment",
        Learned::TreeMapping(_) => "tree-mapping",
        Learned::TreePattern(_) => "tree-pattern",
        Learned::PageClusters(_) => "page-clusters",
        _ => "unknown",
    }
}

impl Analysis {
    pub fn own_template(&self) -> Option<&Template> {
        self.templates.templates().get(self.template?)
    }

    /// The same marks, judged at another threshold.
    pub fn at_threshold(&self, threshold: f32) -> Marks {
        let mut marks = Marks::with_threshold(&self.page, threshold);
        for id in self.page.nodes() {
            marks.set(id, self.marks.value(id), self.marks.source(id));
        }
        marks
    }

    /// Why each node is what it is: sentences, and for each node the number of its own.
    pub fn reasons(&self) -> (Vec<String>, Vec<Option<usize>>) {
        let mut reasons = Reasons::default();
        let mut of_nodes = vec![None; self.page.len() as usize];
        let Some(template) = self.own_template() else { return (reasons.list, of_nodes) };
        for id in self.page.nodes() {
            if let Some(source) = self.marks.source(id) {
                of_nodes[id.index()] = Some(reasons.number(template.describe(source)));
            }
        }
        if let Learned::Auto(auto) = &template.learned {
            for verdict in auto.explain(&self.page) {
                let number = reasons.number(verdict.reasons);
                for id in verdict.nodes.filter(|&id| self.page.is_text(id)) {
                    of_nodes[id.index()] = Some(number);
                }
            }
        }
        for (slot, said) in of_nodes.iter_mut().zip(template.overrides.of_nodes(&self.page)) {
            if let Some(one) = said {
                *slot = Some(reasons.number(format!("somebody said so (override {})", one.serial)));
            }
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
