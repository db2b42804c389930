//! Compares the fast parser with html5ever, and generates pages that may make them differ.

use std::path::Path;

use unmold_html::{FallbackReason, Limits, NodeId, Page, ParseOptions, Parser};

/// The page from the fast parser, and from html5ever.
pub fn both(bytes: &[u8], limits: &Limits, keep_hidden: bool) -> (Page, Page) {
    let options = ParseOptions::default().with_limits(limits.clone()).with_keep_hidden(keep_hidden);
    let fast = Page::parse_with(bytes, &options.clone().with_parser(Parser::Fast));
    (fast, Page::parse_with(bytes, &options.with_parser(Parser::Html5ever)))
}

/// Parses with both parsers and panics if the pages differ. Returns why the fast parser left the
/// page to html5ever, if it did.
pub fn compare(bytes: &[u8], limits: &Limits, keep_hidden: bool) -> Option<FallbackReason> {
    let (fast, slow) = both(bytes, limits, keep_hidden);
    if let Some(difference) = difference(&fast, &slow) {
        panic!("{difference}\nin {:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]));
    }
    fast.fallback()
}

/// The first difference between two pages, in anything their API shows.
pub fn difference(fast: &Page, slow: &Page) -> Option<String> {
    let pages = |what: &dyn Fn(&Page) -> String| {
        let (fast, slow) = (what(fast), what(slow));
        (fast != slow).then(|| format!("{fast} instead of {slow}"))
    };
    let nodes = fast.nodes().zip(slow.nodes()).find_map(|(id, _)| {
        let (ours, theirs) = (node(fast, id), node(slow, id));
        (ours != theirs).then(|| format!("node {id}: {ours} instead of {theirs}"))
    });
    nodes
        .or_else(|| pages(&|page| format!("{} nodes", page.len())))
        .or_else(|| pages(&|page| format!("flags {:?} {:?}", page.flags(), page.over_limit())))
        .or_else(|| pages(&|page| format!("quirks {}", page.is_quirky())))
        .or_else(|| pages(&|page| format!("title {:?}, body {:?}", page.title(), page.body())))
}

fn node(page: &Page, id: NodeId) -> String {
    let attributes: Vec<(&str, &str)> = page.attributes(id).collect();
    format!(
        "{} {:?} in {:?} size {} depth {} gap {:?} foreign {} pre {:?} {attributes:?}",
        page.tag_name(id),
        page.text(id),
        page.parent(id),
        page.size(id),
        page.depth(id),
        page.gap(id),
        page.is_foreign(id),
        page.preformatted(id),
    )
}

/// A small generator of pseudo-random numbers (xorshift), the same on all machines.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[rustfmt::skip]
const COMMON_TAGS: [&str; 56] = [
    "p", "div", "b", "i", "a", "a", "font", "em", "nobr", "span", "table", "table", "tr", "td",
    "th", "tbody", "thead", "tfoot", "caption", "colgroup", "col", "ul", "ol", "li", "dl", "dt",
    "dd", "h1", "h2", "pre", "form", "input", "select", "option", "optgroup", "button", "br", "img",
    "hr", "svg", "math", "object", "center", "address", "section", "body", "html", "head", "title",
    "textarea", "script", "style", "noscript", "link", "blockquote", "p",
];
#[rustfmt::skip]
const RARE_TAGS: [&str; 84] = [
    "applet", "marquee", "ruby", "rb", "rt", "rtc", "rp", "xmp", "listing", "iframe", "noembed",
    "noframes", "image", "isindex", "keygen", "basefont", "bgsound", "base", "meta", "area",
    "param", "source", "track", "wbr", "embed", "foreignObject", "FOREIGNOBJECT", "desc",
    "clipPath", "g", "path", "mi", "mo", "mn", "ms", "mtext", "mglyph", "malignmark", "mrow",
    "annotation-xml", "linearGradient", "template", "frameset", "frame", "plaintext", "u", "s",
    "tt", "big", "code", "strike", "strong", "small", "sub", "sup", "var", "menu", "dir", "details",
    "summary", "dialog", "fieldset", "legend", "figure", "figcaption", "main", "nav", "header",
    "footer", "article", "aside", "hgroup", "search", "x-card", "video", "audio", "canvas", "map",
    "label", "output", "menuitem", "selectedcontent", "sarcasm", "a-name-of-more-than-16-letters",
];
#[rustfmt::skip]
const ATTRIBUTES: [&str; 34] = [
    " class=a", " class='a b'", " id=\"x\"", " href=/x?a=1&amp;b=2&copy=3", " hidden",
    " style='display:none'", " type=hidden", " type=text", " color=red", " xmlns=u",
    " xlink:href=#a", " viewBox='0 0 1 1'", " class=a class=b", " a=\"1\"b=2", " =x", " a = b",
    " a=", " /", "/", "\n\ta\r\n=\r'x\r\ny'", " data-x=\"<p>&lt;\"", " '\"<=1",
    " a='&#65;&notit;&'", " É=é", " A=B", " xml:lang=en", " definitionURL=x", " a=b/",
    " title=\"x>y\"", " size=1", " Style=\"Display : NONE !important\"", "\x0c",
    " a-long-attribute-name-beyond-16=1", " data-x",
];
#[rustfmt::skip]
const TEXTS: [&str; 56] = [
    "text ", " more", "one\ntwo", " ", "\n", "\r\n", "\t \n", "a  b", "&amp;", "&lt;b&gt;",
    "&nbsp;", "&#32;", "&#10;", "&#x41", "&notin;&noti&not", "&bogus;", "& ", "&", "&#", "&#x;",
    "&Tab;", "&NewLine;", "<", "< b", "</", "</>", "</ x>", "<3", "<>", "<!-- c -->", "<!---->",
    "<!-->", "<!--->", "<!-- a -- b --!>", "<!--a", "<!x>", "<!>", "<?php x ?>", "<![CDATA[ x ]]>",
    "<![CDATA[", "]]>", "<!doctype html>",
    "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">", "<!doctype x y>",
    "<!doctype", "\u{a0}", "é中", "\u{3000}", "\u{b}", "\0", "\u{feff}", "<!--<script>", "-->",
    "\u{85}\u{2028}", "&#13;", "x",
];

/// A page from a grammar that aims at the rules where parsers differ.
pub fn wild_soup(random: &mut Random) -> String {
    let mut page = String::new();
    if random.below(3) == 0 {
        page.push_str("<!DOCTYPE html>");
    }
    let tidy = random.below(4);
    for _ in 0..random.below(50) + 1 {
        wild_piece(random, tidy, &mut page);
    }
    page
}

fn wild_piece(random: &mut Random, tidy: usize, page: &mut String) {
    // Constructs that the fast parser leaves to html5ever are rare, or they would hide all others.
    let rare = random.below(4) == 0;
    let tag = if rare { random.pick(&RARE_TAGS) } else { random.pick(&COMMON_TAGS) };
    if matches!(tag, "template" | "frameset" | "plaintext" | "annotation-xml")
        && random.below(12) > 0
    {
        return;
    }
    match random.below(10) {
        0..=3 => {
            page.push('<');
            page.push_str(tag);
            for _ in 0..random.below(4).saturating_sub(1) {
                page.push_str(random.pick(&ATTRIBUTES));
            }
            page.push_str(if random.below(12) == 0 { "/>" } else { ">" });
        }
        4..=6 => {
            page.push_str("</");
            page.push_str(tag);
            if random.below(12) == 0 {
                page.push_str(random.pick(&ATTRIBUTES));
            }
            page.push('>');
        }
        7 if tidy > 0 => page.push_str("words "),
        _ => {
            let text = random.pick(&TEXTS);
            let falls_back = text.contains(['\0', '\u{feff}']) || text.starts_with("<!doctype");
            if !falls_back || random.below(12) == 0 {
                page.push_str(text);
            }
        }
    }
}

/// A page with pieces removed, doubled, inserted or cut off.
pub fn mutated(random: &mut Random, page: &str, other: &str) -> String {
    let mut page = page.to_owned();
    for _ in 0..random.below(4) + 1 {
        let from = page.floor_char_boundary(random.below(page.len() + 1));
        let to = page.ceil_char_boundary((from + random.below(40)).min(page.len()));
        match random.below(6) {
            0 => page.replace_range(from..to, ""),
            1 => {
                let twice = page[from..to].to_owned();
                page.insert_str(from, &twice);
            }
            2 => {
                let mut piece = String::new();
                wild_piece(random, 1, &mut piece);
                page.insert_str(from, &piece);
            }
            3 => page.truncate(from),
            4 => {
                let start = other.floor_char_boundary(random.below(other.len() + 1));
                let end = other.ceil_char_boundary((start + random.below(200)).min(other.len()));
                page.insert_str(from, &other[start..end]);
            }
            _ => page.insert_str(from, &wild_soup(random)),
        }
    }
    page
}

/// The inputs of the html5lib tests.
pub fn html5lib_inputs(root: &Path) -> Vec<String> {
    let mut inputs = Vec::new();
    for folder in ["tree-construction", "tokenizer"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .collect();
        files.sort();
        for file in files {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            match file.extension().and_then(|extension| extension.to_str()) {
                Some("dat") => inputs.extend(tree_inputs(&text)),
                Some("test") => inputs.extend(tokenizer_inputs(&text)),
                _ => {}
            }
        }
    }
    inputs
}

fn tree_inputs(text: &str) -> Vec<String> {
    let tests = format!("\n{text}");
    let data = tests.split("\n#data\n").skip(1);
    data.map(|test| test.split("\n#errors").next().unwrap_or("").to_owned()).collect()
}

fn tokenizer_inputs(text: &str) -> Vec<String> {
    let file: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let tests = file.get("tests").or_else(|| file.get("xmlViolationTests"));
    let tests = tests.and_then(|tests| tests.as_array()).cloned().unwrap_or_default();
    tests.iter().filter_map(|test| test["input"].as_str().map(str::to_owned)).collect()
}
