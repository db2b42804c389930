//! Exported rules.

use super::*;

fn rules(format: &str) -> String {
    let (code, out, err) = outcome(&run(&["export-rules", "fixtures", "--format", format]));
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn rules_remove_template_and_keep_content() {
    let mut taken = 0;
    for site in records(&rules("json")) {
        let number = |name: &str| site[name].as_u64().expect("a number");
        assert!(number("content_taken") * 100 <= number("content_words"), "{site}");
        assert!(number("template_taken") <= number("template_words"), "{site}");
        taken += usize::from(number("template_taken") * 2 > number("template_words"));
        for rule in site["rules"].as_array().expect("rules") {
            let pages = rule["pages"].as_u64().expect("a number");
            assert!(pages >= 1 && pages <= number("pages"), "{rule}");
        }
    }
    assert!(taken >= 4, "most of the template on {taken} sites");
}

#[test]
fn every_format_lists_the_same_rules() {
    let records = records(&rules("json"));
    let listed = records.iter().flat_map(|site| site["rules"].as_array().expect("rules"));
    let (css, xpaths): (Vec<&str>, Vec<&str>) =
        listed.map(|rule| (field(rule, "css"), field(rule, "xpath"))).unzip();
    assert!(!css.is_empty());
    assert_eq!(rules("css").lines().collect::<Vec<_>>(), css);
    assert_eq!(rules("xpath").lines().collect::<Vec<_>>(), xpaths);
    let strips: Vec<String> = xpaths.iter().map(|path| format!("strip: {path}")).collect();
    let ftr = rules("ftr");
    assert_eq!(ftr.lines().filter(|line| line.starts_with("strip: ")).collect::<Vec<_>>(), strips);
    let lists: Vec<Value> = rules("trafilatura")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a list"))
        .collect();
    let flat: Vec<&str> = lists
        .iter()
        .flat_map(|list| list.as_array().expect("a list"))
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(flat, xpaths);
    assert!(rules("crawl4ai").contains(", ") && rules("table").contains(css[0]));
}

/// lxml, with its own parser and selectors, removes as much as the rules claim.
#[test]
fn needs_python_rules_work_in_lxml() {
    let python = std::env::var("UNMOLD_PYTHON").expect("UNMOLD_PYTHON: run `make test`");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("rules.jsonl");
    fs::write(&file, rules("json")).expect("writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/apply_rules.py");
    let output =
        Command::new(python).arg(script).arg(&file).arg(fixtures()).output().expect("runs");
    let (code, out, err) = outcome(&output);
    assert_eq!(code, 0, "{out}{err}");
}
