//! The template of one site, and those of many.

use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3_arrow::PyRecordBatch;
use unmold::sections::{Areas, SectionRecord, Sectioning, lists, sections};
use unmold::teach::{Budget, Label};
use unmold::{Explanation, Marks, TemplateSet};

use crate::batch;
use crate::error::{unreadable_template, value_error};
use crate::options::Options;
use crate::page::{Page, Raw};
use crate::record::to_tuple;
use crate::tables::{Columns, KindRow, KindTable, rows_of, rows_of_batch, tables_of};

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

    /// The template with what labels say, lines of JSON, and what became of them, as JSON.
    fn teach(
        &self,
        py: Python<'_>,
        pages: Vec<Py<Page>>,
        labels: Vec<String>,
        options: &Options,
    ) -> PyResult<(Template, String)> {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        let labels: Vec<Label> = labels.iter().map(|line| label(line)).collect::<PyResult<_>>()?;
        py.detach(|| {
            let parsed: Vec<(Raw, unmold::Page)> =
                pages.iter().map(|page| (page.raw(), page.raw().parse(options))).collect();
            let mut labelled: Vec<(&unmold::Page, &Label)> = Vec::new();
            for label in &labels {
                let is_page = |(raw, _): &&(Raw, unmold::Page)| label_is_of(label, raw);
                match parsed.iter().find(is_page) {
                    Some((_, page)) => labelled.push((page, label)),
                    None => {
                        let id = &label.id;
                        return Err(value_error(format!("label of {id:?}: no page has this id")));
                    }
                }
            }
            let siblings: Vec<&unmold::Page> = parsed.iter().map(|(_, page)| page).collect();
            let mut template = unmold::Template::clone(&self.template);
            let report = template.teach(&labelled, &siblings);
            let report = serde_json::to_string(&report).unwrap_or_default();
            Ok((Template::new(Arc::new(template)), report))
        })
    }

    /// The pages that tell most when they are labelled, lines of JSON.
    fn questions(
        &self,
        py: Python<'_>,
        pages: Vec<Py<Page>>,
        options: &Options,
        per_kind: usize,
    ) -> Vec<String> {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        py.detach(|| {
            let parsed: Vec<(&str, unmold::Page)> =
                pages.iter().map(|page| (page.raw().id, page.raw().parse(options))).collect();
            let pages: Vec<(&str, &unmold::Page)> =
                parsed.iter().map(|(id, page)| (*id, page)).collect();
            let questions = self.template.questions(&pages, Budget { of_kind: per_kind });
            questions.iter().filter_map(|question| serde_json::to_string(question).ok()).collect()
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

/// A label as Python gives it.
fn label(line: &str) -> PyResult<Label> {
    serde_json::from_str(line).map_err(|error| value_error(format!("label {line}: {error}")))
}

fn label_is_of(label: &Label, page: &Raw) -> bool {
    (label.id == page.id || page.url == Some(label.id.as_str()))
        && label.site.as_deref().is_none_or(|site| site == page.site)
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

    /// The same with the corrections in the text of an older template file, of any model.
    fn with_corrections_in(&self, py: Python<'_>, text: &[u8]) -> PyResult<Templates> {
        let older = py.detach(|| TemplateSet::from_json_of_any_model(text));
        let older = older.map_err(|error| unreadable_template(&error))?;
        Ok(py.detach(|| Templates { set: self.set.clone().with_overrides_of(&older) }))
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

    /// The kinds of page that have a table.
    fn tables(&self, columns: &Columns) -> Vec<KindTable> {
        tables_of(&self.set, columns)
    }

    /// The kind and the row of each page.
    fn rows(
        &self,
        py: Python<'_>,
        pages: Vec<Py<Page>>,
        options: &Options,
        columns: &Columns,
    ) -> Vec<KindRow> {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        py.detach(|| rows_of(&self.set, &pages, options, columns))
    }

    /// The same for the pages of a batch.
    fn rows_of_batch(
        &self,
        py: Python<'_>,
        batch: PyRecordBatch,
        options: &Options,
        columns: &Columns,
    ) -> PyResult<Vec<KindRow>> {
        let batch = batch.into_inner();
        py.detach(|| rows_of_batch(&self.set, &batch, options, columns))
    }
}

impl Templates {
    fn find(&self, site: &str) -> Option<&unmold::Template> {
        self.set.get(site).map(Arc::as_ref)
    }
}
