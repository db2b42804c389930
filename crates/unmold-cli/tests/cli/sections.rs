//! Sections, and boxes from a browser.

use super::*;

#[test]
fn sections_have_path_kind_importance_and_shares_with_any_method() {
    for method in ["tree-pattern", "chunk-frequency"] {
        let (code, out, error) =
            outcome(&run(&["sections", "fixtures/blog", "--site", "blog", "--method", method]));
        assert_eq!(code, 0, "{error}");
        let records = records(&out);
        assert_eq!(records.len(), 11);
        for record in &records {
            assert_eq!((field(record, "site"), field(record, "areas")), ("blog", "estimate"));
            let sections = record["sections"].as_array().expect("sections");
            assert!(sections.len() > 3, "{record}");
            let sum: f64 =
                sections.iter().map(|s| s["text_share"].as_f64().expect("a share")).sum();
            assert!((sum - 1.0).abs() < 0.01, "sections hold all text: {sum}");
            for section in sections {
                assert!(field(section, "path").starts_with("/html/body/"), "{section}");
                let importance = section["importance"].as_f64().expect("a number");
                assert_eq!(section["noisy"].as_bool().expect("a truth"), importance < 0.4);
            }
            assert!(
                sections.iter().any(|s| s["noisy"] == true)
                    && sections.iter().any(|s| s["noisy"] == false)
            );
            let kinds = ["repeated-list", "block", "inline-run", "between-separators"];
            assert!(sections.iter().all(|section| kinds.contains(&field(section, "kind"))));
        }
    }
    let (code, out, _) = outcome(&run(&[
        "sections",
        "fixtures/blog",
        "--format",
        "tree",
        "--method",
        "tree-pattern",
    ]));
    assert!(code == 0 && out.contains("==> ") && out.contains("repeated-list"), "{out}");
}

#[test]
fn clean_can_take_whole_sections_away() {
    let text = |flags: &[&str]| -> usize {
        let arguments =
            [&["clean", "fixtures/blog", "--method", "tree-pattern"][..], flags].concat();
        let (code, out, error) = outcome(&run(&arguments));
        assert_eq!(code, 0, "{error}");
        records(&out).iter().map(|record| field(record, "text").len()).sum()
    };
    let (nothing, some, much) = (
        text(&["--least-importance", "0"]),
        text(&["--least-importance", "0.25"]),
        text(&["--least-importance", "0.9"]),
    );
    assert!(nothing > some && some > much && much > 0, "{nothing} {some} {much}");
    assert_eq!(outcome(&run(&["clean", "fixtures/blog", "--least-importance", "2"])).0, 2);
}

#[test]
fn noisy_sections_are_scored_site_by_site_with_a_figure() {
    let folder = TempDir::new().expect("a folder");
    let arguments = [
        "eval",
        "fixtures",
        "--experiment",
        "sections",
        "--method",
        "tree-pattern",
        "--quiet",
        "--report",
    ];
    let (code, out, error) =
        outcome(&unmold().args(arguments).arg(folder.path()).output().expect("runs"));
    assert_eq!(code, 0, "{error}");
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("fixtures")).collect();
    assert!(out.contains("precision  recall"), "{out}");
    assert!(rows.len() == 2 && rows[1].contains("tree-pattern-paper"), "{out}");
    let svg =
        fs::read_to_string(folder.path().join("sections-noise-fixtures.svg")).expect("a figure");
    assert_eq!(svg.matches("<rect x=").count(), 12, "six sites, two settings");
    assert!(svg.contains(">wiki</text>"), "{svg}");

    let each = folder.path().join("sections.jsonl");
    let arguments = ["eval", "fixtures", "--method", "tree-pattern", "--each-section"];
    let output = unmold().args(arguments).arg(&each).output().expect("runs");
    assert_eq!(outcome(&output).0, 0);
    let sections = records(&fs::read_to_string(&each).expect("sections"));
    assert!(
        sections.len() > 100
            && sections.iter().all(|section| field(section, "method") == "tree-pattern")
    );
}

#[test]
fn a_browser_that_is_not_there_is_named() {
    let (code, _, error) =
        outcome(&run(&["geometry", "fixtures/blog", "--browser", "/no/such/browser"]));
    assert!(
        code == 2 && error.contains("/no/such/browser") && error.contains("--browser"),
        "{error}"
    );
    let output = unmold()
        .args(["geometry", "fixtures/blog"])
        .env("PATH", "/nonexistent")
        .output()
        .expect("runs");
    let (code, _, error) = outcome(&output);
    assert!(code == 2 && error.contains("install Chromium"), "{error}");
}

#[test]
fn boxes_of_another_page_are_refused() {
    let folder = site(4);
    let boxes = folder.path().join("boxes.jsonl");
    let line = r#"{"id":"0.html","nodes":7,"shape":"0","width":1,"height":1,"boxes":[]}"#;
    fs::write(&boxes, line).expect("writable");
    let output = unmold()
        .arg("sections")
        .arg(folder.path())
        .arg("--geometry")
        .arg(&boxes)
        .output()
        .expect("runs");
    let (code, out, error) = outcome(&output);
    assert!(code == 1 && error.contains("0.html: its boxes are of another page"), "{error}");
    assert_eq!(records(&out).len(), 4);
    fs::write(&boxes, "no boxes").expect("writable");
    let output = unmold()
        .arg("sections")
        .arg(folder.path())
        .arg("--geometry")
        .arg(&boxes)
        .output()
        .expect("runs");
    let (code, _, error) = outcome(&output);
    assert!(code == 2 && error.contains("line 1"), "{error}");
}

/// Whether there is a browser; says so if there is none.
fn has_chromium() -> bool {
    let found = std::process::Command::new("chromium").arg("--version").output().is_ok();
    if !found {
        println!("skipped: there is no chromium");
    }
    found
}

#[test]
fn needs_chromium_boxes_are_recorded_offline_and_used() {
    if !has_chromium() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).expect("a folder");
    // What the network, a script or a frame would do must not happen.
    let wide = "<!doctype html><style>body{margin:0} .half{float:left;width:512px;height:300px}</style>\
                <script>document.write('<p>written</p>')</script><link rel=stylesheet href=http://127.0.0.1:9/x.css>\
                <noscript><p>no script</p></noscript><div class=half>left<!-- c --> text</div>\
                <div class=half hidden>gone</div><div class=half>right <img src=/x.png width=40 height=30></div>\
                <iframe src=http://127.0.0.1:9/></iframe>";
    fs::write(pages.join("wide.html"), wide).expect("writable");
    fs::write(pages.join("empty.html"), "").expect("writable");
    fs::write(
        pages.join("moved.html"),
        "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><p>still here",
    )
    .expect("writable");
    let boxes = folder.path().join("boxes.jsonl");
    let output = unmold().arg("geometry").arg(&pages).arg("-o").arg(&boxes).output().expect("runs");
    let (code, _, error) = outcome(&output);
    assert_eq!(code, 0, "{error}");
    let all = records(&fs::read_to_string(&boxes).expect("boxes"));
    assert_eq!(all.len(), 3);
    let record = all.iter().find(|record| field(record, "id") == "wide.html").expect("a record");
    assert_eq!(record["width"], 1024.0);
    let halves = record["boxes"]
        .as_array()
        .expect("boxes")
        .iter()
        .filter(|b| b[3] == 512.0 && b[4] == 300.0);
    assert_eq!(halves.count(), 2, "{record}");
    let pictures =
        record["boxes"].as_array().expect("boxes").iter().filter(|b| b[3] == 40.0 && b[4] == 30.0);
    assert_eq!(pictures.count(), 1, "{record}");
    let output =
        unmold().arg("sections").arg(&pages).arg("--geometry").arg(&boxes).output().expect("runs");
    let (code, out, error) = outcome(&output);
    assert_eq!(code, 0, "{error}");
    assert!(records(&out).iter().all(|record| field(record, "areas") == "browser"), "{out}");
}

#[test]
fn needs_chromium_the_estimate_is_compared_with_the_browser() {
    if !has_chromium() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let boxes = folder.path().join("boxes.jsonl");
    let boxes = boxes.to_str().expect("utf-8");
    assert_eq!(outcome(&run(&["geometry", "fixtures/blog", "-o", boxes])).0, 0);
    let (code, out, error) =
        outcome(&run(&["sections", "fixtures/blog", "-g", boxes, "--compare"]));
    assert_eq!(code, 0, "{error}");
    let mean = out.lines().last().expect("a table");
    let rank: f64 = mean.split_whitespace().nth(4).expect("a column").parse().expect("a number");
    assert!(mean.starts_with("mean of sites") && rank > 0.5, "{out}");
}

// What bad input gets.
