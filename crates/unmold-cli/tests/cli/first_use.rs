//! What a new user tries first: nothing is lost, sites are recognised, messages help.

use super::*;

/// Runs in `folder` and returns exit code, standard output and standard error.
fn run_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    outcome(&unmold().current_dir(folder).args(arguments).output().expect("runs"))
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes pages of a site with this menu into `folder`.
fn pages_with_menu(folder: &Path, menu: &str, number: usize) {
    fs::create_dir_all(folder).expect("writable");
    let menu: String = menu.split(' ').map(|word| format!("<li>{word} page</li>")).collect();
    for n in 0..number {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let html = format!(
            "<title>{name} {n}</title><ul>{menu}</ul><p>The story of {name} number {n} is told \
             here, and nowhere else, in a paragraph that is long enough to be one.</p>"
        );
        fs::write(folder.join(format!("{n}.html")), html).expect("writable");
    }
}

const SHOP: &str = "Hats Shoes Coats Cart Imprint Help";
const BLOG: &str = "Posts About Archive Feed Tags Links";

#[test]
fn originals_are_not_overwritten() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("site"), SHOP, 6);
    let before = read(path, "site/0.html");
    for arguments in [
        &["clean", "site", "-f", "html", "-o", "site"][..],
        &["clean", "site", "-f", "html", "-o", "./site/../site/out"],
        &["clean", "site", "-f", "markdown", "-o", "site"],
        &["clean", "site/0.html", "-f", "html", "-o", "site/0.html"],
        &["clean", "site", "-o", "site/0.html", "-f", "jsonl"],
        &["learn", "site", "-t", "site/0.html"],
        &["clean", "site", "--keep-template", "site/0.html"],
        &["clean", "site", "--drift", "site/0.html"],
        &["cluster", "site", "-o", "site/0.html"],
        &["sections", "site", "-o", "site/0.html"],
        &["export", "site", "-o", "site/0.html"],
    ] {
        let (code, _, error) = run_in(path, arguments);
        assert_eq!(code, 2, "{arguments:?} {error}");
        assert!(error.contains("--force"), "{arguments:?} {error}");
        assert_eq!(read(path, "site/0.html"), before, "{arguments:?}");
    }
    assert_eq!(names(&path.join("site")).len(), 6);
    // Below the input is fine if the files are no pages.
    assert_eq!(run_in(path, &["clean", "site", "-f", "text", "-o", "site/text"]).0, 0);
    assert_eq!(run_in(path, &["clean", "site", "-f", "text", "-o", "site/text"]).0, 0);
    let forced = ["clean", "site", "-f", "html", "-o", "site", "--force"];
    assert_eq!(run_in(path, &forced).0, 0);
    assert_ne!(read(path, "site/0.html"), before);
}

#[test]
fn pages_below_the_output_folder_are_not_overwritten() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("a"), SHOP, 3);
    pages_with_menu(&path.join("b"), SHOP, 3);
    let before = read(path, "a/0.html");
    let (code, _, error) = run_in(path, &["clean", "a", "b", "-f", "html", "-o", "."]);
    assert!(code == 2 && error.contains("is an input"), "{error}");
    assert_eq!(read(path, "a/0.html"), before);
}

#[test]
fn a_crawl_is_not_replaced() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let line = |n: usize| {
        let html = format!("<nav>Home Shop Contact</nav><p>Story {n}</p>");
        serde_json::json!({ "url": format!("http://tea.example/{n}"), "html": html }).to_string()
    };
    let crawl = (0..6).map(line).collect::<Vec<_>>().join("\n");
    fs::write(path.join("in.jsonl"), &crawl).expect("writable");
    fs::write(path.join("other.jsonl"), &crawl).expect("writable");
    for arguments in [
        &["clean", "in.jsonl", "-o", "in.jsonl"][..],
        &["clean", "in.jsonl", "-o", "other.jsonl"],
        &["clean", "in.jsonl", "--keep-template", "in.jsonl"],
        &["clean", "in.jsonl", "--keep-template", "other.jsonl"],
        &["clean", "in.jsonl", "-o", "new.jsonl", "--drift", "./new.jsonl"],
        &["clean", "in.jsonl", "--drift", "-"],
    ] {
        let (code, _, error) = run_in(path, arguments);
        assert_eq!(code, 2, "{arguments:?} {error}");
    }
    assert_eq!((read(path, "in.jsonl"), read(path, "other.jsonl")), (crawl.clone(), crawl));
    // Our own output is replaced.
    for _ in 0..2 {
        let outputs =
            ["-o", "new.jsonl", "--drift", "drift.jsonl", "--keep-template", "kept.jsonl"];
        let (code, _, error) = run_in(path, &[&["clean", "in.jsonl"][..], &outputs].concat());
        assert_eq!(code, 0, "{error}");
    }
    assert_eq!(run_in(path, &["clean", "in.jsonl", "-o", "in.jsonl", "--force"]).0, 0);
    assert_eq!(records(&read(path, "in.jsonl")).len(), 6);
}

#[test]
fn ids_are_unique_over_several_inputs() {
    let folder = TempDir::new().expect("a folder");
    pages_with_menu(&folder.path().join("a"), SHOP, 3);
    pages_with_menu(&folder.path().join("b"), SHOP, 3);
    let (code, out, error) = run_in(folder.path(), &["export", "a", "b"]);
    assert_eq!(code, 0, "{error}");
    let lines = records(&out);
    let ids: std::collections::BTreeSet<&str> =
        lines.iter().step_by(2).map(|action| field(&action["index"], "_id")).collect();
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert!(ids.contains("a/0.html") && ids.contains("b/0.html"), "{ids:?}");
}

#[test]
fn a_run_ends_with_a_summary() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("site"), SHOP, 6);
    fs::write(path.join("site/notes.txt"), "plain").expect("writable");
    fs::write(path.join("site/bad.html"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").expect("writable");
    let (_, _, error) = run_in(path, &["clean", "site"]);
    let last = error.lines().last().expect("a summary");
    let expected =
        "unmold: 7 pages of 1 site, 7 written, 1 failed, skipped 1 (not an HTML file: 1), ";
    assert!(last.starts_with(expected) && last.ends_with(" s"), "{error}");
    let (_, _, error) = run_in(path, &["learn", "site", "-t", "t.json"]);
    assert!(error.contains("7 pages of 1 site, 1 template, 0 failed"), "{error}");
    fs::remove_file(path.join("site/bad.html")).expect("removed");
    assert_eq!(run_in(path, &["clean", "site", "-q"]).2, "");
}

#[test]
fn few_pages_get_a_hint() {
    let folder = site(2);
    let (_, _, error) = clean(folder.path());
    assert!(error.contains("hint: ") && error.contains("20 to 100"), "{error}");
    let folder = site(5);
    assert!(!clean(folder.path()).2.contains("hint"));
}

fn sites_of(folder: &Path, flags: &[&str]) -> (Vec<String>, String) {
    let (code, out, error) = run_in(folder, &[&["clean", "."][..], flags].concat());
    assert_eq!(code, 0, "{error}");
    let sites: std::collections::BTreeSet<String> =
        records(&out).iter().map(|record| field(record, "site").to_owned()).collect();
    (sites.into_iter().collect(), error)
}

#[test]
fn folders_of_one_shop_are_one_site() {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().join("shop");
    for name in ["hats", "shoes", "coats"] {
        pages_with_menu(&root.join(name), SHOP, 4);
    }
    let (sites, error) = sites_of(&root, &[]);
    assert_eq!(sites, ["shop"]);
    assert!(error.contains("3 folders are one site") && error.contains("--site-by"), "{error}");
    assert_eq!(sites_of(&root, &["--site-by", "folder"]).0, ["coats", "hats", "shoes"]);
}

#[test]
fn hosts_below_a_stray_page_stay_apart() {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().join("mirror");
    pages_with_menu(&root.join("tea.example"), SHOP, 4);
    pages_with_menu(&root.join("jam.example"), BLOG, 4);
    fs::write(root.join("index.html"), "<p>Index of the mirror, by the crawler").expect("writable");
    let (sites, error) = sites_of(&root, &[]);
    assert_eq!(sites, ["jam.example", "mirror", "tea.example"]);
    assert!(error.contains("3 sites") && error.contains("--site-by one"), "{error}");
    assert_eq!(sites_of(&root, &["--site-by", "one"]).0, ["mirror"]);
}

#[test]
fn the_only_template_is_used_for_a_page_of_an_unknown_folder() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("site"), SHOP, 8);
    pages_with_menu(&path.join("new"), SHOP, 1);
    assert_eq!(run_in(path, &["learn", "site", "-t", "one.json"]).0, 0);
    let (code, out, error) = run_in(path, &["strip", "new/0.html", "-t", "one.json"]);
    assert_eq!(code, 0, "{error}");
    let record = &records(&out)[0];
    assert_eq!(field(record, "site"), "site");
    assert!(!field(record, "text").contains("Imprint"), "{record}");
    // A site that was named is meant.
    let named = ["strip", "new/0.html", "-t", "one.json", "--site", "else"];
    let (code, out, error) = run_in(path, &named);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("site else: no template"), "{error}");
    assert!(field(&records(&out)[0], "text").contains("Imprint"));
}

#[test]
fn one_page_goes_to_one_file() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("site"), SHOP, 2);
    let (code, out, error) = run_in(path, &["clean", "site/0.html", "-o", "page.md"]);
    assert_eq!((code, out.as_str()), (0, ""), "{error}");
    assert!(read(path, "page.md").contains("The story of site number 0"));
    assert!(!read(path, "page.md").contains("==>"));
    let (_, out, _) = run_in(path, &["clean", "site/0.html", "-f", "text"]);
    assert!(out.contains("The story") && !out.contains("==>"), "{out}");
    let html = fs::read(path.join("site/1.html")).expect("a page");
    let piped = unmold().args(["clean", "-", "-f", "text"]).write_stdin(html).output();
    let (_, out, _) = outcome(&piped.expect("runs"));
    assert!(out.contains("number 1") && !out.contains("==>"), "{out}");
    assert_eq!(run_in(path, &["clean", "site", "-o", "all.txt"]).0, 0);
    assert!(read(path, "all.txt").contains("==> 1.html <=="));
}

#[test]
fn manual_has_a_page_for_each_command() {
    let folder = TempDir::new().expect("a folder");
    assert_eq!(run_in(folder.path(), &["man", "-o", "man1"]).0, 0);
    let pages = names(&folder.path().join("man1"));
    for page in ["unmold.1", "unmold-clean.1", "unmold-templates-list.1"] {
        assert!(pages.iter().any(|name| name == page), "{pages:?}");
    }
    let (code, out, _) = run_in(folder.path(), &["man", "clean"]);
    assert!(code == 0 && out.contains("unmold\\-clean") && out.contains("Exit codes"), "{out}");
    assert_eq!(run_in(folder.path(), &["man", "nothing"]).0, 2);
}

#[test]
fn flags_that_would_be_ignored_are_refused() {
    let (code, _, error) =
        outcome(&run(&["clean", "fixtures/wiki", "--method", "alignment", "--keep", "main"]));
    assert!(code == 2 && error.contains("--keep means nothing"), "{error}");
    let (code, _, error) =
        outcome(&run(&["clean", "fixtures/wiki", "--method", "alignment", "--kind", "list"]));
    assert!(code == 2 && error.contains("--kind means nothing"), "{error}");
}

/// A site whose pages say who wrote them and when.
fn articles(folder: &Path) {
    fs::create_dir_all(folder).expect("writable");
    for n in 0..6 {
        let html = format!(
            "<html lang=en><title>Story {n}</title><meta name=author content='Ann Lee'>\
             <meta property=article:published_time content='2024-03-0{}T08:00:00Z'>\
             <ul><li>Home page</li><li>Contact us</li></ul><h1>Story {n}</h1>\
             <p>The story of the number {n} is told <a href=more>here</a>, in one paragraph that \
             is long enough to be one.</p><img src=dot.gif width=1 height=1>",
            n + 1
        );
        fs::write(folder.join(format!("{n}.html")), html).expect("writable");
    }
}

#[test]
fn records_have_metadata_and_the_chosen_fields() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    articles(&path.join("site"));
    let (code, out, error) = run_in(path, &["clean", "site"]);
    assert_eq!(code, 0, "{error}");
    let first = &records(&out)[0];
    assert_eq!(
        (field(first, "author"), field(first, "published"), field(first, "language")),
        ("Ann Lee", "2024-03-01T08:00:00Z", "en")
    );
    assert_eq!(first["modified"], Value::Null);

    let chosen = ["--fields", "id,body=text,author", "--text", "markdown"];
    let (_, out, _) = run_in(path, &[&["clean", "site"][..], &chosen].concat());
    let first = &records(&out)[0];
    assert_eq!(first.as_object().map(serde_json::Map::len), Some(3));
    assert!(field(first, "body").contains("[here](more)"), "{first}");

    let (_, out, _) = run_in(path, &["clean", "site", "-f", "csv", "--fields", "id,title"]);
    assert_eq!(out.lines().take(2).collect::<Vec<_>>(), ["id,title", "0.html,Story 0"]);

    for wrong in [
        &["-f", "markdown", "--fields", "id"][..],
        &["--fields", "nothing"],
        &["--front-matter"],
        &["-f", "text", "--links", "drop"],
    ] {
        let (code, _, error) = run_in(path, &[&["clean", "site"][..], wrong].concat());
        assert_eq!(code, 2, "{wrong:?} {error}");
    }
}

#[test]
fn markdown_has_front_matter_if_wanted() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    articles(&path.join("site"));
    let flags = ["-f", "markdown", "--front-matter", "--links", "drop", "-o", "out"];
    let (code, _, error) = run_in(path, &[&["clean", "site"][..], &flags].concat());
    assert_eq!(code, 0, "{error}");
    let page = read(path, "out/0.md");
    assert!(
        page.starts_with("---\nid: \"0.html\"\nsite: \"site\"\ntitle: \"Story 0\"\n"),
        "{page}"
    );
    assert!(page.contains("published: \"2024-03-01T08:00:00Z\"\n"), "{page}");
    assert!(page.contains("---\n\n# Story 0\n\nThe story of the number 0 is told here,"), "{page}");
    assert!(!page.contains("dot.gif"), "{page}");
}

#[test]
fn copies_of_a_page_are_named() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    pages_with_menu(&path.join("site"), SHOP, 6);
    fs::copy(path.join("site/2.html"), path.join("site/copy.html")).expect("copied");
    let (_, out, _) = run_in(path, &["clean", "site", "--mark-duplicates"]);
    let found = records(&out);
    let copies: Vec<&Value> =
        found.iter().filter(|record| record.get("duplicate_of").is_some()).collect();
    assert_eq!(copies.len(), 1);
    assert_eq!((field(copies[0], "id"), field(copies[0], "duplicate_of")), ("copy.html", "2.html"));
}

#[test]
fn text_to_read_has_paragraphs() {
    let folder = TempDir::new().expect("a folder");
    articles(&folder.path().join("site"));
    let (_, out, _) = run_in(folder.path(), &["clean", "site", "-f", "text"]);
    assert!(out.starts_with("==> 0.html <==\nStory 0\n\nThe story of the number 0"), "{out}");
}

/// A blog whose posts have comments, a logo on all pages and a picture of their own.
fn posts(folder: &Path) {
    fs::create_dir_all(folder).expect("writable");
    for n in 0..6 {
        let html = format!(
            "<title>Post {n} - The Jetty</title><div><a href=/><img src=/i/logo.png></a></div>\
             <ul><li><a href=/>Home page</a></li><li><a href=/c>Contact us</a></li></ul>\
             <h1>Post {n}</h1><p>The tide of day number {n} came in <a href=more.html>late</a> and \
             left again before anybody had written it down.</p><p><img src=p{n}.jpg alt='Tide {n}'>\
             </p><div id=comments><h3>Replies</h3><p>Reader {n} disagrees with all of post {n}, at \
             some length and with figures.</p></div>"
        );
        fs::write(folder.join(format!("{n}.html")), html).expect("writable");
    }
}

#[test]
fn comments_are_kept_dropped_or_separate() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    posts(&path.join("site"));
    let first = |flags: &[&str]| {
        let (code, out, error) = run_in(path, &[&["clean", "site"][..], flags].concat());
        assert_eq!(code, 0, "{error}");
        records(&out).remove(0)
    };
    let all = ["--keep", "all-unique"];
    assert!(field(&first(&all), "text").contains("disagrees"));
    let dropped = first(&[&all[..], &["--comments", "drop"]].concat());
    assert!(!field(&dropped, "text").contains("disagrees") && dropped.get("comments").is_none());
    let separate = first(&[&all[..], &["--comments", "separate"]].concat());
    assert!(!field(&separate, "text").contains("disagrees"), "{separate}");
    assert!(field(&separate, "comments").contains("Reader 0 disagrees"), "{separate}");
    let flags = ["clean", "site", "-f", "markdown", "--comments", "separate"];
    assert_eq!(run_in(path, &flags).0, 2);
}

#[test]
fn images_that_repeat_are_template() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    posts(&path.join("site"));
    let (_, out, _) = run_in(path, &["clean", "site", "-f", "markdown"]);
    assert!(out.contains("![Tide 3](p3.jpg)") && !out.contains("logo.png"), "{out}");
    assert_eq!(run_in(path, &["learn", "site", "-t", "t.json"]).0, 0);
    assert!(read(path, "t.json").contains("\"address\": \"i/logo.png\""));
}

#[test]
fn article_alone_is_written_as_html() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    posts(&path.join("site"));
    let (code, out, error) = run_in(path, &["clean", "site", "-f", "html", "--fragment"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("<article><h1>Post 0</h1><p>The tide of day"), "{out}");
    assert!(!out.contains("<html") && !out.contains("<title"), "{out}");
    assert_eq!(run_in(path, &["clean", "site", "--fragment"]).0, 2);
}

#[test]
fn pages_in_other_languages_are_left_out_on_request() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    posts(&path.join("site"));
    let german = "<p>Die Fähre verlässt den Hafen um sieben, und niemand wartet auf den Nebel, der \
                  seit gestern über dem Wasser liegt.";
    fs::write(path.join("site/de.html"), german).expect("writable");
    let (_, out, error) = run_in(path, &["clean", "site", "--language", "de,fr"]);
    let found = records(&out);
    assert_eq!(found.len(), 1, "{out}");
    assert_eq!(field(&found[0], "detected_language"), "de");
    assert!(error.contains("another language: 6"), "{error}");
}

#[test]
fn columns_of_the_input_have_any_names() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let line = |n: usize| {
        let html = format!("<p>The story of the number {n}, told in one paragraph.");
        let url = format!("http://tea.example/{n}");
        serde_json::json!({ "link": url, "content": html }).to_string()
    };
    fs::write(path.join("in.jsonl"), (0..3).map(line).collect::<Vec<_>>().join("\n"))
        .expect("writable");
    assert_eq!(run_in(path, &["clean", "in.jsonl"]).0, 1);
    let flags = ["clean", "in.jsonl", "--input-columns", "html=content,url=link"];
    let (code, out, error) = run_in(path, &flags);
    assert_eq!(code, 0, "{error}");
    assert_eq!(field(&records(&out)[1], "url"), "http://tea.example/1");
    assert_eq!(run_in(path, &["clean", "in.jsonl", "--input-columns", "text=x"]).0, 2);
}

#[test]
fn links_are_whole_addresses_where_the_address_is_known() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    posts(&path.join("site"));
    let line = |n: usize| {
        let html = read(path, &format!("site/{n}.html"));
        serde_json::json!({ "url": format!("http://tea.example/a/{n}"), "html": html }).to_string()
    };
    let lines = (0..6).map(line).collect::<Vec<_>>().join("\n");
    fs::write(path.join("in.jsonl"), lines).expect("writable");
    let (_, out, _) = run_in(path, &["clean", "in.jsonl", "-f", "markdown"]);
    assert!(out.contains("[late](http://tea.example/a/more.html)"), "{out}");
    assert!(out.contains("![Tide 0](http://tea.example/a/p0.jpg)"), "{out}");
    let (_, out, _) = run_in(path, &["clean", "in.jsonl", "-f", "markdown", "--links", "keep"]);
    assert!(out.contains("[late](more.html)"), "{out}");
}
