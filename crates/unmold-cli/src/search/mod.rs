//! Pages for search: what is unique to a page in one field, its template in another.

#[cfg(feature = "search")]
mod engine;

#[cfg(feature = "search")]
#[cfg_attr(not(feature = "view"), allow(unused_imports))]
pub use engine::{Engine, Hit, Writer};

use anyhow::Result;
use unmold::{Marks, Page, Stripped, TemplateSet, strip};

use crate::args::InputArgs;
use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::stream::{Messages, for_each_page};

/// One page, taken apart.
pub struct Searchable {
    pub id: String,
    pub url: Option<String>,
    pub site: String,
    pub title: Option<String>,
    /// What is unique to the page.
    pub content: String,
    /// What it shares with others of its site.
    pub template_text: String,
    /// Both, as they stand on the page.
    #[cfg_attr(not(feature = "search"), allow(dead_code))]
    pub whole: String,
    pub content_share: f64,
}

/// Takes all pages of the input apart, in order.
pub fn for_each_searchable(
    input: &Input,
    input_args: &InputArgs,
    templates: &TemplateSet,
    report: &mut Report,
    mut take: impl FnMut(Searchable) -> Result<()>,
) -> Result<()> {
    let watching = report.start("indexing", input);
    let work = |raw: &RawPage| take_apart(raw, input_args, templates);
    for_each_page(input, Messages::Show, report, work, |raw, page, report| match page {
        Some(page) => take(page),
        None => {
            report.failure(&raw.id, "internal error while stripping: please report this page");
            Ok(())
        }
    })?;
    drop(watching);
    Ok(())
}

fn take_apart(raw: &RawPage, input_args: &InputArgs, templates: &TemplateSet) -> Searchable {
    let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
    let template = templates.get(&raw.site);
    let marks = template.map_or_else(|| Marks::none(&page), |template| template.mark(&page));
    let stripped = strip(&page, &marks);
    Searchable {
        id: raw.id.clone(),
        url: raw.url.clone(),
        site: raw.site.clone(),
        title: page.title().map(str::to_owned),
        content: stripped.text(),
        template_text: stripped.template_text(),
        whole: Stripped::untouched(&page).text(),
        content_share: stripped.content_share(),
    }
}
