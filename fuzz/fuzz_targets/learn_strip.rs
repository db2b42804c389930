//! Any bytes, cut at NUL into pages, are a site: what is learned from it strips it, and no text is
//! lost.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::cluster::PathTemplates;
use unmold::{Alignment, ChunkFrequency, Limits, Method, Page, Sample, TreeMapping, TreePattern, strip};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { nodes: 20_000, depth: 128, ..Limits::default() };
    let pages: Vec<Page> = bytes.split(|&byte| byte == 0).take(16).map(|html| Page::parse(html, &limits)).collect();
    let sample = Sample::without_duplicates(&pages);
    strip_all::<ChunkFrequency>(&ChunkFrequency::default(), &sample, &pages);
    strip_all::<Alignment>(&Alignment::default(), &sample, &pages);
    strip_all::<TreeMapping>(&TreeMapping::default(), &sample, &pages);
    strip_all::<TreePattern>(&TreePattern::default(), &sample, &pages);
    strip_all::<PathTemplates>(&PathTemplates, &sample, &pages);
});

fn strip_all<M: Method>(method: &M, sample: &Sample, pages: &[Page]) {
    let Ok(template) = method.learn(sample) else { return };
    for page in pages {
        let marks = template.mark(page);
        let stripped = strip(page, &marks);
        for id in page.visible_texts() {
            assert_eq!(stripped.keeps(id), !marks.is_template(id));
        }
        stripped.text();
        stripped.template_text();
    }
}
