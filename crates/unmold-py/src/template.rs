//! What was learned: the template of one site, and those of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::sections::{Areas, SectionRecord, Sectioning, lists, mark_with_lists, sections};
use unmold::{Marks, TemplateSet};

use crate::batch;
use crate::options::Options;
use crate::page::{Page, Raw, RowTuple, four_places};

/// The template of one site; several if its pages fall into clusters.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Template {
    #[pyo3(get)]
    site: String,
    set: Arc<TemplateSet>,
}

/// Path, text, value, whether it is template, and why.
type MarkRow = (String, String, f64, bool, Option<String>);

/// Path, nodes, kind, importance, noisy, shares of area, text and links, and the beginning of the
/// text.
pub type SectionRow = (String, usize, &'static str, f64, bool, f64, f64, f64, String);

#[pymethods]
impl Template {
    /// Names of the template, or of those of its clusters.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.set.templates().iter().map(|template| template.name.as_str()).collect()
    }

    /// Pages it was learned from.
    #[getter]
    fn pages(&self) -> u32 {
        self.set.templates().iter().map(|template| template.learned.pages()).sum()
    }

    /// The template's own text.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        let texts = || self.set.templates().iter().map(|template| template.learned.text());
        py.detach(|| texts().collect::<Vec<_>>().join("\n"))
    }

    /// As a template file of this site alone.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.set.to_json())
    }

    /// A page without its template.
    fn strip(&self, py: Python<'_>, page: &Bound<'_, Page>, options: &Options) -> RowTuple {
        let page = page.get();
        // The template is given, so the page is of its site whatever its URL says.
        py.detach(|| Raw { site: &self.site, ..page.raw() }.clean(Some(&self.set), options))
            .into_tuple()
    }

    /// What the template says of each visible text of a page.
    fn mark(&self, py: Python<'_>, page: &Bound<'_, Page>, options: &Options) -> Vec<MarkRow> {
        let page = page.get();
        py.detach(|| {
            let page = page.raw().parse(options);
            let Some((template, _)) = self.set.for_page(&self.site, &page) else {
                return Vec::new();
            };
            let marks = template.mark(&page);
            let row = |id| {
                let why = marks.source(id).map(|source| template.describe(source));
                let value = four_places(f64::from(marks.value(id)));
                (page.xpath(id), page.text(id).to_owned(), value, marks.is_template(id), why)
            };
            page.visible_texts().map(row).collect()
        })
    }
}

impl Template {
    pub fn new(site: &str, set: Arc<TemplateSet>) -> Template {
        Template { site: site.to_owned(), set }
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
    let (marks, lists) = match template.and_then(|template| template.set.for_site(&template.site)) {
        Some(template) => mark_with_lists(&page, &template.learned),
        None => (Marks::none(&page), lists(&page)),
    };
    let mut settings = Sectioning::default();
    settings.noisy_below = noisy_below.unwrap_or(settings.noisy_below);
    let row = |section| {
        let found = SectionRecord::new(&page, &section, &settings);
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

/// The templates of a run by site.
#[pyclass(frozen, mapping, module = "unmold._unmold")]
pub struct Templates {
    sites: BTreeMap<String, Arc<TemplateSet>>,
}

#[pymethods]
impl Templates {
    /// Reads a template file's text.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &[u8]) -> PyResult<Templates> {
        let set = py.detach(|| TemplateSet::from_json(text));
        let set = set.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Templates::new(set.by_site()))
    }

    /// Of the templates of single sites.
    #[staticmethod]
    fn of(templates: Vec<Py<Template>>) -> Templates {
        let entry = |template: &Template| (template.site.clone(), Arc::clone(&template.set));
        Templates { sites: templates.iter().map(|template| entry(template.get())).collect() }
    }

    /// A template file's text.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.union().to_json())
    }

    /// Names of the sites, sorted.
    fn sites(&self) -> Vec<&str> {
        self.sites.keys().map(String::as_str).collect()
    }

    fn __len__(&self) -> usize {
        self.sites.len()
    }

    fn __contains__(&self, site: &str) -> bool {
        self.sites.contains_key(site)
    }

    fn __getitem__(&self, site: &str) -> PyResult<Template> {
        match self.sites.get(site) {
            Some(set) => Ok(Template::new(site, Arc::clone(set))),
            None => Err(PyKeyError::new_err(site.to_owned())),
        }
    }

    /// A page without the template of its site.
    fn strip(&self, py: Python<'_>, page: &Bound<'_, Page>, options: &Options) -> RowTuple {
        let page = page.get();
        py.detach(|| page.raw().clean(self.find(page.raw().site), options)).into_tuple()
    }

    /// The pages of a batch without the templates of their sites, as a batch of records.
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
    pub fn new(sets: impl IntoIterator<Item = (String, TemplateSet)>) -> Templates {
        Templates { sites: sets.into_iter().map(|(site, set)| (site, Arc::new(set))).collect() }
    }

    pub fn union(&self) -> TemplateSet {
        TemplateSet::union(self.sites.values().map(|set| (**set).clone()))
    }

    fn find(&self, site: &str) -> Option<&TemplateSet> {
        self.sites.get(site).map(Arc::as_ref)
    }
}
