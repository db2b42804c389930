//! JSON-LD in the vocabulary of schema.org.

use serde_json::Value;

use super::{Metadata, clean, date, is_address};

/// Objects inside objects are read up to this number: pages repeat whole catalogues.
const MAX_OBJECTS: usize = 256;

/// What the blocks say about the page.
pub(super) fn read(blocks: &[String]) -> Metadata {
    let values: Vec<Value> =
        blocks.iter().filter_map(|block| serde_json::from_str(block).ok()).collect();
    let objects = objects(&values);
    let mut found = Metadata::default();
    let article = objects.iter().find(|object| is_a(object, is_article)).copied();
    let page = objects.iter().find(|object| is_a(object, |kind| kind.ends_with("Page"))).copied();
    for object in article.into_iter().chain(page) {
        found.title = found.title.or_else(|| {
            let name = is_a(object, |kind| !kind.ends_with("Page")).then_some("name");
            ["headline"].into_iter().chain(name).find_map(|key| text(&object[key]))
        });
        found.author = found.author.or_else(|| names(&object["author"], &objects));
        found.published =
            found.published.or_else(|| date_in(object, &["datePublished", "uploadDate"]));
        found.modified = found.modified.or_else(|| date_in(object, &["dateModified"]));
        found.description = found.description.or_else(|| text(&object["description"]));
        found.language = found.language.or_else(|| text(&object["inLanguage"]));
        found.image = found.image.or_else(|| address(&object["image"], &objects));
        for key in ["articleSection", "keywords"] {
            found.categories.extend(texts(&object[key]));
        }
    }
    let site = objects.iter().find(|object| is_a(object, |kind| kind == "WebSite"));
    found.site_name = site
        .and_then(|site| text(&site["name"]))
        .or_else(|| article.and_then(|article| names(&article["publisher"], &objects)));
    found
}

fn is_article(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting")
        || matches!(
            kind,
            "Report" | "Recipe" | "Product" | "VideoObject" | "Book" | "Event" | "HowTo"
        )
}

fn is_a(object: &Value, is_kind: impl Fn(&str) -> bool) -> bool {
    match &object["@type"] {
        Value::String(kind) => is_kind(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is_kind),
        _ => false,
    }
}

/// All objects at the top, in lists and in `@graph`, without those inside others.
fn objects(values: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list.iter().rev().take(MAX_OBJECTS)),
            Value::Object(_) if found.len() < MAX_OBJECTS => {
                found.push(value);
                open.extend(value.get("@graph").into_iter().chain(value.get("mainEntity")));
            }
            _ => {}
        }
    }
    found
}

/// The object that a reference by `@id` means.
fn resolved<'a>(value: &'a Value, objects: &[&'a Value]) -> &'a Value {
    match value {
        Value::Object(fields) if fields.len() == 1 => {
            let target = fields.get("@id").filter(|id| id.is_string());
            let found =
                objects.iter().find(|object| target.is_some() && object.get("@id") == target);
            found.copied().unwrap_or(value)
        }
        _ => value,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => clean(text),
        Value::Array(list) => list.iter().find_map(text),
        Value::Object(_) => value.get("name").and_then(text),
        _ => None,
    }
}

/// Texts of a list, or of one text with commas.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text.split(',').filter_map(clean).collect(),
        Value::Array(list) => list.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

/// Names of persons and organisations.
fn names(value: &Value, objects: &[&Value]) -> Option<String> {
    let one = |value: &Value| text(resolved(value, objects)).filter(|name| !is_address(name));
    let names: Vec<String> = match value {
        Value::Array(list) => list.iter().filter_map(one).collect(),
        value => one(value).into_iter().collect(),
    };
    (!names.is_empty()).then(|| names.join(", "))
}

fn date_in(object: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|&key| date::iso(&text(&object[key])?))
}

fn address(value: &Value, objects: &[&Value]) -> Option<String> {
    match resolved(value, objects) {
        Value::String(address) => clean(address),
        Value::Array(list) => list.iter().find_map(|value| address(value, objects)),
        object => object.get("url").or_else(|| object.get("contentUrl")).and_then(text),
    }
}
