//! Parses arbitrary bytes: the tree must be well formed and can be written in every format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmold::page::{Delimiters, LabelProfile};
use unmold::{Limits, NodeId, Page, Stripped};

fuzz_target!(|bytes: &[u8]| {
    let page = Page::parse(bytes, &Limits::default().with_nodes(20_000).with_depth(128));
    assert_eq!(page.size(NodeId::ROOT), page.len());
    for id in page.nodes() {
        let below: u32 = page.children(id).map(|child| page.size(child)).sum();
        assert_eq!(page.size(id), below + 1);
    }
    let labels = page.labels(LabelProfile::TagIdClass);
    assert_eq!(page.subtree_hashes(&labels).len(), page.len() as usize);
    assert_eq!(
        page.chunks(Delimiters::Texts).iter().map(|chunk| chunk.nodes.len()).sum::<usize>(),
        page.visible_texts().count()
    );
    let stripped = Stripped::untouched(&page);
    let _ = stripped.text();
    let _ = stripped.html();
    let _ = stripped.markdown();
});
