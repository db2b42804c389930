//! Archives with damage in one place, and archives made to be searched for long.

use std::io::Write;

use crate::pages::Chance;

/// Pages in each archive.
const PAGES: usize = 24;

/// An archive of [`PAGES`] pages.
pub struct Archive {
    pub file: &'static str,
    /// The archive, in pieces that do not depend on each other.
    pieces: Vec<Vec<u8>>,
    /// Pieces around the damaged one that may be lost with it.
    neighbours: usize,
}

/// Name, name of the file, and the bytes for a size.
pub type Bomb = (&'static str, &'static str, fn(usize) -> Vec<u8>);

/// Archives made to take long: name, file and generator.
pub const BOMBS: [Bomb; 6] = [
    ("one-page sites", "sites.jsonl", one_page_sites),
    ("lines that begin records", "lines.warc", record_lines),
    ("records in a cut record", "cut.warc", cut_record),
    ("records with wrong lengths", "wrong.warc.zst", wrong_lengths),
    ("gzip magic numbers", "magic.warc.gz", gzip_magic),
    ("long folders", "folders.jsonl", long_folders),
];

fn html(n: usize) -> String {
    format!("<nav>Home Shop Contact</nav><p>Story number {n} of many</p><footer>Imprint</footer>")
}

fn json_line(n: usize) -> Vec<u8> {
    let url = format!("http://site.example/{n}");
    (serde_json::json!({"url": url, "html": html(n)}).to_string() + "\n").into_bytes()
}

fn warc_record(n: usize) -> Vec<u8> {
    let html = html(n);
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{html}",
        html.len()
    );
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://site.example/{n}\r\n\
         WARC-Record-ID: <urn:uuid:{n}>\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
    .into_bytes()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("compressed")
}

/// A gzip member with one stored block: no compressor is needed to write it.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    let length = u16::try_from(bytes.len()).expect("a small record");
    out.write_all(&length.to_le_bytes()).expect("memory");
    out.write_all(&(!length).to_le_bytes()).expect("memory");
    out.extend_from_slice(bytes);
    out.extend_from_slice(&crc32(bytes).to_le_bytes());
    out.extend_from_slice(&u32::from(length).to_le_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

fn archive(file: &'static str, neighbours: usize, piece: impl Fn(usize) -> Vec<u8>) -> Archive {
    Archive { file, pieces: (0..PAGES).map(piece).collect(), neighbours }
}

pub fn all() -> Vec<Archive> {
    vec![
        archive("pages.jsonl", 1, json_line),
        archive("pages.jsonl.gz", 1, |n| gzip(&json_line(n))),
        archive("pages.jsonl.zst", 1, |n| zstd(&json_line(n))),
        archive("pages.warc", 1, warc_record),
        archive("pages.warc.gz", 1, |n| gzip(&warc_record(n))),
        archive("pages.warc.zst", 1, |n| zstd(&warc_record(n))),
    ]
}

impl Archive {
    /// The archive with one piece damaged, and how many pages must still be found.
    pub fn damaged(&self, seed: u64) -> (Vec<u8>, usize) {
        let chance = &mut Chance::new(seed + 1);
        let mut pieces = self.pieces.clone();
        // The first piece tells the format.
        let at = 1 + chance.below(pieces.len() as u64 - 1) as usize;
        let piece = &mut pieces[at];
        match chance.below(3) {
            0 => piece.truncate(chance.below(piece.len() as u64) as usize),
            1 => {
                let from = chance.below(piece.len() as u64) as usize;
                let end = (from + 20).min(piece.len());
                piece[from..end].iter_mut().for_each(|byte| *byte = chance.below(256) as u8);
            }
            _ => {
                let rubbish: Vec<u8> = (0..100).map(|_| chance.below(256) as u8).collect();
                let from = chance.below(piece.len() as u64) as usize;
                piece.splice(from..from, rubbish);
            }
        }
        (pieces.concat(), PAGES - 1 - self.neighbours)
    }
}

fn one_page_sites(n: usize) -> Vec<u8> {
    let line = |at: usize| {
        let url = format!("http://site{at}.example/");
        serde_json::json!({"url": url, "html": format!("<p>Story {at}")}).to_string() + "\n"
    };
    (0..n).map(line).collect::<String>().into_bytes()
}

fn record_lines(n: usize) -> Vec<u8> {
    b"WARC/1.0\r\n".repeat(n)
}

/// A record that is longer than the file, and in it the beginnings of others.
fn cut_record(n: usize) -> Vec<u8> {
    let mut bytes =
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999999\r\n\r\n".to_vec();
    bytes.extend(warc_record(1).repeat(n / 20));
    bytes.extend(b"WARC/1.0\r\nContent-Length: 99\r\n\r\n".repeat(n));
    bytes
}

/// Records in one compressed member, each of which swallows those that follow.
fn wrong_lengths(n: usize) -> Vec<u8> {
    let head = format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {}\r\n\r\n", n * 30);
    zstd(&[warc_record(0), head.repeat(n).into_bytes()].concat())
}

fn gzip_magic(n: usize) -> Vec<u8> {
    let mut bytes = gzip(&warc_record(0));
    bytes.extend(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0".repeat(n));
    bytes
}

/// Addresses with many folders, written to the same few.
fn long_folders(n: usize) -> Vec<u8> {
    let line = |at: usize| {
        let url = format!("http://site.example/{}{at}", "a/".repeat(at % 50));
        serde_json::json!({"url": url, "html": html(at)}).to_string() + "\n"
    };
    (0..n).map(line).collect::<String>().into_bytes()
}
