//! The template of one site, and those of many.

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3_arrow::PyRecordBatch;
use unmold::sections::{Areas, SectionRecord, Sectioning, lists, sections};
use unmold::{Explanation, Marks, TemplateSet};

use crate::batch;
use crate::error::unreadable_template;
use crate::options::Options;
use crate::page::{Page, Raw};
use crate::record::to_tuple;

/// The template of one site.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Template {
    template: Arc<unmold::Template>,
}

/// XPath, text, value, whether it is template, and why.
type VerdictRow = (String, String, f64, bool, String);

/// The fields of a [`SectionRecord`].
pub type SectionRow = (String, usize, &'static str, f64, bool, f64, f64, f64, String);

#[pymethods]
impl Template {
    /// The site.
    #[getter]
    fn site(&self) -> &str {
        self.template.site()
    }

    /// Names of the templates of its kinds of page.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.template.kinds().iter().map(|kind| kind.name()).collect()
    }

    /// Number of pages it was learned from.
    #[getter]
    fn pages(&self) -> u32 {
        self.template.pages()
    }

    /// Its own text.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.template.text())
    }

    /// A template file of this site alone.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.template.to_json())
    }

    /// The record of a page, which is taken to be of this site.
    fn strip<'py>(
        &self,
        py: Python<'py>,
        page: &Bound<'py, Page>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let raw = Raw { site: self.template.site(), ..page.get().raw() };
        to_tuple(py, &py.detach(|| raw.clean(Some(&self.template), options)))
    }

    /// What is said about each visible text of a page.
    fn mark(&self, py: Python<'_>, page: &Bound<'_, Page>, options: &Options) -> Vec<VerdictRow> {
        let page = page.get();
        py.detach(|| {
            let (page, explanation) = self.explanation(page, options);
            let (marks, paths) = (&explanation.marks, page.xpaths());
            let row = |id| {
                let why = explanation.why(id).unwrap_or_default().to_owned();
                let value = rounded(marks.value(id));
                (paths.of(id), page.text(id).to_owned(), value, marks.is_template(id), why)
            };
            page.visible_texts().map(row).collect()
        })
    }

    /// What is said about each run of text of a page that was judged as one.
    fn explain(
        &self,
        py: Python<'_>,
        page: &Bound<'_, Page>,
        options: &Options,
    ) -> Vec<VerdictRow> {
        let page = page.get();
        py.detach(|| {
            let (page, explanation) = self.explanation(page, options);
            let paths = page.xpaths();
            let row = |verdict: unmold::Verdict| {
                let (xpath, value) = (paths.of(verdict.nodes.start), rounded(verdict.value));
                let text = page.joined_text(verdict.nodes);
                (xpath, text, value, verdict.is_template, verdict.why)
            };
            explanation.verdicts.into_iter().map(row).collect()
        })
    }
}

/// Four decimal places, as in records.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

impl Template {
    pub fn new(template: Arc<unmold::Template>) -> Template {
        Template { template }
    }

    fn explanation(&self, page: &Page, options: &Options) -> (unmold::Page, Explanation) {
        let page = page.raw().parse(options);
        let explanation = self.template.explain(&page);
        (page, explanation)
    }
}

/// The sections of a page, by a template or by the page alone.
pub fn sections_of(
    page: &Page,
    template: Option<&Template>,
    options: &Options,
    noisy_below: Option<f64>,
) -> Vec<SectionRow> {
    let page = page.raw().parse(options);
    let (marks, lists) = match template {
        Some(template) => template.template.kind_of(&page).0.mark_with_lists(&page),
        None => (Marks::none(&page), lists(&page)),
    };
    let mut settings = Sectioning::default();
    settings.noisy_below = noisy_below.unwrap_or(settings.noisy_below);
    let paths = page.xpaths();
    let row = |section| {
        let found = SectionRecord::new(&page, &paths, &section, &settings);
        (
            found.path,
            found.nodes,
            found.kind,
            found.importance,
            found.noisy,
            found.area_share,
            found.text_share,
            found.link_share,
            found.text,
        )
    };
    sections(&page, &marks, &lists, &Areas::estimate(&page), &settings)
        .into_iter()
        .map(row)
        .collect()
}

/// Templates by site.
#[pyclass(frozen, mapping, module = "unmold._unmold")]
pub struct Templates {
    pub set: TemplateSet,
}

#[pymethods]
impl Templates {
    /// Reads the text of a template file.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &[u8]) -> PyResult<Templates> {
        let set = py.detach(|| TemplateSet::from_json(text));
        set.map(|set| Templates { set }).map_err(|error| unreadable_template(&error))
    }

    /// The templates of single sites together.
    #[staticmethod]
    fn of(templates: Vec<Py<Template>>) -> Templates {
        let mut set = TemplateSet::new();
        templates.iter().for_each(|template| set.insert(Arc::clone(&template.get().template)));
        Templates { set }
    }

    /// The text of a template file.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.set.to_json())
    }

    /// Names of the sites, sorted.
    fn sites(&self) -> Vec<&str> {
        self.set.iter().map(|template| template.site()).collect()
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }

    fn __contains__(&self, site: &str) -> bool {
        self.set.get(site).is_some()
    }

    fn __getitem__(&self, site: &str) -> PyResult<Template> {
        let found = self.set.get(site).ok_or_else(|| PyKeyError::new_err(site.to_owned()));
        found.map(|template| Template::new(Arc::clone(template)))
    }

    /// The record of a page without the template of its site.
    fn strip<'py>(
        &self,
        py: Python<'py>,
        page: &Bound<'py, Page>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let page = page.get().raw();
        to_tuple(py, &py.detach(|| page.clean(self.find(page.site), options)))
    }

    /// The records of the pages of a batch.
    fn strip_batch<'py>(
        &self,
        py: Python<'py>,
        batch: PyRecordBatch,
        options: &Options,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch = batch.into_inner();
        let records = py.detach(|| batch::clean(&batch, options, |site| self.find(site)))?;
        batch::to_python(py, records)
    }
}

impl Templates {
    fn find(&self, site: &str) -> Option<&unmold::Template> {
        self.set.get(site).map(Arc::as_ref)
    }
}
