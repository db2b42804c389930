//! Bad input: exit codes, flags and messages.

use super::*;

#[test]
fn empty_folder() {
    let folder = TempDir::new().expect("a folder");
    let (code, out, error) = clean(folder.path());
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(error.contains("no HTML page"), "{error}");
    let learned = unmold()
        .arg("learn")
        .arg(folder.path())
        .args(["-t", "/nonexistent/t.json"])
        .output()
        .expect("runs");
    assert_eq!(learned.status.code(), Some(2));
}

#[test]
fn folder_without_html() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("notes.txt"), "plain").expect("writable");
    let (code, _, error) = clean(folder.path());
    assert_eq!(code, 0);
    assert!(
        error.contains("no HTML page") && error.contains("skipped 1 (not an HTML file: 1)"),
        "{error}"
    );
}

#[test]
fn missing_path() {
    let (code, _, error) = outcome(&run(&["clean", "no/such/folder"]));
    assert_eq!(code, 2);
    assert!(error.contains("no/such/folder"), "{error}");
}

#[test]
fn single_page_is_cleaned_by_default() {
    let folder = site(1);
    let (code, out, error) = clean(folder.path());
    assert_eq!(code, 0, "{error}");
    assert_eq!(records(&out)[0]["flags"], serde_json::json!(["single_page"]));
}

#[test]
fn single_page_is_unchanged_with_methods_that_need_two() {
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
fn identical_pages_give_no_template() {
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
fn page_of_300_megabytes() {
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
fn malformed_pages_are_flagged_and_keep_their_text() {
    let folder = site(20);
    let write =
        |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("writable");
    write("deep.html", ("<div>".repeat(100_000) + "deep text").as_bytes());
    write("nul.html", b"<p>with\0 NUL bytes in it, and some more text</p>");
    write("latin.html", b"<meta charset=utf-8><p>Stra\xdfe und Gr\xfc\xdfe</p>");
    write("empty.html", b"");
    write("binary.html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let utf16: Vec<u8> =
        "\u{feff}<p>sixteen bits</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("utf16.html", &utf16);
    let (code, out, error) = clean(folder.path());
    let records = records(&out);
    let find = |id: &str| {
        records.iter().find(|record| field(record, "id") == id).unwrap_or_else(|| panic!("{id}"))
    };
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
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = site(4);
    // Not even root can read a dangling link.
    std::os::unix::fs::symlink("/nonexistent/page.html", folder.path().join("gone.html"))
        .expect("a link");
    let locked = folder.path().join("locked.html");
    fs::write(&locked, "<p>x").expect("writable");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("locked");
    let (code, out, error) = clean(folder.path());
    assert_eq!(code, 1);
    assert!(error.contains("gone.html"), "{error}");
    assert!(records(&out).len() >= 4);
}

#[test]
fn corrupt_gzip_and_truncated_warc() {
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
    let found = records(&out);
    assert_eq!((code, found.len()), (1, 5), "{error}");
    assert!(field(&found[4], "error").contains("it was cut"), "{}", found[4]);
    assert!(error.contains("cut.warc"), "{error}");
    let broken = folder.path().join("broken.warc.gz");
    fs::write(&broken, b"\x1f\x8b\x08\0\0\0\0\0\0\x03garbage garbage garbage").expect("writable");
    let (code, _, error) = outcome(&unmold().arg("clean").arg(&broken).output().expect("runs"));
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("broken.warc.gz"), "{error}");
}

#[test]
fn template_file_of_a_newer_version() {
    let folder = site(3);
    let templates = folder.path().join("t.json");
    fs::write(&templates, "{\"format\": \"unmold-template\", \"version\": 99}").expect("writable");
    let (code, _, error) = outcome(
        &unmold().arg("strip").arg(folder.path()).arg("-t").arg(&templates).output().expect("runs"),
    );
    assert_eq!(code, 2);
    assert!(error.contains("version 99") && error.contains("update unmold"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    for arguments in
        [&["clean", "fixtures", "-o", "/dev/full"][..], &["learn", "fixtures", "-t", "/dev/full"]]
    {
        let (code, _, error) = outcome(&run(arguments));
        assert_eq!(code, 2, "{arguments:?}");
        assert!(error.contains("/dev/full") && error.contains("space"), "{error}");
    }
}

#[test]
fn failed_runs_leave_no_partial_output() {
    let folder = site(3);
    let out = TempDir::new().expect("a folder");
    // --keep-template names a folder, so the run fails after the pages were stripped.
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
    // The temporary file is gone.
    assert!(
        names(out.path()).iter().all(|name| !name.contains("partial")),
        "{:?}",
        names(out.path())
    );
    let missing = unmold().args(["clean", "fixtures", "-o", "fixtures"]).output().expect("runs");
    assert_eq!(missing.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn closed_pipe_is_not_an_error() {
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
