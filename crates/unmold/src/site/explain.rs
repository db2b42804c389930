//! Why does each part of a page stay or go?

use serde::Serialize;

use crate::marks::Marks;
use crate::page::NodeId;
use crate::strip::Stripped;
use crate::template::{Learned, Template};

/// A block of a page, or a text if the method looks at texts one by one, and what was decided.
/// Fields are added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explained {
    /// Where it begins: `/html/body/div[2]/p`, counted on the page as it is read.
    pub xpath: String,
    /// Whether it is still there.
    pub stays: bool,
    /// How sure it is that it is template: 0 to 1, in thousandths.
    pub template: f64,
    /// The reasons, in words: support, place, page.
    pub why: String,
    /// Its beginning.
    pub text: String,
}

/// Characters of a text that are shown.
const BEGINNING: usize = 80;

/// Says for each block that has text why it stays or goes.
pub(super) fn explain(
    template: Option<&Template>,
    marks: &Marks,
    stripped: &Stripped,
) -> Vec<Explained> {
    let page = stripped.page();
    let said = template.map(|template| template.overrides.of_nodes(page));
    let correction = |id: NodeId| said.as_ref().and_then(|said| said[id.index()]);
    let explained = |id: NodeId, why: String, text: &str| Explained {
        xpath: page.xpath(if page.is_text(id) { page.parent(id).unwrap_or(id) } else { id }),
        stays: stripped.keeps(id),
        template: f64::from((marks.value(id) * 1000.0).round()) / 1000.0,
        why: correction(id)
            .map_or(why, |one| format!("somebody said so (override {})", one.serial)),
        text: text.chars().take(BEGINNING).collect(),
    };
    match template {
        Some(Template { learned: Learned::Auto(auto), .. }) => auto
            .explain(page)
            .into_iter()
            .map(|verdict| {
                let text = page.joined_text(verdict.nodes.clone());
                explained(verdict.nodes.start, verdict.reasons, &text)
            })
            .collect(),
        _ => page
            .visible_texts()
            .map(|id| explained(id, why(template, marks, id), page.text(id)))
            .collect(),
    }
}

fn why(template: Option<&Template>, marks: &Marks, id: NodeId) -> String {
    match (template, marks.source(id)) {
        (None, _) => "the site has no template".to_owned(),
        (Some(template), Some(source)) => template.describe(source),
        (Some(_), None) => "nothing in the template says this".to_owned(),
    }
}
