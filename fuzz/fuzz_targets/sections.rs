//! Splits any page into sections: they are disjoint, in document order, and rated from 0 to 1.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::sections::{Areas, SectionRecord, Sectioning, cut, lists, sections};
use unmold::{Limits, Marks, NodeId, Page, strip};

fuzz_target!(|bytes: &[u8]| {
    let page = Page::parse(bytes, &Limits::default().with_nodes(20_000).with_depth(128));
    let marks = Marks::none(&page);
    let settings = Sectioning::default();
    let found = sections(&page, &marks, &lists(&page), &Areas::estimate(&page), &settings);
    let paths = page.xpaths();
    let mut end = NodeId::ROOT;
    for section in &found {
        assert!((0.0..=1.0).contains(&section.importance));
        for &node in &section.nodes {
            assert!(node >= end, "sections overlap");
            end = page.subtree(node).end;
        }
        SectionRecord::new(&page, &paths, section, &settings);
    }
    strip(&page, &cut(&page, &marks, &found, 0.5)).markdown();
});
