//! Templates that are kept: files, stores, versions, drift.

use super::*;

/// A site whose pages have this menu and footer.
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
fn a_store_strips_like_a_file() {
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
    assert!(code == 2 && err.contains("no template store"), "{err}");
}

#[test]
fn only_what_drifted_is_learned_anew_and_the_old_version_stays() {
    let folder = TempDir::new().expect("a folder");
    let (steady, changed) =
        (folder.path().join("pages/steady"), folder.path().join("pages/changed"));
    let (pages, store) = (folder.path().join("pages"), folder.path().join("t.db"));
    let (pages, store) = (pages.to_str().expect("UTF-8"), store.to_str().expect("UTF-8"));
    designed(&steady, OLD, 0..12);
    designed(&changed, OLD, 0..12);
    ok(&["learn", pages, "-t", store]);
    designed(&steady, OLD, 12..24);
    let (_, said) = ok(&["learn", pages, "-t", store, "--update"]);
    assert!(said.contains("nothing was learned"), "{said}");

    fs::remove_dir_all(&changed).expect("removed");
    designed(&changed, NEW, 0..12);
    let drift = folder.path().join("drift.jsonl");
    let (_, said) =
        ok(&["strip", pages, "-t", store, "-o", "-", "--drift", drift.to_str().expect("UTF-8")]);
    assert!(
        said.contains("changed#1") && said.contains("redesigned") && !said.contains("steady"),
        "{said}"
    );
    let drift = records(&fs::read_to_string(&drift).expect("written"));
    let drifted: Vec<(&str, bool)> =
        drift.iter().map(|one| (field(one, "site"), one["drifted"] == true)).collect();
    assert_eq!(drifted, [("changed", true), ("steady", false)]);

    let (_, said) = ok(&["learn", pages, "-t", store, "--update"]);
    assert!(said.contains("changed#1") && said.contains("learned again"), "{said}");
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
    let (out, _) = ok(&["strip", pages, "-t", store]);
    assert!(!out.contains("Careers"), "{out}");
    ok(&["templates", "rm", store, "--old"]);
    assert_eq!(ok(&["templates", "list", store, "--all"]).0.lines().count(), 3);
}

#[test]
fn an_updated_file_keeps_the_other_sites_and_the_old_file() {
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
fn a_site_that_goes_by_another_name_is_told() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    designed(&folder.path().join("a"), OLD, 0..8);
    ok(&["learn", &path("a"), "-t", &path("t.json")]);
    let (_, said) = ok(&["strip", &path("a"), "-t", &path("t.json"), "--site", "b"]);
    assert!(said.contains("site b: no template for its 8 pages"), "{said}");
    let (_, said) = ok(&["strip", &path("a"), "-t", &path("t.json")]);
    assert!(!said.contains("no template"), "{said}");
}

#[test]
fn both_halves_are_written() {
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
    let halves = records(&fs::read_to_string(&kept).expect("written"));
    assert_eq!(halves.len(), 1);
    for form in ["text", "html", "markdown"] {
        let half = field(&halves[0], form);
        assert!(half.contains("Imprint") && !half.contains("sheep"), "{form}: {half}");
    }
    assert!(field(&halves[0], "markdown").contains("[Shop](/Shop)"), "{}", halves[0]);
}

#[test]
fn every_block_is_explained() {
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
fn tree_mapping_reads_a_whole_site_page_by_page() {
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
    let (_, said) = ok(&arguments);
    assert!(said.contains("nodes of the template after each page: "), "{said}");
    let (out, _) = ok(&["strip", &path("a"), "-t", &path("t.json")]);
    assert!(out.contains("sheep") && !out.contains("Imprint"), "{out}");
}

#[test]
fn learning_again_keeps_corrections_and_replaces_no_other_file() {
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
    assert!(again.contains("\"main page\""), "the correction is gone");
    std::fs::write(page, "<p>a page").expect("written");
    let (code, _, said) =
        outcome(&run(&["learn", "fixtures/wiki/pages", "-t", page, "--site", "wiki"]));
    assert_eq!(code, 2);
    assert!(said.contains("is not replaced"), "{said}");
    assert_eq!(std::fs::read_to_string(page).expect("the page"), "<p>a page");
}
