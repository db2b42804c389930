//! Any bytes, cut at NUL into pages, are a site: what is learned from it strips it, and no text is lost.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::{ChunkFrequency, Limits, Method, Page, Sample, strip};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { nodes: 20_000, depth: 128, ..Limits::default() };
    let pages: Vec<Page> = bytes.split(|&byte| byte == 0).take(16).map(|html| Page::parse(html, &limits)).collect();
    let Ok(template) = ChunkFrequency::default().learn(&Sample::without_duplicates(&pages)) else { return };
    for page in &pages {
        let marks = ChunkFrequency::mark(&template, page);
        let stripped = strip(page, &marks);
        for id in page.visible_texts() {
            assert_eq!(stripped.keeps(id), !marks.is_template(id));
        }
        stripped.text();
        stripped.template_text();
    }
});
