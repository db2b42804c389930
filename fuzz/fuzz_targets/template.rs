//! Reads arbitrary bytes as a template file: they are rejected, or the template can mark pages and
//! be written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::{Limits, Page, TemplateSet, strip};

fuzz_target!(|bytes: &[u8]| {
    let Ok(templates) = TemplateSet::from_json(bytes) else { return };
    let page = Page::parse(b"<nav>Home Shop</nav><p>Some text</p>", &Limits::default());
    for template in templates.templates() {
        let marks = template.mark(&page);
        strip(&page, &marks).text();
        for source in page.nodes().filter_map(|id| marks.source(id)) {
            template.describe(source);
        }
    }
    let again = TemplateSet::from_json(templates.to_json().as_bytes()).expect("written files can be read");
    assert_eq!(again, templates);
});
