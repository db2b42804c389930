//! A store as its users see it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use unmold::methods::Serial;
use unmold::{Limits, MethodName, Page, Settings, Template, TemplateSet};
use unmold_store::{Store, StoreError, StoreReader};

/// A template of a made-up site; another menu gives another template.
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
fn public_types_cross_threads() {
    fn check<T: Send + Sync + 'static>() {}
    fn check_send<T: Send + 'static>() {}
    check::<StoreReader>();
    check::<StoreError>();
    check::<unmold_store::Entry>();
    check_send::<Store>();
}

#[test]
fn stored_templates_are_read_back() {
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
fn a_newer_store_is_refused() {
    let (_folder, path, _store) = store();
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open_to_read(&path), Err(StoreError::Newer { found: 99, .. })));
    assert!(matches!(Store::open(&path), Err(StoreError::Newer { found: 99, .. })));
}

/// Replaces the stored templates of a site with these bytes.
fn damage(path: &Path, site: &str, blob: &[u8]) {
    let raw = rusqlite::Connection::open(path).unwrap();
    let changed = raw
        .execute("UPDATE template_set SET json_zstd = ?1 WHERE site = ?2", (blob, site))
        .unwrap();
    assert_eq!(changed, 1);
}

fn blob_of(path: &Path, site: &str) -> Vec<u8> {
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.query_row("SELECT json_zstd FROM template_set WHERE site = ?", [site], |row| row.get(0))
        .unwrap()
}

#[test]
fn damage_affects_only_its_site() {
    let (_folder, path, mut store) = store();
    let both = set([template("a", "Home"), template("b", "Start")]);
    store.put(&both).unwrap();
    damage(&path, "a", b"\0");
    assert!(matches!(store.get("a"), Err(StoreError::Damaged { version: 1, .. })));
    assert_eq!(store.get("b").unwrap(), Some(template("b", "Start")));
    assert_eq!(store.sites().unwrap(), ["a", "b"]);
    assert_eq!(store.list().unwrap().len(), 2);
    assert!(store.contains("a", None).unwrap() && store.contains("a", Some(1)).unwrap());
    assert!(!store.contains("a", Some(2)).unwrap() && !store.contains("c", None).unwrap());
    let (readable, damaged) = store.get_all().unwrap();
    assert_eq!(readable, set([template("b", "Start")]));
    assert!(matches!(&damaged[..], [StoreError::Damaged { site, .. }] if site == "a"));
    // The same templates again are a new version, because the old one cannot be compared.
    assert_eq!(store.put(&both).unwrap(), [("a".to_owned(), 2, true), ("b".to_owned(), 1, false)]);
    assert_eq!(store.get("a").unwrap(), Some(template("a", "Home")));
    assert_eq!(store.remove("a", Some(1)).unwrap(), 1);
}

#[test]
fn a_flipped_bit_is_damage() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home")])).unwrap();
    let blob = blob_of(&path, "a");
    let (mut errors, mut same) = (0, 0);
    for byte in 0..blob.len() {
        let mut damaged = blob.clone();
        damaged[byte] ^= 0x10;
        damage(&path, "a", &damaged);
        match store.get("a") {
            Err(StoreError::Damaged { .. }) => errors += 1,
            Ok(Some(set)) if set == template("a", "Home") => same += 1,
            other => panic!("byte {byte}: {other:?}"),
        }
    }
    assert!(errors > 10 * same, "{errors} errors, {same} unnoticed");
}

#[test]
fn rows_of_older_releases_are_read_and_kept() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home")])).unwrap();
    let json = template("a", "Home").to_json();
    damage(&path, "a", &zstd::encode_all(json.as_bytes(), 9).unwrap());
    assert_eq!(store.get("a").unwrap(), Some(template("a", "Home")));
    assert_eq!(store.put(&set([template("a", "Home")])).unwrap(), [("a".to_owned(), 1, false)]);
}

#[test]
fn a_bomb_is_damage() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home")])).unwrap();
    let endless =
        std::io::Read::take(std::io::repeat(b' '), unmold_store::MAX_JSON_BYTES as u64 + 1);
    damage(&path, "a", &zstd::encode_all(endless, 1).unwrap());
    let Err(StoreError::Damaged { reason, .. }) = store.get("a") else { panic!() };
    assert!(reason.contains("more than"), "{reason}");
}

#[test]
fn many_threads_read_different_sites() {
    let (_folder, path, mut store) = store();
    let sites: Vec<String> = (0..20).map(|number| format!("site-{number}")).collect();
    store.put(&set(sites.iter().map(|site| template(site, site)))).unwrap();
    damage(&path, "site-7", b"not zstd");
    let reader = StoreReader::open(&path).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (reader, sites) = (&reader, &sites);
            scope.spawn(move || {
                for round in 0..40 {
                    let site = &sites[(thread * 3 + round) % sites.len()];
                    match reader.get(site) {
                        Err(StoreError::Damaged { site, .. }) => assert_eq!(site, "site-7"),
                        found => assert_eq!(found.unwrap(), Some(template(site, site))),
                    }
                }
            });
        }
    });
    assert_eq!(reader.get("none").unwrap(), None);
}

#[test]
fn a_reader_does_not_wait_for_another() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("large", "Home"), template("small", "Home")])).unwrap();
    // White space that takes long to decompress and to parse.
    let json = template("large", "Home").to_json() + &" ".repeat(200 << 20);
    damage(&path, "large", &zstd::encode_all(json.as_bytes(), 1).unwrap());
    let reader = StoreReader::open(&path).unwrap();
    let (started, finished) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut reads = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            started.store(true, Ordering::SeqCst);
            assert!(reader.get("large").unwrap().is_some());
            finished.store(true, Ordering::SeqCst);
        });
        while !started.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        while !finished.load(Ordering::SeqCst) {
            assert!(reader.get("small").unwrap().is_some());
            reads += 1;
        }
    });
    assert!(reads > 10, "{reads} readings while another took place");
}

/// Opens the store again and again until it is there. The only acceptable error is that it is not.
fn read_when_there(path: &Path) {
    let start = Instant::now();
    loop {
        match Store::open_to_read(path) {
            Ok(store) => {
                store.sites().expect("a complete store");
                return;
            }
            Err(StoreError::Open { .. }) if !path.exists() => {}
            // Created between the two calls.
            Err(StoreError::Open { .. }) if Store::open_to_read(path).is_ok() => return,
            Err(error) => panic!("{error}"),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "there is no store");
    }
}

#[test]
fn a_reader_sees_no_store_or_a_complete_one() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..50 {
        let path = folder.path().join(format!("{round}.db"));
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_when_there(&path));
            let others = scope.spawn(|| read_when_there(&path));
            let writer =
                scope.spawn(|| Store::open(&path).unwrap().put(&set([template("a", "Home")])));
            // A second writer finds the store of the first, or the other way round.
            Store::open(&path).unwrap().put(&set([template("b", "Home")])).unwrap();
            writer.join().unwrap().unwrap();
            reader.join().unwrap();
            others.join().unwrap();
        });
        assert_eq!(Store::open_to_read(&path).unwrap().sites().unwrap(), ["a", "b"]);
    }
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(left, [""; 0], "temporary files");
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.db");
    std::fs::write(&path, "").unwrap();
    std::thread::scope(|scope| {
        for site in ["a", "b", "c", "d"] {
            let path = &path;
            scope.spawn(move || {
                Store::open(path).unwrap().put(&set([template(site, "Home")])).unwrap()
            });
        }
    });
    assert_eq!(Store::open_to_read(&path).unwrap().sites().unwrap(), ["a", "b", "c", "d"]);
    let missing = folder.path().join("no/such/folder.db");
    assert!(matches!(Store::open(&missing), Err(StoreError::Create { .. })));
}

#[cfg(unix)]
#[test]
fn a_new_store_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path, _store) = store();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

#[test]
fn a_reader_sees_the_last_state_while_a_writer_works() {
    let (_folder, path, mut store) = store();
    store.put(&set([template("a", "Home")])).unwrap();
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM template_set").unwrap();
    let reader = Store::open_to_read(&path).unwrap();
    assert_eq!(reader.get("a").unwrap(), Some(template("a", "Home")));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(reader.get("a").unwrap(), None);
}

/// Run in a process of its own by the test below: stores one version after the other until it is
/// killed, and prints the number of each.
#[test]
fn writer() {
    let Some(path) = std::env::var_os("UNMOLD_STORE") else { return };
    let mut store = Store::open(path.as_ref()).unwrap();
    for number in 1u32.. {
        store.put(&set([template("a", &format!("menu {number}"))])).unwrap();
        println!("stored {number}");
    }
}

#[test]
fn a_killed_writer_loses_no_stored_version() {
    use std::io::{BufRead, BufReader};
    let (_folder, path, store) = store();
    drop(store);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["writer", "--exact", "--nocapture"])
        .env("UNMOLD_STORE", &path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let printed = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("stored ")?.parse::<u32>().ok());
    let stored = printed.take_while(|&number| number <= 20).last().unwrap_or(0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(stored, 20);
    let store = Store::open(&path).unwrap();
    let versions = store.list().unwrap().len() as u32;
    assert!(versions >= stored, "{versions} of {stored}");
    for version in 1..=versions {
        let expected = template("a", &format!("menu {version}"));
        assert_eq!(store.get_version("a", version).unwrap(), Some(expected));
    }
}
