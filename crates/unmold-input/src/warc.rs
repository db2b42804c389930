//! Pages in a WARC file: HTML responses with a 2xx status, and HTML resources.
//!
//! A damaged record is reported with its byte offset. If decoding failed, reading goes on at the
//! next compressed member that begins with a record, otherwise at the next line `WARC/…`. A record
//! is given out only if its block is complete.
//!
//! A page may contain records. In a plain file that ends inside a record, what follows is part of
//! that record's page, unless it is made of records up to the end of the file, and the record says
//! nothing else about its end (`extent.rs`): then the length is wrong, and the file is not cut.

use std::io::{self, BufRead, Read};

use memchr::memmem::Finder;

use super::compression::Compression;
use super::extent::Extent;
use super::format::starts_record;
use super::head::{Head, read_head};
use super::http::{self, Payload};
use super::members::{Content, MemberStream, Offset};
use super::origin::Origin;
use super::page::InputEvent;
use super::peek::Peek;
use super::source::{SourceFile, read_at_most};

const NOT_HTTP: &str = "response of a protocol other than HTTP";
const REVISIT: &str = "revisit record: the page was archived before";
const OTHER_RECORD: &str = "not a response or resource record";

/// `\r\n\r\n`, which ends a record.
const TWO_LINE_ENDS: usize = 4;
/// More than there is between two records, so that reading it also checks a member's end.
const BETWEEN_RECORDS: usize = 16;
/// Lines like the first of a record that are tried as one after a wrong length.
const MAX_CANDIDATES: usize = 16;
/// Bytes that may be read twice, as a multiple of the file's size.
const MAX_WASTE: u64 = 16;
/// Most heads are shorter.
const HEAD_BUFFER: usize = 4 << 10;

pub struct WarcPages<'a> {
    stream: Peek<MemberStream>,
    origin: &'a Origin,
    next: Next,
    /// Where the record begins that is being read.
    offset: Offset,
    /// See [`Swallowed`].
    swallowed: Vec<u8>,
    /// Bytes of swallowed records that were read again.
    given_back: u64,
    found_something: bool,
}

/// What the next step is.
enum Next {
    Record,
    /// The record was bad, but the stream is not: look for the next `WARC/` line.
    FindLine,
    /// The stream is bad: look for the next good member.
    FindMember,
    End,
}

enum Damage {
    /// The bytes cannot be read or decompressed.
    Stream(io::Error),
    /// They can, but they make no sense.
    Record(String),
    /// The same, and the next record begins right here.
    BeforeRecord(String),
    /// The file ends inside the record.
    Cut(String),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        Damage::Stream(error)
    }
}

impl<'a> WarcPages<'a> {
    pub fn new(source: SourceFile, compression: Compression, origin: &'a Origin) -> Self {
        WarcPages {
            stream: Peek::new(MemberStream::new(source, compression, Content::Records)),
            origin,
            next: Next::Record,
            offset: Offset { in_file: 0, in_member: 0 },
            swallowed: Vec::new(),
            given_back: 0,
            found_something: false,
        }
    }

    /// One step: an event, or `None` if the search for a record has to go on.
    fn step(&mut self) -> Result<Option<InputEvent>, Damage> {
        match self.next {
            Next::End => {}
            Next::Record => return self.read_record(),
            Next::FindLine => {
                find_line(&mut self.stream)?;
                self.next = Next::Record;
            }
            Next::FindMember => {
                self.next = Next::End;
                self.stream.clear();
                if self.stream.inner_mut().resync()?.is_some() {
                    self.next = Next::Record;
                }
            }
        }
        Ok(None)
    }

    fn read_record(&mut self) -> Result<Option<InputEvent>, Damage> {
        let is_there = self.go_to_record();
        self.offset = self.current_offset();
        if !is_there? {
            self.next = Next::End;
            return Ok(None);
        }
        if !self.is_at_record()? {
            return Err(Damage::Record("there is no WARC record here".to_owned()));
        }
        let head = self.read_record_head()?;
        let length = block_length(&head)?;
        self.check_end_in_advance(&head, length)?;
        let payload = self.read_block(&head, length)?;
        self.check_end()?;
        Ok(Some(self.event(&head, payload)))
    }

    /// Skips empty lines; false at the end of the file.
    fn go_to_record(&mut self) -> io::Result<bool> {
        loop {
            if self.stream.fill_buf()?.is_empty() {
                self.stream.inner_mut().advance()?;
            }
            let bytes = self.stream.fill_buf()?;
            let blank = bytes.iter().take_while(|byte| b"\r\n".contains(byte)).count();
            if blank == 0 {
                return Ok(!bytes.is_empty());
            }
            self.stream.consume(blank);
        }
    }

    fn is_at_record(&mut self) -> io::Result<bool> {
        // In a file cut into members at random places, the rest of the line is in the next member.
        self.stream.inner_mut().allow_continuation();
        Ok(starts_record(self.stream.peek(BETWEEN_RECORDS)?))
    }

    /// Stops before a line that begins another record, so that a damaged head costs only its own
    /// record, and no byte is read twice.
    fn read_record_head(&mut self) -> Result<Head, Damage> {
        let bad = |what: &str| Damage::Record(what.to_owned());
        let head = read_head(&mut self.stream, true)?;
        let head = head.ok_or_else(|| bad("the record's header never ends"))?;
        if head.complete {
            return Ok(head);
        }
        if self.is_at_record()? {
            let what = "another record begins in the middle of this record's header";
            return Err(Damage::BeforeRecord(what.to_owned()));
        }
        Err(bad("the file ends in the middle of this record's header"))
    }

    /// In a file that is not compressed, notices a wrong length before it swallows other records.
    fn check_end_in_advance(&mut self, head: &Head, length: u64) -> Result<(), Damage> {
        let start = self.current_offset().in_file;
        let end = start.saturating_add(length);
        let Some(file_size) = self.stream.inner().plain_size()? else { return Ok(()) };
        if end > file_size {
            let what = too_short(length, file_size.saturating_sub(start));
            let source = self.stream.inner().source();
            let next = next_record(source, start, &Extent::new(source, start, head)?)?;
            let Some(next) = next else { return Err(Damage::Cut(what)) };
            io::copy(&mut (&mut self.stream).take(next - start), &mut io::sink())?;
            return Err(Damage::BeforeRecord(what));
        }
        let after = self.stream.inner().look_at(end, BETWEEN_RECORDS)?;
        if ends_record(&after) { Ok(()) } else { Err(wrong_length()) }
    }

    fn read_block(&mut self, head: &Head, length: u64) -> Result<Result<Payload, String>, Damage> {
        // The length of a record in a plain file was checked in advance.
        let is_plain = self.stream.inner().plain_size()?.is_some();
        let swallowed = (!is_plain).then(Swallowed::default);
        let mut block = Block { stream: &mut self.stream, left: length, failed: None, swallowed };
        let payload = read_payload(head, &mut block, self.origin.read_limit());
        let _ = io::copy(&mut block, &mut io::sink());
        let (missing, failed) = (block.left, block.failed);
        self.swallowed = block.swallowed.map(Swallowed::into_bytes).unwrap_or_default();
        if let Some(error) = failed {
            return Err(Damage::Stream(error));
        }
        if missing == 0 {
            return Ok(payload);
        }
        // As in a plain file: if these are no records up to the end, the record is cut.
        let (bytes, size) = (&self.swallowed, self.swallowed.len() as u64);
        if is_made_of_records(0, size, |position| &bytes[position as usize..])? {
            self.give_back()?;
        }
        Err(Damage::Record(too_short(length, length - missing)))
    }

    /// Reads again what the last block swallowed, unless that happens all the time: then the file
    /// was made to keep us busy.
    fn give_back(&mut self) -> io::Result<()> {
        let swallowed = std::mem::take(&mut self.swallowed);
        let size = self.stream.inner().source().len()?;
        self.given_back += swallowed.len() as u64;
        if self.given_back <= size.saturating_mul(MAX_WASTE) + Swallowed::MAX as u64 {
            self.stream.unread(&swallowed);
        }
        Ok(())
    }

    fn check_end(&mut self) -> Result<(), Damage> {
        self.stream.inner_mut().stop_at_member_end();
        let after = self.stream.peek(BETWEEN_RECORDS)?;
        if !ends_record(after) {
            self.give_back()?;
            return Err(wrong_length());
        }
        if is_next_in_place(after) {
            self.stream.consume(TWO_LINE_ENDS);
        }
        Ok(())
    }

    fn event(&self, head: &Head, payload: Result<Payload, String>) -> InputEvent {
        let url = target_of(head);
        let place = || match &url {
            Some(url) => format!("{}: {url}", self.place()),
            None => self.place(),
        };
        match payload {
            Err(what) => InputEvent::Problem { place: place(), what },
            Ok(Payload::Skip(why)) => InputEvent::Skipped { place: place(), why },
            Ok(Payload::Html { charset, bytes }) => {
                let record_id = || head.get("WARC-Record-ID").map(|id| unbracketed(id).to_owned());
                let id = url
                    .clone()
                    .or_else(record_id)
                    .unwrap_or_else(|| self.origin.numbered(self.offset.in_file));
                InputEvent::Page(self.origin.page(id, url, charset, bytes))
            }
        }
    }

    /// Decides how to go on. What a search meets belongs to the damage that was reported already.
    fn report(&mut self, damage: Damage) -> Option<InputEvent> {
        let was_searching = !matches!(self.next, Next::Record);
        let (next, what) = match damage {
            Damage::Record(what) => (Next::FindLine, what),
            Damage::BeforeRecord(what) => (Next::Record, what),
            Damage::Cut(what) => (Next::End, what),
            Damage::Stream(error) => (Next::FindMember, stream_problem(&error)),
        };
        // If even the search for a member fails, the disk is at fault: trying again is no use.
        if !matches!(self.next, Next::End) {
            self.next = next;
        }
        (!was_searching).then(|| InputEvent::Problem { place: self.place(), what })
    }

    fn current_offset(&self) -> Offset {
        self.stream.inner().offset(self.stream.buffered())
    }

    fn place(&self) -> String {
        let Offset { in_file, in_member } = self.offset;
        match in_member {
            0 => format!("{}, byte {in_file}", self.origin.name),
            _ => format!("{}, byte {in_file}, decompressed byte {in_member}", self.origin.name),
        }
    }
}

impl Iterator for WarcPages<'_> {
    type Item = InputEvent;

    fn next(&mut self) -> Option<InputEvent> {
        while !matches!(self.next, Next::End) {
            let event = self.step().unwrap_or_else(|damage| self.report(damage));
            if event.is_some() {
                self.found_something = true;
                return event;
            }
        }
        let is_empty = !std::mem::replace(&mut self.found_something, true);
        is_empty.then(|| self.origin.problem("the file is empty: no WARC record in it"))
    }
}

/// Skips to the next line that begins a record: this one, or one further on. False if there is none
/// before the end of the stream, or before it holds.
fn find_line<R: Read>(stream: &mut Peek<R>) -> io::Result<bool> {
    let line = Finder::new(b"\nWARC/");
    while !starts_record(stream.peek(BETWEEN_RECORDS)?) {
        let bytes = stream.peek(line.needle().len())?;
        if let Some(found) = line.find(bytes) {
            stream.consume(found + 1);
            continue;
        }
        // A short rest: the end of the file, or of what comes before the next record.
        if bytes.len() < line.needle().len() {
            stream.clear();
            return Ok(false);
        }
        let passed = bytes.len() - (line.needle().len() - 1);
        stream.consume(passed);
    }
    Ok(true)
}

/// The first record after `start` from which records follow one another up to the end of the file,
/// and before which the block may end.
fn next_record(source: &SourceFile, start: u64, block: &Extent) -> io::Result<Option<u64>> {
    let size = source.len()?;
    let mut stream = Peek::new(source.at(start));
    for _ in 0..MAX_CANDIDATES {
        if !find_line(&mut stream)? {
            return Ok(None);
        }
        let candidate = stream.inner().position() - stream.buffered() as u64;
        let follow = is_made_of_records(candidate, size, |position| source.at(position))?;
        if follow && block.may_end_before(candidate)? {
            return Ok(Some(candidate));
        }
        stream.consume(1);
    }
    Ok(None)
}

/// Whether records follow one another from `start` to `size`. `at` reads from a position.
fn is_made_of_records<R: Read>(
    mut start: u64,
    size: u64,
    at: impl Fn(u64) -> R,
) -> io::Result<bool> {
    while start < size {
        let Some(length) = record_length(at(start))? else { return Ok(false) };
        let end = start.saturating_add(length);
        if end > size {
            return Ok(false);
        }
        let after = read_at_most(at(end), BETWEEN_RECORDS)?;
        let line_ends = after.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        start = end + line_ends as u64;
    }
    Ok(true)
}

/// Length of the head and the block of the record that begins here; `None` if there is none.
fn record_length(reader: impl Read) -> io::Result<Option<u64>> {
    let mut stream = Peek::with_buffer(reader.take(u64::MAX), HEAD_BUFFER);
    if !starts_record(stream.peek(BETWEEN_RECORDS)?) {
        return Ok(None);
    }
    let head = read_head(&mut stream, true)?.filter(|head| head.complete);
    let Some(Ok(block)) = head.as_ref().map(block_length) else { return Ok(None) };
    let read = u64::MAX - stream.inner().limit();
    Ok(Some((read - stream.buffered() as u64).saturating_add(block)))
}

/// What a block holds from the first line on that looks like that of a record: if the length of the
/// block turns out to be wrong, these are the records that it swallowed.
#[derive(Default)]
struct Swallowed {
    bytes: Vec<u8>,
    has_line: bool,
    is_too_long: bool,
}

impl Swallowed {
    /// Longer ones are not kept.
    const MAX: usize = 64 << 20;
    const LINE: &[u8] = b"\nWARC/";

    fn add(&mut self, bytes: &[u8]) {
        if self.is_too_long {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if !self.has_line {
            let line = memchr::memmem::find(&self.bytes, Self::LINE);
            self.has_line = line.is_some();
            // Without a line, its beginning may be at the end.
            let kept = self.bytes.len().saturating_sub(Self::LINE.len() - 1);
            self.bytes.drain(..line.map_or(kept, |line| line + 1));
        }
        if self.bytes.len() > Self::MAX {
            *self = Swallowed { is_too_long: true, ..Swallowed::default() };
        }
    }

    /// From the first line on; without one, the end, where a line may begin.
    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The block of one record. Reads no further than its length, and remembers errors of the archive,
/// so that they are not mistaken for errors in the page.
struct Block<'a> {
    stream: &'a mut Peek<MemberStream>,
    left: u64,
    failed: Option<io::Error>,
    swallowed: Option<Swallowed>,
}

impl Read for Block<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_some() {
            return Ok(0);
        }
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        match self.stream.read(&mut out[..wanted]) {
            Ok(count) => {
                self.left -= count as u64;
                if let Some(swallowed) = &mut self.swallowed {
                    swallowed.add(&out[..count]);
                }
                Ok(count)
            }
            Err(error) => {
                self.failed = Some(error);
                Err(io::Error::other("the archive is damaged here"))
            }
        }
    }
}

fn read_payload(head: &Head, block: &mut Block, limit: usize) -> Result<Payload, String> {
    let is_cut = head.get("WARC-Truncated").is_some();
    match head.get("WARC-Type").unwrap_or_default().to_ascii_lowercase().as_str() {
        "response" if is_http(head) => http::read_response(block, limit, is_cut),
        "response" => Ok(Payload::Skip(NOT_HTTP)),
        "resource" => http::read_resource(block, head.get("Content-Type"), limit, is_cut),
        "revisit" => Ok(Payload::Skip(REVISIT)),
        _ => Ok(Payload::Skip(OTHER_RECORD)),
    }
}

fn is_http(head: &Head) -> bool {
    match head.get("Content-Type") {
        Some(content_type) => content_type.to_ascii_lowercase().starts_with("application/http"),
        None => target_of(head).is_some_and(|url| url.to_ascii_lowercase().starts_with("http")),
    }
}

fn target_of(head: &Head) -> Option<String> {
    let url = unbracketed(head.get("WARC-Target-URI")?);
    (!url.is_empty()).then(|| url.to_owned())
}

/// wget writes `<http://…>`, as in an early draft of the standard.
fn unbracketed(value: &str) -> &str {
    value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(value).trim()
}

fn block_length(head: &Head) -> Result<u64, Damage> {
    let value = head.get("Content-Length").unwrap_or("missing");
    let length = value.parse().ok().filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()));
    length.ok_or_else(|| Damage::Record(format!("Content-Length of the record is {value:.40}")))
}

/// Whether a block can end before these bytes. It is followed by two line ends, but some writers
/// forget one or both, a cut file may have lost them, and damage in them alone does no harm.
fn ends_record(after: &[u8]) -> bool {
    let line_ends = after.iter().take_while(|byte| b"\r\n".contains(byte)).count();
    let is_double = after.starts_with(b"\r\n\r\n") || after.starts_with(b"\n\n");
    let is_end = line_ends == after.len();
    is_double || is_end || starts_record(&after[line_ends..]) || is_next_in_place(after)
}

fn is_next_in_place(after: &[u8]) -> bool {
    after.get(TWO_LINE_ENDS..).is_some_and(starts_record)
}

fn too_short(length: u64, there_are: u64) -> String {
    format!(
        "the record should have {length} bytes, but there are only {there_are}: \
         it was cut, or its Content-Length is wrong"
    )
}

fn wrong_length() -> Damage {
    Damage::Record("no record ends where this one should: its Content-Length is wrong".to_owned())
}

fn stream_problem(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends in the middle of this record".to_owned(),
        _ => format!("cannot read or decompress this record: {error}"),
    }
}
