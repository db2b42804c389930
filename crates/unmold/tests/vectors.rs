//! Chunk frequency and I-Match against the expected values in `fixtures/vectors`.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;

use common::{parse, repository};
use serde_json::Value;
use unmold::dedup::IMatch;
use unmold::methods::Threshold;
use unmold::page::Delimiters;
use unmold::{ChunkFrequency, LearnedTemplate, Method, Page, Sample, strip};

fn chunk_df() -> Value {
    let path = repository().join("fixtures/vectors/chunk_df.json");
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON")
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| v.as_str().expect("a string").to_owned())
        .collect()
}

fn chunk_texts(page: &Page, delimiters: Delimiters) -> Vec<String> {
    page.chunks(delimiters).into_iter().map(|chunk| page.joined_text(chunk.nodes)).collect()
}

/// Document frequency of every chunk. A chunk on a single page is never template, so each page is
/// counted twice.
fn frequencies(pages: &[Page]) -> BTreeMap<String, u32> {
    let settings = ChunkFrequency { threshold: Threshold::Pages(0), ..ChunkFrequency::paper() };
    let template = settings.learn(&Sample::new(pages.iter().chain(pages))).expect("enough pages");
    template.chunks().iter().map(|chunk| (chunk.text.clone(), chunk.pages / 2)).collect()
}

fn expected_frequencies(value: &Value) -> BTreeMap<String, u32> {
    let entries = value.as_object().expect("an object");
    entries.iter().map(|(key, df)| (key.clone(), df.as_u64().expect("a number") as u32)).collect()
}

#[test]
fn chunks_and_frequencies() {
    let vector = chunk_df();
    let pages: Vec<Page> = strings(&vector["pages"]).iter().map(|html| parse(html)).collect();
    for (page, expected) in pages.iter().zip(vector["chunks"].as_array().expect("a list")) {
        assert_eq!(chunk_texts(page, Delimiters::Paper), strings(expected));
    }
    assert_eq!(frequencies(&pages), expected_frequencies(&vector["df"]));
    for (case, delimiters) in [("nested", Delimiters::Paper), ("extended", Delimiters::Extended)] {
        let page = parse(vector[case]["html"].as_str().expect("html"));
        assert_eq!(chunk_texts(&page, delimiters), strings(&vector[case]["chunks"]), "{case}");
    }
    let case = &vector["df_counts_documents_not_occurrences"];
    let pages: Vec<Page> = strings(&case["pages"]).iter().map(|html| parse(html)).collect();
    assert_eq!(frequencies(&pages), expected_frequencies(&case["df"]));
}

#[test]
fn extraction_at_two_thresholds() {
    let vector = chunk_df();
    let pages: Vec<Page> = strings(&vector["pages"]).iter().map(|html| parse(html)).collect();
    for (threshold, case) in [(4, "extract_thr4"), (1, "extract_thr1")] {
        let settings =
            ChunkFrequency { threshold: Threshold::Pages(threshold), ..ChunkFrequency::paper() };
        let template = settings.learn(&Sample::new(&pages)).expect("enough pages");
        for (page, expected) in pages.iter().zip(vector[case].as_array().expect("a list")) {
            let marks = template.mark(page);
            let stripped = strip(page, &marks);
            let (keep, drop): (Vec<_>, Vec<_>) =
                page.chunks(Delimiters::Paper).into_iter().partition(|chunk| {
                    chunk.nodes.clone().any(|id| page.is_text(id) && stripped.keeps(id))
                });
            let texts = |chunks: Vec<unmold::page::Chunk>| -> Vec<String> {
                chunks.into_iter().map(|chunk| page.joined_text(chunk.nodes)).collect()
            };
            assert_eq!(texts(keep), strings(&expected["keep"]), "{case}");
            assert_eq!(texts(drop), strings(&expected["drop"]), "{case}");
        }
    }
}

#[test]
fn imatch() {
    let vector = chunk_df();
    let case = &vector["imatch"];
    let documents: Vec<String> =
        strings(&case["docs"]).iter().map(|text| text.to_lowercase()).collect();
    let words: Vec<Vec<&str>> =
        documents.iter().map(|text| unmold::page::words(text).collect()).collect();
    let settings = IMatch { max_share: 0.5, share_from: 0, min_documents: 1, min_words: 1 };
    let expected: Vec<Vec<String>> =
        case["signature_terms"].as_array().expect("a list").iter().map(strings).collect();
    assert_eq!(settings.distinctive_words(&words), expected);
    let hex = |signature: [u8; 20]| {
        signature.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let found: Vec<Option<String>> =
        settings.signatures(&words).into_iter().map(|s| s.map(hex)).collect();
    let expected: Vec<Option<String>> = case["sha1"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| v.as_str().map(str::to_owned))
        .collect();
    assert_eq!(found, expected);
}
