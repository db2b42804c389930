//! The command as a user meets it: good input, bad input, exit codes.

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

/// Exit code, standard output, standard error.
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

/// A folder with a site of `number` pages that share a menu and a footer.
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

/// Nothing in `folder` but what was there before.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("folder")
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn one_record_per_page_in_order_on_any_number_of_threads() {
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
    assert!(outputs.iter().all(|output| output == &outputs[0]), "threads change the output");
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
fn clean_is_learn_then_strip() {
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
fn every_method_cleans_learns_shows_and_explains() {
    let folder = TempDir::new().expect("a folder");
    for method in ["auto", "chunk-frequency", "alignment", "tree-mapping", "tree-pattern"] {
        let templates = folder.path().join(method);
        let templates = templates.to_str().expect("utf-8");
        assert_eq!(outcome(&run(&["learn", "fixtures/forum", "-t", templates, "--method", method])).0, 0);
        let stripped = outcome(&run(&["strip", "fixtures/forum", "-t", templates, "--threads", "1"])).1;
        let cleaned = outcome(&run(&["clean", "fixtures/forum", "--method", method, "--threads", "8"])).1;
        assert_eq!(stripped, cleaned, "{method}");
        assert!(
            records(&cleaned).iter().all(|record| !field(record, "text").contains("Delete cookies")),
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
fn curves_are_tables_and_figures() {
    let folder = TempDir::new().expect("a folder");
    let plot = folder.path().join("curve");
    let arguments = [
        "eval",
        "fixtures",
        "--method",
        "alignment",
        "--method",
        "line-frequency",
        "--curve",
        "2,4,8",
        "--each-site",
        "--plot",
    ];
    let output = unmold().args(arguments).arg(&plot).output().expect("runs");
    let (code, out, error) = outcome(&output);
    assert_eq!(code, 0, "{error}");
    assert_eq!(out.lines().count(), 1 + 2 * 3 * 7);
    for name in ["curve.svg", "curve-time.svg"] {
        let svg = fs::read_to_string(folder.path().join(name)).expect("a figure");
        assert_eq!(svg.matches("<polyline").count(), 2, "{name}");
    }
}

#[test]
fn the_sample_does_not_depend_on_the_order_of_pages() {
    let folder = TempDir::new().expect("a folder");
    let lines: Vec<String> = (0..60)
        .map(|n| {
            let html = format!(
                "<nav>Home Shop Contact</nav><p>Story {n}</p><p>{}</p>",
                if n % 2 == 0 { "odd banner here" } else { "" }
            );
            serde_json::json!({ "url": format!("http://tea.example/{n}"), "html": html }).to_string()
        })
        .collect();
    let learn = |name: &str, lines: &[String]| {
        let (input, output) = (folder.path().join(name), folder.path().join(format!("{name}.template")));
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
}

#[test]
fn counting_the_whole_site_gives_what_a_full_sample_gives() {
    let method = ["clean", "fixtures", "--method", "chunk-frequency", "--sample"];
    let clean = |sample| run(&[&method[..], &[sample]].concat());
    let (sampled, counted) = (clean("100"), clean("all"));
    assert!(!sampled.stdout.is_empty());
    assert_eq!(sampled.stdout, counted.stdout);
}

#[test]
fn formats_mirror_the_input_tree() {
    let folder = TempDir::new().expect("a folder");
    for (format, extension) in [("text", "txt"), ("markdown", "md"), ("html", "html")] {
        let out = folder.path().join(format);
        let arguments =
            ["clean", "fixtures/blog/pages", "--format", format, "-o", out.to_str().expect("utf-8")];
        assert_eq!(outcome(&run(&arguments)).0, 0);
        let page =
            fs::read_to_string(out.join(format!("2024/bread-at-altitude.{extension}"))).expect("the page");
        assert!(page.contains("rye") && !page.contains("About the author"), "{page}");
        assert!(names(&out.join("2024")).iter().all(|name| !name.contains("partial")));
    }
    let (code, out, _) = outcome(&run(&["clean", "fixtures/blog/pages", "--format", "text"]));
    assert_eq!(code, 0);
    assert!(out.starts_with("==> 2024/a-barometer-from-a-jar.html <==\n"));
}

#[test]
fn the_template_is_kept_once() {
    let folder = TempDir::new().expect("a folder");
    let kept = folder.path().join("kept.jsonl");
    let output = unmold().args(["clean", "fixtures", "--keep-template"]).arg(&kept).output().expect("runs");
    assert!(output.status.success());
    let kept = records(&fs::read_to_string(kept).expect("kept"));
    assert_eq!(kept.len(), 6);
    assert!(field(&kept[0], "text").contains("About the author"), "{}", field(&kept[0], "text"));
}

#[test]
fn standard_input_is_read_twice() {
    let lines: String = (0..5)
        .map(|n| {
            let html = format!("<nav>Home Shop Contact</nav><p>Story {n}</p>");
            serde_json::json!({ "url": format!("http://tea.example/{n}"), "html": html }).to_string() + "\n"
        })
        .collect();
    let output = unmold().args(["clean", "-"]).write_stdin(lines).output().expect("runs");
    let texts: Vec<String> =
        records(&outcome(&output).1).iter().map(|r| field(r, "text").to_owned()).collect();
    assert_eq!(texts, ["Story 0", "Story 1", "Story 2", "Story 3", "Story 4"]);
}

#[test]
fn show_explains_why_a_text_goes() {
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
fn completions_and_manual_come_from_the_flags() {
    for (arguments, expected) in
        [(&["completions", "bash"][..], "--keep-template"), (&["man"][..], "unmold-clean")]
    {
        let (code, out, _) = outcome(&run(arguments));
        assert!(code == 0 && out.contains(expected), "{arguments:?}");
    }
}

#[test]
fn eval_prints_ttdr_with_precision_and_recall() {
    let (code, out, error) = outcome(&run(&["eval", "fixtures"]));
    assert_eq!(code, 0, "{error}");
    assert!(out.lines().next().is_some_and(|heading| heading.contains("ttdr (P/R)")));
    assert!(out.contains("line-frequency") && out.contains("chunk-frequency-paper"));
    let json: Value = serde_json::from_str(
        &outcome(&run(&["eval", "fixtures", "--json", "--method", "chunk-frequency"])).1,
    )
    .expect("JSON");
    assert!(json[0]["mean"]["content F1"].as_f64().expect("a score") > 0.85);
}

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
            let sum: f64 = sections.iter().map(|s| s["text_share"].as_f64().expect("a share")).sum();
            assert!((sum - 1.0).abs() < 0.01, "sections hold all text: {sum}");
            for section in sections {
                assert!(field(section, "path").starts_with("/html/body/"), "{section}");
                let importance = section["importance"].as_f64().expect("a number");
                assert_eq!(section["noisy"].as_bool().expect("a truth"), importance < 0.4);
            }
            assert!(
                sections.iter().any(|s| s["noisy"] == true) && sections.iter().any(|s| s["noisy"] == false)
            );
            let kinds = ["repeated-list", "block", "inline-run", "between-separators"];
            assert!(sections.iter().all(|section| kinds.contains(&field(section, "kind"))));
        }
    }
    let (code, out, _) =
        outcome(&run(&["sections", "fixtures/blog", "--format", "tree", "--method", "tree-pattern"]));
    assert!(code == 0 && out.contains("==> ") && out.contains("repeated-list"), "{out}");
}

#[test]
fn clean_can_take_whole_sections_away() {
    let text = |flags: &[&str]| -> usize {
        let arguments = [&["clean", "fixtures/blog", "--method", "tree-pattern"][..], flags].concat();
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
    let bars = folder.path().join("noise.svg");
    let arguments = ["eval", "fixtures", "--sections", "--sample", "5", "--method", "tree-pattern", "--bars"];
    let (code, out, error) = outcome(&unmold().args(arguments).arg(&bars).output().expect("runs"));
    assert_eq!(code, 0, "{error}");
    assert!(out.lines().next().is_some_and(|heading| heading.contains("precision recall")), "{out}");
    assert_eq!(out.lines().count(), 1 + 6 + 1, "{out}");
    let svg = fs::read_to_string(bars).expect("a figure");
    assert_eq!(svg.matches("fill=\"#0072b2\"").count(), 6);
}

#[test]
fn a_browser_that_is_not_there_is_named() {
    let (code, _, error) = outcome(&run(&["geometry", "fixtures/blog", "--browser", "/no/such/browser"]));
    assert!(code == 2 && error.contains("/no/such/browser") && error.contains("--browser"), "{error}");
    let output =
        unmold().args(["geometry", "fixtures/blog"]).env("PATH", "/nonexistent").output().expect("runs");
    let (code, _, error) = outcome(&output);
    assert!(code == 2 && error.contains("install Chromium"), "{error}");
}

#[test]
fn boxes_of_another_page_are_refused() {
    let folder = site(4);
    let boxes = folder.path().join("boxes.jsonl");
    let line = r#"{"id":"0.html","nodes":7,"shape":"0","width":1,"height":1,"boxes":[]}"#;
    fs::write(&boxes, line).expect("writable");
    let output =
        unmold().arg("sections").arg(folder.path()).arg("--geometry").arg(&boxes).output().expect("runs");
    let (code, out, error) = outcome(&output);
    assert!(code == 1 && error.contains("0.html: its boxes are of another page"), "{error}");
    assert_eq!(records(&out).len(), 4);
    fs::write(&boxes, "no boxes").expect("writable");
    let output =
        unmold().arg("sections").arg(folder.path()).arg("--geometry").arg(&boxes).output().expect("runs");
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
    let halves = record["boxes"].as_array().expect("boxes").iter().filter(|b| b[3] == 512.0 && b[4] == 300.0);
    assert_eq!(halves.count(), 2, "{record}");
    let pictures = record["boxes"].as_array().expect("boxes").iter().filter(|b| b[3] == 40.0 && b[4] == 30.0);
    assert_eq!(pictures.count(), 1, "{record}");
    let output = unmold().arg("sections").arg(&pages).arg("--geometry").arg(&boxes).output().expect("runs");
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
    let (code, out, error) = outcome(&run(&["sections", "fixtures/blog", "-g", boxes, "--compare"]));
    assert_eq!(code, 0, "{error}");
    let mean = out.lines().last().expect("a table");
    let rank: f64 = mean.split_whitespace().nth(4).expect("a column").parse().expect("a number");
    assert!(mean.starts_with("mean of sites") && rank > 0.5, "{out}");
}

// What bad input gets.

#[test]
fn an_empty_folder() {
    let folder = TempDir::new().expect("a folder");
    let (code, out, error) = clean(folder.path());
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(error.contains("no HTML page"), "{error}");
    let learned =
        unmold().arg("learn").arg(folder.path()).args(["-t", "/nonexistent/t.json"]).output().expect("runs");
    assert_eq!(learned.status.code(), Some(2));
}

#[test]
fn a_folder_without_html() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("notes.txt"), "plain").expect("writable");
    let (code, _, error) = clean(folder.path());
    assert_eq!(code, 0);
    assert!(error.contains("no HTML page") && error.contains("skipped 1"), "{error}");
}

#[test]
fn a_path_that_is_not_there() {
    let (code, _, error) = outcome(&run(&["clean", "no/such/folder"]));
    assert_eq!(code, 2);
    assert!(error.contains("no/such/folder"), "{error}");
}

#[test]
fn one_page_only_is_judged_by_itself() {
    let folder = site(1);
    let (code, out, error) = clean(folder.path());
    assert_eq!(code, 0, "{error}");
    assert_eq!(records(&out)[0]["flags"], serde_json::json!(["single_page"]));
}

#[test]
fn one_page_only_is_passed_through_by_methods_that_need_two() {
    let folder = site(1);
    let output = unmold()
        .arg("clean")
        .arg(folder.path())
        .args(["--method", "chunk-frequency"])
        .output()
        .expect("runs");
    let (code, out, error) = outcome(&output);
    assert_eq!(code, 0);
    let record = &records(&out)[0];
    assert_eq!(record["flags"], serde_json::json!(["no_template"]));
    assert_eq!(record["template"], Value::Null);
    assert!(field(record, "text").contains("Home Shop Contact"));
    assert!(error.contains("at least 2 different pages"), "{error}");
}

#[test]
fn identical_pages_are_no_template() {
    let folder = TempDir::new().expect("a folder");
    for name in ["a.html", "b.html", "c.html"] {
        page(folder.path(), name, "The same story");
    }
    for sample in ["100", "all"] {
        let output = unmold()
            .arg("clean")
            .arg(folder.path())
            .args(["--method", "chunk-frequency", "--sample", sample])
            .output()
            .expect("runs");
        let records = records(&outcome(&output).1);
        assert_eq!(records.len(), 3);
        assert!(records.iter().all(|record| field(record, "text").contains("The same story")));
        assert!(records.iter().all(|record| record["flags"] == serde_json::json!(["no_template"])));
    }
}

#[test]
fn a_page_of_300_megabytes() {
    let folder = site(4);
    let mut file = fs::File::create(folder.path().join("huge.html")).expect("writable");
    file.write_all(b"<p>needle</p>").expect("written");
    file.set_len(300 << 20).expect("a sparse file");
    let (code, out, error) = clean(folder.path());
    assert_eq!(code, 1);
    assert!(error.contains("huge.html") && error.contains("--max-page-bytes"), "{error}");
    let records = records(&out);
    assert_eq!(records.len(), 5);
    let huge = records.iter().find(|record| field(record, "id") == "huge.html").expect("a record");
    assert!(field(huge, "error").contains("only the beginning"));
    assert_eq!(field(&records[0], "text"), "Story number 0");
}

#[test]
fn awkward_pages_are_flagged_and_their_text_stays() {
    let folder = site(20);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("writable");
    write("deep.html", ("<div>".repeat(100_000) + "deep text").as_bytes());
    write("nul.html", b"<p>with\0 NUL bytes in it, and some more text</p>");
    write("latin.html", b"<meta charset=utf-8><p>Stra\xdfe und Gr\xfc\xdfe</p>");
    write("empty.html", b"");
    write("binary.html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let utf16: Vec<u8> = "\u{feff}<p>sixteen bits</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("utf16.html", &utf16);
    let (code, out, error) = clean(folder.path());
    let records = records(&out);
    let find =
        |id: &str| records.iter().find(|record| field(record, "id") == id).unwrap_or_else(|| panic!("{id}"));
    assert_eq!(
        (field(find("deep.html"), "text"), &find("deep.html")["flags"]),
        ("deep text", &serde_json::json!(["too_large"]))
    );
    assert!(field(find("nul.html"), "text").contains("NUL bytes"));
    assert_eq!(field(find("latin.html"), "text"), "Straße und Grüße");
    assert_eq!(field(find("utf16.html"), "text"), "sixteen bits");
    assert_eq!(find("empty.html")["flags"], serde_json::json!(["empty"]));
    assert_eq!(find("binary.html")["flags"], serde_json::json!(["binary"]));
    assert_eq!((code, field(find("binary.html"), "error")), (1, "not a text file"));
    assert!(error.contains("binary.html"), "{error}");
    assert_eq!(field(find("3.html"), "text"), "Story number 3");
}

#[cfg(unix)]
#[test]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = site(4);
    // A link to nowhere cannot be read by anyone, the superuser included.
    std::os::unix::fs::symlink("/nonexistent/page.html", folder.path().join("gone.html")).expect("a link");
    let locked = folder.path().join("locked.html");
    fs::write(&locked, "<p>x").expect("writable");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("locked");
    let (code, out, error) = clean(folder.path());
    assert_eq!(code, 1);
    assert!(error.contains("gone.html"), "{error}");
    assert!(records(&out).len() >= 4);
}

#[test]
fn a_broken_gzip_and_a_warc_cut_in_the_middle() {
    let folder = TempDir::new().expect("a folder");
    let record = |n: usize| {
        let body = format!("<nav>Home Shop Contact</nav><p>Story {n}</p>");
        let http = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://tea.example/{n}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    let warc: String = (0..5).map(record).collect();
    let cut = folder.path().join("cut.warc");
    fs::write(&cut, &warc[..warc.len() - 100]).expect("writable");
    let (code, out, error) = outcome(&unmold().arg("clean").arg(&cut).output().expect("runs"));
    assert_eq!((code, records(&out).len()), (1, 4), "{error}");
    assert!(error.contains("cut.warc"), "{error}");
    let broken = folder.path().join("broken.warc.gz");
    fs::write(&broken, b"\x1f\x8b\x08\0\0\0\0\0\0\x03garbage garbage garbage").expect("writable");
    let (code, _, error) = outcome(&unmold().arg("clean").arg(&broken).output().expect("runs"));
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("broken.warc.gz"), "{error}");
}

#[test]
fn a_template_of_another_version() {
    let folder = site(3);
    let templates = folder.path().join("t.json");
    fs::write(&templates, "{\"format\": \"unmold-template\", \"version\": 99}").expect("writable");
    let (code, _, error) =
        outcome(&unmold().arg("strip").arg(folder.path()).arg("-t").arg(&templates).output().expect("runs"));
    assert_eq!(code, 2);
    assert!(error.contains("version 99") && error.contains("update unmold"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    for arguments in
        [&["clean", "fixtures", "-o", "/dev/full"][..], &["learn", "fixtures", "-t", "/dev/full"]]
    {
        let (code, _, error) = outcome(&run(arguments));
        assert_eq!(code, 2, "{arguments:?}");
        assert!(error.contains("/dev/full") && error.contains("space"), "{error}");
    }
}

#[test]
fn no_partial_output_is_left_looking_whole() {
    let folder = site(3);
    let out = TempDir::new().expect("a folder");
    // The template text cannot be written, so the run fails after the pages were stripped.
    let output = unmold()
        .arg("clean")
        .arg(folder.path())
        .arg("-o")
        .arg(out.path().join("pages.jsonl"))
        .arg("--keep-template")
        .arg(out.path())
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2));
    // A file that fails half-way has no name yet, and its temporary one is gone.
    assert!(names(out.path()).iter().all(|name| !name.contains("partial")), "{:?}", names(out.path()));
    let missing = unmold().args(["clean", "fixtures", "-o", "fixtures"]).output().expect("runs");
    assert_eq!(missing.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let script = format!(
        "'{}' clean fixtures fixtures fixtures fixtures | head -c 10 > /dev/null; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_unmold")
    );
    let status = std::process::Command::new("bash")
        .arg("-c")
        .arg(script)
        .current_dir(repository())
        .stderr(std::process::Stdio::null())
        .status();
    assert_eq!(status.expect("bash").code(), Some(0));
}

/// Each page's text by the path of its URL or file.
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

/// `make test` prepares a Python environment with warcio; without it this test says so and ends.
#[test]
fn needs_python_a_warc_by_another_tool_gives_the_same_text() {
    let Some(python) = std::env::var_os("UNMOLD_PYTHON") else {
        println!("skipped: UNMOLD_PYTHON names no Python with warcio; `make test` sets it");
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let warc = folder.path().join("blog.warc.gz");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/make_warc.py");
    let pages = fixtures().join("blog/pages");
    let made = std::process::Command::new(python)
        .arg(script)
        .arg(&pages)
        .arg(&warc)
        .args(["--host", "blog.example"])
        .status();
    assert!(made.expect("python").success());
    let from_folder =
        outcome(&unmold().arg("clean").arg(&pages).args(["--site", "blog.example"]).output().expect("runs"));
    let from_warc = outcome(&unmold().arg("clean").arg(&warc).output().expect("runs"));
    assert_eq!((from_folder.0, from_warc.0), (0, 0), "{}", from_warc.2);
    assert_eq!(texts(&from_folder.1), texts(&from_warc.1));
}

// Clusters.

/// Pages of two kinds: articles and listings.
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
        let rows: String = (0..4).map(|row| format!("<tr><td>{word}<td>cup of {word} {row}")).collect();
        let listing = format!(
            "<nav><ul><li>Home<li>Shop</ul></nav><table class=list><caption>All cups</caption>{rows}</table>\
             <form><label>Find</label><input name=q></form><dl><dt>Price<dd>low</dl><footer>Imprint</footer>"
        );
        fs::write(folder.join(format!("article{number}.html")), article).expect("writable");
        fs::write(folder.join(format!("listing{number}.html")), listing).expect("writable");
    }
}

#[test]
fn cluster_names_pages_that_share_a_template() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("shop");
    fs::create_dir(&pages).expect("a folder");
    two_kinds(&pages);
    let plot = folder.path().join("cost.svg");
    for algorithm in ["mdl", "hash", "max", "dicemax"] {
        let output = unmold()
            .args(["cluster", "--algorithm", algorithm])
            .arg(&pages)
            .arg("--plot")
            .arg(&plot)
            .output();
        let (code, out, error) = outcome(&output.expect("runs"));
        assert_eq!(code, 0, "{error}");
        assert!(out.contains("shop: 24 pages") && out.contains("shop#1") && out.contains("shop#2"), "{out}");
        assert!(!out.contains("shop#3") && out.contains(" 0 unclustered"), "{out}");
        assert!(fs::read_to_string(&plot).expect("a plot").contains("<polyline"));
        let records = |threads: &str| {
            let output = unmold().args(["cluster", "-o", "-", "--threads", threads]).arg(&pages).output();
            outcome(&output.expect("runs")).1
        };
        let out = records("1");
        assert_eq!(out, records("4"));
        let records: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
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
fn clustered_templates_strip_the_same_in_one_go_and_in_two() {
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("shop");
    fs::create_dir(&pages).expect("a folder");
    two_kinds(&pages);
    fs::write(pages.join("odd.html"), "<h5>Nothing</h5><h6>like</h6><pre>the others</pre>")
        .expect("writable");
    let templates = folder.path().join("t.json");
    for method in ["chunk-frequency", "alignment", "tree-mapping"] {
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
            let record = records.iter().find(|record| field(record, "id").ends_with(id)).expect("the page");
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

#[test]
fn eval_scores_clusters_and_their_cost() {
    let (code, out, error) = outcome(&run(&["eval", "fixtures", "--clusters"]));
    assert_eq!(code, 0, "{error}");
    assert!(out.lines().next().is_some_and(|heading| heading.contains("ARI")), "{out}");
    assert!(out.contains("pooled"), "{out}");
    let folder = TempDir::new().expect("a folder");
    let plot = folder.path().join("cost.svg");
    let output = unmold().args(["eval", "fixtures", "--cluster-cost", "20,40", "--plot"]).arg(&plot).output();
    let (code, out, error) = outcome(&output.expect("runs"));
    assert_eq!(code, 0, "{error}");
    assert_eq!(out.lines().count(), 9, "{out}");
    assert!(plot.exists() && folder.path().join("cost-time.svg").exists());
}
