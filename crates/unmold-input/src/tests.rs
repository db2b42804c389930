//! Whole inputs: folders, archives intact and damaged, standard input.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

/// A file of this name and content, opened as input.
pub fn input_of(name: &str, content: &[u8]) -> (TempDir, Input) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let input = Input::open(&[path], &InputOptions::default()).unwrap();
    (folder, input)
}

/// All events, one line each, without the folders of paths.
pub fn shown(input: &Input) -> Vec<String> {
    let lines: Vec<_> = input.read().map(|event| show(&event)).collect();
    let again: Vec<_> = input.read().map(|event| show(&event)).collect();
    assert_eq!(lines, again, "a second reading gives the same");
    lines
}

fn show(event: &InputEvent) -> String {
    let short = |place: &str| {
        place.rsplit_once("/.tmp").map_or(place.to_owned(), |(_, rest)| {
            rest.split_once('/').map_or(rest, |(_, rest)| rest).to_owned()
        })
    };
    match event {
        InputEvent::Page(page) => {
            let cut = if page.truncated { " cut" } else { "" };
            let text = String::from_utf8_lossy(&page.bytes);
            format!("page {} {} {text}{cut}", page.id, page.site)
        }
        InputEvent::Skipped { place, why } => format!("skipped {} {why}", short(place)),
        InputEvent::Problem { place, what } => format!("problem {} {what}", short(place)),
    }
}

fn only_pages(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("page ")).collect()
}

fn problems(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("problem ")).collect()
}

fn open(paths: &[&Path]) -> Input {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    Input::open(&paths, &InputOptions::default()).unwrap()
}

fn write(root: &Path, files: &[(&str, &[u8])]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

#[test]
fn public_types_cross_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Input>();
    check::<InputError>();
    check::<InputEvent>();
    check::<InputOptions>();
    check::<FolderPage>();
    check::<Format>();
}

mod folders {
    use super::*;

    #[test]
    fn pages_come_in_byte_order_of_their_paths() {
        let root = tempfile::tempdir().unwrap();
        let files = ["b.html", "a/c.html", "a.html", "a-b.html", "a/b/d.htm", "B.HTML", "a0.html"];
        write(root.path(), &files.map(|file| (file, b"x".as_slice())));
        let input = open(&[root.path()]);
        let found: Vec<InputEvent> = input.read().collect();
        let ids: Vec<_> = found
            .iter()
            .map(|found| match found {
                InputEvent::Page(page) => page.id.as_str(),
                _ => panic!("{found:?}"),
            })
            .collect();
        let mut sorted = files.to_vec();
        sorted.sort_unstable();
        assert_eq!(ids, sorted);
    }

    #[test]
    fn other_files_are_skipped() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &[
                ("1.png", b"\x89PNG"),
                ("2", b"<!doctype html>x"),
                ("3", b"plain"),
                ("4.warc.gz", b""),
                ("5.html", b"\x89PNG"),
                ("6.php?id=1.2", b"y"),
                ("7", b""),
            ],
        );
        let site = crate::origin::name_of(root.path());
        assert_eq!(
            shown(&open(&[root.path()])),
            [
                "skipped 1.png not an HTML file".to_owned(),
                format!("page 2 {site} <!doctype html>x"),
                "skipped 3 not an HTML file".to_owned(),
                "skipped 4.warc.gz archives inside a folder are not read: give the file itself"
                    .to_owned(),
                format!("page 5.html {site} \u{FFFD}PNG"),
                format!("page 6.php?id=1.2 {site} y"),
                "skipped 7 not an HTML file".to_owned(),
            ]
        );
    }

    #[test]
    fn compressed_pages_are_read() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &[
                ("s/a.html.gz", &gzip(b"<p>one")),
                ("s/b.htm.zst", &zstd::encode_all(b"<p>two".as_slice(), 3).unwrap()),
                ("s/c.html.gz", b"<p>not compressed after all"),
                ("s/d.html.gz", &gzip(b"<p>damaged")[..15]),
            ],
        );
        let found = shown(&open(&[root.path()]));
        assert_eq!(
            found[..3],
            [
                "page s/a.html.gz s <p>one",
                "page s/b.htm.zst s <p>two",
                "page s/c.html.gz s <p>not compressed after all",
            ]
        );
        assert!(found[3].starts_with("problem s/d.html.gz cannot read this file"), "{found:?}");
        let file = root.path().join("s/a.html.gz");
        assert_eq!(shown(&open(&[&file])), ["page a.html.gz s <p>one"]);
        assert_eq!(read_page_file(&file, 4).unwrap(), (b"<p>on".to_vec(), true));
        assert_eq!(read_page_file(&file, 6).unwrap(), (b"<p>one".to_vec(), false));
    }

    #[test]
    fn sites() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &[
                ("news/a.html", b"1"),
                ("news/x/b.html", b"2"),
                ("shop/c.html", b"3"),
                ("note.txt", b""),
            ],
        );
        assert_eq!(
            only_pages(&shown(&open(&[root.path()]))),
            ["news/a.html news 1", "news/x/b.html news 2", "shop/c.html shop 3",]
        );
        assert_eq!(
            only_pages(&shown(&open(&[&root.path().join("news")]))),
            ["a.html news 1", "x/b.html news 2",]
        );
        assert_eq!(
            only_pages(&shown(&open(&[&root.path().join("news/x/..")]))),
            ["a.html news 1", "x/b.html news 2",]
        );
        let file = root.path().join("news/a.html");
        assert_eq!(shown(&open(&[&file, &file])), ["page a.html news 1", "page a.html news 1"]);
        let options = InputOptions::default().with_site("all".to_owned());
        let input = Input::open(&[root.path().to_owned()], &options).unwrap();
        assert_eq!(only_pages(&shown(&input))[2], "shop/c.html all 3");
    }

    #[test]
    fn several_inputs_give_different_ids() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        write(root.path(), &[("a/i.html", b"1"), ("b/i.html", b"2"), ("b/x/i.html", b"3")]);
        fs::write(path("c.jsonl"), r#"{"url":"http://h.example/","html":"4"}"#).unwrap();
        let ids = |paths: &[&Path]| -> Vec<String> {
            let lines = shown(&open(paths));
            let id = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
            only_pages(&lines).into_iter().map(id).collect()
        };
        assert_eq!(ids(&[&path("a"), &path("b")]), ["a/i.html", "b/i.html", "b/x/i.html"]);
        assert_eq!(ids(&[&path("a/i.html"), &path("b/x/i.html")]), ["a/i.html", "b/x/i.html"]);
        assert_eq!(ids(&[&path("b/i.html"), &path("b/x/i.html")]), ["i.html", "x/i.html"]);
        assert_eq!(ids(&[&path("a"), &path("b/../b")])[1], "b/i.html");
        assert_eq!(ids(&[&path("a"), &path("c.jsonl")]), ["i.html", "http://h.example/"]);
    }

    #[test]
    fn long_pages_are_cut() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &[("a/4.html", b"1234"), ("a/5.html", b"12345"), ("a/9.html", b"123456789")],
        );
        let options = InputOptions::default().with_max_page_bytes(4);
        let input = Input::open(&[root.path().to_owned()], &options).unwrap();
        assert_eq!(
            shown(&input),
            ["page a/4.html a 1234", "page a/5.html a 12345 cut", "page a/9.html a 12345 cut",]
        );
        assert_eq!(input.total_bytes(), 18);
        assert_eq!(input.progress().load(Ordering::Relaxed), 18);
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_odd_names() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let site = root.path().join("site");
        write(&site, &[("a.html", b"1")]);
        fs::write(site.join(std::ffi::OsStr::from_bytes(b"b\xFF.html")), "2").unwrap();
        symlink(&site, site.join("c")).unwrap();
        symlink(site.join("a.html"), site.join("d.html")).unwrap();
        symlink("nowhere", site.join("e.html")).unwrap();
        symlink("nowhere", site.join("style.css")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(site.join("f.html")).unwrap();
        let found = shown(&open(&[&site]));
        assert_eq!(
            found[..4],
            [
                "page a.html site 1".to_owned(),
                "page b\u{FFFD}.html site 2".to_owned(),
                "skipped site/c link to a folder: not followed".to_owned(),
                "page d.html site 1".to_owned(),
            ]
        );
        assert!(found[4].starts_with("problem site/e.html cannot read this file"), "{found:?}");
        assert_eq!(found[5], "skipped site/f.html not a regular file");
        assert_eq!(found[6], "skipped site/style.css not an HTML file");
        // The folder itself may be given as a link.
        symlink(&site, root.path().join("latest")).unwrap();
        assert_eq!(shown(&open(&[&root.path().join("latest")]))[0], "page a.html latest 1");
    }

    #[cfg(unix)]
    #[test]
    fn unreadable_files_and_folders_are_problems() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &[("s/a.html", b"1"), ("s/b.html", b"2"), ("s/c/d.html", b"3")]);
        let lock = |path: &str, mode| {
            fs::set_permissions(root.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        lock("s/a.html", 0o000);
        lock("s/c", 0o000);
        let root_reads_all = fs::File::open(root.path().join("s/a.html")).is_ok();
        let found = shown(&open(&[&root.path().join("s")]));
        lock("s/c", 0o755);
        if root_reads_all {
            return;
        }
        assert!(found[0].starts_with("problem s/a.html cannot read this file"), "{found:?}");
        assert_eq!(found[1], "page b.html s 2");
        assert!(found[2].starts_with("problem s/c cannot read this folder"), "{found:?}");
    }
}

mod opening {
    use super::*;

    fn error_of(paths: &[&str]) -> InputError {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        Input::open_with_stdin(&paths, &InputOptions::default(), &mut &b"x"[..]).unwrap_err()
    }

    #[test]
    fn errors_say_what_and_what_to_do() {
        let check = |paths: &[&str], expected: &str| {
            let error = error_of(paths).to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&[], "name a folder");
        check(&["-", "-"], "given twice");
        check(&["/no/such/place"], "cannot read /no/such/place: check the path");
        let InputError::Path { source, .. } = error_of(&["/no/such/place"]) else { panic!() };
        assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        write(folder.path(), &[("a.zip", b"PK\x03\x04"), ("b.parquet", b"PAR1")]);
        check(&[&path("a.zip")], "ZIP archive: unpack it");
        if cfg!(not(feature = "parquet")) {
            check(&[&path("b.parquet")], "--features parquet");
        }
    }

    fn from_stdin(content: &[u8]) -> Vec<String> {
        let paths = [PathBuf::from("-")];
        let mut content = content;
        shown(&Input::open_with_stdin(&paths, &InputOptions::default(), &mut content).unwrap())
    }

    #[test]
    fn standard_input_is_sniffed() {
        let check = |content: &[u8], expected: &[&str]| {
            assert_eq!(from_stdin(content), expected);
            assert_eq!(from_stdin(&gzip(content)), expected, "as gzip");
            assert_eq!(from_stdin(&zstd::encode_all(content, 1).unwrap()), expected, "as zstd");
        };
        check(b"<p>x", &["page - stdin <p>x"]);
        check(b"no tag", &["page - stdin no tag"]);
        check(b" {\"html\":\"x\"}", &["page -:1 stdin x"]);
        check(&response("http://a.org/", b"x"), &["page http://a.org/ a.org x"]);
        check(b"", &[]);
    }

    #[test]
    fn files_of_unknown_extension_are_sniffed() {
        let check = |name: &str, content: &[u8], expected: &str| {
            let (_folder, input) = input_of(name, content);
            assert_eq!(shown(&input)[0], expected);
        };
        check("x.data", b"{\"html\":\"x\"}", "page x.data:1 x.data x");
        check("x.data", &gzip(&response("urn:1", b"x")), "page urn:1 x.data x");
        check("crawl.warc", &gzip(&response("urn:1", b"x")), "page urn:1 crawl x");
    }

    #[cfg(unix)]
    #[test]
    fn named_pipes_are_spooled() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"{\"html\":\"x\"}").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        if Path::new(&path).exists() {
            let found = shown(&open(&[Path::new(&path)]));
            assert!(found[0].ends_with(" x"), "{found:?}");
        }
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A record with this type, URL and block.
fn record(kind: &str, url: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn response_with(url: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{fields}\r\n");
    let block = [http.as_bytes(), body].concat();
    record("response", url, "application/http; msgtype=response", &block)
}

fn response(url: &str, body: &[u8]) -> Vec<u8> {
    response_with(url, "", body)
}

mod archives {
    use super::*;

    const WARCINFO: &str = "not a response or resource record";

    /// Three pages between other records.
    fn records() -> Vec<Vec<u8>> {
        let body = b"<!DOCTYPE html><p>Some text that is long enough to be packed, packed, packed.";
        vec![
            record("warcinfo", "", "application/warc-fields", b"software: x\r\n"),
            response("http://a.org/1", b"<p>one"),
            response_with("<http://a.org/2>", "Content-Encoding: gzip\r\n", &gzip(body)),
            record("metadata", "http://a.org/2", "text/plain", b"x"),
            response("http://a.org/3", b"<p>three"),
        ]
    }

    fn read(name: &str, content: &[u8]) -> Vec<String> {
        let (_folder, input) = input_of(name, content);
        shown(&input)
    }

    /// Every way to store the records, and where each record ends in the file.
    fn layouts() -> Vec<(&'static str, Vec<u8>, Vec<usize>)> {
        let plain: Vec<Vec<u8>> = records();
        let gzipped: Vec<Vec<u8>> = plain.iter().map(|record| gzip(record)).collect();
        let zstd: Vec<Vec<u8>> =
            plain.iter().map(|record| zstd::encode_all(record.as_slice(), 3).unwrap()).collect();
        [("a.warc", plain), ("a.warc.gz", gzipped), ("a.warc.zst", zstd)]
            .into_iter()
            .map(|(name, parts)| (name, parts.concat(), ends(&parts)))
            .collect()
    }

    fn ends(parts: &[Vec<u8>]) -> Vec<usize> {
        let sum = |end: &mut usize, part: &Vec<u8>| {
            *end += part.len();
            Some(*end)
        };
        parts.iter().scan(0, sum).collect()
    }

    #[test]
    fn all_layouts_give_the_same() {
        let whole = records().concat();
        let members = |size: usize| whole.chunks(size).map(gzip).collect::<Vec<_>>().concat();
        let expected = read("a.warc", &whole);
        assert_eq!(only_pages(&expected)[0], "http://a.org/1 a.org <p>one");
        assert!(
            only_pages(&expected)[1].starts_with("http://a.org/2 a.org <!DOCTYPE html><p>Some")
        );
        assert_eq!(only_pages(&expected).len(), 3);
        assert_eq!(expected[0], format!("skipped a.warc, byte 0 {WARCINFO}"));
        assert!(expected[3].ends_with(&format!(": http://a.org/2 {WARCINFO}")), "{expected:?}");
        let mut others: Vec<_> =
            layouts().into_iter().map(|(name, bytes, _)| (name, bytes)).collect();
        others.push(("one-member.warc.gz", gzip(&whole)));
        others.push(("one-frame.warc.zst", zstd::encode_all(whole.as_slice(), 3).unwrap()));
        others.push(("tiny-members.warc.gz", members(5)));
        others.push(("odd-members.warc.gz", members(100)));
        others.push(("plain.warc.gz", whole.clone()));
        for (name, bytes) in others {
            let found = read(name, &bytes);
            assert_eq!(only_pages(&found), only_pages(&expected), "{name}");
            assert_eq!(found.len(), expected.len(), "{name} {found:#?}");
        }
    }

    #[test]
    fn zstd_with_a_dictionary() {
        let samples: Vec<Vec<u8>> = (0..200)
            .map(|n| {
                response(
                    &format!("http://a.org/{n}"),
                    format!("<p>page {n} of {}", n * 7).as_bytes(),
                )
            })
            .collect();
        let dictionary = samples[9..20].concat();
        for packed_dictionary in
            [dictionary.clone(), zstd::encode_all(dictionary.as_slice(), 3).unwrap()]
        {
            let mut file = vec![0x5D, 0x2A, 0x4D, 0x18];
            file.extend((packed_dictionary.len() as u32).to_le_bytes());
            file.extend(&packed_dictionary);
            for record in &samples[..3] {
                let mut encoder =
                    zstd::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
                encoder.write_all(record).unwrap();
                file.extend(encoder.finish().unwrap());
            }
            let found = read("a.warc.zst", &file);
            assert_eq!(only_pages(&found).len(), 3, "{found:?}");
            assert_eq!(found.len(), 3);
        }
    }

    #[test]
    fn cut_at_every_byte() {
        for (name, bytes, ends) in layouts() {
            let whole = read(name, &bytes);
            for cut in 1..bytes.len() {
                let found = read(name, &bytes[..cut]);
                let whole_records = ends.iter().filter(|end| **end <= cut).count();
                let message = format!("{name} cut at {cut}: {found:#?}");
                assert_eq!(found[..whole_records], whole[..whole_records], "{message}");
                // One more event follows: the cut record as a problem or, if a plain file lost only
                // line ends, the record itself.
                let is_clean_cut = ends.contains(&cut);
                assert_eq!(found.len(), whole_records + usize::from(!is_clean_cut), "{message}");
                if !is_clean_cut && found[whole_records] != whole[whole_records] {
                    assert!(found[whole_records].starts_with("problem "), "{message}");
                }
            }
        }
    }

    #[test]
    fn one_member_cut_at_every_byte() {
        let whole = gzip(&records().concat());
        let pages = read("a.warc.gz", &whole);
        for cut in 1..whole.len() {
            let found = read("a.warc.gz", &whole[..cut]);
            let (last, before) = found.split_last().unwrap();
            assert_eq!(before, &pages[..before.len()], "cut at {cut}");
            assert!(last.starts_with("problem "), "cut at {cut}: {last}");
        }
    }

    #[test]
    fn a_flipped_byte_costs_only_its_record() {
        for (name, bytes, ends) in layouts() {
            let whole = read(name, &bytes);
            for flipped in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[flipped] ^= 0x55;
                if flipped < 4 && name != "a.warc" {
                    continue; // no longer recognized as compressed
                }
                let found = read(name, &damaged);
                let hit = ends.iter().filter(|end| **end <= flipped).count();
                for (index, item) in whole.iter().enumerate().filter(|(index, _)| *index != hit) {
                    // Offsets of what follows stay the same: no byte was added or removed.
                    assert!(
                        found.contains(item),
                        "{name} byte {flipped} lost record {index}: {found:#?}"
                    );
                }
            }
        }
    }

    #[test]
    fn damage_is_reported_with_its_offset() {
        let mut parts: Vec<Vec<u8>> = records().iter().map(|record| gzip(record)).collect();
        let start = ends(&parts)[1];
        parts[2][30] ^= 0xFF;
        let found = read("a.warc.gz", &parts.concat());
        assert_eq!(problems(&found).len(), 1, "{found:?}");
        assert!(
            problems(&found)[0]
                .starts_with(&format!("a.warc.gz, byte {start} cannot read or decompress")),
            "{found:?}"
        );
        assert_eq!(only_pages(&found).len(), 2);
        // The same with a whole member of rubbish between two good ones.
        parts[2] = b"rubbish \x1F\x8B\x08 rubbish \x1F\x8B\x08\0".to_vec();
        let found = read("a.warc.gz", &parts.concat());
        assert_eq!((problems(&found).len(), only_pages(&found).len()), (1, 2), "{found:?}");
    }

    #[test]
    fn wrong_lengths_do_not_swallow_other_records() {
        for length in [
            "99999999999999999999999",
            "18446744073709551615",
            "4000000000",
            "300",
            "3",
            "-1",
            "x",
            "",
        ] {
            let good = String::from_utf8(response("http://a.org/1", b"<p>one")).unwrap();
            let start = good.find("Content-Length: ").unwrap() + 16;
            let end = start + good[start..].find('\r').unwrap();
            let bad = [&good[..start], length, &good[end..]].concat().into_bytes();
            let records = [
                response("http://a.org/0", b"<p>x"),
                bad,
                response("http://a.org/2", b"<p>y"),
                response("http://a.org/3", b"<p>z"),
            ];
            let packed: Vec<_> = records.iter().map(|record| gzip(record)).collect();
            let one_member = gzip(&records.concat());
            for found in [
                read("a.warc", &records.concat()),
                read("a.warc.gz", &packed.concat()),
                read("a.warc.gz", &one_member),
            ] {
                assert_eq!(
                    only_pages(&found),
                    [
                        "http://a.org/0 a.org <p>x",
                        "http://a.org/2 a.org <p>y",
                        "http://a.org/3 a.org <p>z"
                    ],
                    "{length}: {found:#?}"
                );
                assert_eq!(problems(&found).len(), 1, "{length}: {found:#?}");
            }
        }
    }

    /// A length that is a little too large ends inside the line that begins the next record.
    #[test]
    fn lengths_that_are_nearly_right_cost_one_record() {
        let good = String::from_utf8(response("http://a.org/1", b"<p>one")).unwrap();
        let start = good.find("Content-Length: ").unwrap() + 16;
        let end = start + good[start..].find('\r').unwrap();
        let right: i64 = good[start..end].parse().unwrap();
        for difference in -9..=12 {
            let length = (right + difference).to_string();
            let bad = [&good[..start], &length, &good[end..]].concat().into_bytes();
            let mut records = vec![response("http://a.org/0", b"<p>x"), bad];
            records.extend((2..5).map(|n| response(&format!("http://a.org/{n}"), b"<p>y")));
            let found = read("a.warc.gz", &gzip(&records.concat()));
            let pages = only_pages(&found);
            for other in [0, 2, 3, 4] {
                let start = format!("http://a.org/{other} ");
                let is_there = pages.iter().any(|page| page.starts_with(&start));
                assert!(is_there, "{difference}: {other} of {found:#?}");
            }
        }
    }

    /// Whoever writes a page must not be able to write records of other sites into the archive.
    #[test]
    fn a_record_in_the_page_of_a_cut_record_is_not_a_page() {
        let inner = response("http://bank.example/", b"<p>fake");
        let page = [b"<p>start\r\n\r\n", inner.repeat(3).as_slice(), b"<p>the rest"].concat();
        let good = response("http://a.org/1", b"<p>good");
        let whole = [good.as_slice(), &response("http://evil.example/", &page)].concat();
        let from = memchr::memmem::find(&whole, b"<p>start").unwrap();
        let to = memchr::memmem::find(&whole, b"the rest").unwrap();
        for (cut, name) in (from..to).flat_map(|cut| [(cut, "a.warc"), (cut, "a.warc.gz")]) {
            let file = whole[..cut].to_vec();
            let found = read(name, &if name == "a.warc" { file } else { gzip(&file) });
            // Cut between two records, the file looks like one whose first length is wrong.
            let is_between =
                whole[..cut].ends_with(b"fake") || whole[..cut].trim_ascii_end().ends_with(b"fake");
            if !is_between {
                assert_eq!(only_pages(&found), ["http://a.org/1 a.org <p>good"], "cut at {cut}");
                assert_eq!(problems(&found).len(), 1, "{found:?}");
            }
        }
    }

    /// Adds a field to the head of a record.
    fn with_field(record: &[u8], field: &str) -> Vec<u8> {
        let rest = record.strip_prefix(b"WARC/1.0\r\n").unwrap();
        [b"WARC/1.0\r\n", field.as_bytes(), b"\r\n", rest].concat()
    }

    fn with_digest(record: &[u8]) -> Vec<u8> {
        let block = memchr::memmem::find(record, b"\r\n\r\n").unwrap() + 4;
        let block = record[block..].strip_suffix(b"\r\n\r\n").unwrap();
        let digest = sha1_smol::Sha1::from(block).digest();
        with_field(record, &format!("WARC-Block-Digest: sha1:{digest}"))
    }

    /// Cut exactly behind a record in its page, a file looks like one with a wrong length. What the
    /// crawler wrote about the record tells them apart.
    #[test]
    fn a_record_at_the_end_of_a_cut_page_is_not_a_page() {
        let inner = response("http://bank.example/", b"<p>fake");
        let page = [b"<p>start\r\n\r\n", inner.repeat(3).as_slice(), b"<p>the rest"].concat();
        let length = format!("Content-Length: {}\r\n", page.len());
        for outer in [
            with_digest(&response("http://evil.example/", &page)),
            response_with("http://evil.example/", &length, &page),
        ] {
            let whole = [response("http://a.org/1", b"<p>good").as_slice(), &outer].concat();
            let from = memchr::memmem::find(&whole, b"<p>start").unwrap();
            let to = memchr::memmem::find(&whole, b"the rest").unwrap();
            for cut in from..to {
                let found = read("a.warc", &whole[..cut]);
                assert_eq!(only_pages(&found), ["http://a.org/1 a.org <p>good"], "cut at {cut}");
                assert_eq!(problems(&found).len(), 1, "{found:?}");
            }
        }
    }

    #[test]
    fn a_wrong_length_costs_one_record_where_there_is_a_digest() {
        let inner = response("http://bank.example/", b"<p>fake");
        let page = [b"<p>start\r\n\r\n", inner.strip_suffix(b"\r\n\r\n").unwrap()].concat();
        let outer = with_digest(&response("http://evil.example/", &page));
        let outer = String::from_utf8(outer).unwrap();
        let outer = outer.replacen("Content-Length: ", "Content-Length: 999", 1).into_bytes();
        let records = [outer, response("http://a.org/1", b"<p>y"), response("http://a.org/2", b"")];
        let found = read("a.warc", &records.concat());
        assert_eq!(only_pages(&found), ["http://a.org/1 a.org <p>y", "http://a.org/2 a.org "]);
        assert_eq!(problems(&found).len(), 1, "{found:?}");
    }

    #[test]
    fn odd_but_readable() {
        let page = b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>x";
        let check = |content: &[u8], expected: &[&str]| {
            assert_eq!(read("a.warc", content), expected, "{}", content.escape_ascii());
        };
        let lf_only = format!(
            "WARC/1.1\nwarc-type: response\nwarc-target-uri: http://a.org/\ncontent-length: {}\n\n",
            page.len()
        );
        let lf_only = [lf_only.as_bytes(), page, b"\n\n"].concat();
        check(&lf_only, &["page http://a.org/ a.org <p>x"]);
        check(
            &[lf_only.as_slice(), lf_only.as_slice()].concat(),
            &["page http://a.org/ a.org <p>x"; 2],
        );
        check(
            &[b"\r\n\r\n", lf_only.as_slice(), b"\r\n\r\n\r\n"].concat(),
            &["page http://a.org/ a.org <p>x"],
        );
        let tight = lf_only.strip_suffix(b"\n\n").unwrap();
        check(&[tight, tight].concat(), &["page http://a.org/ a.org <p>x"; 2]);
        let no_url = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:7>\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n",
            page.len()
        );
        check(&[no_url.as_bytes(), page].concat(), &["page urn:uuid:7 a <p>x"]);
        check(
            &record("resource", "file:///x.html", "text/html; charset=koi8-r", b"<p>r"),
            &["page file:///x.html a <p>r"],
        );
        check(
            &record("resource", "http://a.org/", "text/plain", b"r"),
            &["skipped a.warc, byte 0: http://a.org/ not HTML"],
        );
        check(
            &record("response", "dns:a.org", "text/dns", b"r"),
            &["skipped a.warc, byte 0: dns:a.org response of a protocol other than HTTP"],
        );
        check(
            &record("revisit", "http://a.org/", "application/http", b""),
            &["skipped a.warc, byte 0: http://a.org/ revisit record: the page was archived before"],
        );
        check(b"", &["problem a.warc the file is empty: no WARC record in it"]);
        check(b"<html>", &["problem a.warc, byte 0 there is no WARC record here"]);
    }

    #[test]
    fn charset_and_url_are_kept() {
        let (_folder, input) = input_of("a.warc", &response("<http://www.a.org/>", b"x"));
        let Some(InputEvent::Page(page)) = input.read().next() else { panic!() };
        assert_eq!(page.charset.as_deref(), Some("utf-8"));
        assert_eq!(page.url.as_deref(), Some("http://www.a.org/"));
        assert_eq!(page.site, "a.org");
    }

    #[test]
    fn undecodable_bodies_are_problems_unless_said_to_be_cut() {
        let mut body = gzip(&[b"<p>".as_slice(), &[b'x'; 5000]].concat());
        body.truncate(body.len() - 12);
        let bad = response_with("http://a.org/", "Content-Encoding: gzip\r\n", &body);
        let found = read("a.warc", &[bad.clone(), response("http://a.org/2", b"x")].concat());
        assert!(
            found[0].starts_with(
                "problem a.warc, byte 0: http://a.org/ the body cannot be decoded (gzip)"
            ),
            "{found:?}"
        );
        assert_eq!(found[1], "page http://a.org/2 a.org x");
        let said =
            [b"WARC/1.0\r\nWARC-Truncated: length\r\n", bad.strip_prefix(b"WARC/1.0\r\n").unwrap()]
                .concat();
        assert!(read("a.warc", &said)[0].starts_with("page http://a.org/ a.org <p>xxx"));
    }

    #[test]
    fn bombs_are_cut() {
        let bomb = gzip(&vec![b'x'; 4 << 20]);
        let options = InputOptions::default().with_max_page_bytes(1000);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let records = [
            gzip(&response_with("http://a.org/1", "Content-Encoding: gzip\r\n", &bomb)),
            gzip(&response("http://a.org/2", &vec![b'y'; 4 << 20])),
            gzip(&response("http://a.org/3", b"z")),
        ];
        fs::write(&path, records.concat()).unwrap();
        let input = Input::open(&[path], &options).unwrap();
        let pages: Vec<_> = input
            .read()
            .map(|found| match found {
                InputEvent::Page(page) => (page.bytes.len(), page.bytes.capacity(), page.truncated),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(pages, [(1001, 1001, true), (1001, 1001, true), (1, 1, false)]);
        assert_eq!(input.progress().load(Ordering::Relaxed), input.total_bytes());
    }
    /// Far more than linear work takes even on a slow machine, far less than quadratic work does.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// Reads the file once and counts the problems in it.
    fn problems_in_time(name: &str, content: &[u8]) -> usize {
        let (_folder, input) = input_of(name, content);
        let start = std::time::Instant::now();
        let problems = input.read().filter(|event| matches!(event, InputEvent::Problem { .. }));
        let count = problems.count();
        let time = start.elapsed();
        assert!(time < PATIENCE, "{name}: {time:?} for {} bytes", content.len());
        count
    }

    #[test]
    fn recovery_takes_linear_time() {
        const TIMES: usize = 48_000;
        let repeated = |bytes: &[u8]| bytes.repeat(TIMES);
        let after_gzip = |bytes: &[u8]| [gzip(b"WARC/1.0\r\n")[..15].to_vec(), repeated(bytes)];
        let frame = zstd::encode_all(b"WARC/1.0\r\n".as_slice(), 3).unwrap();
        let after_zstd = |bytes: &[u8]| [frame[..6].to_vec(), repeated(bytes)];
        assert_eq!(problems_in_time("a.warc", &repeated(b"WARC/1.0\n")), TIMES);
        assert_eq!(problems_in_time("a.warc", &repeated(b"WARC/1.0\r\n\r\n")), TIMES);
        assert_eq!(problems_in_time("a.warc", &repeated(b"WARC/x\n")), 1);
        assert_eq!(problems_in_time("a.warc.gz", &gzip(&repeated(b"WARC/1.0\n"))), TIMES);
        assert_eq!(problems_in_time("a.warc.gz", &after_gzip(b"\x1F\x8B\x08").concat()), 1);
        // A header with a name that never ends.
        let named = b"\x1F\x8B\x08\x08\x01\x01\x01\x01\x02\x03";
        assert_eq!(problems_in_time("a.warc.gz", &after_gzip(named).concat()), 1);
        assert_eq!(problems_in_time("a.warc.zst", &after_zstd(b"\x28\xB5\x2F\xFD").concat()), 1);
        // A frame that says it begins with a block of 128 KiB.
        let block = b"\x28\xB5\x2F\xFD\x00\x58\x04\x00\x10";
        assert_eq!(problems_in_time("a.warc.zst", &after_zstd(block).concat()), 1);
    }

    /// Members that decode up to the end of the file, all of them damaged: each is a stored block
    /// that spans those after it.
    #[test]
    fn members_inside_members_take_linear_time() {
        const SIZE: usize = 60_000;
        let mut file = Vec::new();
        while file.len() + 24 < SIZE {
            file.extend(b"\x1F\x8B\x08\0\0\0\0\0\0\x03\0");
            let length = (SIZE - file.len() - 4) as u16;
            file.extend(length.to_le_bytes());
            file.extend((!length).to_le_bytes());
            file.extend(b"WARC/1.0\n");
        }
        // The blocks all end here, and go on with blocks without content.
        file.resize(SIZE, b' ');
        file.extend(b"\0\0\0\xFF\xFF".repeat(2_000_000));
        assert!(problems_in_time("a.warc.gz", &file) > 1);
    }
}
