//! What a page, a neighbour or the surroundings do must not stop a run.

use std::process::Stdio;

use super::*;

/// Writes pages of one site, with these addresses, as JSONL.
fn jsonl(folder: &Path, addresses: &[String]) -> PathBuf {
    let path = folder.join("pages.jsonl");
    let line = |(n, url): (usize, &String)| {
        let html = format!("<nav>Home Shop</nav><p>Story number {n}</p><footer>Imprint</footer>");
        serde_json::json!({"url": url, "html": html}).to_string() + "\n"
    };
    fs::write(&path, addresses.iter().enumerate().map(line).collect::<String>()).expect("written");
    path
}

#[cfg(unix)]
fn shell(script: &str, arguments: &[&Path]) -> Output {
    std::process::Command::new("sh")
        .args(["-c", script])
        .arg(env!("CARGO_BIN_EXE_unmold"))
        .args(arguments)
        .output()
        .expect("a shell")
}

#[test]
fn a_site_over_its_budget_is_learned_from_fewer_pages() {
    let folder = site(20);
    let learn = |bytes: &str| {
        let mut command = unmold();
        command.arg("clean").arg(folder.path()).args(["--max-sample-bytes", bytes]);
        outcome(&command.output().expect("runs"))
    };
    let (code, out, error) = learn("20000");
    assert_eq!(code, 0, "{error}");
    let found = records(&out);
    assert_eq!(found.len(), 20);
    let over = serde_json::json!(["over_budget"]);
    assert!(found.iter().all(|record| record["flags"] == over), "{}", found[0]);
    assert!(error.contains("--max-sample-bytes"), "{error}");
    // Not even one page fits.
    let (code, out, _) = learn("1");
    assert_eq!((code, records(&out).len()), (0, 20));
    // There is room for all.
    let (_, out, error) = learn("1000000");
    assert_eq!(records(&out)[0]["flags"], serde_json::json!([]), "{error}");
}

#[test]
fn a_template_says_that_its_sample_was_over_budget() {
    let folder = site(20);
    let template = folder.path().join("t.json");
    let learned = unmold()
        .arg("learn")
        .arg(folder.path())
        .args(["--max-sample-bytes", "20000", "-t"])
        .arg(&template)
        .output()
        .expect("runs");
    assert_eq!(learned.status.code(), Some(0));
    let stripped =
        unmold().arg("strip").arg(folder.path()).arg("-t").arg(&template).output().expect("runs");
    let (_, out, _) = outcome(&stripped);
    assert_eq!(records(&out)[0]["flags"], serde_json::json!(["over_budget"]));
}

#[test]
fn a_page_may_have_the_name_of_a_folder() {
    for addresses in [["docs", "docs.md/intro"], ["docs.md/intro", "docs"]] {
        let folder = TempDir::new().expect("a folder");
        let long = format!("http://a.example/{}", "long/".repeat(2000));
        let addresses: Vec<String> = addresses
            .map(|path| format!("http://a.example/{path}"))
            .into_iter()
            .chain([long, "http://a.example/last".to_owned()])
            .collect();
        let input = jsonl(folder.path(), &addresses);
        let output = folder.path().join("out");
        let run = || {
            let mut command = unmold();
            command.arg("clean").arg(&input).args(["--format", "markdown", "-v", "-o"]);
            outcome(&command.arg(&output).output().expect("runs"))
        };
        let (code, _, error) = run();
        assert_eq!(code, 0, "{error}");
        assert!(error.contains("2 pages were written under other names"), "{error}");
        assert!(error.contains("written as a.example/page-"), "{error}");
        assert!(output.join("a.example/last.md").is_file());
        assert!(!output.join(".unmold-incomplete").exists());
        // The folders of an earlier run are in the way of files, and the other way round.
        fs::remove_file(output.join("a.example/last.md")).expect("removed");
        fs::create_dir(output.join("a.example/last.md")).expect("a folder");
        let (code, _, error) = run();
        assert_eq!(code, 0, "{error}");
        assert!(error.contains("3 pages were written under other names"), "{error}");
    }
}

#[test]
fn what_cannot_be_read_has_a_record() {
    let folder = TempDir::new().expect("a folder");
    let addresses = [1, 2, 3].map(|n| format!("http://a.example/{n}"));
    let input = jsonl(folder.path(), &addresses);
    let mut lines = fs::read_to_string(&input).expect("readable");
    lines.insert_str(0, "{\"url\": \"http://a.example/0\", \"html\": \n");
    fs::write(&input, lines).expect("written");
    let (code, out, error) = clean(&input);
    let found = records(&out);
    assert_eq!((code, found.len()), (1, 4), "{error}");
    assert!(field(&found[0], "id").contains("pages.jsonl"), "{}", found[0]);
    assert!(!field(&found[0], "error").is_empty());
    assert_eq!(field(&found[1], "text"), "Story number 0");
}

#[cfg(unix)]
#[test]
fn a_closed_or_full_standard_error_loses_nothing() {
    let folder = site(8);
    fs::write(folder.path().join("bad.html"), b"%PDF-1.4").expect("written");
    for redirected in ["2>&-", "2>/dev/full"] {
        let script = format!("\"$0\" clean -v \"$1\" {redirected}");
        let output = shell(&script, &[folder.path()]);
        let (code, out, _) = outcome(&output);
        assert_eq!((code, records(&out).len()), (1, 9), "{redirected}");
    }
    let output = shell("\"$0\" completions bash | head -c1", &[]);
    let (_, out, error) = outcome(&output);
    assert_eq!((out.len(), error.as_str()), (1, ""));
}

#[test]
fn outputs_do_not_replace_each_other() {
    let folder = site(8);
    let file = folder.path().join("both.jsonl");
    let output = unmold()
        .arg("clean")
        .arg(folder.path())
        .arg("-o")
        .arg(&file)
        .arg("--drift")
        .arg(folder.path().join(".").join("both.jsonl"))
        .output()
        .expect("runs");
    let (code, _, error) = outcome(&output);
    assert_eq!(code, 2);
    assert!(error.contains("-o and --drift both write to"), "{error}");
    assert!(!file.exists());
}

#[test]
fn escape_sequences_do_not_reach_the_terminal() {
    let folder = site(4);
    page(folder.path(), "4.html", "Story \u{1b}]0;title\u{7} number 4");
    fs::rename(folder.path().join("4.html"), folder.path().join("\u{1b}[2J.html")).expect("moved");
    let output =
        unmold().arg("clean").arg(folder.path()).args(["--format", "text"]).output().expect("runs");
    let (_, out, _) = outcome(&output);
    assert!(out.contains("number 4") && !out.contains(['\u{1b}', '\u{7}']), "{out:?}");
    fs::write(folder.path().join("\u{1b}[3J.html"), b"%PDF-1.4").expect("written");
    let (code, _, error) = clean(folder.path());
    assert_eq!(code, 1);
    assert!(error.contains("\\u{1b}[3J.html") && !error.contains('\u{1b}'), "{error:?}");
}

/// Pages with escape sequences in every place that a command may show.
fn hostile_shop(folder: &Path) -> PathBuf {
    const EVIL: &str = "\u{1b}]0;evil\u{7}\u{9b}31m";
    let line = |n: usize| {
        let html = format!(
            "<title>Pot {n} {EVIL}</title><nav id='n{EVIL}' class='c{EVIL}'>Home {EVIL} Shop</nav>\
             <h1>Pot number {n} {EVIL}</h1><table><tr><th>Price {EVIL}</th><td>{n}.50 EUR</td></tr>\
             <tr><th>Colour</th><td>red{n} {EVIL}</td></tr></table>\
             <p>A long text {n} about the pot {EVIL}, which is large</p><footer>Imprint</footer>"
        );
        let url = format!("http://shop.example/p{n}?{EVIL}");
        let id = format!("p{n}{EVIL}");
        serde_json::json!({"id": id, "url": url, "html": html}).to_string() + "\n"
    };
    let path = folder.join("shop.jsonl");
    fs::write(&path, (0..8).map(line).collect::<String>()).expect("written");
    path
}

#[test]
fn no_command_passes_escape_sequences_on() {
    let folder = TempDir::new().expect("a folder");
    let shop = hostile_shop(folder.path());
    let page = folder.path().join("page.html");
    fs::write(&page, "<p id='a\u{1b}[2J' class='\u{9b}31m'>Pot \u{1b}[2J\u{9b}31m")
        .expect("written");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let shop = shop.to_string_lossy().into_owned();
    let (page, table) = (page.to_string_lossy().into_owned(), at("table.csv"));
    let (json, store) = (at("t.json"), at("t.sqlite"));
    let run = |arguments: &[&str]| {
        let (code, out, error) = outcome(&unmold().args(arguments).output().expect("runs"));
        assert_eq!(code, 0, "{arguments:?}: {error}");
        assert!(!error.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{arguments:?}: {error:?}");
        // JSON writes the first two as `\u001b` and `\u0007`.
        assert!(!out.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {out:?}");
        out
    };
    run(&["learn", &shop, "--records", "-t", &json]);
    run(&["learn", &shop, "--records", "-t", &store]);
    run(&["records", &shop, "-o", &table]);
    let table = fs::read_to_string(table).expect("a table");
    assert!(table.contains("evil") && !table.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{table:?}");
    for arguments in [
        &["show", &page][..],
        &["show", &page, "-t", &json, "--explain"],
        &["show", &json],
        &["templates", "list", &store],
        &["templates", "show", &store, "shop.example"],
        &["columns", &json],
        &["cluster", &shop],
        &["sections", "--format", "tree", &shop],
        &["clean", "--format", "text", &shop],
        &["clean", "--format", "markdown", &shop],
    ] {
        let out = run(arguments);
        assert!(!out.is_empty() && !out.contains('\u{9b}'), "{arguments:?}: {out:?}");
    }
    for arguments in [&["teach", "plan", &shop][..], &["sections", &shop], &["records", &shop]] {
        assert!(run(arguments).contains("\\u001b"), "{arguments:?}");
    }
    #[cfg(feature = "search")]
    {
        let index = at("index");
        run(&["index", &shop, "-o", &index]);
        let hits = run(&["search", &index, "pot"]);
        assert!(hits.contains("evil") && !hits.contains('\u{9b}'), "{hits:?}");
    }
}

#[test]
fn any_number_of_threads_can_be_asked_for() {
    let folder = site(4);
    let output = unmold()
        .arg("clean")
        .arg(folder.path())
        .args(["--threads", "100000000"])
        .output()
        .expect("runs");
    let (code, out, error) = outcome(&output);
    assert_eq!((code, records(&out).len()), (0, 4), "{error}");
}

#[cfg(unix)]
#[test]
fn updates_at_the_same_time_lose_no_site() {
    let folder = site(6);
    let template = folder.path().join("t.json");
    let learn = |name: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_unmold"))
            .args(["learn", "-q", "--update", "--site", name, "-t"])
            .args([&template, folder.path()])
            .stderr(Stdio::null())
            .spawn()
            .expect("runs")
    };
    // The first ones make the file, the others find it.
    for round in 0..2 {
        let names: Vec<String> = (0..8).map(|n| format!("site-{round}-{n}")).collect();
        let mut runs: Vec<_> = names.iter().map(|name| learn(name)).collect();
        assert!(runs.iter_mut().all(|run| run.wait().expect("ends").success()));
    }
    let stored = fs::read_to_string(&template).expect("readable");
    assert_eq!(stored.matches("\"site\": \"site-").count(), 16, "{stored}");
}

/// Starts the command again and again, and kills it each time a little later. `check` looks at what
/// it left.
#[cfg(target_os = "linux")]
fn kill_at_moments(arguments: &[&str], check: impl Fn()) {
    for milliseconds in [1, 5, 15, 30, 50, 80, 120, 180, 250] {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_unmold"))
            .args(arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("runs");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        run.kill().expect("killed");
        run.wait().expect("ends");
        check();
    }
}

#[cfg(target_os = "linux")]
fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A file is there as a whole or not at all, and nothing else is left.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_nothing_behind() {
    let input = site(60);
    let folder = TempDir::new().expect("a folder");
    let (template, output) = (input.path().join("t.json"), folder.path().join("out.jsonl"));
    let (pages, output_name) = (text(input.path()), text(&output));
    let learned = run(&["learn", "-q", "--site", "s", "-t", text(&template), pages]);
    assert_eq!(learned.status.code(), Some(0));
    for command in [
        &["clean", "-q", "-o", output_name, pages][..],
        &["strip", "-q", "--site", "s", "-t", text(&template), "-o", output_name, pages],
    ] {
        kill_at_moments(command, || {
            match fs::read_to_string(&output) {
                Ok(written) => assert_eq!(records(&written).len(), 60),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
            }
            let _ = fs::remove_file(&output);
            assert_eq!(names(folder.path()), Vec::<String>::new());
        });
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_of_a_killed_run_says_that_it_is_incomplete() {
    let input = site(300);
    let folder = TempDir::new().expect("a folder");
    let output = folder.path().join("out");
    let arguments =
        ["clean", "-q", "--format", "markdown", "-o", text(&output), text(input.path())];
    kill_at_moments(&arguments, || {
        let found = if output.exists() { names(&output) } else { return };
        let is_marked = found.iter().any(|name| name == ".unmold-incomplete");
        assert!(is_marked || found.is_empty() || found.len() == 300, "{found:?}");
        fs::remove_dir_all(&output).expect("removed");
    });
}

/// Templates that were there before are still there.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_update_loses_no_template() {
    let input = site(60);
    let folder = TempDir::new().expect("a folder");
    for name in ["t.json", "t.json.zst", "t.db"] {
        let template = folder.path().join(name);
        let learn = |site: &'static str| {
            ["learn", "-q", "--update", "--site", site, "-t", text(&template), text(input.path())]
        };
        assert_eq!(run(&learn("old")).status.code(), Some(0));
        kill_at_moments(&learn("new"), || {
            let (code, shown, error) = outcome(&run(&["show", text(&template)]));
            assert!(code == 0 && shown.contains("old"), "{name}: {shown} {error}");
        });
        assert!(names(folder.path()).iter().all(|found| !found.contains("partial")));
        assert_eq!(run(&learn("new")).status.code(), Some(0));
    }
}

/// There is a complete index or none, and a later run removes what is left of the others.
#[cfg(all(target_os = "linux", feature = "search"))]
#[test]
fn a_killed_index_is_complete_or_not_there() {
    let input = site(60);
    let folder = TempDir::new().expect("a folder");
    let index = folder.path().join("index");
    let arguments = ["index", "-q", "-o", text(&index), text(input.path())];
    kill_at_moments(&arguments, || {
        if index.exists() {
            let (code, found, error) = outcome(&run(&["search", text(&index), "story"]));
            assert!(code == 0 && !found.is_empty(), "{error}");
            fs::remove_dir_all(&index).expect("removed");
        }
    });
    // Only those that are old enough not to belong to a run that has just started.
    let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for name in names(folder.path()) {
        let left = fs::File::open(folder.path().join(name)).expect("a folder");
        left.set_modified(an_hour_ago).expect("changed");
    }
    let (code, _, error) = outcome(&run(&arguments));
    assert_eq!(code, 0, "{error}");
    assert_eq!(names(folder.path()), ["index"]);
}

/// Corrections are in the template file as a whole or not at all.
#[cfg(all(target_os = "linux", feature = "view"))]
#[test]
fn a_killed_viewer_leaves_its_templates_whole() {
    use std::io::{BufRead, BufReader, Read};
    use std::net::TcpStream;
    let input = site(20);
    let folder = TempDir::new().expect("a folder");
    let template = folder.path().join("t.json");
    let learned = run(&["learn", "-q", "--site", "s", "-t", text(&template), text(input.path())]);
    assert_eq!(learned.status.code(), Some(0));
    for corrections in [1, 4, 9] {
        let mut viewer = std::process::Command::new(env!("CARGO_BIN_EXE_unmold"))
            .args(["view", "-q", "--site", "s", "-t", text(&template), text(input.path())])
            .stdout(Stdio::piped())
            .spawn()
            .expect("runs");
        let mut address = String::new();
        let out = viewer.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut address).expect("an address");
        let (host, token) =
            address.trim().trim_start_matches("http://").split_once('/').expect("a token");
        let send = |node: usize| {
            let body = format!(
                "{{\"page\":0,\"node\":{node},\"verdict\":\"content\",\"scope\":\"place\"}}"
            );
            let mut stream = TcpStream::connect(host).expect("a connection");
            let head =
                format!("POST /{token}override HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}");
            let length = body.len();
            write!(
                stream,
                "{head}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            )
            .expect("sent");
            stream
        };
        for node in 0..corrections {
            send(node + 3).read_to_end(&mut Vec::new()).expect("an answer");
        }
        // The last one is not waited for.
        let last = send(2);
        viewer.kill().expect("killed");
        viewer.wait().expect("ends");
        drop(last);
        let (code, _, error) = outcome(&run(&["show", text(&template)]));
        assert_eq!(code, 0, "{error}");
        assert_eq!(names(folder.path()), ["t.json"]);
    }
}

/// A limit on the size of files stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_leaves_the_old_file() {
    let input = site(200);
    let output = input.path().join("out.jsonl");
    fs::write(&output, "old").expect("written");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" clean -q --force -o \"$1\" \"$2\"";
    let (code, _, error) = outcome(&shell(script, &[&output, input.path()]));
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("out.jsonl: check free disk space"), "{error}");
    assert_eq!(fs::read_to_string(&output).expect("readable"), "old");
    assert_eq!(names(input.path()).len(), 201, "no partial file");
}

/// Every command that writes says what is wrong, and keeps what was there.
#[cfg(target_os = "linux")]
#[test]
fn commands_on_a_full_disk_say_so() {
    let input = site(200);
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (json, store, pages) = (path("t.json"), path("t.db"), text(input.path()));
    for template in [&json, &store] {
        let learned = run(&["learn", "-q", "--site", "old", "-t", template, pages]);
        assert_eq!(learned.status.code(), Some(0));
    }
    let stored = |template: &str| outcome(&run(&["show", template])).1;
    let before = (stored(&json), stored(&store));
    let outputs = [path("out.jsonl"), path("index")];
    let (output, index) = (outputs[0].as_str(), outputs[1].as_str());
    let mut commands = vec![
        vec!["strip", "--site", "old", "-t", json.as_str(), "-o", output],
        vec!["sections", "-o", output],
        vec!["clean", "-o", "/dev/full"],
        vec!["learn", "--update", "--site", "new", "-t", json.as_str()],
        vec!["learn", "--update", "--site", "new", "-t", store.as_str()],
    ];
    if cfg!(feature = "search") {
        commands.push(vec!["index", "-o", index]);
    }
    // Blocks of 512 bytes: too few for any of them, and for the sample, which is in memory.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"";
    for command in commands {
        let arguments: Vec<&Path> =
            command.iter().copied().chain(["-q", pages]).map(Path::new).collect();
        let (code, _, error) = outcome(&shell(script, &arguments));
        assert_eq!(code, 2, "{command:?}: {error}");
        // SQLite may fail before it writes.
        let is_store = command.contains(&store.as_str()) && error.contains("template store");
        assert!(is_store || error.contains("check free disk space"), "{command:?}: {error}");
        assert!(!error.contains("panicked"), "{command:?}: {error}");
    }
    assert_eq!((stored(&json), stored(&store)), before);
    assert!(outputs.iter().all(|path| !Path::new(path).exists()));
}
