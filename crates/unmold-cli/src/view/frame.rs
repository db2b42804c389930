//! Writes the document in the sandboxed frame: the looks of a page without anything active.
//!
//! The document is built from our own tree and from allow lists: no scripts, event handlers, form
//! targets, embedded documents, links, or addresses outside the input. `docs/viewer.md` describes
//! the further layers of protection.

use std::fmt::Write as _;

use unmold::page::{Gap, Tag};
use unmold::{Marks, NodeId, NodeRange, Page};

use super::css;

/// Finds a page's images, fonts and style sheets.
pub trait Resources {
    /// Returns the address of an image or font for the frame; `None` to leave it out.
    fn file(&self, reference: &str) -> Option<String>;
    /// Returns a style sheet that the page links to.
    fn sheet(&self, reference: &str) -> Option<Sheet>;
}

/// A linked or inlined style sheet.
pub enum Sheet {
    Link(String),
    Inline(String),
}

/// The contents of the frame.
pub struct Frame<'a> {
    pub page: &'a Page,
    pub marks: &'a Marks,
    /// The page's own style elements.
    pub styles: &'a [String],
    pub resources: &'a dyn Resources,
    /// Policy for a `meta` element, if no header can carry it.
    pub policy: Option<&'a str>,
}

/// Elements whose text cannot be wrapped in another element; they are tinted as a whole.
const NOT_WRAPPED: [Tag; 12] = [
    Tag::HTML,
    Tag::HEAD,
    Tag::TABLE,
    Tag::THEAD,
    Tag::TBODY,
    Tag::TFOOT,
    Tag::TR,
    Tag::COLGROUP,
    Tag::SELECT,
    Tag::OPTGROUP,
    Tag::OPTION,
    Tag::TEXTAREA,
];

/// Attributes that only affect how an element looks or reads.
const HARMLESS: [&str; 52] = [
    "abbr",
    "align",
    "alt",
    "aria-hidden",
    "aria-label",
    "bgcolor",
    "border",
    "bordercolor",
    "cellpadding",
    "cellspacing",
    "char",
    "charoff",
    "checked",
    "class",
    "clear",
    "color",
    "cols",
    "colspan",
    "compact",
    "datetime",
    "dir",
    "disabled",
    "face",
    "frame",
    "height",
    "hspace",
    "id",
    "label",
    "lang",
    "link",
    "max",
    "min",
    "multiple",
    "noshade",
    "nowrap",
    "open",
    "placeholder",
    "role",
    "rows",
    "rowspan",
    "rules",
    "scope",
    "selected",
    "size",
    "span",
    "start",
    "text",
    "title",
    "type",
    "valign",
    "value",
    "width",
];

/// The node whose number an element of the frame has for this text: the text itself, or the element
/// that is tinted as a whole.
pub fn element_of(page: &Page, text: NodeId) -> NodeId {
    let parent = page.parent(text).unwrap_or(NodeId::ROOT);
    let is_whole = page.size(parent) == 2
        || page.is_foreign(parent)
        || NOT_WRAPPED.contains(&page.tag(parent));
    if is_whole { parent } else { text }
}

/// Writes the document for the frame.
pub fn write(frame: &Frame) -> String {
    let page = frame.page;
    let mut writer = Writer { frame, out: String::new(), open: Vec::new(), spaced: None };
    if !page.is_quirky() {
        writer.out.push_str("<!DOCTYPE html>\n");
    }
    let threshold = permille(frame.marks.threshold());
    let _ = write!(writer.out, "<html data-threshold=\"{threshold}\"");
    writer.attributes(NodeId::ROOT);
    writer.out.push_str("><head><meta charset=\"utf-8\">");
    if let Some(policy) = frame.policy {
        let _ = write!(
            writer.out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
            escaped(policy)
        );
    }
    writer.styles();
    writer.out.push_str("</head>");
    writer.tree();
    let _ = writeln!(writer.out, "<script>{}</script></body></html>", super::assets::FRAME_JS);
    writer.out
}

struct Writer<'a> {
    frame: &'a Frame<'a>,
    out: String,
    open: Vec<NodeId>,
    /// The text whose leading space was already written before its element.
    spaced: Option<NodeId>,
}

impl Writer<'_> {
    /// Writes the style sheets in the usual order: linked ones, the page's own, then ours.
    fn styles(&mut self) {
        let frame = self.frame;
        let page = frame.page;
        for id in page.nodes().filter(|&id| page.tag(id) == Tag::LINK) {
            let rel = page.attribute(id, "rel").unwrap_or_default().to_ascii_lowercase();
            let media = page.attribute(id, "media").unwrap_or_default().to_ascii_lowercase();
            let is_sheet = rel.split_whitespace().any(|word| word == "stylesheet")
                && !rel.contains("alternate");
            if !is_sheet || media.contains("print") {
                continue;
            }
            match page.attribute(id, "href").and_then(|href| frame.resources.sheet(href)) {
                Some(Sheet::Link(address)) => {
                    let _ = write!(
                        self.out,
                        "<link rel=\"stylesheet\" href=\"{}\">",
                        escaped(&address)
                    );
                }
                Some(Sheet::Inline(css)) => self.style(&css),
                None => {}
            }
        }
        for css in frame.styles {
            self.style(css);
        }
        let _ = write!(self.out, "<style>{}</style>", super::assets::FRAME_CSS);
    }

    fn style(&mut self, sheet: &str) {
        let cleaned = css::clean(sheet, &|address| self.frame.resources.file(address));
        let _ = write!(self.out, "<style>{cleaned}</style>");
    }

    /// Writes the body, or all nodes if the page has none.
    fn tree(&mut self) {
        let page = self.frame.page;
        let body = page.body();
        if body.is_empty() {
            self.out.push_str("<body>");
        }
        let all = NodeRange::new(NodeId::new(1), page.nodes().end);
        let range = if body.is_empty() { all } else { body };
        let mut id = range.start;
        while id < range.end {
            self.close_until(id);
            if page.is_text(id) {
                self.text(id);
                id = id.next();
            } else if is_dropped(page, id) {
                id = page.subtree(id).end;
            } else {
                self.start_tag(id);
                self.open.push(id);
                id = id.next();
            }
        }
        // The body stays open for our script.
        let keep = usize::from(!page.body().is_empty());
        while self.open.len() > keep {
            self.close();
        }
    }

    fn close_until(&mut self, id: NodeId) {
        while self.open.last().is_some_and(|&top| self.frame.page.subtree(top).end <= id) {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(id) = self.open.pop() else { return };
        let page = self.frame.page;
        if !page.tag(id).is_void() || page.is_foreign(id) {
            let _ = write!(self.out, "</{}>", name(page, id));
        }
    }

    fn start_tag(&mut self, id: NodeId) {
        let page = self.frame.page;
        self.space_before(id);
        let _ = write!(self.out, "<{} data-u=\"{id}\"", name(page, id));
        if self.is_leaf(id) {
            let _ = write!(self.out, " data-v=\"{}\"", permille(self.frame.marks.value(id)));
        }
        self.attributes(id);
        self.out.push('>');
    }

    /// Writes the space before a text outside of the elements that begin with it. The tree does not
    /// record the side of the tag; outside, it also separates menu items that a style sheet puts on
    /// one line.
    fn space_before(&mut self, id: NodeId) {
        let page = self.frame.page;
        let mut first = id;
        while page.size(first) > 1 {
            first = first.next();
        }
        let is_apart = page.is_text(first)
            && page.gap(first) != Gap::None
            && page.preformatted(first).is_none();
        if is_apart && self.spaced != Some(first) {
            self.out.push(' ');
            self.spaced = Some(first);
        }
    }

    /// Whether an element is tinted as a whole: an image, a field, or one with a single text.
    fn is_leaf(&self, id: NodeId) -> bool {
        let page = self.frame.page;
        let holds_text = page.children(id).any(|child| page.is_text(child));
        match page.tag(id) {
            Tag::IMG
            | Tag::VIDEO
            | Tag::AUDIO
            | Tag::INPUT
            | Tag::IFRAME
            | Tag::EMBED
            | Tag::OBJECT
            | Tag::SVG => true,
            _ => holds_text && (page.size(id) == 2 || !self.wraps_texts(id)),
        }
    }

    fn wraps_texts(&self, id: NodeId) -> bool {
        !self.frame.page.is_foreign(id) && !NOT_WRAPPED.contains(&self.frame.page.tag(id))
    }

    fn attributes(&mut self, id: NodeId) {
        let page = self.frame.page;
        let tag = page.tag(id);
        for (name, value) in page.attributes(id) {
            match name {
                "style" => {
                    let style = css::clean(value, &|address| self.frame.resources.file(address));
                    self.attribute("style", &style);
                }
                // Links keep their looks but lose their targets.
                "href" if tag == Tag::A => self.attribute("href", "#"),
                "src" if tag == Tag::IMG => {
                    if let Some(address) = self.frame.resources.file(value) {
                        self.attribute("src", &address);
                    }
                }
                _ if page.is_foreign(id) && is_drawing(name, value) => self.attribute(name, value),
                _ if HARMLESS.contains(&name) => self.attribute(name, value),
                _ => {}
            }
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let _ = write!(self.out, " {name}=\"{}\"", escaped(value));
    }

    fn text(&mut self, id: NodeId) {
        let page = self.frame.page;
        let parent = page.parent(id).unwrap_or(NodeId::ROOT);
        let first = parent.next() == id;
        let text = match page.preformatted(id) {
            Some(text) => {
                if first && text.starts_with('\n') {
                    // Parsers drop the first line feed of these elements.
                    self.out.push('\n');
                }
                text
            }
            None => {
                if page.gap(id) != Gap::None && self.spaced != Some(id) {
                    self.out.push(' ');
                }
                page.text(id)
            }
        };
        if self.is_leaf(parent) || !self.wraps_texts(parent) {
            self.out.push_str(&escaped(text));
            return;
        }
        let value = permille(self.frame.marks.value(id));
        let _ = write!(
            self.out,
            "<unmold-t data-u=\"{id}\" data-v=\"{value}\">{}</unmold-t>",
            escaped(text)
        );
    }
}

/// Converts to thousandths, rounded down so that no value appears to reach the threshold.
pub fn permille(value: f32) -> u32 {
    (f64::from(value) * 1000.0 + 1e-4).floor().clamp(0.0, 1001.0) as u32
}

/// Whether an element is left out: it shows nothing, or could load something.
fn is_dropped(page: &Page, id: NodeId) -> bool {
    let moves = |name: &str| name.starts_with("animate") || name == "set" || name == "discard";
    match page.tag(id) {
        Tag::META | Tag::BASE | Tag::LINK | Tag::TITLE | Tag::SOURCE | Tag::TRACK | Tag::PARAM => {
            true
        }
        Tag::SCRIPT | Tag::STYLE | Tag::TEMPLATE | Tag::NOSCRIPT | Tag::HEAD => true,
        _ => page.is_foreign(id) && moves(page.tag_name(id)),
    }
}

/// Returns the name to write: `div` for elements that embed documents, `pre` for raw text.
fn name(page: &Page, id: NodeId) -> &str {
    match page.tag(id) {
        Tag::PLAINTEXT | Tag::XMP | Tag::LISTING => "pre",
        Tag::IFRAME | Tag::EMBED | Tag::OBJECT | Tag::APPLET | Tag::FRAME | Tag::FRAMESET => "div",
        Tag::NOEMBED | Tag::NOFRAMES => "div",
        Tag::BODY if id == page.body().start => "body",
        _ => {
            let name = page.tag_name(id);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
            if name.chars().all(is_plain) && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                name
            } else {
                "div"
            }
        }
    }
}

/// Whether an SVG or MathML attribute only draws and does not run, load or link anything.
fn is_drawing(name: &str, value: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_plain = lower.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let leads_out = value.contains("url(") && !value.contains("url(#");
    is_plain
        && !lower.starts_with("on")
        && !lower.starts_with("data-")
        && !leads_out
        && (lower != "href" || value.starts_with('#'))
        && !matches!(lower.as_str(), "src" | "action" | "ping")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmold::Limits;

    struct Folder;

    impl Resources for Folder {
        fn file(&self, reference: &str) -> Option<String> {
            (!reference.contains(':')).then(|| format!("files/0/{reference}"))
        }

        fn sheet(&self, reference: &str) -> Option<Sheet> {
            self.file(reference).map(Sheet::Link)
        }
    }

    /// Returns the frame's document without our own style and script.
    fn shown(html: &str) -> String {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let styles = css::style_elements(html.as_bytes());
        let marks = Marks::none(&page);
        let frame =
            Frame { page: &page, marks: &marks, styles: &styles, resources: &Folder, policy: None };
        write(&frame)
            .replace(crate::view::assets::FRAME_CSS, "")
            .replace(crate::view::assets::FRAME_JS, "")
    }

    #[test]
    fn active_content_is_removed() {
        let hostile = "<html onload=x1><head><base href=http://e.example/><meta http-equiv=refresh content='0;url=http://e.example'>\
            <script>x2</script><link rel=preconnect href=http://e.example><link rel=stylesheet href=http://e.example/a.css>\
            <style>@import 'http://e.example/b.css'; p{background:url(http://e.example/c)}</style></head>\
            <body onload=x3 background=http://e.example/d><img src=http://e.example/e onerror=x4 srcset=http://e.example/f>\
            <a href=javascript:x5 ping=http://e.example>a</a><a href=file:///etc/passwd>b</a>\
            <form action=http://e.example><button formaction=http://e.example>c</button></form>\
            <iframe src=http://e.example srcdoc='<script>x6</script>'></iframe><object data=http://e.example></object>\
            <embed src=http://e.example><video src=http://e.example poster=http://e.example></video>\
            <svg onload=x7><script>x8</script><animate attributeName=href values=javascript:x9 /><use href=http://e.example#a />\
            <a xlink:href=javascript:x10><text>d</text></a><image href=http://e.example /></svg>\
            <math href=javascript:x11><mi xlink:href='data:x,x12'>e</mi></math>\
            <p style='background:url(http://e.example/g)' data-u=7 data-v=9>f</p><xmp><script>x13</script></xmp>\
            <textarea></textarea><script>x14</script><noscript><img src=http://e.example/h></noscript>\
            <input type=image src=http://e.example><div x-on:click=x15 @click=x16>g</div></body>";
        let shown = shown(hostile);
        for bad in [
            "e.example",
            "<base",
            "http-equiv",
            "onload",
            "onerror",
            "javascript",
            "file:",
            "<iframe",
            "<object",
            "<embed",
            "animate",
        ] {
            assert!(!shown.contains(bad), "{bad} in {shown}");
        }
        assert_eq!(shown.matches("<script").count(), 1, "{shown}");
        for number in (1..=16).filter(|&number| number != 13) {
            assert!(
                !shown.contains(&format!("x{number}\""))
                    && !shown.contains(&format!(">x{number}<")),
                "{number} in {shown}"
            );
        }
        assert!(shown.contains("&lt;script&gt;x13"), "text stays text: {shown}");
        assert!(!shown.contains("data-u=\"7\" data-v=\"9\""), "{shown}");
    }

    #[test]
    fn looks_are_preserved() {
        let shown = shown(
            "<!doctype html><link rel=stylesheet href=a.css><style>p{color:red}</style><body class=x><p id=a style='color:blue'>one <b>two</b></p>\
             <img src=b.png width=3><a href=http://e.example>three</a><pre>\n\n four</pre><svg viewBox='0 0 1 1'><path d=M0 /></svg>",
        );
        for good in [
            "<!DOCTYPE html>",
            "<link rel=\"stylesheet\" href=\"files/0/a.css\">",
            "<style>p{color:red}</style>",
            "<p data-u=\"4\" id=\"a\" style=\"color:blue\"><unmold-t data-u=\"5\" data-v=\"0\">one</unmold-t> <b data-u=\"6\" data-v=\"0\">two</b></p>",
            "src=\"files/0/b.png\" width=\"3\"",
            "href=\"#\">three</a>",
            "<pre data-u",
            ">\n\n four</pre>",
            "viewbox=\"0 0 1 1\"",
            "d=\"M0\"",
        ] {
            assert!(shown.contains(good), "{good} in {shown}");
        }
    }

    /// Fragments that have defeated HTML sanitizers in combination.
    const PIECES: [&str; 44] = [
        "<svg>",
        "</svg>",
        "<math>",
        "</math>",
        "<mtext>",
        "<mglyph>",
        "<malignmark>",
        "<annotation-xml encoding=text/html>",
        "<foreignObject>",
        "<desc>",
        "<title>",
        "</title>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<p>",
        "</p>",
        "<a href=javascript:x()>",
        "<form action=http://e.example>",
        "</form>",
        "<select>",
        "<option>",
        "<textarea>",
        "</textarea>",
        "<style>p{}",
        "</style>",
        "<!--",
        "-->",
        "<img src=http://e.example onerror=x()>",
        "<iframe srcdoc='<b onclick=x()>'>",
        "<noscript>",
        "<template>",
        "<xmp>",
        "<plaintext>",
        "<base href=http://e.example>",
        "<meta http-equiv=refresh content='0;http://e.example'>",
        "<body onload=x()>",
        "<html onclick=x()>",
        "&lt;img onerror=x()&gt;",
        "<div title='--><img onerror=x()>'>",
        "<use xlink:href=http://e.example#a>",
        "<![CDATA[",
        "]]>",
    ];

    #[test]
    fn random_fragments_never_produce_active_content() {
        let mut state = 7u64;
        for _ in 0..3000 {
            let mut html = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                html.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            let shown = shown(&html);
            assert_eq!(shown.matches("<script").count(), 1, "{html}");
            check_parsed(&html, &shown);
        }
    }

    /// Parses the document like a browser and checks that nothing in it is active.
    fn check_parsed(html: &str, shown: &str) {
        let options = unmold::ParseOptions::default().with_keep_hidden(true);
        let page = Page::parse_with(shown.as_bytes(), &options);
        for id in page.nodes() {
            let name = page.tag_name(id);
            let forbidden = [
                "iframe",
                "object",
                "embed",
                "base",
                "link",
                "frame",
                "applet",
                "noscript",
                "xmp",
                "plaintext",
            ];
            assert!(!forbidden.contains(&name), "{name} from {html}: {shown}");
            assert!(name != "meta" || page.attribute(id, "charset").is_some(), "{html}: {shown}");
            for (name, value) in page.attributes(id) {
                let is_link = matches!(name, "href" | "src" | "action" | "xlink:href");
                assert!(
                    !name.starts_with("on") && (!is_link || value == "#"),
                    "{name}={value} from {html}: {shown}"
                );
            }
        }
    }

    #[test]
    fn thousandths_are_rounded_down() {
        assert_eq!(
            (permille(0.5), permille(0.4999), permille(1.0), permille(4.0 / 11.0)),
            (500, 499, 1000, 363)
        );
    }
}
