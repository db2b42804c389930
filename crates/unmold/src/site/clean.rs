//! What is a page once its template is gone, and what is to be said about it?

use super::explain::{Explained, explain};
use crate::marks::Marks;
use crate::page::{FallbackReason, Flag, Page};
use crate::sections::{Areas, Sectioning, cut, mark_with_lists, sections};
use crate::strip::{Stripped, strip};
use crate::template::{Template, TemplateSet};

/// How a clean page is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Form {
    /// Plain text.
    #[default]
    Text,
    /// CommonMark with tables.
    Markdown,
    /// A complete document.
    Html,
}

/// How pages are cleaned.
#[derive(Clone, Default, Debug)]
pub struct Cleaning {
    /// How the page is written.
    pub form: Form,
    /// Take away whole sections less important than this instead of single texts.
    pub least_importance: Option<f64>,
    /// Say why each block stays or goes.
    pub explain: bool,
}

/// A page without its template.
#[derive(Clone, PartialEq, Debug)]
pub struct CleanPage {
    /// Name of its template, if there is one.
    pub template: Option<String>,
    /// The text of the `title` element.
    pub title: Option<String>,
    /// What is left of the page.
    pub text: String,
    /// Share of the page's visible text that is left.
    pub content_share: f64,
    /// Share of the template found on the page.
    pub template_match: Option<f64>,
    /// What is unusual about the page.
    pub flags: Vec<Flag>,
    /// Why each block stays or goes, if that was asked for.
    pub explanation: Option<Vec<Explained>>,
    /// Why the page could not be read at all.
    pub error: Option<&'static str>,
    /// Why the page was read by html5ever, if it was.
    pub fallback: Option<FallbackReason>,
}

/// Finds the template of a page of `site` and strips it.
pub fn clean_page(
    templates: &TemplateSet,
    site: &str,
    page: &Page,
    cleaning: &Cleaning,
) -> CleanPage {
    let found = templates.for_page(site, page);
    let template = found.map(|(template, _)| template);
    let marks = match (template, cleaning.least_importance) {
        (None, _) => Marks::none(page),
        (Some(template), None) => template.mark(page),
        (Some(template), Some(least)) => cut_by_importance(page, template, least),
    };
    let stripped = strip(page, &marks);
    let flags = flags(&stripped, found);
    CleanPage {
        template: template.map(|template| template.name.clone()),
        title: page.title().map(str::to_owned),
        text: match cleaning.form {
            Form::Text => stripped.text(),
            Form::Markdown => stripped.markdown(),
            Form::Html => stripped.html(),
        },
        content_share: stripped.content_share(),
        template_match: template.map(|_| f64::from(marks.template_match())),
        explanation: cleaning.explain.then(|| explain(template, &marks, &stripped)),
        error: page.flags().contains(&Flag::Binary).then_some("not a text file"),
        fallback: page.fallback(),
        flags,
    }
}

/// A page with what its template says about each node, before anything is taken away.
#[derive(Clone, Debug)]
pub struct Judged<'a> {
    /// Its template, if there is one.
    pub template: Option<&'a Template>,
    /// What the template says.
    pub marks: Marks,
    /// What is unusual about the page.
    pub flags: Vec<Flag>,
    /// Share of the page's visible text that would be left.
    pub content_share: f64,
}

/// Finds the template of a page of `site` and marks the page: [`clean_page`] for those who want to
/// see why.
pub fn judge_page<'a>(templates: &'a TemplateSet, site: &str, page: &Page) -> Judged<'a> {
    let found = templates.for_page(site, page);
    let template = found.map(|(template, _)| template);
    let marks = template.map_or_else(|| Marks::none(page), |template| template.mark(page));
    let stripped = strip(page, &marks);
    let (flags, content_share) = (flags(&stripped, found), stripped.content_share());
    Judged { template, marks, flags, content_share }
}

/// What is unusual about a page, given its template and whether it fits.
fn flags(stripped: &Stripped, found: Option<(&Template, bool)>) -> Vec<Flag> {
    let page = stripped.page();
    let mut flags = page.flags().to_vec();
    match found.map(|(template, _)| template) {
        None => flags.push(Flag::NoTemplate),
        Some(template) if template.learned.pages() < 2 => flags.push(Flag::SinglePage),
        Some(_) if stripped.texts().next().is_none() && page.visible_texts().next().is_some() => {
            flags.push(Flag::AllTemplate);
        }
        Some(_) => {}
    }
    if found.is_some_and(|(_, fits)| !fits) {
        flags.push(Flag::Unclustered);
    }
    flags
}

/// Marks that take away whole sections.
fn cut_by_importance(page: &Page, template: &Template, least: f64) -> Marks {
    let (mut marks, lists) = mark_with_lists(page, &template.learned);
    template.overrides.apply(page, &mut marks);
    let found = sections(page, &marks, &lists, &Areas::estimate(page), &Sectioning::default());
    cut(page, &marks, &found, least)
}
