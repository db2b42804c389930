//! The papers' own settings, by the command, on the papers' own examples.

use super::*;

const EXAMPLES: &str = "crates/unmold-cli/tests/papers";

fn example(name: &str) -> String {
    format!("{EXAMPLES}/{name}")
}

/// Runs a command that must succeed and returns its output.
fn succeed(arguments: &[&str]) -> String {
    let (code, out, error) = outcome(&run(arguments));
    assert_eq!(code, 0, "{arguments:?}: {error}");
    out
}

/// Pages by their cluster, sorted.
fn clusters(jsonl: &str) -> Vec<Vec<String>> {
    let mut found: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for record in records(jsonl) {
        let page = field(&record, "id").trim_end_matches(".html").to_owned();
        found.entry(field(&record, "cluster").to_owned()).or_default().push(page);
    }
    let mut clusters: Vec<Vec<String>> = found.into_values().collect();
    clusters.sort();
    clusters
}

/// Page clusters, section IV: {d1, d2} and {d3, d4}.
#[test]
fn four_documents_make_two_clusters() {
    let pages = example("clusters");
    for algorithm in ["mdl", "hash", "max", "dicemax"] {
        let out =
            succeed(&["cluster", &pages, "--paper", "--algorithm", algorithm, "--output", "-"]);
        assert_eq!(clusters(&out), [["d1", "d2"], ["d3", "d4"]], "{algorithm}");
    }
    // The parser adds `head` to the nine paths of table 1: ten paths, four pages, forty cells.
    // Templates {html, head, body} and {html, head, body, h1, big, b}: 9 ones; br and list of d3
    // are added: 2 differences. L(M_T) = 40 H(9/40), L(M_D) = 4 log2 4, L(M_Δ) = 40 H(2/40).
    let entropy = |ones: f64| {
        let (one, zero) = (ones / 40.0, 1.0 - ones / 40.0);
        -40.0 * (one * one.log2() + zero * zero.log2())
    };
    let exact = format!("exact cost L(C) {:.2} bits", entropy(9.0) + 8.0 + entropy(2.0));
    let out = succeed(&["cluster", &pages, "--paper"]);
    assert!(out.contains(&exact), "{exact} in {out}");
    assert!(out.contains("cost 20 -> 11,"), "{out}");
}

#[test]
fn flags_change_the_papers_clustering_one_by_one() {
    let pages = example("clusters");
    let heading = |more: &[&str]| {
        let out = succeed(&[&["cluster", &pages][..], more].concat());
        out.lines().next().expect("a heading").to_owned()
    };
    assert!(heading(&[]).contains("1 clusters, 0 unclustered"), "{}", heading(&[]));
    let spelled_out = [
        "--paths=tags-text",
        "--essential=mode",
        "--join=2",
        "--min-cluster-pages=1",
        "--no-repair",
        "--no-polish",
    ];
    assert_eq!(heading(&spelled_out), heading(&["--paper"]));
    assert!(heading(&["--paper", "--min-cluster-pages=3"]).contains("0 clusters, 4 unclustered"));
}

/// Page clusters, section V: T_c has the paths that are essential for most pages of the cluster.
#[test]
fn path_templates_are_made_of_essential_paths() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.json");
    let file = file.to_str().expect("utf-8");
    let pages = example("clusters");
    let method = ["--method", "page-clusters", "--paper", "--algorithm", "mdl"];
    succeed(&[&["learn", &pages, "-t", file][..], &method].concat());
    let shown = succeed(&["show", file]);
    let paths: Vec<&str> =
        shown.lines().filter_map(|line| line.split_once(" of 2  ")).map(|(_, path)| path).collect();
    let common = ["html", "html/body", "html/head"];
    // `br` is on both pages of {d1, d2}, but essential for neither.
    let all = [&common[..], &common, &["html/body/b", "html/body/big", "html/body/h1"]].concat();
    let sorted = |paths: &[&str]| {
        let mut paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        paths.sort();
        paths
    };
    assert_eq!(sorted(&paths), sorted(&all), "{shown}");
    let (code, _, error) = outcome(&run(&[&["clean", &pages][..], &method].concat()));
    assert_eq!(code, 0, "{error}");
}

/// Tree pattern: `(A)*B(C)?D(E|F)` matches ABCDE, AABCDE, ABDE, ABDF, ABCDF.
#[test]
fn five_pages_make_the_papers_pattern() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.json");
    let file = file.to_str().expect("utf-8");
    succeed(&["learn", &example("pattern"), "-t", file, "--method", "tree-pattern", "--paper"]);
    let shown: String = succeed(&["show", file]).split_whitespace().collect();
    let pattern = |last: &str| {
        format!("body{{(p{{#text}})*h1{{#text}}(blockquote{{#text}})?h2{{#text}}({last})}}")
    };
    let (e, f) = ("pre{#text}", "address{#text}");
    assert!(
        shown.contains(&pattern(&format!("{e}|{f}")))
            || shown.contains(&pattern(&format!("{f}|{e}"))),
        "{shown}"
    );
}

/// Sections: "Related" repeats and "item 9" does not, so their section is neither.
#[test]
fn sections_have_the_importance_of_the_worked_example() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("t.json");
    let file = file.to_str().expect("utf-8");
    let method = ["--method", "tree-pattern", "--paper", "--site", "s"];
    succeed(&[&["learn", &example("sections"), "-t", file][..], &method].concat());
    let out = succeed(&["sections", &example("unseen"), "-t", file, "--paper", "--site", "s"]);
    let record = &records(&out)[0];
    let found: Vec<(&str, f64, bool)> = record["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .map(|section| {
            let importance = section["importance"].as_f64().expect("a number");
            (field(section, "text"), importance, section["noisy"].as_bool().expect("a boolean"))
        })
        .collect();
    let texts: Vec<&str> = found.iter().map(|section| section.0).collect();
    assert_eq!(texts.len(), 6, "{texts:?}");
    let expected = [0.0, 1.0, 1.0, 0.0, 6.0 / 13.0, 0.0];
    for ((text, importance, noisy), expected) in found.iter().zip(expected) {
        assert!((importance - expected).abs() < 5e-4, "{text}: {importance}, not {expected}");
        assert_eq!(*noisy, expected < 0.25, "{text}");
    }
    assert_eq!(texts[4], "Related item 9");
    // `clean` and `strip` remove what is below the given importance, with the same sections.
    let strip = |more: &[&str]| {
        let common = ["--min-importance", "0.25", "--site", "s"];
        let out = succeed(&[more, &common].concat());
        field(&records(&out)[0], "text").to_owned()
    };
    let unseen = example("unseen");
    let text = strip(&["strip", &unseen, "-t", file, "--paper"]);
    assert!(text.contains("Related") && !text.contains("Copyright"), "{text}");
    let text = strip(&["clean", &example("sections"), "--paper"]);
    assert!(text.contains("item 1") && !text.contains("Copyright"), "{text}");
}

/// Without a method, `sections --paper` is the whole system of the paper about sections.
#[test]
fn sections_of_the_paper_come_with_its_method() {
    let pages = example("sections");
    let implied = succeed(&["sections", &pages, "--paper"]);
    assert_eq!(implied, succeed(&["sections", &pages, "--paper", "--method", "tree-pattern"]));
    assert_ne!(implied, succeed(&["sections", &pages, "--method", "tree-pattern"]));
    let noisy_below =
        |share: &str| succeed(&["sections", &pages, "--paper", "--noisy-below", share]);
    assert_eq!(implied, noisy_below("0.25"));
    assert_ne!(implied, noisy_below("0.99"));
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    let pages = example("sections");
    for (arguments, message) in [
        (&["--paper"][..], "--paper: method auto has no paper: use one of chunk-frequency, "),
        (&["--pages", "5"], "--pages: method auto learns from every page of the sample: "),
        (&["--threshold", "4"], "--threshold: method auto has no threshold: use chunk-frequency"),
        (&["--algorithm", "mdl"], "--algorithm: method auto finds no clusters "),
        (&["--method", "alignment", "--pages", "1"], "expected a number of at least 2"),
    ] {
        let (code, out, error) = outcome(&run(&[&["clean", &pages][..], arguments].concat()));
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(error.contains(message), "{message} in {error}");
    }
}

/// With a template there is nothing to learn: neither the paper's settings nor a number of pages
/// could change anything, except how `sections` cuts pages.
#[test]
fn settings_of_learning_are_refused_with_a_template() {
    let pages = example("sections");
    for command in ["sections", "records", "export-rules", "view"] {
        for flag in [&["--paper"][..], &["--pages", "5"]] {
            if (command, flag[0]) == ("sections", "--paper") {
                continue;
            }
            let arguments = [&[command, &pages, "-t", "t.json"][..], flag].concat();
            let (code, out, error) = outcome(&run(&arguments));
            assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
            assert!(error.contains("cannot be used with"), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn pages_limits_what_a_method_learns_from() {
    let site = site(40);
    for (method, own) in [("alignment", 16), ("tree-mapping", 25), ("tree-pattern", 24)] {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("t.json");
        for (pages, expected) in [(None, own), (Some("7"), 7), (Some("33"), 33)] {
            let mut command = unmold();
            command.args(["learn", "--no-cluster", "--sample", "30", "--method", method]);
            command.arg(site.path()).arg("-t").arg(&file);
            command.args(pages.iter().flat_map(|pages| ["--pages", *pages]));
            assert_eq!(outcome(&command.output().expect("runs")).0, 0);
            let shown = succeed(&["show", file.to_str().expect("utf-8")]);
            let learned = format!("learned from {expected} pages");
            assert!(shown.contains(&learned), "{method} {pages:?}: {learned} in {shown}");
        }
    }
}

/// The commands of `unmold` in the table of the papers' tables and figures.
fn commands_of_the_table() -> Vec<String> {
    let document = repository().join("docs/evaluation.md");
    let text = fs::read_to_string(document).expect("a document");
    let (_, table) = text.split_once("### Every table and figure").expect("the table");
    let rows = table.lines().filter(|line| line.starts_with('|'));
    let codes = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    codes.filter(|code| code.starts_with("unmold ")).map(str::to_owned).collect()
}

/// `docs/evaluation.md` promises one line for each method and example of the papers.
#[test]
fn commands_of_the_papers_tables_run() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("utf-8").to_owned();
    let input = fixtures().join("wiki/pages").to_str().expect("utf-8").to_owned();
    if cfg!(feature = "search") {
        succeed(&["index", &input, "-o", &path("index")]);
    }
    let commands = commands_of_the_table();
    assert!(commands.len() >= 11, "has the form of the table changed? {commands:?}");
    for command in commands
        .iter()
        .filter(|command| cfg!(feature = "search") || !command.starts_with("unmold search"))
    {
        let words: Vec<String> = command
            .split_whitespace()
            .skip(1)
            .map(|word| match word {
                "INPUT" => input.clone(),
                "INDEX" => path("index"),
                "QUERY" => "lighthouse".to_owned(),
                "T" => path("template.json"),
                _ => word.replace("EXAMPLES", EXAMPLES),
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(!succeed(&words).is_empty() || words[0] == "learn", "{command} prints nothing");
    }
}
