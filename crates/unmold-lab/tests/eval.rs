//! `unmold-lab eval`: experiments, report, gate, and a comparison with another scorer.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn eval(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("unmold-lab").expect("the binary");
    let output =
        command.current_dir(repository()).arg("eval").args(arguments).output().expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

fn json_file(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn string(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A set of three sites with two classes, and a manifest that says how pages are classified. Each
/// site has a menu with the names of both classes, one of them more often.
fn toys() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let fillers = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty",
        "knoll",
    ];
    for site in 0..3 {
        let root = folder.path().join(format!("toys/toy-{site}"));
        fs::create_dir_all(root.join("pages")).expect("writable");
        let mut labels = String::new();
        for page in 0..26 {
            let (class, other) = if page % 2 == 0 { ("kite", "drum") } else { ("drum", "kite") };
            let words: Vec<&str> =
                (0..8).map(|n| fillers[(page * 5 + n * (site + 2)) % fillers.len()]).collect();
            let menu = if site == 0 { "kite kite kite drum" } else { "drum drum drum kite" };
            let content = [
                format!("A {class} {page}{site}"),
                format!("{} {class}.", words.join(" ")),
                format!("page{page} of{site}"),
            ];
            let html = format!(
                "<title>{class}</title><div><p>menu of shop{site} {menu}</p>\
                 <p>shop{site} contact imprint</p></div>\
                 <h1>{}</h1><p>{}</p><p>{}</p>",
                content[0], content[1], content[2]
            );
            fs::write(root.join(format!("pages/{page}.html")), html).expect("writable");
            let label = json!({
                "file": format!("{page}.html"), "type": "detail", "content": content.join("\n"),
                "not": other, "attributes": {"kind": [class]}
            });
            labels += &format!("{label}\n");
        }
        fs::write(root.join("gold.jsonl"), labels).expect("writable");
    }
    let class = json!({"name": "kind", "attribute": "kind"});
    let manifest = json!({"sets": [{
        "name": "toys", "path": "toys", "layout": "labelled", "what": "toys", "get": "here",
        "groups": [{"name": "toys", "sites": "toy-", "class": class}]
    }]});
    fs::write(folder.path().join("sets.json"), manifest.to_string()).expect("writable");
    folder
}

/// The value of a column in the first row that has all of `keys` among its cells.
fn value(results: &Value, experiment: &str, table: &str, keys: &[&str], column: &str) -> f64 {
    let experiments = results["experiments"].as_array().expect("experiments");
    let found =
        experiments.iter().find(|found| found["experiment"] == experiment).expect("the experiment");
    let tables = found["tables"].as_array().expect("tables");
    let table = tables
        .iter()
        .find(|found| found["title"].as_str().expect("a title").starts_with(table))
        .expect("the table");
    let at = table["columns"]
        .as_array()
        .expect("columns")
        .iter()
        .position(|name| name == column)
        .expect("the column");
    let rows = table["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| keys.iter().all(|key| row.as_array().expect("cells").contains(&json!(key))));
    row.expect("the row")[at].as_f64().expect("a number")
}

#[test]
fn all_experiments_twice_give_the_same_results_on_any_number_of_threads() {
    let toys = toys();
    let manifest = toys.path().join("sets.json");
    let run = |threads: &str| {
        let report = toys.path().join(format!("report-{threads}"));
        let (code, out, error) = eval(&[
            "--all",
            string(toys.path()),
            "--sets",
            string(&manifest),
            "--report",
            string(&report),
            "--runs",
            "40",
            "--threads",
            threads,
            "--method",
            "chunk-frequency",
            "--method",
            "tree-mapping",
            "--method",
            "alignment",
            "--method",
            "tree-pattern",
        ]);
        assert_eq!(code, 0, "{error}");
        (out, report)
    };
    let (_, first) = run("1");
    let (out, second) = run("3");
    let listed = fs::read_dir(&first).expect("a report").filter_map(Result::ok);
    let mut compared = 0;
    for file in listed.filter_map(|entry| entry.file_name().into_string().ok()) {
        // Files with times have `time` in their names, except for the report.
        if file.contains("time") || file == "report.html" {
            continue;
        }
        let (one, other) = (
            fs::read(first.join(&file)).expect("a file"),
            fs::read(second.join(&file)).expect("a file"),
        );
        assert!(one == other && !one.is_empty(), "{file}");
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
    for experiment in [
        "no-template",
        "sections-noise-toys",
        "curve-template-toys",
        "alignment-scores-toys",
        "alignment-tokens-toys",
        "clusters",
        "cluster-cost",
        "clustered-toys",
        "classification",
        "k-means-toys-by-kind",
    ] {
        for ending in ["svg", "png"] {
            assert!(first.join(format!("{experiment}.{ending}")).exists(), "{experiment}.{ending}");
        }
    }
    let html = fs::read_to_string(second.join("report.html")).expect("a report");
    assert!(
        html.contains("<svg")
            && html.contains("k-means-toys-by-kind.png")
            && html.contains("unmold-lab eval --experiment search")
    );
    let times = fs::read_to_string(second.join("times.json")).expect("times");
    assert!(
        ["ms per run", "Seconds to cluster", "Seconds to learn"]
            .iter()
            .all(|title| times.contains(title))
    );
    assert!(out.contains("BM25, means over queries"), "{out}");

    let results = json_file(&second.join("results.json"));
    let accuracy =
        |method| value(&results, "classification", "All classes", &[method], "5-fold accuracy");
    assert!(
        accuracy("chunk-frequency") > accuracy("before"),
        "{} {}",
        accuracy("chunk-frequency"),
        accuracy("before")
    );
    let map = |engine| value(&results, "search", "BM25", &[engine], "MAP");
    assert!(map("chunk-frequency") > map("before"), "menus no longer answer");
    let size = |method| value(&results, "fpf", "Means", &[method], "of before");
    assert!(size("tree-mapping") < 0.7);
    let kept = |method| value(&results, "no-template", "Share", &[method], "kept");
    for method in ["chunk-frequency", "tree-mapping", "alignment", "tree-pattern"] {
        assert_eq!(kept(method), 1.0, "{method}");
    }
    let recall = value(&results, "alignment", "Means", &["alignment"], "template R");
    assert!(recall > 0.9, "the menu is found: {recall}");
    let f =
        value(&results, "clustered", "Learned", &["alignment", "one per cluster"], "template F1");
    assert!(f > 0.9, "{f}");
}

#[test]
fn pages_without_a_template_lose_nothing() {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().join("letters/one");
    fs::create_dir_all(root.join("pages")).expect("writable");
    let mut labels = String::new();
    for page in 0..12u32 {
        // Different words in different elements on every page: they share nothing.
        let word = |n: u32| format!("w{}x{}", page * 31 + n, n * 7 + page);
        let tag = ["p", "h2", "blockquote", "li", "pre", "td"][page as usize % 6];
        let text: Vec<String> =
            (0..30).map(|n| format!("<{tag}>{} {}</{tag}>", word(n), word(n + 100))).collect();
        fs::write(root.join(format!("pages/{page}.html")), text.concat()).expect("writable");
        labels += &format!("{}\n", json!({"file": format!("{page}.html"), "content": null}));
    }
    fs::write(root.join("gold.jsonl"), labels).expect("writable");
    let (code, out, error) = eval(&[string(folder.path()), "--json"]);
    assert_eq!(code, 0, "{error}");
    let rows: Value = serde_json::from_str(&out).expect("JSON");
    for row in rows.as_array().expect("rows") {
        assert_eq!(row["mean"]["removed share"], 0.0, "{}", row["method"]);
    }
    assert!(rows.as_array().expect("rows").len() >= 5);
}

#[test]
fn floors_hold() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("baseline.json");
    let gate = |more: &[&str]| {
        eval(
            &[&["fixtures", "--method", "chunk-frequency", "--baseline", string(&file)][..], more]
                .concat(),
        )
    };
    assert_eq!(gate(&["--pin"]).0, 0);
    let (code, out, error) = gate(&[]);
    assert!(code == 0 && out.contains("No score is below its floor"), "{error}");

    // A drop fails, and cannot be pinned by accident.
    let mut floors = json_file(&file);
    floors["sets"]["fixtures"]["floors"]["chunk-frequency"]["content F1"] = json!(0.99);
    fs::write(&file, floors.to_string()).expect("writable");
    let (code, _, error) = gate(&[]);
    assert!(code == 1 && error.contains("content F1 fell to"), "{error}");
    let (code, _, error) = gate(&["--pin"]);
    assert!(code == 1 && error.contains("--allow-lower"), "{error}");
    assert_eq!(json_file(&file), floors, "nothing was written");
    assert_eq!(gate(&["--pin", "--allow-lower"]).0, 0);
    assert_eq!(gate(&[]).0, 0);

    // Floors are not compared with scores of other pages.
    let mut floors = json_file(&file);
    floors["sets"]["fixtures"]["hash"] = json!("0");
    fs::write(&file, floors.to_string()).expect("writable");
    let (code, _, error) = gate(&[]);
    assert!(code == 1 && error.contains("pages or labels"), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    let (code, out, _) = eval(&["fixtures", "--list"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("classification")
            && out.contains("fixtures: 6 sites")
            && out.contains("webkb: missing"),
        "{out}"
    );
    let (code, _, error) = eval(&["fixtures", "--experiment", "nothing"]);
    assert!(code == 2 && error.contains("--list"), "{error}");
    let (code, _, error) =
        eval(&["fixtures", "--experiment", "peers", "--peers", "no/such/folder"]);
    assert!(code == 2 && error.contains("make peers"), "{error}");
}

#[test]
fn outputs_of_other_tools_are_scored_like_ours() {
    let folder = TempDir::new().expect("a folder");
    let outputs = folder.path().join("outputs");
    assert_eq!(
        eval(&["fixtures", "--save-outputs", string(&outputs), "--method", "tree-mapping"]).0,
        0
    );
    let report = folder.path().join("report");
    let (code, _, error) = eval(&[
        "fixtures",
        "--experiment",
        "peers",
        "--peers",
        string(&outputs),
        "--method",
        "tree-mapping",
        "--report",
        string(&report),
    ]);
    assert_eq!(code, 0, "{error}");
    let results = json_file(&report.join("results.json"));
    let rows = results["experiments"][0]["tables"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].as_array().expect("cells")[2..], rows[1].as_array().expect("cells")[2..]);
}

#[test]
fn needs_python_another_scorer_gives_the_same_scores() {
    let python = std::env::var("UNMOLD_PYTHON").expect("UNMOLD_PYTHON names a Python");
    let folder = TempDir::new().expect("a folder");
    assert_eq!(eval(&["fixtures", "--save-outputs", string(folder.path())]).0, 0);
    let ours: Value = serde_json::from_str(&eval(&["fixtures", "--json"]).1).expect("JSON");
    let mut compared = 0;
    for row in ours.as_array().expect("rows") {
        let file = folder.path().join(format!("{}.jsonl", row["method"].as_str().expect("a name")));
        let output = std::process::Command::new(&python)
            .current_dir(repository())
            .args(["tools/score.py", "fixtures", string(&file)])
            .output()
            .expect("Python runs");
        let theirs: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for (measure, value) in theirs[0]["mean"].as_object().expect("scores") {
            let (theirs, ours) =
                (value.as_f64().expect("a score"), row["mean"][measure].as_f64().expect("a score"));
            assert!(
                (theirs - ours).abs() < 1e-3,
                "{} {measure}: {ours}, not {theirs}",
                row["method"]
            );
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}

#[test]
fn scores_include_ttdr_with_precision_and_recall() {
    let (code, out, error) = eval(&["fixtures"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.lines().next().is_some_and(|heading| heading.contains("ttdr (P/R)")));
    assert!(out.contains("line-frequency") && out.contains("chunk-frequency-paper"));
    let (_, json, _) = eval(&["fixtures", "--json", "--method", "chunk-frequency"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert!(json[0]["mean"]["content F1"].as_f64().expect("a score") > 0.85);
}

#[test]
fn curves_are_tables_and_figures() {
    let folder = TempDir::new().expect("a folder");
    let plot = folder.path().join("curve");
    let arguments = [
        "fixtures",
        "--method",
        "alignment",
        "--method",
        "line-frequency",
        "--curve",
        "2,4,8",
        "--each-site",
        "--plot",
        string(&plot),
    ];
    let (code, out, error) = eval(&arguments);
    assert_eq!(code, 0, "{error}");
    assert_eq!(out.lines().count(), 1 + 2 * 3 * 7);
    for name in ["curve.svg", "curve-time.svg"] {
        let svg = fs::read_to_string(folder.path().join(name)).expect("a figure");
        assert_eq!(svg.matches("<polyline").count(), 2, "{name}");
    }
}

#[test]
fn clusters_are_scored_with_their_cost_and_their_templates() {
    let folder = TempDir::new().expect("a folder");
    let chosen = ["clusters", "cluster-cost", "clustered"].map(|name| ["--experiment", name]);
    let arguments = ["fixtures", "--quiet", "--method", "alignment", "--report"];
    let (code, out, error) =
        eval(&[&arguments, &[string(folder.path())][..], &chosen.concat()].concat());
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("ARI") && out.contains("MDL cost"), "{out}");
    let text = |file: &str| fs::read_to_string(folder.path().join(file)).expect(file);
    let results: Value = serde_json::from_str(&text("results.json")).expect("JSON");
    let table = |experiment: usize, table: usize| -> Vec<Value> {
        let tables = &results["experiments"][experiment]["tables"];
        tables[table]["rows"].as_array().expect("rows").clone()
    };
    assert_eq!((table(0, 0).len(), table(0, 1).len()), (6, 1), "each site, then all of them");
    let cost = table(1, 0);
    let variants = "four algorithms, three of them repaired, five numbers of pages";
    assert_eq!(cost.len(), 35, "{variants}");
    assert!(
        cost.iter().all(|row| row[5].as_f64() < row[4].as_f64()),
        "clusters cost less: {cost:?}"
    );
    assert!(
        !text("results.json").contains("econds")
            && text("times.json").contains("Seconds to cluster")
    );
    for plot in ["clusters.svg", "clusters.png", "cluster-cost.svg", "cluster-cost-time.png"] {
        assert!(folder.path().join(plot).exists(), "{plot}");
    }
}

#[test]
fn noisy_sections_are_scored_site_by_site_with_a_figure() {
    let folder = TempDir::new().expect("a folder");
    let arguments = [
        "fixtures",
        "--experiment",
        "sections",
        "--method",
        "tree-pattern",
        "--quiet",
        "--report",
        string(folder.path()),
    ];
    let (code, out, error) = eval(&arguments);
    assert_eq!(code, 0, "{error}");
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("fixtures")).collect();
    assert!(out.contains("precision  recall"), "{out}");
    assert!(rows.len() == 2 && rows[1].contains("tree-pattern-paper"), "{out}");
    let svg =
        fs::read_to_string(folder.path().join("sections-noise-fixtures.svg")).expect("a figure");
    assert_eq!(svg.matches("<rect x=").count(), 12, "six sites, two settings");
    assert!(svg.contains(">wiki</text>"), "{svg}");

    let each = folder.path().join("sections.jsonl");
    let arguments = ["fixtures", "--method", "tree-pattern", "--each-section", string(&each)];
    assert_eq!(eval(&arguments).0, 0);
    let sections = fs::read_to_string(&each).expect("sections");
    let sections: Vec<Value> =
        sections.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(
        sections.len() > 100 && sections.iter().all(|section| section["method"] == "tree-pattern")
    );
}

/// The commands of the experiments in the table of the papers' tables and figures, without
/// `unmold-lab eval FOLDER`, for which the table writes `eval`.
fn commands_of_the_table() -> Vec<String> {
    let text = fs::read_to_string(repository().join("docs/evaluation.md")).expect("a document");
    let (_, table) = text.split_once("### Every table and figure").expect("the table");
    let rows = table.lines().filter(|line| line.starts_with('|'));
    let codes = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let mut commands: Vec<String> =
        codes.filter_map(|code| code.strip_prefix("eval ")).map(str::to_owned).collect();
    commands.sort();
    commands.dedup();
    commands
}

/// `docs/evaluation.md` promises one line for each table and figure of the papers. Each prints
/// tables with the method that it names, on the bundled sites or on those with classes.
#[test]
fn commands_of_the_papers_tables_run() {
    let toys = toys();
    // A corpus has sets of single pages, too: no method may stop there.
    let single = toys.path().join("single/alone");
    fs::create_dir_all(single.join("pages")).expect("writable");
    fs::write(single.join("pages/1.html"), "<p>All alone here</p>").expect("writable");
    let label = json!({"file": "1.html", "type": "detail", "content": "All alone here"});
    fs::write(single.join("gold.jsonl"), label.to_string()).expect("writable");
    let (manifest, report) = (toys.path().join("sets.json"), toys.path().join("report"));
    let commands = commands_of_the_table();
    assert!(commands.len() >= 11, "has the form of the table changed? {commands:?}");
    for command in &commands {
        let mut arguments = vec![string(toys.path()), "--sets", string(&manifest), "--runs", "5"];
        // Only a bundled site is laid out with tables.
        let gazette = repository().join("fixtures/gazette");
        if command.contains("--experiment tables") {
            arguments = vec![string(&gazette)];
        }
        let words = command.split_whitespace();
        arguments.extend(words.map(|word| if word == "DIR" { string(&report) } else { word }));
        let (code, out, error) = eval(&arguments);
        assert_eq!(code, 0, "{command}: {error}");
        let method = command.split_once("--method ").map(|(_, rest)| rest);
        let method = method.and_then(|rest| rest.split(' ').next()).unwrap_or("");
        assert!(out.contains(method) && out.lines().count() > 3, "{command}: {out}");
    }
}

/// The `unmold-lab` commands in the code blocks of all documents.
fn commands_of_documents() -> Vec<String> {
    let mut folders = vec![repository().join("docs")];
    let mut files = vec![repository().join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|end| end.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("md") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).expect("a document").replace("\\\n", " ");
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let is_command = |line: &String| line.starts_with("unmold-lab ");
    let calls = files.iter().flat_map(|path| lines(text(path))).filter(is_command);
    calls.map(|line| line.split(" #").next().unwrap_or(&line).trim().to_owned()).collect()
}

/// A corpus with the sets that the documents name, each with one bundled site.
fn small_corpus() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for set in ["sites", "sites-neutral", "docs", "docs-neutral"] {
        let pages = folder.path().join(set).join("gazette/pages");
        fs::create_dir_all(&pages).expect("writable");
        let from = repository().join("fixtures/gazette");
        fs::copy(from.join("gold.jsonl"), folder.path().join(set).join("gazette/gold.jsonl"))
            .expect("copied");
        for entry in fs::read_dir(from.join("pages")).expect("pages") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, pages.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    folder
}

#[test]
fn commands_in_documents_run() {
    let (corpus, place) = (small_corpus(), TempDir::new().expect("a folder"));
    let commands = commands_of_documents();
    assert!(commands.len() >= 8, "has the form of the blocks changed? {commands:?}");
    for command in &commands {
        let words = command.split_whitespace().skip(1).map(|word| match word {
            "FOLDER" | "CORPUS" | "../corpus" => string(corpus.path()),
            _ => word,
        });
        let mut lab = Command::cargo_bin("unmold-lab").expect("the binary");
        let output = lab.current_dir(place.path()).args(words).output().expect("runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {error}");
    }
}
