//! Where a column is: its id, and expressions for other tools.

use xxhash_rust::xxh3::xxh3_64;

use super::columns::label_of;
use super::role::{How, Place};
use super::sample::{Pages, TEXT};
use super::tree::{Step, Tree};
use super::view::{is_marked, marks_of, tag_of};

/// The id of a slot: a hash of what is least likely to change: the last label and what is below it,
/// or the last marked element; told apart by the label above.
pub(super) fn id_of(pages: &Pages, tree: &Tree, step: u32) -> String {
    let steps: Vec<&Step> = tree.steps_up(step).collect();
    let key = |step: &Step| pages.keys.get(step.family);
    let labelled = steps.iter().position(|step| label_of(step).is_some());
    let marked = || steps.iter().position(|step| step.family != TEXT && is_marked(key(step)));
    let anchor = labelled.or_else(marked).unwrap_or(steps.len() - 1);
    let mut text = String::new();
    for step in &steps[..=anchor] {
        text.push_str(tag_of(key(step)));
        for mark in marks_of(key(step)) {
            text.push('.');
            text.push_str(mark);
        }
        if let Some(label) = label_of(step) {
            text.push('=');
            text.push_str(pages.texts.get(label));
        }
        if let Place::At(position) = step.role.place {
            text.push_str(&format!("[{position}]"));
        }
        text.push('/');
    }
    if let Some(label) = steps[anchor + 1..].iter().find_map(|step| label_of(step)) {
        text.push_str(pages.texts.get(label));
    }
    format!("{:08x}", xxh3_64(text.as_bytes()) as u32)
}

/// The steps from the nearest element with an id down.
fn from_id<'t>(pages: &Pages, tree: &'t Tree, step: u32) -> (Vec<&'t Step>, bool) {
    let mut steps: Vec<&Step> = Vec::new();
    for step in tree.steps_up(step) {
        steps.push(step);
        if pages.keys.get(step.family).contains('#') && step.family != TEXT {
            steps.reverse();
            return (steps, true);
        }
    }
    steps.reverse();
    (steps, false)
}

/// An XPath expression for the texts of a slot.
pub(super) fn xpath(pages: &Pages, tree: &Tree, step: u32) -> String {
    let (steps, has_id) = from_id(pages, tree, step);
    let mut path = if has_id { "/".to_owned() } else { "/html".to_owned() };
    for step in steps {
        path.push('/');
        if step.family == TEXT {
            path.push_str("text()");
        } else {
            push_element(pages.keys.get(step.family), &mut path);
        }
        match step.role.how {
            How::Has(label) if step.family != TEXT => {
                let label = quoted(pages.texts.get(label));
                path.push_str(&format!("[.//text()[normalize-space()={label}]]"));
            }
            How::After(Some(label)) => {
                let label = quoted(pages.texts.get(label));
                path.push_str(&format!("[preceding-sibling::node()[normalize-space()={label}]]"));
            }
            _ => {}
        }
        if let Place::At(position) = step.role.place {
            path.push_str(&format!("[{}]", position + 1));
        }
    }
    path
}

fn push_element(key: &str, path: &mut String) {
    path.push_str(tag_of(key));
    let Some(start) = key.find(['.', '#']).filter(|&start| start > 0) else { return };
    let (classes, id) = match key[start..].split_once('#') {
        Some((classes, id)) => (classes, Some(id)),
        None => (&key[start..], None),
    };
    if let Some(id) = id {
        path.push_str(&format!("[@id={}]", quoted(id)));
        return;
    }
    for class in classes.split('.').filter(|class| !class.is_empty()) {
        let class = quoted(&format!(" {class} "));
        path.push_str(&format!("[contains(concat(' ',@class,' '),{class})]"));
    }
}

/// A string literal of XPath 1.0, which has no escapes.
fn quoted(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    if !text.contains('"') {
        return format!("\"{text}\"");
    }
    let parts: Vec<String> = text.split('\'').map(|part| format!("'{part}'")).collect();
    format!("concat({})", parts.join(",\"'\","))
}

/// A CSS selector for the elements around the texts of a slot.
pub(super) fn css(pages: &Pages, tree: &Tree, step: u32) -> String {
    let (steps, has_id) = from_id(pages, tree, step);
    let mut parts: Vec<String> = if has_id { Vec::new() } else { vec!["html".to_owned()] };
    for step in steps.iter().filter(|step| step.family != TEXT) {
        let key = pages.keys.get(step.family);
        let mut part = tag_of(key).to_owned();
        if let Some(start) = key.find(['.', '#']).filter(|&start| start > 0) {
            part.push_str(&escaped(&key[start..]));
        }
        if let Place::At(position) = step.role.place {
            part.push_str(&format!(":nth-of-type({})", position + 1));
        }
        parts.push(part);
    }
    parts.join(" > ")
}

/// Class words and an id with what CSS does not allow in names escaped.
fn escaped(marks: &str) -> String {
    let mut out = String::new();
    let mut starts = false;
    for c in marks.chars() {
        let is_mark = matches!(c, '.' | '#');
        if starts && c.is_ascii_digit() {
            out.push_str(&format!("\\{:x} ", c as u32));
        } else {
            if !is_mark && c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_') {
                out.push('\\');
            }
            out.push(c);
        }
        starts = is_mark;
    }
    out
}
