//! What is said about a section where it is reported.

use serde::Serialize;

use super::{Section, Sectioning};
use crate::page::Page;

/// Characters of a section's text that are shown.
const FIRST_LINE: usize = 80;

/// A section as it is reported. Fields are added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SectionRecord {
    /// Path of the first node, as `/html/body/div[2]/ul/li[1]`.
    pub path: String,
    /// Number of siblings it is made of.
    pub nodes: usize,
    /// What it is.
    pub kind: &'static str,
    /// From 0 = template throughout to 1 = content by all signs.
    pub importance: f64,
    /// Whether it is less important than noise may be.
    pub noisy: bool,
    /// Share of the page's area.
    pub area_share: f64,
    /// Share of the characters of the page's text.
    pub text_share: f64,
    /// Share of the section's characters that stand in links.
    pub link_share: f64,
    /// The beginning of its text.
    pub text: String,
}

impl SectionRecord {
    /// What is reported of a section of `page`.
    pub fn new(page: &Page, section: &Section, settings: &Sectioning) -> SectionRecord {
        let places = |value: f64| (value * 1e4).round() / 1e4;
        SectionRecord {
            path: page.xpath(section.nodes[0]),
            nodes: section.nodes.len(),
            kind: section.kind.name(),
            importance: places(section.importance),
            noisy: section.importance < settings.noisy_below,
            area_share: places(section.area_share),
            text_share: places(section.text_share),
            link_share: places(section.link_share),
            text: first_line(page, section),
        }
    }
}

/// The beginning of a section's text.
pub fn first_line(page: &Page, section: &Section) -> String {
    let mut line = String::new();
    for id in section.texts(page) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(page.text(id));
        if line.len() > 4 * FIRST_LINE {
            break;
        }
    }
    match line.char_indices().nth(FIRST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
