#![no_main]
//! Any pages: every method learns from them and strips them, and nothing is invented.

use libfuzzer_sys::fuzz_target;
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
});
