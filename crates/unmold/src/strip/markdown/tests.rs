//! Tests each feature by example, and the module's invariant against an independent Markdown
//! reader.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag as Md, TagEnd};

use crate::page::Tag;
use crate::{Images, Limits, Links, Marks, Page, ParseOptions, Stripped, WriteOptions, strip};

fn markdown(html: &str) -> String {
    Stripped::untouched(&Page::parse(html.as_bytes(), &Limits::default())).markdown()
}

fn check(html: &str, expected: &str) {
    assert_eq!(markdown(html), expected, "{html}");
    assert_same_text(html);
}

/// The page's text without white space, and the text that a Markdown reader sees.
fn both_texts(stripped: &Stripped) -> (String, String) {
    let page = stripped.page();
    let kept = page.body().filter(|&id| stripped.keeps(id));
    let shown = kept.map(|id| match page.tag(id) {
        Tag::TEXT => page.text(id),
        Tag::IMG if page.attribute(id, "src").unwrap_or("").trim().starts_with("data:") => {
            page.attribute(id, "alt").unwrap_or("")
        }
        _ => "",
    });
    let without_spaces =
        |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let page_text = shown.map(without_spaces).collect();
    let mut read = String::new();
    let mut images = 0;
    for event in parse(&stripped.markdown()) {
        match event {
            Event::Start(Md::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(text) | Event::Code(text) if images == 0 => {
                read.push_str(&without_spaces(&text))
            }
            Event::InlineHtml(html) if &*html == "<br>" => {}
            Event::Html(html) | Event::InlineHtml(html) => panic!("unexpected HTML: {html}"),
            _ => {}
        }
    }
    (page_text, read)
}

fn parse(markdown: &str) -> Vec<Event<'_>> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect()
}

fn assert_same_text(html: &str) {
    let page = Page::parse(html.as_bytes(), &Limits::default());
    let stripped = Stripped::untouched(&page);
    let (page_text, read) = both_texts(&stripped);
    // The quotation marks around `q` are the only text that is added. Formulas are written as they
    // are, for readers that know them; this one does not.
    let has_formula = html.contains("\\(") || html.contains("\\[");
    if !html.contains("<q>") && !has_formula {
        assert_eq!(read, page_text, "{html}\n--\n{}", stripped.markdown());
    }
}

#[test]
fn blocks_and_text() {
    check("", "");
    check("<p>Green <b>tea</b>.</p><p>Black<i>bird</i></p>", "Green **tea**.\n\nBlack*bird*");
    check("<div>a<div>b</div>c</div>", "a\n\nb\n\nc");
    check("left<img src=x>right", "left ![](x) right");
    check("<select><option>a<option>b</select><button>c</button><label>d</label>", "a b c d");
    check(
        "<details><summary>s</summary>t</details><figure>f<figcaption>c</figcaption></figure>",
        "s\n\nt\n\nf\n\nc",
    );
    check("x<sub>2</sub> y<sup>3</sup>", "x2 y3");
    check("say <q>hi <q>you</q></q>, <q></q>ok", "say \"hi \"you\"\", ok");
    check("<p>a <svg><g><title>t</title></g></svg> b", "a t b");
    check("a<hr>b", "a\n\n---\n\nb");
    check("a<hr>b<hr><hr>", "a\n\n---\n\nb");
    check("<textarea>  a\n   b</textarea>", "a b");
}

#[test]
fn line_breaks() {
    check("one<br>two", "one\\\ntwo");
    check("<p>one<br></p><p><br>two</p>", "one\n\ntwo");
    check("one<br><br>two<br> <br><br>three", "one\n\ntwo\n\nthree");
    check("<b>one<br>two</b>", "**one\\\ntwo**");
    check("<code>one<br>two</code>", "`one`\\\n`two`");
    check("a<br># b<br>---<br>===<br>- c", "a\\\n\\# b\\\n\\---\\\n\\===\\\n\\- c");
    check("a | b<br>:-- | --", "a | b\\\n\\:-- | --");
}

#[test]
fn languages_of_code() {
    for (open, language) in [
        ("<pre class=language-rust>", "rust"),
        ("<pre><code class='language-rust editable'>", "rust"),
        ("<pre><code class='hljs python'>", "python"),
        ("<pre><code class='hljs language-c++'>", "c++"),
        ("<div class='highlight-python notranslate'><div class=highlight><pre>", "python"),
        ("<div class='highlight-default notranslate'><div class=highlight><pre>", ""),
        ("<div class='highlight highlight-source-shell'><pre>", "shell"),
        ("<div class=highlight><pre>", ""),
        ("<pre class='brush: js; toolbar: false'>", "js"),
        ("<pre class='sourceCode haskell'>", "haskell"),
        ("<pre data-lang=go>", "go"),
        ("<pre><code class=language-text>", ""),
        ("<pre class=literal-block>", ""),
        ("<pre><code class='language-rust,ignore'>", "rust"),
    ] {
        check(&format!("{open}x = 1"), &format!("```{language}\nx = 1\n```"));
    }
}

#[test]
fn footnotes() {
    let expect = |html: &str, expected: &str| assert_eq!(markdown(html), expected, "{html}");
    let pandoc = "<p>Tea<a href=#fn1 id=r1 role=doc-noteref><sup>1</sup></a> is hot.\
                  <ol><li id=fn1><p>Or iced.<a href=#r1 role=doc-backlink>↩</a></p></ol>";
    expect(pandoc, "Tea[^1] is hot.\n\n[^1]: Or iced.");
    let wiki = "<p>Tea.<sup id=r1><a href=#n1>[1]</a></sup><sup><a href=#n2>[2]</a></sup>\
                <ol><li id=n1><span class=mw-cite-backlink><a href=#r1>^</a></span> \
                <span>Book</span><li id=n2>Page<li>Not cited</ol>";
    expect(wiki, "Tea.[^1][^2]\n\n[^1]: Book\n\n[^2]: Page\n\n3. Not cited");
    let sphinx = "<p>Tea <a class=footnote-reference href=#n id=r>[1]</a>.\
                  <dl class=footnote><dt class=label id=n><a href=#r>1</a><dd><p>Iced.</dl>";
    expect(sphinx, "Tea[^1].\n\n[^1]: Iced.");
    let mdbook = "<p>Tea<sup class=footnote-reference id=r><a href=#n>1</a></sup>\
                  <div class=footnote-definition id=n><sup class=footnote-definition-label>1</sup>\
                  <p>Iced.</p></div>";
    expect(mdbook, "Tea[^1]\n\n[^1]: Iced.");
    // A term without a definition, and one of a glossary.
    expect("<p>Tea<sup><a href=#n>1</a></sup><dl><dt id=n>1</dl>", "Tea[1](#n)\n\n**1**");
    expect("<p><a href=#n>Tea</a><dl><dt id=n>Tea<dd>Hot</dl>", "[Tea](#n)\n\n**Tea**\n\nHot");
    // A note that is not there, a link to a section, and a number in a table of contents.
    expect("<p>Tea<sup><a href=#x>1</a></sup>", "Tea[1](#x)");
    expect("<p>See <a href=#s>1</a><div id=s>Tea</div>", "See [1](#s)\n\nTea");
}

#[test]
fn formulas_are_tex() {
    let expect = |html: &str, expected: &str| assert_eq!(markdown(html), expected, "{html}");
    let annotation = "<annotation encoding=application/x-tex>a_1 * b_2</annotation>";
    let mathml = format!("<math><semantics><mi>a</mi>{annotation}</semantics></math>");
    expect(&format!("<p>so {mathml} holds"), "so $a_1 * b_2$ holds");
    let display = mathml.replace("<math>", "<math display=block>");
    expect(&format!("<p>so {display}"), "so $$a_1 * b_2$$");
    expect("<p>so <span class='math notranslate'>\\(x_1*y\\)</span>.", "so $x_1*y$.");
    expect("<div class=math>\\[x^2\\]</div>", "$$x^2$$");
    let two = "<div class=math>\\[x\\]</div><div class=math>\\[y\\]</div>so";
    expect(two, "$$x$$\n\n$$y$$\n\nso");
    expect("<p>Let $x_{1}*y_{2}*z$ be, or \\(a_i^2\\).", "Let $x_{1}*y_{2}*z$ be, or $a_i^2$.");
    expect(&format!("<p><b>so {mathml}</b> it is"), "**so** $a_1 * b_2$ it is");
    expect("<p>so $$\\{x\\}_i$$ holds", "so $$\\{x\\}_i$$ holds");
    expect("<p>from $5_a to $6_b, or $5*6* for $7", "from $5_a to $6_b, or $5\\*6\\* for $7");
    expect("<div class=math>\\begin{align} a \\end{align}", "$$\\begin{align} a \\end{align}$$");
    let katex = format!("<span class=katex>{mathml}<span aria-hidden=true>ab</span></span>");
    expect(&format!("<p>so {katex} holds"), "so $a_1 * b_2$ holds");
    let image = "<img class=mwe-math-fallback-image-inline src=/m.svg alt='{\\displaystyle E}'>";
    expect(&format!("<p>so {image} holds"), "so ${\\displaystyle E}$ holds");
    expect("<p><img class=math src=m.png alt=''> so", "![](m.png) so");
    let cells = "<tr><td>\\(x_i\\)<td>\\(a|b_i\\)<tr><td>c<td>d";
    let written = "| $x_i$ | \\\\(a\\|b_i\\\\) |\n| --- | --- |\n| c | d |";
    expect(&format!("<table>{cells}</table>"), written);
    expect("<p>so <span class=math>x_1 y</span>", "so x_1 y");
    expect("<p><math><mi>a</mi><mo>+</mo><mi>b</mi></math>", "a + b");
}

#[test]
fn links_and_images_are_kept_completed_or_dropped() {
    let html = "<p><a href=b?c>See</a> <img src=/i.png alt=it> <a href=#n>n</a>";
    let write = |url: Option<&str>, html: &str, options: WriteOptions| {
        let parse = ParseOptions::default().with_url(url.map(str::to_owned));
        let page = Page::parse_with(html.as_bytes(), &parse);
        let stripped = Stripped::untouched(&page);
        (stripped.markdown_with(options), stripped.html_with(options))
    };
    let url = Some("http://tea.example/a/");
    let absolute = WriteOptions::default().with_links(Links::Absolute);
    let (markdown, html_out) = write(url, html, absolute);
    assert_eq!(
        markdown,
        "[See](http://tea.example/a/b?c) ![it](http://tea.example/i.png) \
         [n](#n)"
    );
    assert!(html_out.contains("src=\"http://tea.example/i.png\""), "{html_out}");
    let based = format!("<base href=/x/>{html}");
    assert!(write(url, &based, absolute).0.starts_with("[See](http://tea.example/x/b?c)"));
    for unknown in [None, Some("file:///a/b.html")] {
        assert_eq!(write(unknown, html, absolute).0, "[See](b?c) ![it](/i.png) [n](#n)");
    }
    let dropped = WriteOptions::default().with_links(Links::Drop).with_images(Images::Drop);
    let (markdown, html_out) = write(url, html, dropped);
    assert_eq!(markdown, "See n");
    assert!(!html_out.contains("<a") && !html_out.contains("<img"), "{html_out}");
}

#[test]
fn plain_text_has_paragraphs_bullets_and_numbers() {
    let plain =
        |html: &str| Stripped::untouched(&Page::parse(html.as_bytes(), &Limits::default())).plain();
    for (html, expected) in [
        (
            "<h1>Tea</h1><p>Green <b>tea</b>.<p>*Black* <a href=u>tea</a>.",
            "Tea\n\nGreen tea.\n\n*Black* tea.",
        ),
        ("<ul><li>a<li>b<ol><li>c<li>d</ol></ul>", "- a\n- b\n  1. c\n  2. d"),
        ("<p>one<br>two", "one\ntwo"),
        ("<table><tr><th>Name<th>Price<tr><td>Tea<td>3.50</table>", "Name\tPrice\nTea\t3.50"),
        ("<table><tr><th>A<th>B<tr><td><p>a</p><p>b</p><td>c</table>", "A\tB\na b\tc"),
        ("<pre class=language-c>if (a) {\n  b();\n}</pre>", "if (a) {\n  b();\n}"),
        ("<blockquote>quoted</blockquote><hr><p><img src=x alt=y>end", "quoted\n\nend"),
    ] {
        assert_eq!(plain(html), expected, "{html}");
    }
}

#[test]
fn headings() {
    check(
        "<h1>a</h1><h6>b<br>c</h6><h2> </h2><h3><div>d</div><div>e</div></h3>",
        "# a\n\n###### b c\n\n### d e",
    );
    check("<h2><a href=u>a</a> <em>b</em></h2>", "## [a](u) *b*");
    check("<h2 id=a><a href='#a'>a</a></h2><p><a href='#a'>b</a>", "## a\n\n[b](#a)");
    check("<h2>C #</h2><h2>C#</h2><h2>##</h2>", "## C \\#\n\n## C#\n\n## \\##");
    check("<h2>1. a</h2><h2># b</h2>", "## 1. a\n\n## # b");
    check("<a href=u><h2>a</h2><p>b</a>", "## [a](u)\n\n[b](u)");
    check("<h1>never closed<ul><li>a</ul><p>b", "never closed\n\n- a\n\nb");
}

#[test]
fn emphasis() {
    check("<em>a</em> <i>b</i> <strong>c</strong> <b>d</b>", "*a b* **c d**");
    check("<del>a</del> <s>b</s>c", "~~a b~~c");
    check("x<b> a </b>y", "x **a** y");
    check("<b><b>a</b></b><b>b</b><b></b><i> </i>", "**ab**");
    check("<b><i>a</i></b> <i>b <b>c</b></i>", "***a** b **c***");
    check("<b>foo!</b>bar <b>foo!</b> bar", "foo!bar **foo!** bar");
    check("a<b>(b)</b>c", "a(b)c");
    check("<b>Name:</b> value", "**Name:** value");
    check("<i><b>a</b>b<b>c</b></i>", "***a**bc*");
    check("<b><p>a<p>b</b>", "**a**\n\n**b**");
    check("<i>a</i><b>b</b>", "*a***b**");
    check("<i>see <a href=u>this</a> too</i>", "*see [this](u) too*");
    check("<i>a</i><a href=u><i>b</i> c</a>", "*a*[*b* c](u)");
    check("„<b>a</b>“ — <b>“b”</b>c", "„**a**“ — “b”c");
}

#[test]
fn code_spans() {
    check("<code>a*b</code> <kbd>c</kbd>", "`a*b c`");
    check("<code>a`b</code>, <tt>`</tt>", "``a`b``, `` ` ``");
    check("<code>f(<a href=u>x</a>)</code>", "`f(`[`x`](u)`)`");
    check("<code>a <b>b</b></code> <b><code>c</code></b>", "`a b` **`c`**");
    check("<a href=u><code>a]: b</code></a>", "[a\\]: b](u)");
    check("a\\<code>b</code>`", "a\\\\`b`\\`");
}

#[test]
fn links() {
    check("<a href=' /a?b=1&amp;c=2 '>t</a>", "[t](/a?b=1&c=2)");
    check(
        "<a href='a b'>t</a> <a href='a(b)'>t</a> <a href='a)b'>t</a>",
        "[t](<a b>) [t](a(b)) [t](<a)b>)",
    );
    check(
        "<a href='<a>'>t</a> <a href='a\n\tb'>t</a> <a href='a&amp;lt;'>t</a>",
        "[t](<\\<a\\>>) [t](ab) [t](a\\&lt;)",
    );
    check("<a href=u></a>a<a href=u> </a>", "a");
    check("<a href=u><img src=i alt=x></a>", "[![x](i)](u)");
    check(
        "<a href='JavaScript:void(0)'>t</a> <a href='java\nscript:x'>t</a> \
         <a name=x>t</a> <a href=''>t</a>",
        "t t t t",
    );
    check("<a href=u><div>a</div><div>b</div></a>", "[a](u)\n\n[b](u)");
    check("<a href=u>a]b[c</a> a]b[c", "[a\\]b\\[c](u) a]b\\[c");
    check("Look!<a href=u>a</a>!", "Look\\![a](u)!");
    check("<a href=u>a</a><a href=v>b</a>", "[a](u)[b](v)");
}

#[test]
fn images() {
    check("<img src='a b' alt='x [y]\n*z*'>", "![x \\[y\\] \\*z\\*](<a b>)");
    check("<img alt=x>a", "a");
    check("a<img src='data:image/png;base64,AA==' alt='x *'>b", "a x * b");
    check("<img src=u data-src=v><img data-src=v>", "![](u) ![](v)");
    let lazy = |html: &str, expected: &str| assert_eq!(markdown(html), expected, "{html}");
    lazy("<img src='data:image/gif;base64,R0' data-original=v alt=x>", "![x](v)");
    lazy("<img srcset='v.png 1x, w.png 2x'>", "![](v.png)");
}

#[test]
fn lists() {
    check("<ul><li>a<li>b</ul>", "- a\n- b");
    check("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d");
    check("<ol start=9><li>a<li>b<p>c</ol>", "9. a\n\n10. b\n\n    c");
    check("<ol start=-3><li>a</ol><ol start=99999999999><li>b</ol>", "1. a\n\n1) b");
    check("<ul><li>a<br>b</ul>", "- a\\\n  b");
    check("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c");
    check("<ul><li>a</ul><p>x<ul><li>b</ul>", "- a\n\nx\n\n- b");
    check("<ul><li>a</ul><ol><li>b</ol>", "- a\n\n1. b");
    check("<menu><li></li><li><p>a</p><li> </menu>", "- a");
    check("<ol><li></li><li>b</ol>", "2. b");
    check("<ol><li>a<li value=5>b<li>c<li value=x>d</ol>", "1. a\n5. b\n6. c\n7. d");
    check("<ul><li value=5>a</ul>", "- a");
    check("<li>a</li><li>b</li>c", "- a\n- b\n\nc");
    check("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c");
    check("<ul>x<li>a</ul>", "x\n\n- a");
    check("<ul><ul><li>a</ul></ul>", "- a");
    check("<ul><li><ul><li>a</ul></ul>", "- a");
    check("<ul><li><ul><li>a<li>b</ul><li>c</ul>", "- a\n- b\n- c");
    check("<ul><li><ul><li><ul><li>a</ul></ul><li>b</ul>", "- a\n- b");
    check("<ul><li><ul><li>a</ul><ul><li>b</ul></ul>", "- a\n- b");
    check("<ol><li><ul><li>a</ul><li>b</ol>", "1. - a\n2. b");
    check("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b");
    check("<ul><li><ol start=7>a<li>b</ol></ul>", "- a\n\n  7. b");
    check("<ul><li>a<ul><li><ol start=2><li>b</ol></ul></ul>", "- a\n\n  - 2. b");
    check("<ul><li>a|<ul><li>|</ul></ul>", "- a|\n  - \\|");
    check("<ul><li><hr><li>a</ul>", "- ___\n\n- a");
    check("<ul><li># a<li>1) b<li>- c</ul>", "- \\# a\n- 1\\) b\n- \\- c");
    check("<dl><dt>t<dd>d<dt><b>u</b><dd><p>e<p>f</dl>", "**t**\n\nd\n\n**u**\n\ne\n\nf");
}

#[test]
fn quotes() {
    check("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc");
    check(
        "<blockquote><ul><li>a<li>b</ul><blockquote>c</blockquote></blockquote>",
        "> - a\n> - b\n>\n> > c",
    );
    check("<ul><li><blockquote>a</blockquote><li>b</ul>", "- > a\n\n- b");
    check("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b");
    check("<blockquote> </blockquote>", "");
}

#[test]
fn code_blocks() {
    check(
        "<pre>\nfn main() {\n    <b>call</b>();\n}\n</pre>",
        "```\nfn main() {\n    call();\n}\n```",
    );
    check("<pre class='x language-rust'>a</pre>", "```rust\na\n```");
    check("<pre><code class=lang-c++>a</code></pre>", "```c++\na\n```");
    check("<div class='highlight highlight-source-shell'><pre>a</pre></div>", "```shell\na\n```");
    check("<pre class='language-`'>a\n```\n````</pre>", "`````\na\n```\n````\n`````");
    check("<ul><li>x<pre>a\n\n  b</pre></ul>", "- x\n\n  ```\n  a\n\n    b\n  ```");
    check("<blockquote><pre>a\n\nb</pre></blockquote>", "> ```\n> a\n>\n> b\n> ```");
    check("<pre><div>a</div><div>b</div>c<br>d</pre>", "```\na\nb\nc\nd\n```");
    check("<blockquote><pre>a&#13;b</pre></blockquote>", "> ```\n> a\n> b\n> ```");
    check("<pre> \n </pre><xmp><b></xmp>", "```\n<b>\n```");
}

#[test]
fn tables() {
    check(
        "<table><caption>c</caption><tr><th>Name<th>Price<tr><td>Tea<td>3.50</table>after",
        "c\n\n| Name | Price |\n| --- | --- |\n| Tea | 3.50 |\n\nafter",
    );
    check(
        "<table><tr><td>a|b<td><code>c|d</code><tr><td>e<br>f<td><a href='g|h'>i</a></table>",
        "| a\\|b | `c\\|d` |\n| --- | --- |\n| e<br>f | [i](g\\|h) |",
    );
    check(
        "<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e<tr><td>f</table>",
        "| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| f | | |",
    );
    check(
        "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td><td></table>",
        "| a | b |\n| --- | --- |\n| | c |",
    );
    check(
        "<table><tr><td><div>a</div><td># b<tr><td>c<td></table>",
        "| a | # b |\n| --- | --- |\n| c | |",
    );
    check(
        "<table><tr><th>A<th>B<tr><td><p>a</p><p>b</p><td><ul><li>c<li><b>d</b></ul></table>",
        "| A | B |\n| --- | --- |\n| a<br>b | c<br>**d** |",
    );
    check(
        "<table><tr><th>A<th>B<tr><td>a<pre>b</pre><td>c</table>",
        "A\n\nB\n\na\n\n```\nb\n```\n\nc",
    );
    let long = format!("<table><tr><th>A<th>B<tr><td>{}<td>b</table>", "<p>a</p>".repeat(9));
    check(&long, &format!("A\n\nB\n\n{}b", "a\n\n".repeat(9)));
    check("<table><tr><td>a<td>b</table>", "a\n\nb");
    check("<table><tr><td>a|b<tr><td>- c</table>", "a|b\n\n\\- c");
    check("<table><tr><td><p>a<p>b<td>c<tr><td>d<td>e</table>", "a\n\nb\n\nc\n\nd\n\ne");
    check("<table><tr><td><ul><li>a</ul><td>c<tr><td>d<td>e</table>", "- a\n\nc\n\nd\n\ne");
    check(
        "<table><tr><td>x<td>y<tr><td>z<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>",
        "x\n\ny\n\nz\n\n| a | b |\n| --- | --- |\n| c | d |",
    );
    check(
        "<ul><li><table><tr><td>a<td>b<tr><td>c<td>d</table></ul>",
        "- | a | b |\n  | --- | --- |\n  | c | d |",
    );
}

#[test]
fn syntax_characters_are_escaped() {
    check(
        "*a* _b_ `c` [d](e) ~~f~~ a\\*b",
        "\\*a\\* \\_b\\_ \\`c\\` \\[d](e) \\~\\~f\\~\\~ a\\\\\\*b",
    );
    check(
        "&lt;b> &lt;http://x> &amp;copy; &amp;#65; &lt;!-- x",
        "\\<b> \\<http://x> \\&copy; \\&#65; \\<!-- x",
    );
    check(
        "<p># a<p>+ b<p>- c<p>* d<p>> e<p>1. f<p>---<p>- - -<p>~~~<p>___",
        "\\# a\n\n\\+ b\n\n\\- c\n\n\\* d\n\n\\> e\n\n1\\. f\n\n\
         \\---\n\n\\- - -\n\n\\~\\~\\~\n\n\\_\\_\\_",
    );
    check("<p>#<p>1)<p>-<br>-<br>|-|", "\\#\n\n1\\)\n\n\\-\\\n\\-\\\n\\|-|");
    check("[a]: b", "\\[a]: b");
    check("2*3*4 ! a\\", "2\\*3\\*4 ! a\\\\");
}

#[test]
fn other_characters_are_not_escaped() {
    for text in [
        "A sentence, with (parentheses), a well-known hyphen - and snake_case_words.",
        "5 * 3 < 7 && 2 > 1, AT&T R&D ~5 #1 1.5 C:\\dir 100% $5 a=b a|b x] =) :-)",
        "#hash -dash +plus 1.x 2024 2024.",
        "http://a.b/~c/d_e?f=g&h=i",
        "=",
        "-- a",
    ] {
        let html = text.replace('&', "&amp;").replace('<', "&lt;");
        check(&html, text);
    }
}

#[test]
fn removed_parts_still_separate_their_neighbours() {
    let remove = |html: &str, word: &str| {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let mut marks = Marks::none(&page);
        for id in page
            .body()
            .filter(|&id| page.text(id) == word || page.attribute(id, "id") == Some(word))
        {
            marks.set(id, 1.0, None);
        }
        strip(&page, &marks).markdown()
    };
    assert_eq!(remove("a<b>x</b>b", "x"), "a b");
    assert_eq!(remove("a<div id=x></div>b", "x"), "a\n\nb");
    assert_eq!(remove("<ol><li>x</li><li>b</ol>", "x"), "2. b");
    assert_eq!(remove("<ul><li>x</li></ul>", "x"), "");
    assert_eq!(remove("<pre>a<b>x</b>b</pre>", "x"), "```\na b\n```");
    assert_eq!(
        remove("<table><tr><td>x<td>a<td>b<tr><td>x<td>c<td>d</table>", "x"),
        "| a | b |\n| --- | --- |\n| c | d |"
    );
}

#[test]
fn depth_is_bounded() {
    let html =
        format!("{}deep{}", "<ul><li><blockquote>".repeat(160), "</blockquote></ul>".repeat(160));
    let out = markdown(&html);
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.ends_with("deep") && out.len() < 64, "{out}");
    let html = format!("{}<p>a<p>b<ul><li>c<li>d</ul>", "<blockquote>".repeat(160));
    assert!(markdown(&html).len() < 400);
    assert_same_text(&html);
}

#[test]
fn a_long_address_is_repeated_a_limited_number_of_times() {
    let address = "x".repeat(1000);
    let html = format!("<a href={address}>{}</a>", "<p>a</p>".repeat(1000));
    assert!(markdown(&html).len() < 30_000);
    assert_same_text(&html);
}

/// Characters with a meaning in Markdown, in all combinations.
fn text() -> impl Strategy<Value = String> {
    let special = "[-\\\\`*_~\\[\\]()<>&#+.!:|=\"'; a1\u{201c}\u{2014}é€]{1,8}";
    let syntax = prop::sample::select(vec![
        "# a",
        "- a",
        "+ a",
        "* a",
        "1. a",
        "1) a",
        "---",
        "===",
        "***",
        "___",
        "~~~",
        "```",
        "> a",
        "<b>",
        "</b>",
        "<!--",
        "&amp;",
        "&#65;",
        "&copy",
        "[a](b)",
        "![a](b)",
        "[a]: b",
        "a_b",
        "_a_",
        "**a**",
        "|a|b|",
        "|-|-|",
        ":-:",
        "a\\",
        "    a",
        "http://a.b/_c_",
        "<http://a.b>",
        "a  \nb",
        "\\|",
        "word",
        "word.",
        "(word)",
        "[x]",
        "[^1]: a",
    ]);
    prop_oneof![
        4 => special.prop_map(String::from),
        3 => syntax.prop_map(String::from),
        2 => "[a-c]{1,3}",
    ]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Inline HTML: texts, and elements around or between them.
fn inline() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => text().prop_map(|text| escaped(&text)),
        2 => Just(" ".to_owned()),
        1 => Just("<br>".to_owned()),
        1 => (text(), text()).prop_map(|(alt, src)| image(&alt, &src)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let tag = prop::sample::select(vec!["em", "i", "strong", "b", "del", "code", "span"]);
        let content =
            || prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat());
        prop_oneof![
            3 => (tag, content()).prop_map(|(tag, content)| format!("<{tag}>{content}</{tag}>")),
            1 => (text(), content()).prop_map(|(href, content)| link(&href, &content)),
        ]
    })
}

fn attribute(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

fn image(alt: &str, src: &str) -> String {
    format!("<img alt=\"{}\" src=\"{}\">", attribute(alt), attribute(src))
}

fn link(href: &str, content: &str) -> String {
    format!("<a href=\"{}\">{content}</a>", attribute(href))
}

fn line() -> impl Strategy<Value = String> {
    prop::collection::vec(inline(), 0..6).prop_map(|parts| parts.concat())
}

fn block() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => line(),
        2 => line().prop_map(|line| format!("<p>{line}</p>")),
        1 => line().prop_map(|line| format!("<h2>{line}</h2>")),
        1 => line().prop_map(|line| format!("<pre>{line}</pre>")),
        1 => prop::collection::vec(text(), 1..4)
            .prop_map(|lines| format!("<pre>{}</pre>", escaped(&lines.join("\n")))),
        1 => Just("<hr>".to_owned()),
        2 => table(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let content =
            || prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat());
        let items = prop::collection::vec((content(), prop::bool::weighted(0.9)), 0..4);
        let tags = ["div", "blockquote", "section", "li", "dt", "dd", "b", "td", "h3"];
        let tag = prop::sample::select(tags.to_vec());
        let list = prop::sample::select(vec!["ul", "ol", "ol start=7", "menu"]);
        prop_oneof![
            2 => (tag, content()).prop_map(|(tag, content)| format!("<{tag}>{content}</{tag}>")),
            3 => (list, items).prop_map(|(list, items)| {
                let item = |(item, is_item): (String, bool)| {
                    if is_item { format!("<li>{item}</li>") } else { item }
                };
                let items: String = items.into_iter().map(item).collect();
                format!("<{list}>{items}</{}>", &list[..2])
            }),
            1 => (text(), content()).prop_map(|(href, content)| link(&href, &content)),
        ]
    })
}

fn table() -> impl Strategy<Value = String> {
    let cell = (line(), 1..3, 1..3).prop_map(|(line, columns, rows)| {
        format!("<td colspan={columns} rowspan={rows}>{line}</td>")
    });
    let row =
        prop::collection::vec(cell, 0..4).prop_map(|cells| format!("<tr>{}</tr>", cells.concat()));
    prop::collection::vec(row, 0..4).prop_map(|rows| format!("<table>{}</table>", rows.concat()))
}

/// Every visible character with its emphasis, on the page or for a Markdown reader.
type Styled = Vec<(char, [bool; 3])>;

fn styled(text: &str, style: [bool; 3]) -> impl Iterator<Item = (char, [bool; 3])> {
    text.chars().filter(|c| !c.is_whitespace()).map(move |c| (c, style))
}

fn page_emphasis(page: &Page) -> Styled {
    let style = |id| {
        let mut style = [false; 3];
        page.ancestors(id)
            .filter_map(|id| super::emphasis(page.tag(id)))
            .for_each(|kind| style[kind] = true);
        style
    };
    page.visible_texts().flat_map(|id| styled(page.text(id), style(id))).collect()
}

fn read_emphasis(markdown: &str) -> Styled {
    let (mut depth, mut images, mut all) = ([0; 3], 0, Styled::new());
    for event in parse(markdown) {
        match event {
            Event::Start(Md::Emphasis) => depth[0] += 1,
            Event::End(TagEnd::Emphasis) => depth[0] -= 1,
            Event::Start(Md::Strong) => depth[1] += 1,
            Event::End(TagEnd::Strong) => depth[1] -= 1,
            Event::Start(Md::Strikethrough) => depth[2] += 1,
            Event::End(TagEnd::Strikethrough) => depth[2] -= 1,
            Event::Start(Md::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(text) | Event::Code(text) if images == 0 => {
                all.extend(styled(&text, depth.map(|d| d > 0)))
            }
            _ => {}
        }
    }
    all
}

/// Words in all styles, separated by spaces.
fn styled_words() -> impl Strategy<Value = String> {
    "[a-c]{1,2}".prop_recursive(4, 16, 4, |inner| {
        let tag = prop::sample::select(vec!["em", "strong", "del", "a href=u", "span"]);
        (tag, prop::collection::vec(inner, 1..4)).prop_map(|(tag, words)| {
            format!("<{tag}>{}</{}>", words.join(" "), tag.split(' ').next().unwrap_or(tag))
        })
    })
}

/// The elements that a reader must find.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Counts {
    headings: usize,
    items: usize,
    code_blocks: Vec<String>,
    links: Vec<String>,
    images: Vec<String>,
    cells: usize,
    quotes: usize,
}

fn counts(markdown: &str) -> Counts {
    let mut counts = Counts::default();
    let mut in_code = false;
    for event in parse(markdown) {
        match event {
            Event::Start(Md::Heading { .. }) => counts.headings += 1,
            Event::Start(Md::Item) => counts.items += 1,
            Event::Start(Md::BlockQuote(_)) => counts.quotes += 1,
            Event::Start(Md::TableCell) => counts.cells += 1,
            Event::Start(Md::Link { dest_url, .. }) => counts.links.push(dest_url.to_string()),
            Event::Start(Md::Image { dest_url, .. }) => counts.images.push(dest_url.to_string()),
            Event::Start(Md::CodeBlock(_)) => {
                in_code = true;
                counts.code_blocks.push(String::new());
            }
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if in_code => {
                if let Some(code) = counts.code_blocks.last_mut() {
                    code.push_str(&text);
                }
            }
            _ => {}
        }
    }
    counts
}

fn visible(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "x".to_owned() } else { text.to_owned() }
}

/// A block that Markdown can express, and its counts.
fn simple_block() -> impl Strategy<Value = (String, Counts)> {
    let text = || text().prop_map(|text| visible(&text));
    prop_oneof![
        text().prop_map(|t| (format!("<p>{}</p>", escaped(&t)), Counts::default())),
        text().prop_map(|t| (
            format!("<h3>{}</h3>", escaped(&t)),
            Counts { headings: 1, ..Counts::default() }
        )),
        text().prop_map(|t| (
            format!("<blockquote>{}</blockquote>", escaped(&t)),
            Counts { quotes: 1, ..Counts::default() }
        )),
        prop::collection::vec(text(), 1..4).prop_map(|lines| {
            let code =
                lines.iter().map(|line| line.replace('\n', " ")).collect::<Vec<_>>().join("\n");
            let counts = Counts { code_blocks: vec![format!("{code}\n")], ..Counts::default() };
            (format!("<pre>{}</pre>", escaped(&code)), counts)
        }),
        (text(), text(), text(), text()).prop_map(|(before, href, text, after)| {
            let href = visible(&href.replace('\n', ""));
            let html = format!(
                "<p>{}{}{}</p>",
                escaped(&before),
                link(&href, &escaped(&text)),
                escaped(&after)
            );
            (html, Counts { links: vec![href], ..Counts::default() })
        }),
        (text(), text()).prop_map(|(alt, src)| {
            let src = visible(&src.replace('\n', ""));
            (image(&alt, &src), Counts { images: vec![src], ..Counts::default() })
        }),
        prop::collection::vec(prop::collection::vec(text(), 3), 2..4).prop_map(|rows| {
            let cell = |text: &String| format!("<td>{}</td>", escaped(text));
            let row = |row: &Vec<String>| {
                format!("<tr>{}</tr>", row.iter().map(cell).collect::<String>())
            };
            let html = format!("<table>{}</table>", rows.iter().map(row).collect::<String>());
            (html, Counts { cells: 3 * rows.len(), ..Counts::default() })
        }),
        (any::<bool>(), prop::collection::vec((text(), any::<bool>(), text()), 1..4)).prop_map(
            |(numbered, items)| {
                let name = if numbered { "ol" } else { "ul" };
                let mut counts = Counts::default();
                let mut html = format!("<{name}>");
                for (first, nested, second) in items {
                    counts.items += 1 + usize::from(nested);
                    let nested = if nested {
                        format!("<{name}><li>{}</{name}>", escaped(&second))
                    } else {
                        String::new()
                    };
                    html.push_str(&format!("<li>{}{nested}</li>", escaped(&first)));
                }
                html.push_str(&format!("</{name}>"));
                (html, counts)
            }
        ),
    ]
}

fn sum(all: impl IntoIterator<Item = Counts>) -> Counts {
    all.into_iter().fold(Counts::default(), |mut sum, next| {
        sum.headings += next.headings;
        sum.items += next.items;
        sum.cells += next.cells;
        sum.quotes += next.quotes;
        sum.code_blocks.extend(next.code_blocks);
        sum.links.extend(next.links);
        sum.images.extend(next.images);
        sum
    })
}

proptest! {
    #[test]
    fn a_line_keeps_its_text(line in line()) {
        assert_same_text(&line);
    }

    #[test]
    fn a_page_keeps_its_text(blocks in prop::collection::vec(block(), 0..5)) {
        assert_same_text(&blocks.concat());
    }

    #[test]
    fn a_stripped_page_keeps_the_text_that_is_left(
        blocks in prop::collection::vec(block(), 0..5),
        seed: u64,
    ) {
        let page = Page::parse(blocks.concat().as_bytes(), &Limits::default());
        let mut marks = Marks::none(&page);
        for id in page.body().filter(|&id| (seed >> (id.index() % 64)) & 1 == 1) {
            marks.set(id, 1.0, None);
        }
        let stripped = strip(&page, &marks);
        let (page_text, read) = both_texts(&stripped);
        prop_assert_eq!(read, page_text, "{}", stripped.markdown());
    }

    #[test]
    fn emphasis_of_words_is_kept(words in prop::collection::vec(styled_words(), 0..5)) {
        let page = Page::parse(words.join(" ").as_bytes(), &Limits::default());
        let out = Stripped::untouched(&page).markdown();
        prop_assert_eq!(read_emphasis(&out), page_emphasis(&page), "{}", out);
    }

    #[test]
    fn emphasis_is_never_added(line in line()) {
        let page = Page::parse(line.as_bytes(), &Limits::default());
        let out = Stripped::untouched(&page).markdown();
        for (read, meant) in read_emphasis(&out).into_iter().zip(page_emphasis(&page)) {
            prop_assert_eq!(read.0, meant.0, "{}", out);
            prop_assert!((0..3).all(|kind| meant.1[kind] || !read.1[kind]), "{:?} {}", read, out);
        }
    }

    #[test]
    fn blocks_keep_their_kind(blocks in prop::collection::vec(simple_block(), 0..5)) {
        let (html, expected): (Vec<String>, Vec<Counts>) = blocks.into_iter().unzip();
        let out = markdown(&html.concat());
        prop_assert_eq!(counts(&out), sum(expected), "{}", out);
    }
}
