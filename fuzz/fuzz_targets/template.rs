#![no_main]
//! Any bytes as a template file: refused with a reason, or read and usable.

use libfuzzer_sys::fuzz_target;
use unmold::{Limits, Page, TemplateSet};

fuzz_target!(|bytes: &[u8]| {
    let Ok(set) = TemplateSet::from_json_of_any_model(bytes) else { return };
    let html = b"<ul><li>Home<li>Size</ul><div><p>Epsilon<p><a href=x>More</a></div>";
    let page = Page::parse(html, &Limits::default());
    for template in set.iter() {
        template.clean(&page);
        template.explain(&page);
        template.kinds().iter().for_each(|kind| drop(kind.learned().show()));
    }
    let again = TemplateSet::from_json_of_any_model(set.to_json().as_bytes());
    assert_eq!(again.expect("what we write we can read"), set);
});
