//! End-to-end tests of the command: output, messages and exit codes.

mod bad_input;
mod clusters;
mod docs;
mod first_use;
mod hardening;
mod papers;
mod records;
mod rules;
mod sections;
mod store;
mod teach;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixtures() -> PathBuf {
    repository().join("fixtures")
}

fn unmold() -> Command {
    let mut command = Command::cargo_bin("unmold").expect("the binary");
    command.current_dir(repository());
    command
}

fn run(arguments: &[&str]) -> Output {
    unmold().args(arguments).output().expect("runs")
}

/// Returns exit code, standard output and standard error.
fn outcome(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

fn records(jsonl: &str) -> Vec<Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

fn field<'a>(record: &'a Value, name: &str) -> &'a str {
    record[name].as_str().unwrap_or_else(|| panic!("{name} in {record}"))
}

/// Creates a site of `number` pages that share a menu and a footer.
fn site(number: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for n in 0..number {
        page(folder.path(), &format!("{n}.html"), &format!("Story number {n}"));
    }
    folder
}

fn page(folder: &Path, name: &str, content: &str) {
    let html = format!(
        "<title>{content}</title><nav>Home Shop Contact</nav><p>{content}</p><footer>Imprint of the site</footer>"
    );
    fs::write(folder.join(name), html).expect("writable");
}

fn clean(folder: &Path) -> (i32, String, String) {
    outcome(&unmold().arg("clean").arg(folder).output().expect("runs"))
}

/// Returns the sorted names of the files in `folder`.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("folder")
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn output_is_ordered_and_independent_of_threads() {
    let folder = TempDir::new().expect("a folder");
    let mut outputs = Vec::new();
    for threads in ["1", "2", "8"] {
        let path = folder.path().join(threads);
        let arguments = [
            "clean",
            "fixtures",
            "--format",
            "jsonl",
            "--threads",
            threads,
            "-o",
            path.to_str().expect("utf-8"),
        ];
        let (code, out, error) = outcome(&run(&arguments));
        assert_eq!((code, out.as_str()), (0, ""), "{error}");
        outputs.push(fs::read_to_string(path).expect("the output"));
    }
    assert!(
        outputs.iter().all(|output| output == &outputs[0]),
        "the number of threads changes the output"
    );
    let records = records(&outputs[0]);
    let ids: Vec<&str> = records.iter().map(|record| field(record, "id")).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    assert_eq!(ids, sorted);
    assert_eq!(ids.len(), 64);
    assert!(ids.contains(&"blog/pages/2024/bread-at-altitude.html"));
    let record = &records[0];
    assert_eq!((field(record, "site"), field(record, "template")), ("blog", "blog#1"));
    assert!(record["template_match"].as_f64().expect("a number") > 0.5);
    assert!(record["content_share"].as_f64().expect("a number") < 1.0);
    assert!(!field(record, "text").contains("About the author"));
}

#[test]
fn clean_equals_learn_then_strip() {
    let folder = TempDir::new().expect("a folder");
    for name in ["templates.json", "templates.json.zst"] {
        let templates = folder.path().join(name);
        let templates = templates.to_str().expect("utf-8");
        assert_eq!(outcome(&run(&["learn", "fixtures", "-t", templates])).0, 0);
        let stripped = run(&["strip", "fixtures", "-t", templates]);
        let cleaned = run(&["clean", "fixtures"]);
        assert_eq!(stripped.stdout, cleaned.stdout);
        assert!(outcome(&run(&["show", templates])).1.contains("blog#1: auto"));
    }
}

#[test]
fn all_methods_work_with_all_commands() {
    let folder = TempDir::new().expect("a folder");
    for method in
        ["auto", "chunk-frequency", "alignment", "tree-mapping", "tree-pattern", "page-clusters"]
    {
        let templates = folder.path().join(method);
        let templates = templates.to_str().expect("utf-8");
        assert_eq!(
            outcome(&run(&["learn", "fixtures/forum", "-t", templates, "--method", method])).0,
            0
        );
        let stripped =
            outcome(&run(&["strip", "fixtures/forum", "-t", templates, "--threads", "1"])).1;
        let cleaned =
            outcome(&run(&["clean", "fixtures/forum", "--method", method, "--threads", "8"])).1;
        assert_eq!(stripped, cleaned, "{method}");
        assert!(
            records(&cleaned)
                .iter()
                .all(|record| !field(record, "text").contains("Delete cookies")),
            "{method}"
        );
        assert!(outcome(&run(&["show", templates])).1.contains(" of 10  "), "{method}");
        let page = "fixtures/forum/pages/thread-311.html";
        let explained = outcome(&run(&["show", page, "-t", templates, "--explain"])).1;
        assert!(explained.contains("of 10 pages"), "{method}");
    }
    let (code, _, error) =
        outcome(&run(&["clean", "fixtures/forum", "--method", "alignment", "--sample", "all"]));
    assert!(code == 2 && error.contains("--sample"), "{error}");
}

#[test]
fn sample_is_independent_of_page_order() {
    let folder = TempDir::new().expect("a folder");
    let page = |n: usize, help: &str| {
        let html = format!(
            "<nav>Home Shop Contact</nav><p>Story {n}</p><p>{}</p><p>{}</p>",
            if n.is_multiple_of(2) { "odd banner here" } else { "" },
            if n.is_multiple_of(10) { "Ask us anything" } else { "" }
        );
        let kind = if n.is_multiple_of(10) { help } else { "story" };
        serde_json::json!({ "url": format!("http://tea.example/{kind}/{n}"), "html": html })
            .to_string()
    };
    let lines: Vec<String> = (0..60).map(|n| page(n, "help")).collect();
    let learn = |name: &str, lines: &[String]| {
        let (input, output) =
            (folder.path().join(name), folder.path().join(format!("{name}.template")));
        fs::write(&input, lines.join("\n")).expect("writable");
        let status = unmold()
            .arg("learn")
            .arg(&input)
            .arg("-t")
            .arg(&output)
            .args(["--sample", "24"])
            .output()
            .expect("runs");
        assert!(status.status.success());
        fs::read_to_string(output).expect("templates")
    };
    let reversed: Vec<String> = lines.iter().rev().cloned().collect();
    let template = learn("forward.jsonl", &lines);
    assert_eq!(template, learn("backward.jsonl", &reversed));
    assert!(template.contains("\"pages\": 24"));
    let of_one_kind: Vec<String> = (0..60).map(|n| page(n, "story")).collect();
    assert_ne!(template, learn("kind.jsonl", &of_one_kind), "the sample depends on URL patterns");
}

#[test]
fn clean_pages_are_independent_of_page_order() {
    let folder = TempDir::new().expect("a folder");
    let pages = repository().join("fixtures/wiki/pages");
    let line = |name: &String| {
        let html = fs::read_to_string(pages.join(name)).expect("a page");
        serde_json::json!({ "url": format!("http://wiki.example/{name}"), "html": html })
            .to_string()
    };
    let forward: Vec<String> =
        names(&pages).iter().filter(|name| name.ends_with(".html")).map(line).collect();
    // Pages 2, 5, 8, …, then 1, 4, 7, …, then 0, 3, 6, …
    let shuffled: Vec<String> =
        (0..3).rev().flat_map(|n| forward.iter().skip(n).step_by(3).cloned()).collect();
    assert_ne!(forward, shuffled);
    for method in ["auto", "chunk-frequency", "alignment", "tree-mapping", "page-clusters"] {
        let clean = |name: &str, lines: &[String]| {
            let input = folder.path().join(name);
            fs::write(&input, lines.join("\n")).expect("writable");
            let (code, out, error) = outcome(
                &unmold()
                    .arg("clean")
                    .arg(&input)
                    .args(["--method", method])
                    .output()
                    .expect("runs"),
            );
            assert_eq!(code, 0, "{error}");
            let mut records: Vec<String> = out.lines().map(str::to_owned).collect();
            records.sort_unstable();
            records
        };
        let cleaned = clean("forward.jsonl", &forward);
        assert!(cleaned.len() >= 10);
        assert_eq!(cleaned, clean("shuffled.jsonl", &shuffled), "{method}");
    }
}

#[test]
fn sample_all_equals_a_full_sample() {
    let method = ["clean", "fixtures", "--method", "chunk-frequency", "--sample"];
    let clean = |sample| run(&[&method[..], &[sample]].concat());
    let (sampled, counted) = (clean("100"), clean("all"));
    assert!(!sampled.stdout.is_empty());
    assert_eq!(sampled.stdout, counted.stdout);
}

#[test]
fn output_folders_mirror_the_input() {
    let folder = TempDir::new().expect("a folder");
    for (format, extension) in [("text", "txt"), ("markdown", "md"), ("html", "html")] {
        let out = folder.path().join(format);
        let arguments = [
            "clean",
            "fixtures/blog/pages",
            "--format",
            format,
            "-o",
            out.to_str().expect("utf-8"),
        ];
        assert_eq!(outcome(&run(&arguments)).0, 0);
        let page = fs::read_to_string(out.join(format!("2024/bread-at-altitude.{extension}")))
            .expect("the page");
        assert!(page.contains("rye") && !page.contains("About the author"), "{page}");
        assert!(names(&out.join("2024")).iter().all(|name| !name.contains("partial")));
    }
    let (code, out, _) = outcome(&run(&["clean", "fixtures/blog/pages", "--format", "text"]));
    assert_eq!(code, 0);
    assert!(out.starts_with("==> 2024/a-barometer-from-a-jar.html <==\n"));
}

#[test]
fn keep_template_writes_each_template_once() {
    let folder = TempDir::new().expect("a folder");
    let kept = folder.path().join("kept.jsonl");
    let output =
        unmold().args(["clean", "fixtures", "--keep-template"]).arg(&kept).output().expect("runs");
    assert!(output.status.success());
    let kept = records(&fs::read_to_string(kept).expect("kept"));
    assert_eq!(kept.len(), 6);
    assert!(field(&kept[0], "text").contains("About the author"), "{}", field(&kept[0], "text"));
}

#[test]
fn standard_input_can_be_read_twice() {
    let lines: String = (0..5)
        .map(|n| {
            let html = format!("<nav>Home Shop Contact</nav><p>Story {n}</p>");
            serde_json::json!({ "url": format!("http://tea.example/{n}"), "html": html })
                .to_string()
                + "\n"
        })
        .collect();
    let output = unmold().args(["clean", "-"]).write_stdin(lines).output().expect("runs");
    let texts: Vec<String> =
        records(&outcome(&output).1).iter().map(|r| field(r, "text").to_owned()).collect();
    assert_eq!(texts, ["Story 0", "Story 1", "Story 2", "Story 3", "Story 4"]);
}

#[test]
fn show_explains_why_a_text_is_removed() {
    let folder = TempDir::new().expect("a folder");
    let templates = folder.path().join("t.json");
    let templates = templates.to_str().expect("utf-8");
    run(&["learn", "fixtures/blog", "-t", templates]);
    let page = "fixtures/blog/pages/2024/bread-at-altitude.html";
    let (code, out, error) = outcome(&run(&["show", page, "-t", templates, "--explain"]));
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("because: text on 11 of 11 pages"), "{out}");
    assert!(out.contains("because: text of this page only"));
    assert_eq!(outcome(&run(&["show", page])).0, 0);
}

#[test]
fn completions_and_manual_list_the_flags() {
    for (arguments, expected) in
        [(&["completions", "bash"][..], "--keep-template"), (&["man"][..], "unmold\\-clean")]
    {
        let (code, out, _) = outcome(&run(arguments));
        assert!(code == 0 && out.contains(expected), "{arguments:?} {out}");
    }
}

/// Returns each page's path and text, sorted by path.
fn texts(jsonl: &str) -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = records(jsonl)
        .iter()
        .map(|record| {
            let id = field(record, "id");
            let path = id.strip_prefix("http://blog.example/").unwrap_or(id);
            (path.to_owned(), field(record, "text").to_owned())
        })
        .collect();
    texts.sort();
    texts
}

/// `make test` prepares a Python environment with warcio; without it the test is skipped.
#[test]
fn needs_python_warc_by_warcio_gives_the_same_text() {
    let Some(python) = std::env::var_os("UNMOLD_PYTHON") else {
        println!("skipped: UNMOLD_PYTHON is not set; run `make test`");
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let warc = folder.path().join("blog.warc.gz");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/make_warc.py");
    let pages = fixtures().join("blog/pages");
    let made = std::process::Command::new(python)
        .arg(script)
        .arg(&pages)
        .arg(&warc)
        .args(["--host", "blog.example"])
        .status();
    assert!(made.expect("python").success());
    let from_folder = outcome(
        &unmold().arg("clean").arg(&pages).args(["--site", "blog.example"]).output().expect("runs"),
    );
    let from_warc = outcome(&unmold().arg("clean").arg(&warc).output().expect("runs"));
    assert_eq!((from_folder.0, from_warc.0), (0, 0), "{}", from_warc.2);
    assert_eq!(texts(&from_folder.1), texts(&from_warc.1));
}
