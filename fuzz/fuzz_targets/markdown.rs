//! Writes any page as Markdown, with every option: the characters of its words are all there, and
//! the output is not much larger than the page.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use unmold::{Images, Limits, Links, Page, Stripped, WriteOptions};

/// Bytes that a node may add: fences, escapes, and the indentation of nested lists.
const MAX_BYTES_PER_NODE: usize = 256;

fn letters(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for letter in text.chars().filter(|c| c.is_alphabetic()) {
        *counts.entry(letter).or_default() += 1;
    }
    counts
}

fuzz_target!(|bytes: &[u8]| {
    let page = Page::parse(bytes, &Limits::default().with_nodes(20_000).with_depth(128));
    let stripped = Stripped::untouched(&page);
    let markdown = stripped.markdown();
    let written = letters(&markdown);
    for (letter, count) in letters(&stripped.text()) {
        assert!(written.get(&letter) >= Some(&count), "{letter:?} is lost");
    }
    assert!(markdown.len() <= 8 * bytes.len() + MAX_BYTES_PER_NODE * page.len() as usize);
    for links in [Links::Keep, Links::Absolute, Links::Drop] {
        for images in [Images::Keep, Images::Drop] {
            let options = WriteOptions::default().with_links(links).with_images(images);
            let _ = stripped.markdown_with(options);
        }
    }
});
