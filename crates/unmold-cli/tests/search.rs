//! Tests of `unmold export` and, with the feature `search`, `unmold index` and `unmold search`.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("unmold").expect("the binary");
    let output = command.current_dir(repository()).args(arguments).output().expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

fn export(folder: &TempDir) -> PathBuf {
    let file = folder.path().join("bulk.ndjson");
    let path = file.to_str().expect("UTF-8");
    let (code, _, error) = run(&[
        "export",
        "--bulk",
        "--index",
        "wiki",
        "fixtures/wiki/pages",
        "--site",
        "wiki",
        "-o",
        path,
    ]);
    assert_eq!(code, 0, "{error}");
    file
}

#[test]
fn bulk_lines_come_in_pairs() {
    let folder = TempDir::new().expect("a folder");
    let text = std::fs::read_to_string(export(&folder)).expect("a file");
    assert!(text.ends_with('\n'));
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 22);
    for pair in lines.chunks(2) {
        assert_eq!(pair[0]["index"]["_index"], "wiki");
        assert_eq!(pair[0]["index"]["_id"], pair[1]["id"]);
        let (content, template) = (&pair[1]["content"], &pair[1]["template_text"]);
        assert!(template.as_str().expect("text").contains("Random article"));
        assert!(!content.as_str().expect("text").contains("Random article"));
    }
    assert_eq!(run(&["export", "fixtures/wiki/pages"]).0, 0, "no format has to be named");
}

/// Sends the file with the client's bulk helper over a connection that accepts everything.
const CLIENT: &str = r#"
import json, sys
from opensearchpy import OpenSearch, Connection, helpers
sent = []
class Taker(Connection):
    def perform_request(self, method, url, params=None, body=None, **_):
        lines = body.decode() if isinstance(body, bytes) else body
        rows = [json.loads(line) for line in lines.strip().split("\n")]
        sent.extend(rows)
        items = [{"index": {"_id": row["index"]["_id"], "status": 201}} for row in rows[::2]]
        return 200, {"content-type": "application/json"}, json.dumps({"errors": False, "items": items})
client = OpenSearch(connection_class=Taker)
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
actions = [{"_op_type": "index", **head["index"], "_source": body} for head, body in zip(lines[::2], lines[1::2])]
done, errors = helpers.bulk(client, actions)
assert not errors and sent == lines, "the client would send something else"
print(done)
"#;

#[test]
fn needs_python_client_sends_the_same_lines() {
    let python = std::env::var("UNMOLD_PYTHON").expect("UNMOLD_PYTHON: run `make test`");
    let folder = TempDir::new().expect("a folder");
    let file = export(&folder);
    let output = std::process::Command::new(python)
        .args(["-c", CLIENT])
        .arg(&file)
        .output()
        .expect("Python runs");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(out.trim(), "11", "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(not(feature = "search"))]
#[test]
fn error_names_the_missing_feature() {
    let (code, _, error) = run(&["index", "fixtures/wiki/pages", "-o", "/nonexistent/index"]);
    assert!(code == 2 && error.contains("--features search"), "{error}");
}

#[cfg(feature = "search")]
mod with_the_engine {
    use super::*;

    fn index(folder: &TempDir) -> String {
        let place = folder.path().join("index").to_str().expect("UTF-8").to_owned();
        let (code, _, error) =
            run(&["index", "fixtures/wiki/pages", "--site", "wiki", "-o", &place]);
        assert_eq!(code, 0, "{error}");
        place
    }

    fn hits(arguments: &[&str]) -> Vec<Value> {
        let (code, out, error) = run(&[&["search", "--json"], arguments].concat());
        assert_eq!(code, 0, "{error}");
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn search_finds_pages_by_their_content() {
        let folder = TempDir::new().expect("a folder");
        let place = index(&folder);
        let found = hits(&[&place, "lighthouse"]);
        assert_eq!(found[0]["id"], "callow-lighthouse.html");
        assert!(
            found[0]["snippet"].as_str().expect("text").to_lowercase().contains("**lighthouse**"),
            "{found:?}"
        );
        assert_eq!(hits(&[&place, "lighthouse"]), found, "search is reproducible");
        assert_eq!(hits(&[&place, "lighthouse", "-n", "1"]).len(), 1);
        let (code, out, _) = run(&["search", &place, "zyzzyva", "--json"]);
        assert_eq!((code, out.as_str()), (1, ""), "as grep does");
        // Syntax errors in the query are ignored.
        assert!(!hits(&[&place, "lighthouse \" AND ( ["]).is_empty());
        let (code, out, _) = run(&["search", &place, "lighthouse"]);
        assert!(code == 0 && out.contains("Callow Lighthouse"), "{out}");
    }

    #[test]
    fn template_words_rank_low() {
        let folder = TempDir::new().expect("a folder");
        let place = index(&folder);
        let score = |found: &[Value]| found[0]["score"].as_f64().expect("a score");
        let by = |engine: &str| hits(&[&place, "encyclopedia", "--engine", engine]);
        let (clean, whole) = (by("clean"), by("whole"));
        assert_eq!(whole.len(), 10, "found on every page");
        assert!(score(&clean) < score(&whole) / 3.0, "{clean:?} {whole:?}");
    }

    /// Half of the pages name the same maker in a table, which the paper's method strips.
    #[test]
    fn whole_pages_answer_where_content_was_stripped() {
        let folder = TempDir::new().expect("a folder");
        let pages = folder.path().join("shop");
        std::fs::create_dir(&pages).expect("a folder");
        for number in 0..12 {
            let maker = if number % 2 == 0 { "<table><tr><td>Leica</table>" } else { "" };
            let story: String = (0..8).map(|word| format!("w{number}x{word} ")).collect();
            let html = format!("<table><tr><td>Menu</table>{maker}<p>camera {story}</p>");
            std::fs::write(pages.join(format!("{number}.html")), html).expect("writable");
        }
        let place = folder.path().join("index").to_str().expect("UTF-8").to_owned();
        let pages = pages.to_str().expect("UTF-8");
        let (code, _, error) =
            run(&["index", pages, "--method", "chunk-frequency", "--paper", "-o", &place]);
        assert_eq!(code, 0, "{error}");
        // The menu is stripped from all pages, and rightly so.
        for (query, engine) in [("leica", "whole"), ("camera", "clean"), ("menu", "clean")] {
            let found = hits(&[&place, query]);
            assert_eq!(found[0]["engine"], engine, "{query}");
            assert_eq!(found, hits(&[&place, query, "--engine", engine]), "{query}");
        }
    }

    #[test]
    fn index_is_not_overwritten_and_other_folders_are_refused() {
        let folder = TempDir::new().expect("a folder");
        let place = index(&folder);
        let (code, _, error) = run(&["index", "fixtures/wiki/pages", "-o", &place]);
        assert!(code == 2 && error.contains("remove it"), "{error}");
        let (code, _, error) = run(&["search", "fixtures", "x"]);
        assert!(code == 2 && error.contains("unmold index"), "{error}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "no partial index is left");
    }

    #[test]
    fn no_query_stops_the_search() {
        let folder = TempDir::new().expect("a folder");
        let place = index(&folder);
        for (before, after) in [("(", ")"), ("(\\)", ""), ("(\")\"", ""), ("NOT ", ""), ("+(-", "")]
        {
            let query = format!("lighthouse {}x{}", before.repeat(9000), after.repeat(9000));
            assert!(!hits(&[&place, &query]).is_empty(), "{before}");
        }
        for limit in ["4000000000", "18446744073709551615"] {
            assert!(!hits(&[&place, "lighthouse", "-n", limit]).is_empty());
        }
        let (code, _, error) = run(&["search", &place, "id:*"]);
        assert!(code == 2 && error.contains("cannot answer this query"), "{error}");
    }

    #[test]
    fn a_damaged_index_is_refused() {
        let folder = TempDir::new().expect("a folder");
        let place = index(&folder);
        let files = std::fs::read_dir(&place).expect("a folder").map(|file| file.expect("a file"));
        let files: Vec<_> = files.map(|file| file.path()).collect();
        for file in files.iter().filter(|file| file.extension().is_some()) {
            let whole = std::fs::read(file).expect("readable");
            for part in 1..4 {
                let mut bytes = whole.clone();
                let at = bytes.len() * part / 4;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 0x55;
                }
                std::fs::write(file, &bytes).expect("written");
                let (code, _, error) = run(&["search", &place, "lighthouse"]);
                assert!(code == 0 || code == 2, "{}: {error}", file.display());
                assert!(!error.contains("panicked"), "{}: {error}", file.display());
            }
            std::fs::write(file, &whole).expect("written");
        }
        assert!(!hits(&[&place, "lighthouse"]).is_empty());
    }
}
