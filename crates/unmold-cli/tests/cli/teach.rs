//! Labels of a few pages.

use super::*;

const WIKI: &str = "fixtures/wiki/pages";

/// Labels that drop the info boxes of two pages, which the default keeps.
const LABELS: &str = r#"{"id": "callow-lighthouse.html", "drop": [".infobox"], "partial": true}
{"id": "brindle-canal.html", "drop": ["table.infobox"], "partial": true}
{"id": "ada-merrowby.html", "drop": ["/html/body/div/table"], "partial": true}
"#;

struct Taught {
    folder: TempDir,
}

impl Taught {
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a path").to_owned()
    }

    /// A template that was taught the labels, and what was said about it.
    fn new(template: &str, labels: &str) -> (Taught, i32, String) {
        let taught = Taught { folder: TempDir::new().expect("a folder") };
        fs::write(taught.path("labels.jsonl"), labels).expect("writable");
        let (file, labels) = (taught.path(template), taught.path("labels.jsonl"));
        let (code, _, error) = outcome(&run(&["learn", WIKI, "-t", &file, "--labels", &labels]));
        (taught, code, error)
    }

    fn strip(&self, template: &str) -> Vec<Value> {
        let (code, out, error) = outcome(&run(&["strip", WIKI, "-t", &self.path(template)]));
        assert_eq!(code, 0, "{error}");
        records(&out)
    }
}

fn text_of<'a>(records: &'a [Value], id: &str) -> &'a str {
    let record = records.iter().find(|record| record["id"] == id).expect("a page");
    field(record, "text")
}

#[test]
fn labels_are_learned_stored_obeyed_and_explained() {
    let whole = records(&outcome(&run(&["clean", WIKI])).1);
    assert!(text_of(&whole, "quillon-pass.html").contains("Mule track"), "{whole:?}");
    for name in ["t.json", "t.db"] {
        let (taught, code, error) = Taught::new(name, LABELS);
        assert_eq!(code, 0, "{error}");
        assert!(error.contains("labels of 3 pages cover"), "{error}");
        let stripped = taught.strip(name);
        let pass = text_of(&stripped, "quillon-pass.html");
        assert!(!pass.contains("Mule track") && pass.contains("References"), "{pass}");
        let file = taught.path(name);
        let page = format!("{WIKI}/quillon-pass.html");
        let shown = outcome(&run(&["show", &page, "-t", &file, "--explain", "--site", "pages"])).1;
        assert!(shown.contains("labelled on 3 pages: template"), "{shown}");
        // Learned again without labels, they stay.
        assert_eq!(outcome(&run(&["learn", WIKI, "-t", &file])).0, 0);
        assert_eq!(taught.strip(name), stripped);
        let shown = match name {
            "t.db" => outcome(&run(&["templates", "show", &file, "pages"])).1,
            _ => outcome(&run(&["show", &file])).1,
        };
        assert!(shown.contains("labelled on 3 pages: ada-merrowby.html, "), "{shown}");
    }
}

#[test]
fn a_plan_numbers_the_blocks_that_labels_name() {
    let (taught, ..) = Taught::new("t.json", LABELS);
    let plan = taught.path("plan.jsonl");
    let (code, _, error) = outcome(&run(&["teach", "plan", WIKI, "-o", &plan, "--per-kind", "2"]));
    assert_eq!(code, 0, "{error}");
    let asked = records(&fs::read_to_string(&plan).expect("a plan"));
    assert!(!asked.is_empty() && error.contains("pages to label"), "{error}");
    let mut labels = String::new();
    for question in &asked {
        let page = field(question, "page");
        // Paragraphs and headings are wanted, and the box beside them is not.
        let wanted = page
            .lines()
            .filter(|line| line.contains("div#content>p") || line.contains("div#content>h"));
        let numbers: Vec<u32> = wanted
            .map(|line| line.split(' ').next().expect("a number").parse().expect("one"))
            .collect();
        let label = serde_json::json!({"id": question["id"], "keep": numbers});
        labels += &format!("{label}\n");
    }
    let (taught, code, error) = Taught::new("t.json", &labels);
    assert_eq!(code, 0, "{error}");
    let stripped = taught.strip("t.json");
    assert!(!text_of(&stripped, "quillon-pass.html").contains("Mule track"));
    // A budget cuts the plan.
    let (_, out, _) = outcome(&run(&["teach", "plan", WIKI, "--budget", "1"]));
    assert_eq!(records(&out).len(), 1);
    // A plan with a taught template asks for less.
    let (code, out, _) = outcome(&run(&["teach", "plan", WIKI, "-t", &taught.path("t.json")]));
    assert_eq!(code, 0);
    assert!(records(&out).len() < asked.len(), "{out}");
}

#[test]
fn what_became_of_labels_is_reported() {
    let gold = fs::read_to_string(fixtures().join("wiki/gold.jsonl")).expect("gold");
    let gold = records(&gold);
    let mut labels = String::new();
    for page in &gold[..4] {
        let label = serde_json::json!({"id": page["file"], "text": page["content"]});
        labels += &format!("{label}\n");
    }
    labels += "{\"id\": \"gone.html\", \"text\": \"x\"}\n";
    labels += "{\"id\": \"tonal-knitting.html\", \"text\": \"Words of quite another page\"}\n";
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    fs::write(path("labels.jsonl"), labels).expect("writable");
    let arguments = [
        "learn",
        WIKI,
        "-t",
        &path("t.json"),
        "--labels",
        &path("labels.jsonl"),
        "--labels-report",
        &path("report.jsonl"),
    ];
    let (code, _, error) = outcome(&run(&arguments));
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("gone.html: labelled, but not in the input"), "{error}");
    assert!(error.contains("% of its words are not on the page"), "{error}");
    let report = records(&fs::read_to_string(path("report.jsonl")).expect("a report"));
    let kind = &report[0]["kinds"][0];
    assert_eq!(kind["pages"], 4);
    assert!(kind["agreement"].as_f64() > Some(0.9) && kind["coverage"].as_f64() > Some(0.5));
    assert_eq!(report[0]["pages"].as_array().map(Vec::len), Some(5));
}

#[test]
fn labels_that_mean_nothing_are_errors() {
    let (taught, ..) = Taught::new("t.json", LABELS);
    let (file, labels) = (taught.path("t.json"), taught.path("labels.jsonl"));
    let check = |flags: &[&str], expected: &str| {
        let learn = ["learn", WIKI, "-t", &file, "--labels", &labels];
        let (code, _, error) = outcome(&run(&[&learn[..], flags].concat()));
        assert_eq!(code, 2, "{error}");
        assert!(error.contains(expected), "{error}");
    };
    check(&["--method", "alignment"], "--labels means nothing to --method alignment");
    check(&["--keep", "all-unique"], "--labels means nothing to --keep all-unique");
    fs::write(&labels, "{\"id\": \"a\"\n").expect("writable");
    check(&[], "line 1: not a label");
    fs::write(&labels, "").expect("writable");
    check(&[], "has no labels");
}
