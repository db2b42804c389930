//! Tables of records.

use super::*;

/// Runs `unmold records` on the products of the fixture shop.
fn shop(arguments: &[&str]) -> (i32, String, String) {
    let mut all = vec!["records", "fixtures/shop/pages/p"];
    all.extend(arguments);
    outcome(&run(&all))
}

#[test]
fn products_are_rows() {
    let (code, out, error) = shop(&[]);
    assert_eq!(code, 0, "{error}");
    let rows = records(&out);
    assert_eq!(rows.len(), 8);
    let board = &rows[0];
    assert_eq!(field(board, "id"), "bread-board.html");
    assert_eq!(field(board, "kind"), "p#1");
    assert_eq!(field(board, "material"), "Walnut");
    assert_eq!(field(board, "brand"), "Saltmarsh");
    assert_eq!(board["weight"], serde_json::json!({"value": 1.9, "unit": "kg"}));
    let (_, threads, _) = shop(&["--threads", "1"]);
    assert_eq!(out, threads);
}

#[test]
fn wanted_columns_are_written_as_csv() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.csv");
    let path = file.to_str().expect("a path");
    let example = ["--example", "fixtures/shop/pages/p/bread-board.html", "sku=SM-118"];
    let flags = ["-o", path, "--want", "material", "--raw", "--want", "weight"];
    let (code, _, error) = shop(&[&flags[..], &example].concat());
    assert_eq!(code, 0, "{error}");
    let csv = fs::read_to_string(&file).expect("a file");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("id,url,material,weight,weight_unit,weight_raw,sku"));
    assert_eq!(lines.next(), Some("bread-board.html,,Walnut,1.9,kg,1.9 kg,SM-118"));
    assert_eq!(lines.count(), 7);
}

#[test]
fn tables_are_learned_stored_shown_and_applied() {
    let folder = TempDir::new().expect("a folder");
    for name in ["t.json", "t.db"] {
        let file = folder.path().join(name);
        let path = file.to_str().expect("a path");
        let learn = ["learn", "fixtures/shop/pages/p", "--records", "-t", path];
        assert_eq!(outcome(&run(&learn)).0, 0);
        let (_, shown, _) = outcome(&run(&["show", path]));
        assert!(shown.contains(" material: text, on 100 % of the pages"), "{shown}");
        let (code, applied, error) = shop(&["-t", path]);
        assert_eq!(code, 0, "{error}");
        assert_eq!(applied, shop(&[]).1, "{name}");
        // Learned again from the same pages, all columns stay, and nothing is said.
        let (_, _, error) = outcome(&run(&learn));
        assert!(!error.contains("columns"), "{error}");
    }
}

#[test]
fn the_schema_describes_the_columns() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("schema.json");
    let (code, _, error) = shop(&["--schema", file.to_str().expect("a path")]);
    assert_eq!(code, 0, "{error}");
    let schema: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let columns = schema["kinds"]["p#1"]["columns"].as_array().expect("columns");
    let brand = columns.iter().find(|column| column["name"] == "brand").expect("a column");
    assert_eq!((&brand["type"], &brand["label"]), (&"text".into(), &"brand".into()));
    assert!(brand["xpath"].as_str().is_some_and(|path| path.contains("'Brand'")), "{brand}");
}

#[test]
fn lists_become_tables_of_their_own() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.csv");
    let flags = ["-o", file.to_str().expect("a path"), "--explode"];
    let (code, _, error) = shop(&flags);
    assert_eq!(code, 0, "{error}");
    let list = fs::read_to_string(folder.path().join("t.list_1.csv")).expect("a list");
    assert!(list.starts_with("page,position,"), "{list}");
    assert!(list.contains("bread-board.html,1,"), "{list}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let check = |arguments: &[&str], expected: &str| {
        let (code, _, error) = shop(arguments);
        assert_ne!(code, 0);
        assert!(error.contains(expected), "{error}");
    };
    check(&["-o", "t.xls"], "name it .jsonl, .csv or .parquet");
    check(&["--example", "x.html", "price"], "expected NAME=VALUE");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.json");
    let path = file.to_str().expect("a path");
    assert_eq!(outcome(&run(&["learn", "fixtures/shop/pages/p", "-t", path])).0, 0);
    check(&["-t", path], "learn --records");
    let empty = TempDir::new().expect("a folder");
    for n in 0..3 {
        fs::write(empty.path().join(format!("{n}.html")), "<p>the same").expect("writable");
    }
    let pages = empty.path().to_str().expect("a path");
    let (code, out, error) = outcome(&run(&["records", pages]));
    assert_eq!((code, out.as_str()), (0, ""), "{error}");
    assert!(error.contains("no records"), "{error}");
}

#[test]
#[cfg(feature = "parquet")]
fn tables_are_written_as_parquet() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.parquet");
    let (code, _, error) = shop(&["-o", file.to_str().expect("a path"), "--columns", "all"]);
    assert_eq!(code, 0, "{error}");
    let bytes = fs::read(&file).expect("a file");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("material") && has("currency"), "names of columns and of parts of values");
}
