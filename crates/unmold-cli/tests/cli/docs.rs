//! Every `unmold` command in the README and the documents runs.

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

/// The lines of code blocks that call `program`, without their comments.
fn commands(document: &str, program: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join(document)).expect("a document");
    let text = text.replace("\\\n", " ");
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block && line.split(' ').next() == Some(program) {
            let command = line.split(" #").next().unwrap_or(line).trim();
            found.push(command.to_owned());
        }
    }
    found
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
