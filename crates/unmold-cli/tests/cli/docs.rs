//! Every command in the README and the documents runs, here or where [`run_elsewhere`] says.

use super::*;

/// Documents that commands write, which show flags and results, not commands to run.
const GENERATED: [&str; 2] = ["docs/cli.md", "docs/results.md"];

/// All documents of the repository, by their paths in it.
fn documents() -> Vec<String> {
    let root = repository();
    let mut folders = vec![String::new(), "docs/".to_owned(), "fixtures/".to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for name in names(&root.join(&folder)) {
            let path = format!("{folder}{name}");
            if !folder.is_empty() && root.join(&path).is_dir() {
                folders.push(format!("{path}/"));
            } else if path.ends_with(".md") && !GENERATED.contains(&path.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A response with a page, as a WARC record.
fn warc_record(url: &str, html: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
        html.len()
    );
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: \
         application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
        head.len() + html.len()
    )
    .into_bytes();
    record.extend(html);
    record.extend(b"\r\n\r\n");
    record
}

fn copy_pages(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for name in names(from) {
        match from.join(&name) {
            folder if folder.is_dir() => copy_pages(&folder, &to.join(&name)),
            file if name.ends_with(".html") => {
                fs::copy(file, to.join(&name)).expect("copied");
            }
            _ => {}
        }
    }
}

/// A folder with what the commands of the documents read.
fn workplace() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["site", "new-pages", "new", "mirror/wiki", "mirror/forum"] {
        fs::create_dir_all(path(name)).expect("writable");
    }
    let copy = |from: &str, to: &str| copy_pages(&fixtures().join(from).join("pages"), &path(to));
    copy("wiki", "site");
    copy("wiki", "new-pages");
    copy("wiki", "mirror/wiki");
    copy("forum", "mirror/forum");
    copy("shop", "shop");
    copy("shop", "new");
    let page = fixtures().join("wiki/pages/callow-lighthouse.html");
    fs::copy(page, path("page.html")).expect("copied");
    let pages = fixtures().join("wiki/pages");
    let record = |name: &String| {
        let html = fs::read(pages.join(name)).expect("a page");
        warc_record(&format!("http://example.org/{name}"), &html)
    };
    let pages: Vec<String> =
        names(&pages).into_iter().filter(|name| name.ends_with(".html")).collect();
    let warc: Vec<u8> = pages.iter().flat_map(record).collect();
    for name in ["crawl", "monday", "tuesday"] {
        // A member without compression would do, but a file of this name should be one.
        let file = path(&format!("{name}.warc.gz"));
        let mut gzip = std::process::Command::new("gzip")
            .arg("-c")
            .stdin(std::process::Stdio::piped())
            .stdout(fs::File::create(&file).expect("writable"))
            .spawn()
            .expect("gzip");
        gzip.stdin.take().expect("a pipe").write_all(&warc).expect("written");
        assert!(gzip.wait().expect("gzip").success());
    }
    let label = "{\"id\": \"callow-lighthouse.html\", \"drop\": [\".infobox\"]}\n";
    fs::write(path("labels.jsonl"), label).expect("writable");
    let learned = unmold().current_dir(&folder).args(["learn", "site", "-t", "site.json"]).output();
    assert!(learned.expect("runs").status.success());
    folder
}

/// The code blocks of a document: their language and their lines.
fn blocks(document: &str) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(repository().join(document)).expect("a document");
    let text = text.replace("\\\n", " ");
    let mut open: Option<(String, Vec<String>)> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), Vec::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    found
}

/// The lines of code blocks that call `program`, without their comments.
fn commands(document: &str, program: &str) -> Vec<String> {
    let lines = blocks(document).into_iter().flat_map(|(_, lines)| lines);
    let calls = lines.filter(|line| line.split(' ').next() == Some(program));
    calls.map(|line| line.split(" #").next().unwrap_or(&line).trim().to_owned()).collect()
}

/// First lines of blocks that are no commands: drawings, output, a prompt.
const NO_COMMANDS: [&str; 5] = [
    "bytes ─parse─▶",
    "unmold-html ──▶",
    "The spring drive for photographs",
    "news#1: average match",
    "Below is a web page as a numbered list",
];

/// Commands that no test runs, and why.
const NOT_RUN: [(&str, &str); 7] = [
    ("cargo install --path", "builds the command, which the other tests do"),
    ("cargo install cargo-mutants", "downloads"),
    ("CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo mutants", "takes hours, with a tool that is not here"),
    ("pip install .", "`make test-python` builds and installs the package"),
    ("spark-submit --master", "needs a cluster; python/tests/test_spark.py runs the same job"),
    ("python -m unmold.spark warc.paths.gz --base", "downloads; the same test reads listings"),
    ("python tools/fit/fit.py", "fits the weights, for hours; with numpy"),
];

/// Python that is run by python/tests: blocks with the prompt of the interpreter (doctest), and
/// these beginnings of others.
const RUN_BY_PYTHON: [&str; 6] = [
    "templates = unmold.learn_batches(pq",
    "import unmold.spark",
    "from unmold.datatrove import",
    "found = unmold.records(pages)",
    "import trafilatura, unmold",
    ">>> ",
];

/// Whether something else than `commands_in_documents_run` runs a line of a block of commands, or
/// nothing can.
fn run_elsewhere(line: &str) -> bool {
    let is_call = |program: &str| line.split(' ').next() == Some(program);
    // `commands_in_documents_run` of the laboratory, and `targets_of_make_in_documents_exist`.
    is_call("unmold-lab")
        || is_call("make")
        || NOT_RUN.iter().any(|(start, _)| line.starts_with(start))
}

/// Whether every line of a block is run by a test, or cannot be run.
fn is_covered(language: &str, lines: &[String]) -> bool {
    let first = lines.first().map_or("", String::as_str);
    let starts = |list: &[&str]| list.iter().any(|start| first.starts_with(start));
    match language {
        // Records are compared with `the_record_of_the_readme_has_all_fields` and the format.
        "json" => true,
        "python" => starts(&RUN_BY_PYTHON),
        // `the_readme_shows_lines_that_run` (crates/unmold/tests/examples.rs).
        "rust" => first.starts_with("let pages: Vec<Page>"),
        "" if starts(&NO_COMMANDS) => true,
        "" => {
            // `test_five_lines_of_the_readme` (python/tests) runs the program after the marker.
            let shell = lines.iter().take_while(|line| !line.starts_with("python - <<"));
            shell
                .filter(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with('#'))
                .all(|line| line.starts_with("unmold ") || run_elsewhere(line))
        }
        _ => false,
    }
}

#[test]
fn every_block_is_run_or_listed() {
    let mut uncovered = Vec::new();
    for document in documents() {
        let blocks = blocks(&document).into_iter();
        let open = blocks.filter(|(language, lines)| !is_covered(language, lines));
        uncovered.extend(open.map(|(_, lines)| format!("{document}: {}", lines.join(" ⏎ "))));
    }
    assert!(uncovered.is_empty(), "run these in a test, or list them: {uncovered:#?}");
}

/// Whether this build has the command, and it comes to an end by itself.
fn can_run(command: &str) -> bool {
    let is = |name: &str| command.split(' ').nth(1) == Some(name);
    let searches = is("index") || is("search") || command.contains("--index index/");
    let can_search = !searches || cfg!(feature = "search");
    let can_view = !is("view") || cfg!(feature = "view") && command.contains("--export");
    let can_write = !command.contains(".parquet") || cfg!(feature = "parquet");
    can_search && can_view && can_write
}

#[test]
fn commands_in_documents_run() {
    let mut number = 0;
    for document in documents() {
        let commands = commands(&document, "unmold");
        if commands.is_empty() {
            continue;
        }
        let folder = workplace();
        for command in commands.iter().filter(|command| can_run(command)) {
            let words = command.split_whitespace().skip(1).map(|word| word.trim_matches('\''));
            let output = unmold().current_dir(folder.path()).args(words).output().expect("runs");
            let (code, _, error) = outcome(&output);
            assert_eq!(code, 0, "{document}: `{command}`: {error}");
            number += 1;
        }
    }
    assert!(number >= 40, "{number} commands only: has the form of the blocks changed?");
}

#[test]
fn targets_of_make_in_documents_exist() {
    let makefile = fs::read_to_string(repository().join("Makefile")).expect("the Makefile");
    for document in documents() {
        for command in commands(&document, "make") {
            let targets = command.split_whitespace().skip(1).filter(|word| !word.contains('='));
            for target in targets {
                let rule = makefile.lines().any(|line| line.starts_with(&format!("{target}:")));
                assert!(rule, "{document}: `{command}`");
            }
        }
    }
}

#[test]
fn the_record_of_the_readme_has_all_fields() {
    let readme = fs::read_to_string(repository().join("README.md")).expect("the README");
    let block = readme.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    let shown: Value = serde_json::from_str(block.expect("a record")).expect("JSON");
    let (_, out, _) = outcome(&run(&["clean", "fixtures/wiki/pages", "-q"]));
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&shown), keys(&records(&out)[0]));
}
