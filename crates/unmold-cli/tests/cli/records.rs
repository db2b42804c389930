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
    let price = serde_json::json!({"amount": 36.0, "currency": "GBP"});
    assert_eq!(board["price"], price, "the sign is in another element");
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
fn columns_are_corrected() {
    let folder = TempDir::new().expect("a folder");
    for name in ["t.json", "t.db"] {
        let file = folder.path().join(name);
        let path = file.to_str().expect("a path");
        let learn = ["learn", "fixtures/shop/pages/p", "--records", "-t", path];
        assert_eq!(outcome(&run(&learn)).0, 0);
        let correct = |flags: &[&str]| outcome(&run(&[&["columns", path], flags].concat()));
        let (code, _, error) = correct(&[
            "--rename",
            "material=made_of",
            "--drop",
            "brand",
            "--type",
            "weight=text",
            "--split",
            "title=first,rest",
            " ",
        ]);
        assert_eq!(code, 0, "{error}");
        assert!(error.contains("p#1: correction 3: brand is dropped"), "{error}");
        let (_, listed, _) = correct(&[]);
        assert!(listed.contains("made_of: text") && listed.contains("(learned as material)"));
        // Learning again keeps the corrections and does not call them changes.
        let (_, _, error) = outcome(&run(&learn));
        assert!(!error.contains("columns"), "{error}");
        let (code, out, error) = shop(&["-t", path, "--columns", "all"]);
        assert_eq!(code, 0, "{error}");
        let board = &records(&out)[0];
        assert_eq!(field(board, "made_of"), "Walnut");
        assert_eq!(board["weight"], "1.9 kg");
        assert!(board.get("brand").is_none() && board.get("title").is_none(), "{board}");
        assert_eq!(
            format!("{} {}", field(board, "first"), field(board, "rest")),
            field(&records(&shop(&[]).1)[0], "title")
        );
        let (code, _, error) = correct(&["--undo", "made_of", "--rename", "nothing=x"]);
        assert_ne!(code, 0);
        assert!(error.contains("no column \"nothing\""), "{error}");
        assert!(correct(&[]).1.contains("made_of"), "nothing is written if a correction fails");
        assert_eq!(correct(&["--undo", "made_of"]).0, 0);
        assert!(correct(&[]).1.contains(" material: text"));
    }
    let file = folder.path().join("plain.json");
    let path = file.to_str().expect("a path");
    assert_eq!(outcome(&run(&["learn", "fixtures/shop/pages/p", "-t", path])).0, 0);
    let (code, _, error) = outcome(&run(&["columns", path]));
    assert!(code != 0 && error.contains("learn --records"), "{error}");
}

#[test]
fn a_folder_gets_a_table_for_each_kind() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("tables/");
    let path = out.to_str().expect("a path");
    let (code, _, error) = shop(&["-o", path, "--explode", "--want", "material"]);
    assert_eq!(code, 0, "{error}");
    let csv = fs::read_to_string(out.join("p/p-1.csv")).expect("a table");
    assert!(csv.starts_with("id,url,material\n"), "{csv}");
    let (code, _, error) = shop(&["-o", path, "--format", "jsonl"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.join("p/p-1.jsonl").exists());
    fs::write(out.join("p/p-1.csv"), "something else").expect("writable");
    let (code, _, error) = shop(&["-o", path]);
    assert!(code != 0 && error.contains("holds something else"), "{error}");
}

#[test]
fn what_was_learned_reads_pages_of_a_folder_with_another_name() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.json");
    let path = file.to_str().expect("a path");
    assert_eq!(outcome(&run(&["learn", "fixtures/shop/pages/p", "--records", "-t", path])).0, 0);
    let new = folder.path().join("new");
    fs::create_dir(&new).expect("writable");
    let page = fs::read("fixtures/shop/pages/p/bread-board.html")
        .or_else(|_| fs::read("../../fixtures/shop/pages/p/bread-board.html"))
        .expect("a page");
    for n in 0..6 {
        fs::write(new.join(format!("{n}.html")), &page).expect("writable");
    }
    let read =
        |folder: &Path| outcome(&run(&["records", folder.to_str().expect("a path"), "-t", path]));
    let (code, out, error) = read(&new);
    assert_eq!(code, 0, "{error}");
    assert_eq!(field(&records(&out)[0], "material"), "Walnut");
    assert!(!error.contains("lost their values"), "{error}");
    // Other pages have lost the columns, and the command says so.
    for n in 0..6 {
        fs::write(new.join(format!("{n}.html")), format!("<p>other {n}")).expect("writable");
    }
    let (_, _, error) = read(&new);
    assert!(error.contains("columns that have lost their values: "), "{error}");
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
