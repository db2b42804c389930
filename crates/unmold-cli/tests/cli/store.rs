//! Template files, stores, versions and drift.

use super::*;

/// Creates a site whose pages have this menu.
fn designed(folder: &Path, menu: &str, pages: std::ops::Range<usize>) {
    fs::create_dir_all(folder).expect("writable");
    for n in pages {
        let who = ["miller", "baker", "smith", "weaver", "potter"][n % 5];
        let what = ["a bell", "an owl", "the moon", "a ladder", "old songs", "blue paint"][n % 6];
        let html = format!(
            "<title>Story {n}</title><nav><ul>{}</ul></nav><main><h1>Of the {who} and {what}</h1><p>Once the {who} \
             went out for {what} at night, and nobody but {n} sheep was there to tell the {who} about {what} later.</p></main>",
            menu.split(' ')
                .map(|entry| format!("<li><a href=/{entry}>{entry}</a></li>"))
                .collect::<String>()
        );
        fs::write(folder.join(format!("{n}.html")), html).expect("writable");
    }
}

fn ok(arguments: &[&str]) -> (String, String) {
    let (code, out, err) = outcome(&run(arguments));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    (out, err)
}

const OLD: &str = "Home News Shop Help Jobs Imprint Contact Press";
const NEW: &str = "Start Stories Market Advice Careers About Team Media";

#[test]
fn store_and_file_strip_alike() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    ok(&["learn", "fixtures", "-t", &path("all.json")]);
    ok(&["learn", "fixtures", "-t", &path("all.db")]);
    let (by_file, _) = ok(&["strip", "fixtures", "-t", &path("all.json")]);
    let (by_store, _) = ok(&["strip", "fixtures", "-t", &path("all.db")]);
    assert_eq!(by_file, by_store);
    ok(&["templates", "export", &path("all.db"), "-o", &path("exported.json")]);
    assert_eq!(
        fs::read_to_string(path("exported.json")).expect("exported"),
        fs::read_to_string(path("all.json")).expect("learned")
    );
    let (list, _) = ok(&["templates", "list", &path("all.db")]);
    assert_eq!(list.lines().count(), 7, "{list}");
    let (shown, _) = ok(&["templates", "show", &path("all.db"), "wiki"]);
    assert!(shown.starts_with("wiki#1: auto"), "{shown}");
    ok(&["templates", "rm", &path("all.db"), "wiki", "blog"]);
    assert_eq!(ok(&["templates", "list", &path("all.db")]).0.lines().count(), 5);
    let (code, _, err) = outcome(&run(&["templates", "show", &path("all.db"), "wiki"]));
    assert!(code == 2 && err.contains("no site \"wiki\""), "{err}");
    let (code, _, err) = outcome(&run(&["templates", "list", &path("all.json")]));
    assert!(code == 2 && err.contains("not a template store"), "{err}");
}

/// Makes nonsense of the stored templates of a site.
fn damage(store: &str, site: &str) {
    let changed = rusqlite::Connection::open(store)
        .expect("a database")
        .execute("UPDATE template_set SET json_zstd = x'00' WHERE site = ?", [site])
        .expect("a table");
    assert_eq!(changed, 1);
}

#[test]
fn a_damaged_site_does_not_stop_the_others() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (pages, store) = (path("pages"), path("t.db"));
    for site in ["a", "b", "c"] {
        designed(&folder.path().join("pages").join(site), OLD, 0..12);
    }
    ok(&["learn", &pages, "--site-by", "folder", "-t", &store]);
    damage(&store, "b");
    assert_eq!(ok(&["templates", "list", &store]).0.lines().count(), 4);
    ok(&["templates", "show", &store, "a"]);
    ok(&["templates", "export", &store, "a", "c", "-o", &path("two.json")]);
    let (code, out, err) = outcome(&run(&["templates", "export", &store]));
    assert!(code == 1 && err.contains("version 1 of b is damaged"), "{code} {err}");
    assert!(out.contains("\"a#1\"") && out.contains("\"c#1\"") && !out.contains("\"b#1\""));

    let (code, out, err) = outcome(&run(&["strip", &pages, "--site-by", "folder", "-t", &store]));
    assert!(code == 1 && err.contains("is damaged"), "{code} {err}");
    let failed: Vec<Value> =
        records(&out).into_iter().filter(|record| record.get("error").is_some()).collect();
    assert_eq!(failed.len(), 12);
    assert!(failed.iter().all(|record| field(record, "site") == "b"));

    fs::remove_dir_all(folder.path().join("pages/c")).expect("removed");
    designed(&folder.path().join("pages/c"), NEW, 0..12);
    let (code, _, err) =
        outcome(&run(&["learn", &pages, "--site-by", "folder", "-t", &store, "--update"]));
    assert!(code == 1 && err.contains("b: version 1 of b is damaged"), "{code} {err}");
    assert!(err.contains("c#1") && err.contains("learned again"), "{err}");
    assert!(ok(&["templates", "show", &store, "c"]).0.contains("Careers"));

    ok(&["templates", "rm", &store, "b"]);
    ok(&["learn", &pages, "--site-by", "folder", "-t", &store, "--update"]);
    ok(&["templates", "export", &store, "-o", &path("all.json")]);
}

#[test]
fn update_learns_only_drifted_sites_and_keeps_old_versions() {
    let folder = TempDir::new().expect("a folder");
    let (steady, changed) =
        (folder.path().join("pages/steady"), folder.path().join("pages/changed"));
    let (pages, store) = (folder.path().join("pages"), folder.path().join("t.db"));
    let (pages, store) = (pages.to_str().expect("UTF-8"), store.to_str().expect("UTF-8"));
    designed(&steady, OLD, 0..12);
    designed(&changed, OLD, 0..12);
    ok(&["learn", pages, "--site-by", "folder", "-t", store]);
    designed(&steady, OLD, 12..24);
    let (_, messages) = ok(&["learn", pages, "--site-by", "folder", "-t", store, "--update"]);
    assert!(messages.contains("nothing was learned"), "{messages}");

    fs::remove_dir_all(&changed).expect("removed");
    designed(&changed, NEW, 0..12);
    let drift = folder.path().join("drift.jsonl");
    let (_, messages) = ok(&[
        "strip",
        pages,
        "--site-by",
        "folder",
        "-t",
        store,
        "-o",
        "-",
        "--drift",
        drift.to_str().expect("UTF-8"),
    ]);
    assert!(
        messages.contains("changed#1")
            && messages.contains("redesigned")
            && !messages.contains("steady"),
        "{messages}"
    );
    let drift = records(&fs::read_to_string(&drift).expect("written"));
    let drifted: Vec<(&str, bool)> =
        drift.iter().map(|one| (field(one, "site"), one["drifted"] == true)).collect();
    assert_eq!(drifted, [("changed", true), ("steady", false)]);

    let (_, messages) = ok(&["learn", pages, "--site-by", "folder", "-t", store, "--update"]);
    assert!(messages.contains("changed#1") && messages.contains("learned again"), "{messages}");
    let (list, _) = ok(&["templates", "list", store, "--all"]);
    let versions: Vec<Vec<&str>> =
        list.lines().skip(1).map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(versions, [["changed", "1"], ["changed", "2"], ["steady", "1"]]);
    let (old, _) = ok(&["templates", "show", store, "changed", "--version", "1"]);
    let (new, _) = ok(&["templates", "show", store, "changed"]);
    assert!(
        old.contains("Imprint") && !new.contains("Imprint") && new.contains("Careers"),
        "{old}{new}"
    );
    let (out, _) = ok(&["strip", pages, "--site-by", "folder", "-t", store]);
    assert!(!out.contains("Careers"), "{out}");
    ok(&["templates", "rm", store, "--old"]);
    assert_eq!(ok(&["templates", "list", store, "--all"]).0.lines().count(), 3);
}

#[test]
fn update_keeps_other_sites_and_a_copy_of_the_old_file() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    designed(&folder.path().join("pages/a"), OLD, 0..8);
    ok(&["learn", &path("pages"), "-t", &path("t.json")]);
    let before = fs::read_to_string(path("t.json")).expect("learned");
    designed(&folder.path().join("more/b"), NEW, 0..8);
    ok(&["learn", &path("more"), "-t", &path("t.json"), "--update"]);
    let after = fs::read_to_string(path("t.json")).expect("learned");
    assert!(after.contains("\"a#1\"") && after.contains("\"b#1\""));
    assert_eq!(fs::read_to_string(path("t.json.old")).expect("kept"), before);
}

#[test]
fn sites_without_a_template_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    designed(&folder.path().join("a"), OLD, 0..8);
    ok(&["learn", &path("a"), "-t", &path("t.json")]);
    let strip = run(&["strip", &path("a"), "-t", &path("t.json"), "--site", "b"]);
    let (code, _, messages) = outcome(&strip);
    assert_eq!(code, 1, "pages that were not stripped are failures");
    assert!(messages.contains("site b: no template, wrote its 8 pages unchanged"), "{messages}");
    let (_, messages) = ok(&["strip", &path("a"), "-t", &path("t.json")]);
    assert!(!messages.contains("no template"), "{messages}");
}

#[test]
fn removed_parts_are_written() {
    let folder = TempDir::new().expect("a folder");
    designed(&folder.path().join("a"), OLD, 0..8);
    let kept = folder.path().join("template.jsonl");
    let pages = folder.path().join("a");
    let (out, _) = ok(&[
        "clean",
        pages.to_str().expect("UTF-8"),
        "--keep-template",
        kept.to_str().expect("UTF-8"),
    ]);
    assert!(out.contains("sheep") && !out.contains("Imprint"));
    let removed = records(&fs::read_to_string(&kept).expect("written"));
    assert_eq!(removed.len(), 1);
    for form in ["text", "html", "markdown"] {
        let text = field(&removed[0], form);
        assert!(text.contains("Imprint") && !text.contains("sheep"), "{form}: {text}");
    }
    assert!(field(&removed[0], "markdown").contains("[Shop](/Shop)"), "{}", removed[0]);
}

#[test]
fn explain_covers_every_block() {
    let folder = TempDir::new().expect("a folder");
    designed(&folder.path().join("a"), OLD, 0..8);
    let pages = folder.path().join("a");
    for method in ["auto", "chunk-frequency"] {
        let (out, _) =
            ok(&["clean", pages.to_str().expect("UTF-8"), "--method", method, "--explain"]);
        let records = records(&out);
        let blocks = records[0]["explanation"].as_array().expect("an explanation");
        let of = |text: &str| {
            let block = blocks.iter().find(|block| field(block, "text").contains(text));
            block.unwrap_or_else(|| panic!("{text} in {blocks:?}"))
        };
        let (menu, story) = (of("Imprint"), of("sheep"));
        assert_eq!((&menu["stays"], &story["stays"]), (&Value::Bool(false), &Value::Bool(true)));
        assert!(field(menu, "xpath").starts_with("/html/body/nav/ul/li"), "{menu}");
        assert!(
            field(menu, "why").contains("8 of 8 pages") || field(menu, "why").contains("8 of 8"),
            "{menu}"
        );
    }
    let (out, _) = ok(&["clean", pages.to_str().expect("UTF-8")]);
    assert!(!out.contains("explanation"));
}

#[test]
fn tree_mapping_learns_from_a_whole_site() {
    let folder = TempDir::new().expect("a folder");
    designed(&folder.path().join("a"), OLD, 0..20);
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let arguments = [
        "learn",
        &path("a"),
        "--method",
        "tree-mapping",
        "--sample",
        "all",
        "-v",
        "-t",
        &path("t.json"),
    ];
    let (_, messages) = ok(&arguments);
    assert!(messages.contains("nodes of the template after each page: "), "{messages}");
    let (out, _) = ok(&["strip", &path("a"), "-t", &path("t.json")]);
    assert!(out.contains("sheep") && !out.contains("Imprint"), "{out}");
}

#[test]
fn learning_again_keeps_corrections_and_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["wiki.json", "page.html"].map(|name| folder.path().join(name));
    let [file, page] = paths.each_ref().map(|path| path.to_str().expect("a plain path"));
    let learn = || outcome(&run(&["learn", "fixtures/wiki/pages", "-t", file, "--site", "wiki"]));
    assert_eq!(learn().0, 0);
    let written = std::fs::read_to_string(file).expect("templates");
    let correction = r#""overrides": [{"serial": 1, "verdict": "content", "text": "main page"}],"#;
    let corrected =
        written.replacen("\"site\": \"wiki\",", &format!("\"site\": \"wiki\",{correction}"), 1);
    std::fs::write(file, corrected).expect("written");
    assert_eq!(learn().0, 0);
    let again = std::fs::read_to_string(file).expect("templates");
    assert!(again.contains("\"main page\""), "the correction was lost");
    std::fs::write(page, "<p>a page").expect("written");
    let (code, _, messages) =
        outcome(&run(&["learn", "fixtures/wiki/pages", "-t", page, "--site", "wiki"]));
    assert_eq!(code, 2);
    assert!(messages.contains("not a template file"), "{messages}");
    assert_eq!(std::fs::read_to_string(page).expect("the page"), "<p>a page");
}
