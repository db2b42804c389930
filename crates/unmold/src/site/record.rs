//! The record of a clean page: defined here once, for JSON, Arrow, Python and Spark alike.

use serde::{Serialize, Serializer};

use super::metadata::Metadata;
use crate::marks::Marks;
use crate::methods::Verdict;
use crate::page::{Flag, XPaths};
use crate::pipeline::PageKind;
use crate::strip::Stripped;

/// A page without its template. Fields are added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct CleanPage {
    /// The name of its template; `None` if its site has none.
    pub template: Option<String>,
    /// What kind of page it is; `None` for methods that do not ask.
    pub kind: Option<PageKind>,
    /// What the page says about itself.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// What is left of the page.
    pub text: String,
    /// What readers commented, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// Share of the page's visible text that is left.
    #[serde(serialize_with = "four_places")]
    pub content_share: f64,
    /// Share of the template that is on the page: when it falls, the site was redesigned.
    #[serde(serialize_with = "four_places_if_any")]
    pub template_match: Option<f64>,
    /// What is unusual about the page.
    pub flags: Vec<Flag>,
    /// Why each block stays or goes, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Vec<Explained>>,
    /// Why the page could not be processed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The id of an earlier page with the same words, if copies were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
}

impl CleanPage {
    /// A page that could not be processed.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> CleanPage {
        CleanPage {
            template: None,
            kind: None,
            metadata: Metadata::default(),
            text: String::new(),
            comments: None,
            content_share: 1.0,
            template_match: None,
            flags: Vec::new(),
            explanation: None,
            error: Some(error.into()),
            duplicate_of: None,
        }
    }
}

/// A clean page with its identity: a line of the command's JSONL, a row of a table.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The page's path in the input folder, its URL, or the id that its input gives it.
    pub id: String,
    /// Its address, if known.
    pub url: Option<String>,
    /// The site it belongs to.
    pub site: String,
    /// What is left of it.
    #[serde(flatten)]
    pub page: CleanPage,
}

/// A block of a page, or a single text for methods that judge texts, and what was decided. Fields
/// are added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Explained {
    /// Where it starts: `/html/body/div[2]/p`, counted on the page as it was parsed.
    pub xpath: String,
    /// Whether it is still there.
    pub stays: bool,
    /// From 0 for content to 1 for template, in thousandths.
    pub template: f64,
    /// The reasons in words: support, place, page.
    pub why: String,
    /// Its first characters.
    pub text: String,
}

/// Characters of a text that an explanation shows.
const SHOWN: usize = 80;

impl Explained {
    pub(super) fn new(
        stripped: &Stripped,
        paths: &XPaths,
        marks: &Marks,
        verdict: Verdict,
    ) -> Explained {
        let (page, id) = (stripped.page(), verdict.nodes.start);
        let element = if page.is_text(id) { page.parent(id).unwrap_or(id) } else { id };
        Explained {
            xpath: paths.of(element),
            stays: stripped.keeps(id),
            template: f64::from((marks.value(id) * 1000.0).round()) / 1000.0,
            why: verdict.why,
            text: page.joined_text(verdict.nodes).chars().take(SHOWN).collect(),
        }
    }
}

/// A column of a table of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Field {
    /// Its name, as in JSON.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldType,
}

/// What a column of a table of records holds. All but texts and numbers that every record has may
/// be null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A list of texts.
    Texts,
}

/// The value of a field of a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// Of [`FieldType::Text`].
    Text(Option<&'a str>),
    /// Of [`FieldType::Number`].
    Number(Option<f64>),
    /// Of [`FieldType::Texts`].
    Texts(Vec<&'a str>),
}

impl Record {
    /// A clean page with its identity.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        url: Option<String>,
        site: impl Into<String>,
        page: CleanPage,
    ) -> Record {
        Record { id: id.into(), url, site: site.into(), page }
    }

    /// The columns of a table of records, in order. Explanations are nested and are in JSON only.
    pub const FIELDS: [Field; 23] = [
        Field { name: "id", kind: FieldType::Text },
        Field { name: "url", kind: FieldType::Text },
        Field { name: "site", kind: FieldType::Text },
        Field { name: "template", kind: FieldType::Text },
        Field { name: "kind", kind: FieldType::Text },
        Field { name: "title", kind: FieldType::Text },
        Field { name: "author", kind: FieldType::Text },
        Field { name: "published", kind: FieldType::Text },
        Field { name: "modified", kind: FieldType::Text },
        Field { name: "site_name", kind: FieldType::Text },
        Field { name: "description", kind: FieldType::Text },
        Field { name: "language", kind: FieldType::Text },
        Field { name: "detected_language", kind: FieldType::Text },
        Field { name: "canonical", kind: FieldType::Text },
        Field { name: "image", kind: FieldType::Text },
        Field { name: "categories", kind: FieldType::Texts },
        Field { name: "text", kind: FieldType::Text },
        Field { name: "comments", kind: FieldType::Text },
        Field { name: "content_share", kind: FieldType::Number },
        Field { name: "template_match", kind: FieldType::Number },
        Field { name: "flags", kind: FieldType::Texts },
        Field { name: "error", kind: FieldType::Text },
        Field { name: "duplicate_of", kind: FieldType::Text },
    ];

    /// The values of [`Record::FIELDS`], rounded as in JSON.
    pub fn values(&self) -> [Value<'_>; Record::FIELDS.len()] {
        let page = &self.page;
        let metadata = &page.metadata;
        [
            Value::Text(Some(&self.id)),
            Value::Text(self.url.as_deref()),
            Value::Text(Some(&self.site)),
            Value::Text(page.template.as_deref()),
            Value::Text(page.kind.map(PageKind::name)),
            Value::Text(metadata.title.as_deref()),
            Value::Text(metadata.author.as_deref()),
            Value::Text(metadata.published.as_deref()),
            Value::Text(metadata.modified.as_deref()),
            Value::Text(metadata.site_name.as_deref()),
            Value::Text(metadata.description.as_deref()),
            Value::Text(metadata.language.as_deref()),
            Value::Text(metadata.detected_language.as_deref()),
            Value::Text(metadata.canonical.as_deref()),
            Value::Text(metadata.image.as_deref()),
            Value::Texts(metadata.categories.iter().map(String::as_str).collect()),
            Value::Text(Some(&page.text)),
            Value::Text(page.comments.as_deref()),
            Value::Number(Some(rounded(page.content_share))),
            Value::Number(page.template_match.map(rounded)),
            Value::Texts(page.flags.iter().map(|flag| flag.name()).collect()),
            Value::Text(page.error.as_deref()),
            Value::Text(page.duplicate_of.as_deref()),
        ]
    }
}

/// Four decimal places: enough for a share, and the same on every machine.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn four_places<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value))
}

fn four_places_if_any<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(rounded).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let page = CleanPage {
            template: Some("s#1".to_owned()),
            kind: Some(PageKind::Article),
            metadata: Metadata {
                title: Some("Tea".to_owned()),
                author: Some("Ann".to_owned()),
                categories: vec!["tea".to_owned()],
                ..Metadata::default()
            },
            text: "All about tea.".to_owned(),
            comments: Some("Too hot.".to_owned()),
            content_share: 1.0 / 3.0,
            template_match: Some(2.0 / 3.0),
            flags: vec![Flag::TooLarge],
            explanation: None,
            error: Some("broken".to_owned()),
            duplicate_of: Some("jam.html".to_owned()),
        };
        Record::new("tea.html", Some("http://s/tea".to_owned()), "s", page)
    }

    #[test]
    fn columns_are_the_fields_of_the_json() {
        let json = serde_json::to_string(&record()).expect("plain data");
        let keys: Vec<String> = Record::FIELDS.iter().map(|f| format!("\"{}\":", f.name)).collect();
        let places: Vec<usize> =
            keys.iter().map(|key| json.find(key.as_str()).expect("a field of the JSON")).collect();
        assert!(places.is_sorted(), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).expect("our own JSON");
        assert_eq!(value.as_object().map(serde_json::Map::len), Some(Record::FIELDS.len()));
    }

    #[test]
    fn values_are_those_of_the_json() {
        let record = record();
        let json = serde_json::to_value(&record).expect("plain data");
        for (field, value) in Record::FIELDS.iter().zip(record.values()) {
            let (expected, kind) = match value {
                Value::Text(text) => (serde_json::json!(text), FieldType::Text),
                Value::Number(number) => (serde_json::json!(number), FieldType::Number),
                Value::Texts(texts) => (serde_json::json!(texts), FieldType::Texts),
            };
            assert_eq!((&json[field.name], field.kind), (&expected, kind), "{}", field.name);
        }
    }
}
