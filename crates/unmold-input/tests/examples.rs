//! The example runs on a WARC file.

use std::fmt::Write;
use std::process::Command;

#[test]
fn a_warc_file_becomes_json_lines() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wiki/pages");
    let mut warc = String::new();
    for entry in std::fs::read_dir(pages).expect("the fixtures") {
        let path = entry.expect("a file").path();
        let html = std::fs::read_to_string(&path).expect("UTF-8");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let _ = write!(
            warc,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://wiki.example/{name}\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\
             \r\n\r\n",
            http.len()
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crawl.warc");
    std::fs::write(&file, warc).expect("written");
    let tests = std::env::current_exe().expect("the path of this test");
    let target = tests.parent().and_then(|deps| deps.parent()).expect("a target folder");
    let program = target.join("examples/warc_to_jsonl");
    let output = Command::new(program).arg(file).output().expect("built by `cargo test`");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), 11, "{}", String::from_utf8_lossy(&output.stderr));
    let page = text.lines().find(|line| line.contains("callow-lighthouse")).expect("the page");
    let record: serde_json::Value = serde_json::from_str(page).expect("JSON");
    assert_eq!(record["site"], "wiki.example");
    let left = record["text"].as_str().expect("a text");
    assert!(left.contains("Height\t34 m") && !left.contains("Privacy policy"), "{left}");
}
