//! Splits pages into content and template text.

use anyhow::Result;
use unmold::{Marks, Stripped, TemplateSet, strip};

use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};

/// A page, split into content and template.
pub struct Searchable {
    pub id: String,
    pub url: Option<String>,
    pub site: String,
    pub title: Option<String>,
    /// Text that is unique to the page.
    pub content: String,
    /// Text that the page shares with others of its site.
    pub template_text: String,
    /// The whole text of the page in its original order.
    #[cfg_attr(not(feature = "search"), allow(dead_code))]
    pub whole: String,
    pub content_share: f64,
}

/// Splits all pages of the input and passes them to `take` in input order.
pub fn for_each_searchable(
    input: &Input,
    read: &ReadOptions,
    templates: &TemplateSet,
    report: &mut Report,
    mut take: impl FnMut(Searchable) -> Result<()>,
) -> Result<()> {
    let _progress = report.start("indexing", input);
    let work = |raw: &RawPage| split(raw, read, templates);
    for_each_page(input, Messages::Show, report, work, |raw, page, report| match page {
        Some(page) => {
            report.wrote(1);
            take(page)
        }
        None => {
            report.failure(&raw.id, "internal error while stripping: please report this page");
            Ok(())
        }
    })
}

fn split(raw: &RawPage, read: &ReadOptions, templates: &TemplateSet) -> Searchable {
    let page = read.parse(raw);
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
