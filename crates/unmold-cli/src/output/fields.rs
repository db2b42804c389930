//! Chooses and renames the fields of records, for JSON lines and CSV.

use anyhow::{Result, bail};
use serde_json::Value as Json;
use unmold::Record;
use unmold::site::Value;

use super::printable::printable_text;

/// A field of the output: its name there, and its name in the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputField {
    pub name: String,
    pub source: String,
}

/// Reads a list such as `id,body=text`: names of fields, or new names for them.
pub fn parse_fields(list: &str) -> Result<Vec<OutputField>> {
    let mut fields: Vec<OutputField> = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, source) = part.split_once('=').unwrap_or((part, part));
        if !is_known(source) {
            let known: Vec<&str> = Record::FIELDS.iter().map(|field| field.name).collect();
            bail!("no field {source:?}: choose from {}, explanation", known.join(", "));
        }
        if name.is_empty() || fields.iter().any(|field| field.name == name) {
            bail!("the field {name:?} is named twice or not at all in --fields");
        }
        fields.push(OutputField { name: name.to_owned(), source: source.to_owned() });
    }
    if fields.is_empty() {
        bail!("--fields names no field");
    }
    Ok(fields)
}

fn is_known(name: &str) -> bool {
    name == "explanation" || Record::FIELDS.iter().any(|field| field.name == name)
}

/// All fields that a table can have, under their own names.
pub fn all_fields() -> Vec<OutputField> {
    let own = |name: &str| OutputField { name: name.to_owned(), source: name.to_owned() };
    Record::FIELDS.iter().map(|field| own(field.name)).collect()
}

/// A line of JSON with the chosen fields, in their order.
pub fn json_line(record: &Record, fields: &[OutputField]) -> Result<String> {
    let whole = serde_json::to_value(record)?;
    let mut line = String::from("{");
    for (at, field) in fields.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let value = whole.get(&field.source).unwrap_or(&Json::Null);
        line.push_str(&format!("{comma}{}:{value}", serde_json::to_string(&field.name)?));
    }
    line.push_str("}\n");
    Ok(line)
}

/// The first line of a CSV file.
pub fn csv_header(fields: &[OutputField]) -> String {
    let names: Vec<String> = fields.iter().map(|field| quoted(&field.name)).collect();
    format!("{}\n", names.join(","))
}

/// A line of CSV with the chosen fields. Lists are joined by semicolons.
pub fn csv_line(record: &Record, fields: &[OutputField]) -> Result<String> {
    let values = record.values();
    let value = |field: &OutputField| -> Result<String> {
        let known = Record::FIELDS.iter().position(|known| known.name == field.source);
        Ok(match known.map(|at| &values[at]) {
            Some(Value::Text(text)) => quoted(text.unwrap_or_default()),
            Some(Value::Number(number)) => number.map(|n| n.to_string()).unwrap_or_default(),
            Some(Value::Texts(texts)) => quoted(&texts.join("; ")),
            None => match &record.page.explanation {
                Some(explanation) => quoted(&serde_json::to_string(explanation)?),
                None => String::new(),
            },
        })
    };
    let cells = fields.iter().map(value).collect::<Result<Vec<String>>>()?;
    Ok(format!("{}\n", cells.join(",")))
}

/// A cell as in RFC 4180: quoted if it has to be.
fn quoted(text: &str) -> String {
    let text = printable_text(text);
    if !text.contains([',', '"', '\n', '\r']) {
        return text.into_owned();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// What is known about a page as YAML, to stand before its Markdown. JSON strings are YAML strings.
pub fn front_matter(record: &Record) -> Result<String> {
    const FIELDS: [&str; 14] = [
        "id",
        "url",
        "site",
        "title",
        "author",
        "published",
        "modified",
        "site_name",
        "description",
        "language",
        "detected_language",
        "canonical",
        "image",
        "categories",
    ];
    let mut out = String::from("---\n");
    for (field, value) in Record::FIELDS.iter().zip(record.values()) {
        let value = match value {
            Value::Text(Some(text)) => serde_json::to_string(text)?,
            Value::Texts(texts) if !texts.is_empty() => serde_json::to_string(&texts)?,
            _ => continue,
        };
        if FIELDS.contains(&field.name) {
            out.push_str(&format!("{}: {value}\n", field.name));
        }
    }
    out.push_str("---\n\n");
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmold::CleanPage;

    fn record() -> Record {
        let mut page = CleanPage::failed("broken");
        page.metadata.title = Some("Tea, \"green\"".to_owned());
        page.text = "One\nTwo".to_owned();
        page.metadata.categories = vec!["a".to_owned(), "b".to_owned()];
        Record::new("tea.html", None, "s", page)
    }

    #[test]
    fn fields_are_chosen_and_renamed() {
        let fields = parse_fields("id, body=text,url,categories").expect("known fields");
        let expected = "{\"id\":\"tea.html\",\"body\":\"One\\nTwo\",\"url\":null,\"categories\":[\"a\",\"b\"]}\n";
        assert_eq!(json_line(&record(), &fields).expect("plain data"), expected);
        let line = csv_line(&record(), &fields).expect("plain data");
        assert_eq!(
            csv_header(&fields) + &line,
            "id,body,url,categories\ntea.html,\"One\nTwo\",,a; b\n"
        );
        for wrong in ["", "id,id", "nothing", "=text", "id,"] {
            assert_eq!(parse_fields(wrong).is_ok(), wrong == "id,", "{wrong}");
        }
    }

    #[test]
    fn front_matter_has_what_is_known() {
        let expected = "---\nid: \"tea.html\"\nsite: \"s\"\ntitle: \"Tea, \\\"green\\\"\"\ncategories: [\"a\",\"b\"]\n---\n\n";
        assert_eq!(front_matter(&record()).expect("plain data"), expected);
    }
}
