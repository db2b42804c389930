//! Sections and recorded layouts.

use unmold::sections::{Areas, PageBoxes};
use unmold::{Limits, Page};

use super::*;

#[test]
fn section_records_are_complete_with_any_method() {
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
            assert!((sum - 1.0).abs() < 0.01, "sections contain all text: {sum}");
            for section in sections {
                assert!(field(section, "path").starts_with("/html/body/"), "{section}");
                let importance = section["importance"].as_f64().expect("a number");
                assert_eq!(section["noisy"].as_bool().expect("a boolean"), importance < 0.4);
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
fn clean_removes_whole_sections() {
    let text = |flags: &[&str]| -> usize {
        let arguments =
            [&["clean", "fixtures/blog", "--method", "tree-pattern"][..], flags].concat();
        let (code, out, error) = outcome(&run(&arguments));
        assert_eq!(code, 0, "{error}");
        records(&out).iter().map(|record| field(record, "text").len()).sum()
    };
    let (nothing, some, much) = (
        text(&["--min-importance", "0"]),
        text(&["--min-importance", "0.25"]),
        text(&["--min-importance", "0.9"]),
    );
    assert!(nothing > some && some > much && much > 0, "{nothing} {some} {much}");
    assert_eq!(outcome(&run(&["clean", "fixtures/blog", "--min-importance", "2"])).0, 2);
}

#[test]
fn layouts_of_other_pages_are_refused() {
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
    assert!(
        code == 1 && error.contains("0.html: the recorded layout is of another page"),
        "{error}"
    );
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

/// Returns a recorded layout for each page, with the estimated areas.
fn recorded(pages: &[&str]) -> String {
    let line = |id: &&str| {
        let bytes = fs::read(fixtures().join("blog").join(id)).expect("a page");
        let page = Page::parse(&bytes, &Limits::default());
        let mut boxes = PageBoxes::new(id, &page);
        let areas = Areas::estimate(&page);
        boxes.boxes =
            page.nodes().map(|id| (id.position(), 0.0, 0.0, areas.area(id), 1.0)).collect();
        serde_json::to_string(&boxes).expect("JSON") + "\n"
    };
    pages.iter().map(line).collect()
}

#[test]
fn recorded_layouts_replace_the_estimate_and_can_be_compared() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("boxes.jsonl");
    let file = path.to_str().expect("utf-8");
    let pages = ["pages/2024/bread-at-altitude.html", "pages/archive/kitchen.html"];
    fs::write(&path, recorded(&pages)).expect("writable");
    let (code, out, error) = outcome(&run(&["sections", "fixtures/blog", "-g", file]));
    assert_eq!(code, 0, "{error}");
    for record in records(&out) {
        let has_boxes = pages.contains(&field(&record, "id"));
        assert_eq!(field(&record, "areas"), if has_boxes { "browser" } else { "estimate" });
    }
    let (code, out, error) = outcome(&run(&["sections", "fixtures/blog", "-g", file, "--compare"]));
    assert_eq!(code, 0, "{error}");
    let mean: Vec<&str> = out.lines().last().expect("a table").split_whitespace().collect();
    assert_eq!(mean, ["mean", "of", "sites", "2", "1.000", "1.000", "1.000"], "{out}");
}
