//! A page without its template.

use super::language;
use super::metadata::Metadata;
use super::record::{CleanPage, Explained};
use crate::marks::Marks;
use crate::methods::{Explanation, Verdict};
use crate::page::{Flag, NodeId, Page};
use crate::sections::{Areas, Sectioning, cut, sections};
use crate::strip::{Stripped, WriteOptions, strip};
use crate::template::{KindTemplate, Template};

/// How the text of a clean page is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TextFormat {
    /// Plain text to process: one line per block.
    #[default]
    Text,
    /// Plain text to read: paragraphs apart, bullets and numbers before the items of lists.
    Plain,
    /// CommonMark with tables.
    Markdown,
    /// A complete HTML document.
    Html,
}

/// What happens to the comments of readers below an article.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Comments {
    /// They are part of the text, as far as they are main content.
    #[default]
    Keep,
    /// They are left out.
    Drop,
    /// They are the field `comments` of the record.
    Separate,
}

/// How pages are cleaned.
#[derive(Clone, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct CleanOptions {
    /// How the text is written.
    pub format: TextFormat,
    /// Remove whole sections less important than this instead of single texts.
    pub min_importance: Option<f64>,
    /// How pages are cut into these sections.
    pub sectioning: Sectioning,
    /// Say why each block stays or goes.
    pub explain: bool,
    /// How links and images are written, as Markdown and HTML.
    pub write: WriteOptions,
    /// What happens to comments.
    pub comments: Comments,
}

impl CleanOptions {
    /// Sets [`CleanOptions::format`].
    #[must_use]
    pub fn with_format(self, format: TextFormat) -> CleanOptions {
        CleanOptions { format, ..self }
    }

    /// Sets [`CleanOptions::min_importance`].
    #[must_use]
    pub fn with_min_importance(self, min_importance: Option<f64>) -> CleanOptions {
        CleanOptions { min_importance, ..self }
    }

    /// Sets [`CleanOptions::write`].
    #[must_use]
    pub fn with_write(self, write: WriteOptions) -> CleanOptions {
        CleanOptions { write, ..self }
    }

    /// Sets [`CleanOptions::comments`].
    #[must_use]
    pub fn with_comments(self, comments: Comments) -> CleanOptions {
        CleanOptions { comments, ..self }
    }

    /// Sets [`CleanOptions::sectioning`].
    #[must_use]
    pub fn with_sectioning(self, sectioning: Sectioning) -> CleanOptions {
        CleanOptions { sectioning, ..self }
    }

    /// Sets [`CleanOptions::explain`].
    #[must_use]
    pub fn with_explain(self, explain: bool) -> CleanOptions {
        CleanOptions { explain, ..self }
    }
}

impl Template {
    /// The page without the template, as plain text.
    pub fn clean(&self, page: &Page) -> CleanPage {
        self.clean_with(page, &CleanOptions::default())
    }

    /// The page without the template.
    pub fn clean_with(&self, page: &Page, options: &CleanOptions) -> CleanPage {
        clean_page(Some(self), page, options)
    }

    /// Marks the nodes of the page that are template.
    pub fn mark(&self, page: &Page) -> Marks {
        self.kind_of(page).0.mark(page)
    }

    /// Marks the page, and says why each text is content or template.
    pub fn explain(&self, page: &Page) -> Explanation {
        self.kind_of(page).0.explain(page)
    }
}

/// The page without its template; whole, and flagged, if its site has none.
pub fn clean_page(template: Option<&Template>, page: &Page, options: &CleanOptions) -> CleanPage {
    let found = template.map(|template| template.kind_of(page));
    let kind = found.map(|(kind, _)| kind);
    let (marks, verdicts) = judge(kind, page, options);
    let stripped = match kind {
        Some(_) => strip(page, &marks).without_furniture(),
        None => strip(page, &marks),
    };
    let (stripped, comments) = match options.comments {
        Comments::Keep => (stripped, None),
        Comments::Drop => match stripped.without_comments() {
            Some((text, _)) => (text, None),
            None => (stripped, None),
        },
        Comments::Separate => match stripped.without_comments() {
            Some((text, comments)) => (text, Some(write(&comments, options))),
            None => (stripped, None),
        },
    };
    let lines = stripped.text();
    let language = language::detect(&lines).map(str::to_owned);
    let explained = |verdicts: Vec<Verdict>| {
        let paths = page.xpaths();
        let explain = |verdict| Explained::new(&stripped, &paths, &marks, verdict);
        verdicts.into_iter().map(explain).collect()
    };
    CleanPage {
        template: kind.map(|kind| kind.name().to_owned()),
        kind: marks.page_kind(),
        metadata: Metadata {
            detected_language: language,
            ..Metadata::with_places(page, kind.map(KindTemplate::metadata))
        },
        text: if options.format == TextFormat::Text { lines } else { write(&stripped, options) },
        comments,
        content_share: stripped.content_share(),
        template_match: kind.map(|_| f64::from(marks.template_match())),
        flags: flags(&stripped, &marks, template, found),
        explanation: verdicts.map(explained),
        error: page.flags().contains(&Flag::Binary).then(|| "not a text file".to_owned()),
        duplicate_of: None,
    }
}

/// What is left of a page, in the chosen format.
fn write(stripped: &Stripped, options: &CleanOptions) -> String {
    match options.format {
        TextFormat::Text => stripped.text(),
        TextFormat::Plain => stripped.plain(),
        TextFormat::Markdown => stripped.markdown_with(options.write),
        TextFormat::Html => stripped.html_with(options.write),
    }
}

/// Marks a page, with reasons if they were asked for.
fn judge(
    kind: Option<&KindTemplate>,
    page: &Page,
    options: &CleanOptions,
) -> (Marks, Option<Vec<Verdict>>) {
    let Some(kind) = kind else {
        let explanation = options.explain.then(|| Explanation::without_template(page));
        return (Marks::none(page), explanation.map(|explanation| explanation.verdicts));
    };
    let explanation = options.explain.then(|| kind.explain(page));
    let marks = match (options.min_importance, &explanation) {
        (Some(min), _) => by_importance(page, kind, min, &options.sectioning),
        (None, Some(explanation)) => explanation.marks.clone(),
        (None, None) => kind.mark(page),
    };
    (marks, explanation.map(|explanation| explanation.verdicts))
}

/// Marks that remove whole sections.
fn by_importance(page: &Page, kind: &KindTemplate, min: f64, sectioning: &Sectioning) -> Marks {
    let (marks, lists) = kind.mark_with_lists(page);
    let found = sections(page, &marks, &lists, &Areas::estimate(page), sectioning);
    cut(page, &marks, &found, min)
}

/// Whether next to nothing is left of a page with much text.
fn is_nearly_empty(stripped: &Stripped) -> bool {
    let page = stripped.page();
    let length = |ids: &mut dyn Iterator<Item = NodeId>| -> usize {
        ids.map(|id| page.text(id).chars().count()).sum()
    };
    let left = length(&mut stripped.texts());
    left <= NEARLY_EMPTY && length(&mut page.visible_texts()) >= MUCH_MORE * left.max(10)
}

/// As much text as a line or two, in characters, of a page with so many times more.
const NEARLY_EMPTY: usize = 100;
const MUCH_MORE: usize = 20;

/// What is unusual about a page, given its kind and whether it fits.
fn flags(
    stripped: &Stripped,
    marks: &Marks,
    template: Option<&Template>,
    found: Option<(&KindTemplate, bool)>,
) -> Vec<Flag> {
    let page = stripped.page();
    let mut flags = page.flags().to_vec();
    match found {
        None => flags.push(Flag::NoTemplate),
        Some((kind, _)) if kind.learned().pages() < 2 => flags.push(Flag::SinglePage),
        Some(_) if stripped.texts().next().is_none() && page.visible_texts().next().is_some() => {
            flags.push(Flag::AllTemplate);
        }
        Some(_) if is_nearly_empty(stripped) => flags.push(Flag::NearlyEmpty),
        Some(_) => {}
    }
    if found.is_some_and(|(_, fits)| !fits) {
        flags.push(Flag::Unclustered);
    }
    if template.is_some_and(|template| template.pages_over_budget() > 0) {
        flags.push(Flag::OverBudget);
    }
    if marks.label_coverage() == Some(0.0) {
        flags.push(Flag::Unlabelled);
    }
    flags
}
