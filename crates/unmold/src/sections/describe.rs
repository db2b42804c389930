//! Describes a section for reports.

use serde::Serialize;

use super::section::Section;
use super::settings::Sectioning;
use crate::page::{Page, XPaths};

/// Number of characters of a section's text that are shown.
const MAX_FIRST_LINE: usize = 80;

/// A section as reported. Fields may be added but are never renamed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SectionRecord {
    /// Path of the first node, like `/html/body/div[2]/ul/li[1]`.
    pub path: String,
    /// Number of siblings in the section.
    pub nodes: usize,
    /// The kind of section.
    pub kind: &'static str,
    /// From 0 (all template) to 1 (all content).
    pub importance: f64,
    /// Whether the importance is below [`Sectioning::noisy_below`].
    pub noisy: bool,
    /// Share of the page's area.
    pub area_share: f64,
    /// Share of the characters of the page's text.
    pub text_share: f64,
    /// Share of the section's characters in links.
    pub link_share: f64,
    /// The beginning of its text.
    pub text: String,
}

impl SectionRecord {
    /// Builds the record of a section of `page`; `paths` are those of the page.
    #[must_use]
    pub fn new(
        page: &Page,
        paths: &XPaths,
        section: &Section,
        settings: &Sectioning,
    ) -> SectionRecord {
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        SectionRecord {
            path: paths.of(section.nodes[0]),
            nodes: section.nodes.len(),
            kind: section.kind.name(),
            importance: rounded(section.importance),
            noisy: section.importance < settings.noisy_below,
            area_share: rounded(section.area_share),
            text_share: rounded(section.text_share),
            link_share: rounded(section.link_share),
            text: first_line(page, section),
        }
    }
}

/// The beginning of a section's text.
#[must_use]
pub fn first_line(page: &Page, section: &Section) -> String {
    let mut line = String::new();
    for id in section.texts(page) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(page.text(id));
        if line.len() > 4 * MAX_FIRST_LINE {
            break;
        }
    }
    match line.char_indices().nth(MAX_FIRST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
