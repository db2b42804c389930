//! Clustering.

use super::*;

/// Creates pages of two kinds: articles and listings.
fn two_kinds(folder: &Path) {
    const WORDS: [&str; 12] = [
        "oolong",
        "assam",
        "sencha",
        "matcha",
        "keemun",
        "ceylon",
        "yunnan",
        "darjeeling",
        "nilgiri",
        "pouchong",
        "gunpowder",
        "lapsang",
    ];
    for (number, word) in WORDS.into_iter().enumerate() {
        let article = format!(
            "<nav><ul><li>Home<li>Shop</ul></nav><article><h1>{word}</h1><p>All about {word}.</p></article>\
             <section class=related><h2>More to read</h2><blockquote>Good tea</blockquote></section><footer>Imprint</footer>"
        );
        let rows: String =
            (0..4).map(|row| format!("<tr><td>{word}<td>cup of {word} {row}")).collect();
        let listing = format!(
            "<nav><ul><li>Home<li>Shop</ul></nav><table class=list><caption>All cups</caption>{rows}</table>\
             <form><label>Find</label><input name=q></form><dl><dt>Price<dd>low</dl><footer>Imprint</footer>"
        );
        fs::write(folder.join(format!("article{number}.html")), article).expect("writable");
        fs::write(folder.join(format!("listing{number}.html")), listing).expect("writable");
    }
}

#[test]
fn clusters_match_the_kinds_of_pages() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("shop");
    fs::create_dir(&pages).expect("a folder");
    two_kinds(&pages);
    for algorithm in ["mdl", "hash", "max", "dicemax"] {
        let output = unmold().args(["cluster", "--algorithm", algorithm]).arg(&pages).output();
        let (code, out, error) = outcome(&output.expect("runs"));
        assert_eq!(code, 0, "{error}");
        assert!(
            out.contains("shop: 24 pages") && out.contains("shop#1") && out.contains("shop#2"),
            "{out}"
        );
        assert!(!out.contains("shop#3") && out.contains(" 0 unclustered"), "{out}");
        let records = |threads: &str| {
            let output =
                unmold().args(["cluster", "-o", "-", "--threads", threads]).arg(&pages).output();
            outcome(&output.expect("runs")).1
        };
        let out = records("1");
        assert_eq!(out, records("4"));
        let records: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let cluster = |kind: &str| -> Vec<&str> {
            let of_kind = records.iter().filter(|record| field(record, "id").contains(kind));
            of_kind.map(|record| field(record, "cluster")).collect()
        };
        let (articles, listings) = (cluster("article"), cluster("listing"));
        assert_eq!((articles.len(), listings.len()), (12, 12));
        assert!(
            articles.iter().all(|name| *name == articles[0])
                && listings.iter().all(|name| *name == listings[0])
        );
        assert_ne!(articles[0], listings[0]);
    }
}

#[test]
fn new_pages_join_known_clusters_or_form_new_ones() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("shop");
    fs::create_dir(&pages).expect("a folder");
    two_kinds(&pages);
    let templates = folder.path().join("t.json");
    let learned =
        unmold().args(["learn", "--cluster"]).arg(&pages).arg("-t").arg(&templates).output();
    assert_eq!(outcome(&learned.expect("runs")).0, 0);
    let cluster = || {
        let output = unmold().arg("cluster").arg(&pages).arg("-t").arg(&templates).output();
        outcome(&output.expect("runs")).1
    };
    let add = |number: usize| {
        let page = format!(
            "<h5>Nothing {number}</h5><h6>like</h6><pre>the <kbd>others</kbd></pre><ol><li>at <samp>all</samp></ol>"
        );
        fs::write(pages.join(format!("odd{number}.html")), page).expect("writable");
    };
    (0..50).for_each(add);
    let out = cluster();
    assert!(
        out.starts_with("shop: 74 pages, 2 clusters known and 0 new, 50 unclustered\n"),
        "{out}"
    );
    add(50);
    let out = cluster();
    assert!(
        out.starts_with("shop: 75 pages, 2 clusters known and 1 new, 0 unclustered\n"),
        "{out}"
    );
    let of_cluster =
        |name: &str| out.lines().find(|line| line.contains(name)).expect("a line").to_owned();
    assert!(
        of_cluster("shop#3").trim_start().starts_with("51 ")
            && of_cluster("shop#3").contains("odd"),
        "{out}"
    );
    for known in ["shop#1", "shop#2"] {
        assert!(of_cluster(known).trim_start().starts_with("12 "), "{out}");
    }
}

#[test]
fn clean_equals_learn_then_strip_with_clusters() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("shop");
    fs::create_dir(&pages).expect("a folder");
    two_kinds(&pages);
    fs::write(pages.join("odd.html"), "<h5>Nothing</h5><h6>like</h6><pre>the others</pre>")
        .expect("writable");
    let templates = folder.path().join("t.json");
    for method in ["chunk-frequency", "alignment", "tree-mapping", "page-clusters"] {
        let clean = |threads: &str, clusters: &str| {
            let output = unmold()
                .args(["clean", "--method", method, "--threads", threads, clusters])
                .arg(&pages)
                .output();
            outcome(&output.expect("runs")).1
        };
        let cleaned = clean("1", "--cluster");
        assert_eq!(cleaned, clean("3", "--cluster"));
        let output = unmold()
            .args(["learn", "--cluster", "--method", method])
            .arg(&pages)
            .arg("-t")
            .arg(&templates)
            .output();
        assert_eq!(outcome(&output.expect("runs")).0, 0);
        let output = unmold().arg("strip").arg(&pages).arg("-t").arg(&templates).output();
        assert_eq!(outcome(&output.expect("runs")).1, cleaned, "{method}");
        let records: Vec<Value> =
            cleaned.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let template = |id: &str| {
            let record =
                records.iter().find(|record| field(record, "id").ends_with(id)).expect("the page");
            (field(record, "template").to_owned(), record["flags"].clone())
        };
        assert_ne!(template("article3.html").0, template("listing3.html").0, "{method}");
        assert_eq!(template("article3.html").1, serde_json::json!([]));
        assert!(template("odd.html").1.to_string().contains("unclustered"), "{method}");
        let whole = clean("1", "--no-cluster");
        assert!(
            whole.contains("shop#1") && !whole.contains("shop#2") && !whole.contains("unclustered"),
            "{method}"
        );
    }
}
