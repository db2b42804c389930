//! Reads arbitrary bytes as a template file: they are rejected, or the template can mark pages and
//! be written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::{Limits, Page, Source, TemplateSet};

fuzz_target!(|bytes: &[u8]| {
    let Ok(templates) = TemplateSet::from_json(bytes) else { return };
    let page = Page::parse(b"<nav>Home Shop</nav><p>Some text</p>", &Limits::default());
    for template in templates.iter() {
        template.clean(&page);
        template.explain(&page);
    }
    for kind in templates.kinds() {
        let marks = kind.mark(&page);
        for id in page.nodes() {
            if let Some(Source::Part(part)) = marks.source(id) {
                kind.learned().describe(part);
            }
        }
    }
    let again =
        TemplateSet::from_json(templates.to_json().as_bytes()).expect("written files can be read");
    assert_eq!(again, templates);
});
