//! The fast parser builds the tree of html5ever, node for node.

#![allow(clippy::disallowed_methods)]

mod common;
#[path = "common/parsers.rs"]
mod parsers;

use common::{corpus, html_files, repository, shared, soup};
use parsers::{Random, compare, html5lib_inputs, mutated, wild_soup};
use proptest::prelude::*;
use unmold_html::Limits;

fn check(html: &str) {
    compare(html.as_bytes(), &Limits::default(), false);
    compare(html.as_bytes(), &Limits::default(), true);
}

#[test]
fn fixtures_give_equal_trees_and_none_falls_back() {
    for path in html_files(&repository().join("fixtures")) {
        let bytes = std::fs::read(&path).expect("readable");
        let fallback = compare(&bytes, &Limits::default(), false);
        assert_eq!(fallback, None, "{}", path.display());
    }
}

#[test]
fn awkward_pages_give_equal_trees() {
    for html in [
        "",
        " ",
        "text",
        "<",
        "</",
        "<p",
        "<table>stray<tr><td>cell</table>after",
        "<table> <b>x<td>y</b>z",
        "<b><p>x</b>y</p>z",
        "<a>1<p>2<a>3",
        "<p><b><i><u><s><div>deep</b>x</p>y",
        "<svg><foreignObject><p>x</p></foreignObject><style>s</style><title>t</title></svg>",
        "<svg xmlns=u xlink:href=a href=b><p>out",
        "<math><mi><p>x</mi><mglyph></math>",
        "<pre>\n\na\r\n b &amp;\r</pre><pre>&#10;x</pre>",
        "<textarea>\n\n t&lt;</textarea><xmp>\n&amp;</xmp>",
        "<title>a &amp; b</title><script><!-- <script> </script> --></script>c",
        "<body class=a><html lang=en><body class=b id=c>x",
        "<div hidden>x</div><div style='a:b; DISPLAY : none !important'>x</div>",
        "<select><option>a<optgroup><option>b<input><select>c",
        "<table><form><tr><td></form><input type=hidden>",
        "<frameset><frame></frameset>",
        "<template><p>x</template>",
        "<svg><plaintext><title><p>a</p> </tfoot>x",
        "<svg><textarea><desc><p>a</p> </tfoot>x",
        "<math><xmp><mi><p>a</p> </tfoot>x",
    ] {
        check(html);
    }
}

#[test]
fn limits_hold_in_both_parsers() {
    let many = "x ".repeat(30_000);
    let names: String = (0..200).map(|n| format!(" a{n}")).collect();
    for html in [
        "<div>".repeat(40),
        "<b><p>".repeat(20),
        "<p>x".repeat(60),
        format!("<p{names}>x"),
        format!("<p class={}>x", "y".repeat(50_000)),
        format!("<!-- <a {many}"),
        format!("<!-- <a {many} --><p>x"),
        format!("<p title=\"<b {many}\">x"),
        format!("<p {many}>x"),
        format!("<table>{many}<tr>"),
        format!("<p title='<b c=\"'><table>{many}<tr>"),
        format!("<script>{many}<b {many}</script>x"),
        format!("{}x", "</p >".repeat(20_000)),
        format!("<html {names}><html b c d e {names} f>"),
        (0..100).map(|n| format!("<html a{n}><body b{n}>")).collect(),
        format!("<b{names}>x<b{names}>y<b{names} z>z").repeat(3),
    ] {
        for (nodes, depth, attributes) in
            [(100, 512, 4000), (200_000, 30, 4000), (200_000, 512, 100), (10, 5, 3)]
        {
            let limits =
                Limits::default().with_nodes(nodes).with_depth(depth).with_attributes(attributes);
            compare(html.as_bytes(), &limits, false);
        }
    }
}

#[test]
fn soup_gives_equal_trees() {
    for seed in 0..6_000 {
        check(&wild_soup(&mut Random::new(seed)));
    }
}

#[test]
fn needs_shared_html5lib_inputs_whole_cut_and_mutated_give_equal_trees() {
    let Some(root) = shared("html5lib-tests") else { return };
    let inputs = html5lib_inputs(&root);
    assert!(inputs.len() > 5_000, "only {} inputs", inputs.len());
    let mut random = Random::new(1);
    for (index, input) in inputs.iter().enumerate() {
        check(input);
        let cut = input.floor_char_boundary(random.below(input.len() + 1));
        check(&input[..cut]);
        check(&mutated(&mut random, input, &inputs[index / 2]));
    }
}

#[test]
fn needs_corpus_some_pages_of_every_set_give_equal_trees() {
    let Some(corpus) = corpus() else { return };
    let mut random = Random::new(2);
    for set in ["sites", "docs", "swde", "big9", "dragnet", "cleanportaleval"] {
        let files = html_files(&corpus.join(set));
        for path in files.iter().step_by(files.len() / 40 + 1) {
            let bytes = std::fs::read(path).expect("readable");
            compare(&bytes, &Limits::default(), false);
            compare(&bytes[..random.below(bytes.len() + 1)], &Limits::default(), false);
        }
    }
}

proptest! {
    #[test]
    fn pieces_give_equal_trees(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        check(&soup(&seed));
    }

    #[test]
    fn mark_up_characters_give_equal_trees(html in "[<>/!a-cpt\"'= &;#\\-\n]{0,60}") {
        check(&html);
    }
}
