//! A store as its users see it.

use std::path::PathBuf;
use std::process::Command;

use unmold::methods::Serial;
use unmold::{Limits, MethodName, Page, Settings, Template, TemplateSet};
use unmold_store::{Store, StoreError};

/// The template of a made-up site; other words, other template.
fn template(site: &str, menu: &str) -> Template {
    let pages = ["one", "two", "three"]
        .map(|word| Page::parse(format!("<p>{menu}<p>{word}").as_bytes(), &Limits::default()));
    let settings = Settings::default().with_method(MethodName::ChunkFrequency);
    settings.learn_site(site, &pages.each_ref(), &Serial).expect("three pages")
}

fn set(templates: impl IntoIterator<Item = Template>) -> TemplateSet {
    templates.into_iter().collect()
}

fn store() -> (tempfile::TempDir, PathBuf, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("templates.db");
    let store = Store::open(&path).expect("a new store");
    (folder, path, store)
}

#[test]
fn what_was_put_is_got_again() {
    let (_folder, path, mut store) = store();
    let both = set([template("a", "Home"), template("b", "Start")]);
    assert_eq!(store.put(&both).unwrap(), [("a".to_owned(), 1, true), ("b".to_owned(), 1, true)]);
    drop(store);
    let store = Store::open_to_read(&path).unwrap();
    assert_eq!(store.get("a").unwrap(), Some(template("a", "Home")));
    assert_eq!(store.get("b").unwrap(), Some(template("b", "Start")));
    assert_eq!(store.get("c").unwrap(), None);
    assert_eq!(store.sites().unwrap(), ["a", "b"]);
}

#[test]
fn a_changed_template_is_a_new_version_and_the_old_one_stays() {
    let (_folder, _, mut store) = store();
    for (menu, version, is_new) in
        [("Home", 1, true), ("Home", 1, false), ("Start", 2, true), ("Home", 3, true)]
    {
        assert_eq!(
            store.put(&set([template("a", menu)])).unwrap(),
            [("a".to_owned(), version, is_new)]
        );
    }
    assert_eq!(store.get("a").unwrap(), Some(template("a", "Home")));
    assert_eq!(store.get_version("a", 2).unwrap(), Some(template("a", "Start")));
    assert_eq!(store.get_version("a", 4).unwrap(), None);
    let listed: Vec<(String, u32, u32)> = store
        .list()
        .unwrap()
        .into_iter()
        .map(|entry| (entry.method, entry.version, entry.pages))
        .collect();
    assert_eq!(listed, [1, 2, 3].map(|version| ("chunk-frequency".to_owned(), version, 3)));
}

#[test]
fn versions_and_sites_are_removed() {
    let (_folder, _, mut store) = store();
    for menu in ["Home", "Start", "Top"] {
        store.put(&set([template("a", menu)])).unwrap();
    }
    assert_eq!(store.remove("a", Some(3)).unwrap(), 1);
    assert_eq!(store.get("a").unwrap(), Some(template("a", "Start")));
    assert_eq!(store.remove_old().unwrap(), 1);
    assert_eq!(store.get_version("a", 1).unwrap(), None);
    assert_eq!(store.remove("a", None).unwrap(), 1);
    assert_eq!(store.remove("a", None).unwrap(), 0);
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.db");
    std::fs::write(
        &text,
        "Dear diary, this is no database at all, and longer than a header is.".repeat(20),
    )
    .unwrap();
    assert!(matches!(Store::open(&text), Err(StoreError::Foreign { .. })));
    assert!(matches!(Store::open_to_read(&text), Err(StoreError::Foreign { .. })));
    let foreign = folder.path().join("foreign.db");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    assert!(matches!(Store::open(&foreign), Err(StoreError::Foreign { .. })));
    assert!(matches!(
        Store::open_to_read(&folder.path().join("none.db")),
        Err(StoreError::Open { .. })
    ));
}

#[test]
fn a_newer_store_and_a_damaged_row_are_told() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home"), template("b", "Start")])).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE template_set SET json_zstd = x'00' WHERE site = 'a'", []).unwrap();
    assert!(matches!(store.get("a"), Err(StoreError::Damaged { version: 1, .. })));
    assert_eq!(store.get("b").unwrap(), Some(template("b", "Start")));
    raw.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open_to_read(&path), Err(StoreError::Newer { found: 99, .. })));
}

#[test]
fn a_reader_sees_the_last_state_while_a_writer_is_at_work() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home")])).unwrap();
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM template_set").unwrap();
    let reader = Store::open_to_read(&path).unwrap();
    assert_eq!(reader.get("a").unwrap(), Some(template("a", "Home")));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(reader.get("a").unwrap(), None);
}

/// Not a test of its own: writes version after version until it is killed, and says after each that
/// it is stored.
#[test]
#[ignore = "run by a_killed_writer_loses_nothing_it_has_stored"]
fn writer() {
    let Some(path) = std::env::var_os("UNMOLD_STORE") else { return };
    let mut store = Store::open(path.as_ref()).unwrap();
    for number in 1u32.. {
        store.put(&set([template("a", &format!("menu {number}"))])).unwrap();
        println!("stored {number}");
    }
}

#[test]
fn a_killed_writer_loses_nothing_it_has_stored() {
    use std::io::{BufRead, BufReader};
    let (_folder, path, store) = store();
    drop(store);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["writer", "--exact", "--ignored", "--nocapture"])
        .env("UNMOLD_STORE", &path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("stored ")?.parse::<u32>().ok());
    let told = said.take_while(|&number| number <= 20).last().unwrap_or(0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(told, 20);
    let store = Store::open(&path).unwrap();
    let versions = store.list().unwrap().len() as u32;
    assert!(versions >= told, "{versions} of {told}");
    for version in 1..=versions {
        let expected = template("a", &format!("menu {version}"));
        assert_eq!(store.get_version("a", version).unwrap(), Some(expected));
    }
}
