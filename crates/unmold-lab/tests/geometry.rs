//! `unmold-lab geometry`: boxes of a browser, and what happens without one.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;
use unmold::sections::PageBoxes;
use unmold::{Limits, Page};

fn geometry() -> Command {
    let mut command = Command::cargo_bin("unmold-lab").expect("the binary");
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).arg("geometry");
    command
}

/// Runs the command; exit code and standard error.
fn run(command: &mut Command) -> (i32, String) {
    let output = command.output().expect("runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("an exit code"), error)
}

#[test]
fn a_browser_that_is_not_there_is_named() {
    let (code, error) = run(geometry().args(["fixtures/blog", "--browser", "/no/such/browser"]));
    assert!(
        code == 2 && error.contains("/no/such/browser") && error.contains("--browser"),
        "{error}"
    );
    let (code, error) = run(geometry().arg("fixtures/blog").env("PATH", "/nonexistent"));
    assert!(code == 2 && error.contains("install Chromium"), "{error}");
}

/// `make test` leaves this test out where there is no browser; run otherwise, it says so and ends.
#[test]
fn needs_chromium_boxes_are_recorded_offline() {
    if std::process::Command::new("chromium").arg("--version").output().is_err() {
        println!("skipped: there is no chromium");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).expect("a folder");
    // What the network, a script or a frame would do must not happen.
    let wide = "<!doctype html>\
                <style>body{margin:0} .half{float:left;width:512px;height:300px}</style>\
                <script>document.write('<p>written</p>')</script>\
                <link rel=stylesheet href=http://127.0.0.1:9/x.css>\
                <noscript><p>no script</p></noscript><div class=half>left<!-- c --> text</div>\
                <div class=half hidden>gone</div>\
                <div class=half>right <img src=/x.png width=40 height=30></div>\
                <iframe src=http://127.0.0.1:9/></iframe>";
    let moved = "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><p>still here";
    let htmls = [("empty.html", ""), ("moved.html", moved), ("wide.html", wide)];
    for (name, html) in htmls {
        fs::write(pages.join(name), html).expect("writable");
    }
    let file = folder.path().join("boxes.jsonl");
    let (code, error) = run(geometry().arg(&pages).arg("-o").arg(&file));
    assert_eq!(code, 0, "{error}");
    let recorded = fs::read_to_string(&file).expect("boxes");
    let recorded: Vec<PageBoxes> =
        recorded.lines().map(|line| serde_json::from_str(line).expect("boxes")).collect();
    assert_eq!(recorded.len(), 3);
    for (boxes, (name, html)) in recorded.iter().zip(htmls) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        assert!(boxes.id == name && boxes.areas(&page).is_some(), "{name}: {boxes:?}");
    }
    let wide = &recorded[2];
    let with_size = |width: f64, height: f64| {
        wide.boxes.iter().filter(|found| (found.3, found.4) == (width, height)).count()
    };
    assert_eq!(wide.width, 1024.0);
    assert_eq!((with_size(512.0, 300.0), with_size(40.0, 30.0)), (2, 1), "{wide:?}");
}
