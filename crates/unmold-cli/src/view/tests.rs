//! Tests of the server and the views through HTTP. The browser tests are in `tests/viewer`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use unmold::site::SampleBudget;
use unmold::{Limits, MethodName, Settings};

use super::{Catalog, Server, Viewer, export, survey};
use crate::input::{Input, InputEvent, InputOptions};
use crate::learning::{LearnOptions, learn};
use crate::report::{Report, Verbosity};
use crate::sampling::SampleSize;
use crate::stream::{Messages, ReadOptions};
use crate::templates::{Replace, read_templates, write_templates};

/// Creates a site with this many pages, an image and a style sheet.
fn site(pages: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for n in 0..pages {
        let html = format!(
            "<!doctype html><title>Story {n}</title><link rel=stylesheet href=../style.css><nav>Home Shop Contact</nav>\
             <p>Story number {n} is about thing {n}</p><img src=/pictures/a.png><footer>Imprint of the site</footer>"
        );
        std::fs::create_dir_all(folder.path().join("stories")).expect("writable");
        std::fs::write(folder.path().join(format!("stories/{n:04}.html")), html).expect("writable");
    }
    std::fs::create_dir_all(folder.path().join("pictures")).expect("writable");
    std::fs::write(folder.path().join("pictures/a.png"), b"\x89PNG").expect("writable");
    std::fs::write(folder.path().join("style.css"), "p { background: url(pictures/a.png) }")
        .expect("writable");
    folder
}

fn viewer(folder: &Path, template: Option<&Path>) -> Viewer {
    let mut report = Report::new(Verbosity::Quiet);
    let options = InputOptions::default().with_site("s".to_owned());
    let input = Input::open(&[folder.to_owned()], &options).expect("an input");
    let read = ReadOptions { limits: Limits::default(), keep_hidden: false };
    let settings = Settings::default().with_method(MethodName::ChunkFrequency);
    let learning = LearnOptions {
        settings,
        sample: SampleSize::Pages(100),
        max_sample_bytes: SampleBudget::DEFAULT_BYTES,
        records: false,
        labels: None,
    };
    let templates = match template {
        Some(file) => read_templates(file).expect("templates"),
        None => learn(&input, &read, &learning, Messages::Hide, &mut report).expect("templates"),
    };
    let catalog = Catalog::new(&input, read.limits.bytes, &mut report).expect("pages");
    Viewer::new(catalog, read, templates, template.map(Path::to_owned))
}

/// A running server.
struct Client {
    host: String,
    token: String,
}

struct Answer {
    status: u16,
    text: String,
}

impl Client {
    fn start(viewer: Viewer) -> Client {
        Client::of(Server::bind(0).expect("a port"), viewer)
    }

    fn of(server: Server, viewer: Viewer) -> Client {
        let address = server.address();
        let (host, token) = address
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .split_once('/')
            .expect("an address");
        let client = Client { host: host.to_owned(), token: token.to_owned() };
        let viewer = Arc::new(viewer);
        survey(&viewer);
        std::thread::spawn(move || server.run(viewer));
        client
    }

    /// Sends one request byte for byte.
    fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        let length = body.len();
        write!(stream, "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
            .expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        Answer { status, text }
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET /{}/{path} HTTP/1.1\r\nHost: {}\r\n", self.token, self.host), "")
    }

    fn post(&self, body: &str) -> Answer {
        let (token, host) = (&self.token, &self.host);
        let head = format!(
            "POST /{token}/override HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n"
        );
        self.send(&head, body)
    }

    /// Polls until the survey is complete.
    fn wait_for_survey(&self) -> String {
        loop {
            let answer = self.get("site-0");
            if !answer.text.contains("data-surveying") {
                return answer.text;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[test]
fn every_view_answers() {
    let folder = site(8);
    let client = Client::start(viewer(folder.path(), None));
    client.wait_for_survey();
    for (path, expected) in [
        ("", "8 pages, 1 template"),
        ("site-0", "s#1"),
        ("costs-0", "polyline"),
        ("cost-0", "polyline"),
        ("pages-0", "stories/0007.html"),
        ("pages-0?template=0", "stories/0007.html"),
        ("pages-0?flag=too_large", "0 pages"),
        ("page-3", "<h1>Story 3</h1>"),
        ("page-3?method=tree-pattern", "tree-pattern"),
        ("page-3?method=page-clusters", "page-clusters"),
        ("text-3?", "Story number 3 is about thing 3"),
        ("nodes-3", "\"reasons\""),
        ("text-3?format=markdown&threshold=1000", "Story number 3"),
        ("sections-3", "Sections of Story 3"),
        ("template-0", "home shop contact"),
        ("template-0?missing=0", "Not found on 0 of 8 pages"),
        ("records-0", "Records of s#1"),
        ("records-0?columns=all", "data-row"),
        ("view.css", "color-scheme"),
        ("view.js", "use strict"),
        ("files/0/pictures/a.png", "image/png"),
    ] {
        let answer = client.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(answer.text.contains(expected), "{path}: {}", answer.text);
        for header in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(answer.text.contains(header), "{path} has no {header}");
        }
    }
    let frame = client.get("frame-3").text;
    let base = format!("http://{}/{}/files/0", client.host, client.token);
    assert!(frame.contains(&format!("src=\"{base}/pictures/a.png\"")), "{frame}");
    assert!(frame.contains(&format!("href=\"{base}/style.css\"")), "{frame}");
    assert!(frame.contains("sandbox allow-scripts"), "{frame}");
    assert!(
        client.get("files/0/style.css").text.contains(&format!("url(\"{base}/pictures/a.png\")"))
    );
}

#[test]
fn unknown_paths_return_404() {
    let folder = site(3);
    std::fs::write(folder.path().join("stories/script.js"), "x").expect("writable");
    let client = Client::start(viewer(folder.path(), None));
    for path in [
        "page-3",
        "page--1",
        "page-99999999999999999999",
        "page-",
        "page",
        "-",
        "x-1",
        "template-9",
        "site-1",
        "cost-7",
        "costs-7",
        "nodes-9",
        "frame-9",
        "text-9",
        "sections-9",
        "template-0?missing=999",
        "records-9",
        "column",
        "search",
        "pages-4",
        "%",
        "%ff",
        "files",
        "files/",
        "files/0",
        "files/0/",
        "files/x/a.png",
        "files/1/pictures/a.png",
        "files/0/../pictures/a.png",
        "files/0/%2e%2e/a.png",
        "files/0//pictures/a.png/..",
        "files/0/stories/script.js",
        "files/0/stories/0000.html",
        "files/0/pictures",
        "override",
    ] {
        assert_eq!(client.get(path).status, 404, "{path}");
    }
    assert_eq!(client.get("page-0?method=../../x&threshold=x&=&&").status, 200);
    assert_eq!(client.get("pages-0?from=99999999999&template=x&flag=%3Cb%3E").status, 200);
}

#[test]
fn foreign_hosts_origins_and_tokens_are_refused() {
    let folder = site(3);
    let client = Client::start(viewer(folder.path(), None));
    let Client { host, token } = &client;
    let port = host.split(':').nth(1).expect("a port");
    let status = |head: String, body: &str| client.send(&head, body).status;
    assert_eq!(status(format!("GET /{token}/ HTTP/1.1\r\nHost: localhost:{port}\r\n"), ""), 200);
    for name in [
        "evil.example",
        "127.0.0.1",
        &format!("evil.example:{port}"),
        &format!("{host}.evil.example"),
        "",
    ] {
        assert_eq!(
            status(format!("GET /{token}/ HTTP/1.1\r\nHost: {name}\r\n"), ""),
            403,
            "{name}"
        );
    }
    for origin in [
        "http://evil.example",
        "null",
        &format!("https://{host}"),
        &format!("http://localhost:{port}"),
    ] {
        assert_eq!(
            status(format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n"), ""),
            403,
            "{origin}"
        );
    }
    for path in [
        "/",
        "//",
        "/x/",
        &format!("/{}/", "0".repeat(32)),
        &format!("/{token}"),
        &format!("/{}/", &token[1..]),
    ] {
        assert_eq!(status(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n"), ""), 404, "{path}");
    }
    let json = "Content-Type: application/json\r\n";
    let good = r#"{"page":0,"node":3,"verdict":"content","scope":"place"}"#;
    let post =
        |headers: &str| format!("POST /{token}/override HTTP/1.1\r\nHost: {host}\r\n{headers}");
    assert_eq!(status(post(json), good), 403, "without an origin");
    assert_eq!(status(post(&format!("Origin: null\r\n{json}")), good), 403, "from a frame");
    assert_eq!(
        status(post(&format!("Origin: http://{host}\r\n")), good),
        403,
        "a form could send this"
    );
    assert_eq!(client.post("{}").status, 400);
    assert_eq!(client.post(&"x".repeat(20_000)).status, 413);
    assert_eq!(status(format!("PUT /{token}/ HTTP/1.1\r\nHost: {host}\r\n"), ""), 405);
    // The frame, which has no origin, may load files and nothing else.
    assert_eq!(
        status(
            format!("GET /{token}/files/0/style.css HTTP/1.1\r\nHost: {host}\r\nOrigin: null\r\n"),
            ""
        ),
        200
    );
}

#[test]
fn half_open_connections_are_closed() {
    let folder = site(2);
    let server = Server::bind(0).expect("a port").with_patience(Duration::from_millis(200));
    let client = Client::of(server, viewer(folder.path(), None));
    let host = &client.host;
    for half in [
        String::new(),
        "GET / HT".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\n"),
        format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\nhalf"),
        // A whole request, and then nothing.
        format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ] {
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
        stream.write_all(half.as_bytes()).expect("sent");
        assert!(stream.read_to_end(&mut Vec::new()).is_ok(), "still open after {half:?}");
    }
    assert_eq!(client.get("").status, 200);
}

/// Larger than what the system takes for a client that does not read.
const LARGE: usize = 18 << 20;

#[test]
fn answers_that_nobody_reads_are_given_up() {
    let folder = site(2);
    std::fs::write(folder.path().join("pictures/a.png"), vec![7; LARGE]).expect("writable");
    let patience = Duration::from_millis(200);
    let server = Server::bind(0).expect("a port").with_patience(patience).with_connections(1);
    let client = Client::of(server, viewer(folder.path(), None));
    let (host, token) = (&client.host, &client.token);
    let mut stream = TcpStream::connect(host).expect("a connection");
    write!(stream, "GET /{token}/files/0/pictures/a.png HTTP/1.1\r\nHost: {host}\r\n\r\n")
        .expect("sent");
    // With one connection, this is answered only once the server has given up the other.
    assert_eq!(client.get("").status, 200);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.len() < LARGE, "the whole file was sent");
    // Who reads gets all of it.
    assert!(client.get("files/0/pictures/a.png").text.len() > LARGE);
}

#[test]
fn connections_are_bounded() {
    let folder = site(2);
    let patience = Duration::from_secs(2);
    let server = Server::bind(0).expect("a port").with_patience(patience).with_connections(3);
    let client = Client::of(server, viewer(folder.path(), None));
    let host = &client.host;
    let idle = [(); 3].map(|()| TcpStream::connect(host).expect("a connection"));
    let start = Instant::now();
    assert_eq!(client.get("").status, 200);
    assert!(start.elapsed() > patience / 2, "answered beside three others");
    drop(idle);
    assert_eq!(client.get("").status, 200);
}

#[test]
fn corrections_are_saved_and_shown_in_all_views() {
    let folder = site(6);
    for name in ["t.json", "t.json.zst", "t.db"] {
        let kept = TempDir::new().expect("a folder");
        let file = kept.path().join(name);
        let templates = viewer(folder.path(), None).templates();
        write_templates(&file, &templates, Replace::Templates).expect("written");
        let client = Client::start(viewer(folder.path(), Some(&file)));
        assert!(!client.get("text-2?").text.contains("Imprint"));
        let nodes: serde_json::Value = serde_json::from_str(
            client.get("nodes-2").text.split("\r\n\r\n").nth(1).expect("a body"),
        )
        .expect("JSON");
        let footer = nodes["names"]
            .as_array()
            .expect("names")
            .iter()
            .position(|name| name == "footer")
            .expect("a footer");
        let node = nodes["name"]
            .as_array()
            .expect("numbers")
            .iter()
            .position(|name| *name == footer)
            .expect("a footer");
        let answer = client
            .post(&format!(r#"{{"page":2,"node":{node},"verdict":"content","scope":"place"}}"#));
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(
            answer.text.contains("Override 1 of s#1 saved: /html/body/footer[1]"),
            "{}",
            answer.text
        );
        assert!(client.get("text-2?").text.contains("Imprint"));
        assert!(client.get("template-0").text.contains("Corrections"));
        let answer = client
            .post(&format!(r#"{{"page":2,"node":{node},"verdict":"template","scope":"text"}}"#));
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(
            client.post(r#"{"page":2,"node":9999,"verdict":"content","scope":"place"}"#).status,
            409
        );
        let read = read_templates(&file).expect("templates");
        let overrides: Vec<_> =
            read.kinds().next().expect("a template").overrides().iter().collect();
        assert_eq!(overrides.len(), 2, "{name}");
        assert_eq!(overrides[1].selector.text.as_deref(), Some("imprint of the site"));
        let names: Vec<_> = kept
            .path()
            .read_dir()
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert!(names.iter().all(|name| !name.to_string_lossy().contains("partial")), "{names:?}");
    }
}

#[test]
fn columns_are_shown_and_corrected() {
    let folder = site(8);
    let kept = TempDir::new().expect("a folder");
    let file = kept.path().join("t.json");
    let templates = viewer(folder.path(), None).templates();
    write_templates(&file, &templates, Replace::Templates).expect("written");
    let client = Client::start(viewer(folder.path(), Some(&file)));
    // The file has no table: it is learned, and saved with the first correction.
    let data = || -> serde_json::Value {
        let text = client.get("records-0").text;
        let start = text.split("type=\"application/json\">").nth(1).expect("data");
        serde_json::from_str(start.split("</script>").next().expect("an end")).expect("JSON")
    };
    let shown = data();
    let fields = shown["fields"].as_array().expect("fields");
    let rows = shown["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 8);
    // The title has no box.
    let nodes = rows[3]["nodes"].as_array().expect("nodes");
    let frame = client.get(&format!("frame-{}", rows[3]["page"])).text;
    let has_box = |of: &serde_json::Value| frame.contains(&format!("data-u=\"{}\"", of[0]));
    assert!(nodes.iter().any(has_box), "{nodes:?} in {frame}");
    let column = fields[0]["column"].as_str().expect("an id").to_owned();
    let post = |change: &str| {
        let (token, host) = (&client.token, &client.host);
        let head = format!(
            "POST /{token}/column HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n"
        );
        client.send(&head, &format!(r#"{{"template":0,"column":"{column}",{change}}}"#))
    };
    let answer = post(r#""change":"rename","name":"Which one""#);
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(data()["fields"][0]["name"], "which_one");
    assert_eq!(post(r#""change":"rename","name":"""#).status, 409);
    assert_eq!(post(r#""change":"explode""#).status, 400);
    let answer = post(r#""change":"drop""#);
    assert!(answer.text.contains("Correction 2 of the columns of s#1 saved"), "{}", answer.text);
    assert!(client.get("records-0").text.contains("Dropped"));
    assert_ne!(data()["fields"][0]["name"], "which_one");
    let read = read_templates(&file).expect("templates");
    let schema = read.kinds().next().and_then(|kind| kind.records()).expect("a table");
    assert_eq!(schema.overrides().len(), 2);
    assert!(schema.columns().iter().any(|column| column.corrected.dropped));
}

#[test]
fn lists_are_paginated_and_the_survey_visits_all_pages() {
    let folder = site(230);
    let client = Client::start(viewer(folder.path(), None));
    let text = client.wait_for_survey();
    assert!(text.contains("s#1: 230 pages"), "{text}");
    let last = client.get("pages-0?from=200").text;
    assert!(last.contains("stories/0229.html") && !last.contains("stories/0199.html"));
    assert!(last.contains("from=100") && !last.contains("from=300"));
}

#[test]
fn reports_are_reproducible_and_have_no_dead_links() {
    let folder = site(7);
    let out = TempDir::new().expect("a folder");
    let write = |name: &str| {
        let pages =
            export(&mut viewer(folder.path(), None), &out.path().join(name), 3).expect("written");
        assert_eq!(pages, 3);
        let mut files: Vec<(String, String)> = out
            .path()
            .join(name)
            .read_dir()
            .expect("a folder")
            .flatten()
            .map(|entry| {
                (
                    entry.file_name().to_string_lossy().into_owned(),
                    std::fs::read_to_string(entry.path()).expect("text"),
                )
            })
            .collect();
        files.sort();
        files
    };
    let files = write("one");
    assert_eq!(files, write("two"));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"index.html") && names.contains(&"frame-0.html"), "{names:?}");
    for (name, text) in &files {
        for attribute in ["href=\"", "src=\""] {
            for address in text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
                let is_there = address.starts_with(['#'])
                    || address.starts_with("data:")
                    || names.contains(&address);
                assert!(is_there, "{address} in {name}");
            }
        }
    }
    assert!(
        export(&mut viewer(folder.path(), None), &out.path().join("one"), 3).is_err(),
        "an existing report is not overwritten"
    );
}

#[test]
fn catalog_lists_the_same_pages_as_the_reader() {
    let folder = site(4);
    std::fs::write(folder.path().join("top.html"), "<p>top").expect("writable");
    std::fs::write(folder.path().join("unknown"), "<!doctype html><p>no ending").expect("writable");
    std::fs::write(folder.path().join("notes.txt"), "no page").expect("writable");
    let lines: String = (0..3)
        .map(|n| format!("{{\"url\":\"http://a.example/{n}\",\"html\":\"<p>number {n}\"}}\n"))
        .collect();
    std::fs::write(folder.path().join("pages.jsonl"), lines).expect("writable");
    let archive = folder.path().join("pages.jsonl");
    let options = InputOptions::default();
    let input = Input::open(&[folder.path().to_owned(), archive], &options).expect("an input");
    let read: Vec<_> = input
        .read()
        .filter_map(|event| match event {
            InputEvent::Page(page) => Some(page),
            _ => None,
        })
        .collect();
    let mut report = Report::new(Verbosity::Quiet);
    let catalog = Catalog::new(&input, options.max_page_bytes, &mut report).expect("pages");
    let listed: Vec<_> =
        (0..catalog.len()).map(|page| catalog.read(page).expect("the page")).collect();
    assert_eq!(listed.len(), 9);
    assert_eq!(listed, read);
}
