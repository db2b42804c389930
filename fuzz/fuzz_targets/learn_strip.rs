#![no_main]
//! Any pages: every method learns from them and strips them, and nothing is invented. Tables are
//! learned and read.

use libfuzzer_sys::fuzz_target;
use unmold::records::{Schema, TableOptions};
use unmold::{CleanOptions, Limits, MethodName, Page, Settings, Template, TextFormat, learn};

fuzz_target!(|bytes: &[u8]| {
    // Pages are separated by a byte that no UTF-8 text has.
    let pages: Vec<Page> = bytes
        .split(|&byte| byte == 0xff)
        .take(8)
        .map(|page| Page::parse(page, &Limits::default()))
        .collect();
    for &method in MethodName::ALL {
        let settings = Settings::default().with_method(method);
        let Ok(template) = learn(&pages, &settings) else { continue };
        let read = Template::from_json(template.to_json().as_bytes()).expect("our own file");
        for page in &pages {
            let clean = template.clean(page);
            assert!(clean.text.len() <= page.joined_text(page.body()).len() + page.len() as usize);
            assert_eq!(read.clean(page), clean);
            for format in [TextFormat::Markdown, TextFormat::Html] {
                template.clean_with(page, &CleanOptions::default().with_format(format));
            }
            assert_eq!(template.explain(page).marks, template.mark(page));
        }
    }
    tables(&pages);
});

/// Tables: what is read is on the page, stored and in any order of pages.
fn tables(pages: &[Page]) {
    let pages: Vec<&Page> = pages.iter().collect();
    let schema = Schema::learn(&pages, None);
    let backwards: Vec<&Page> = pages.iter().rev().copied().collect();
    assert_eq!(Schema::learn(&backwards, None), schema);
    let stored = serde_json::to_string(&schema).expect("JSON");
    let stored: Schema = serde_json::from_str(&stored).expect("our own JSON");
    let (reader, again) = (schema.reader().with_structured(true), stored.reader());
    let options = TableOptions::default().with_raw(true).with_structured(true);
    let table = schema.table(&options);
    for page in pages {
        let row = reader.read(page);
        assert_eq!(row.cells(), again.read(page).cells());
        for found in row.cells().iter().flatten() {
            assert!(page.text(found.node).ends_with(found.text));
        }
        assert_eq!(table.values(&row).len(), table.fields().len());
    }
}
