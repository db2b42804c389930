//! Guarantees of the public types.

use unmold_html::{
    Chunk, Delimiters, FallbackReason, Flag, Flow, Gap, Interner, LabelProfile, Limits, NodeId,
    NodeRange, OverLimit, Page, ParseOptions, Parser, Tag,
};

#[test]
fn public_types_are_send_and_sync() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Chunk>();
    check::<Delimiters>();
    check::<FallbackReason>();
    check::<Flag>();
    check::<Flow>();
    check::<Gap>();
    check::<Interner>();
    check::<LabelProfile>();
    check::<Limits>();
    check::<NodeId>();
    check::<NodeRange>();
    check::<OverLimit>();
    check::<Page>();
    check::<ParseOptions>();
    check::<Parser>();
    check::<Tag>();
}

#[test]
fn any_bytes_give_a_page_with_a_root() {
    for bytes in [&b""[..], b"\0\0\0\0", b"\xff\xfe", b"%PDF-1.7", b"<", b"&#", b"</body></html>"] {
        let page = Page::parse(bytes, &Limits::default());
        assert!(page.len() >= 1, "{bytes:?}");
        assert_eq!(page.tag(NodeId::ROOT), Tag::HTML, "{bytes:?}");
    }
}
