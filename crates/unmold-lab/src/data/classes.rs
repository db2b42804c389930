//! Derives classes of pages from the attribute values in their labels.

use std::collections::BTreeMap;

use serde::Deserialize;
use unmold::page::words;

use super::Gold;

/// Sites that are mined together because a class means the same on all of them.
#[derive(Clone, Deserialize, Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Prefix of the names of its sites.
    pub sites: String,
    /// How its pages are classified.
    #[serde(default)]
    pub class: Option<ClassRule>,
}

/// Defines the class of a page: the first word of an attribute's first value that is neither a
/// number nor in `skip`.
#[derive(Clone, Deserialize, Debug)]
pub struct ClassRule {
    /// Name of what the classes stand for.
    pub name: String,
    /// The attribute.
    pub attribute: String,
    /// Words to skip, in lower case.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Synonyms, in lower case.
    #[serde(default)]
    pub same: BTreeMap<String, String>,
}

/// Classes with fewer pages are dropped.
const MIN_PAGES: usize = 20;

impl ClassRule {
    fn class(&self, gold: &Gold) -> Option<String> {
        let value = gold.attributes.get(&self.attribute)?.first()?.to_lowercase();
        let word = words(&value).find(|word| {
            !word.contains(|c: char| c.is_ascii_digit())
                && !self.skip.iter().any(|skip| skip == word)
        })?;
        Some(self.same.get(word).map_or(word, String::as_str).to_owned())
    }

    /// The number of each page's class, and the names of the classes. `None` for a page without a
    /// class, or with a rare one.
    pub fn classes<'a>(
        &self,
        golds: impl Iterator<Item = &'a Gold>,
    ) -> (Vec<Option<usize>>, Vec<String>) {
        let found: Vec<Option<String>> = golds.map(|gold| self.class(gold)).collect();
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for class in found.iter().flatten() {
            *counts.entry(class).or_default() += 1;
        }
        let names: Vec<String> = counts
            .into_iter()
            .filter(|(_, count)| *count >= MIN_PAGES)
            .map(|(name, _)| name.clone())
            .collect();
        let numbers = found
            .iter()
            .map(|class| {
                class.as_ref().and_then(|class| names.iter().position(|name| name == class))
            })
            .collect();
        (numbers, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_words_of_enough_pages() {
        let rule = ClassRule {
            name: "maker".to_owned(),
            attribute: "maker".to_owned(),
            skip: vec!["brand".to_owned()],
            same: BTreeMap::from([("fuji".to_owned(), "fujifilm".to_owned())]),
        };
        let gold = |value: &str| Gold {
            attributes: BTreeMap::from([("maker".to_owned(), vec![value.to_owned()])]),
            ..Gold::default()
        };
        let mut golds = vec![
            gold("Brand = Sony"),
            gold("2010 Ford"),
            gold("Fuji"),
            gold("Fujifilm X"),
            Gold::default(),
        ];
        golds.extend((0..19).map(|_| gold("sony")));
        golds.extend((0..18).map(|_| gold("FUJIFILM")));
        let (numbers, names) = rule.classes(golds.iter());
        assert_eq!(names, ["fujifilm", "sony"]);
        assert_eq!(numbers[..6], [Some(1), None, Some(0), Some(0), None, Some(1)]);
    }
}
