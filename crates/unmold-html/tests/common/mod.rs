//! Test data, and an outline of a tree for comparisons.
//!
//! The tests of `unmold` include this file as well.

#![allow(dead_code, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use unmold_html::{Limits, Page};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Expected values beside the repository; prints a line and returns `None` if they are missing.
pub fn shared(file: &str) -> Option<PathBuf> {
    let path = repository().join("../shared").join(file);
    if !path.exists() {
        println!("skipped: {} is missing", path.display());
        return None;
    }
    Some(path)
}

/// The unpacked corpus beside the repository; prints a line and returns `None` if it is missing.
pub fn corpus() -> Option<PathBuf> {
    let path = repository().join("../corpus");
    if !path.join("sites").exists() {
        println!("skipped: {} is missing", path.display());
        return None;
    }
    Some(path)
}

/// All HTML files below `root`, sorted.
pub fn html_files(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

pub fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

/// A tree as lines: depth, then the text in quotes or the name with its sorted attributes.
pub fn outline(page: &Page) -> Vec<String> {
    page.nodes()
        .map(|id| {
            if page.is_text(id) {
                return format!("{} {:?}", page.depth(id), page.text(id));
            }
            let mut attributes: Vec<String> =
                page.attributes(id).map(|(n, v)| format!("{n}={v:?}")).collect();
            attributes.sort();
            format!("{} {} {}", page.depth(id), page.tag_name(id), attributes.join(" "))
        })
        .collect()
}

/// HTML soup: tags opened and closed at random, in and out of tables, with text between.
pub fn soup(seed: &[u8]) -> String {
    const PIECES: [&str; 64] = [
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<a href=x>",
        "</a>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "</td>",
        "</tr>",
        "<ul>",
        "<li>",
        "</ul>",
        "<h1>",
        "</h1>",
        "<span class='a b'>",
        "</span>",
        "<br>",
        "<img src=i alt='x y'>",
        "text ",
        " more",
        "one\ntwo",
        "&amp; &lt;b&gt;",
        "<!-- c -->",
        "<script>if (a<b) {}</script>",
        "<style>p{}</style>",
        "<pre>\n a\n  b\n</pre>",
        "<pre>",
        "</pre>",
        "<textarea>\nt</textarea>",
        "<select><option>o<option>p</select>",
        "<form>",
        "</form>",
        "<button>",
        "</button>",
        "<svg viewBox='0 0 1 1'><path d=m /></svg>",
        "<math><mi>x</mi></math>",
        "<template><p>t</p></template>",
        "<noscript><p>n</p></noscript>",
        "<iframe>f</iframe>",
        "<p hidden>h</p>",
        "<div style='display: none'>n</div>",
        "<font color=red>",
        "</font>",
        "<center>",
        "<em>",
        "</em>",
        "<caption>",
        "<tbody>",
        "<col>",
        "<dl><dt>d<dd>e</dl>",
        "<title>t</title>",
        "<body class=c>",
        "<html lang=en>",
        "<x-card>",
        "</x-card>",
        "\u{a0}",
        "é中",
    ];
    seed.iter().map(|&byte| PIECES[usize::from(byte) % PIECES.len()]).collect()
}
