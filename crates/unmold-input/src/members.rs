//! The bytes of a file as one stream that knows where its compressed members begin.
//!
//! A gzip or zstd file may be made of many members (zstd calls them frames). If one is damaged,
//! [`MemberStream::resync`] goes on at the next.
//!
//! A `.warc.gz` should hold one member per record, but there are files with one member around
//! everything, and files cut into members at random places. So the stream runs on from member to
//! member, except before one that begins with a WARC record: there it ends until
//! [`MemberStream::advance`] is called. A record with a wrong length can then never swallow the
//! next, and damage in one member is never blamed on its neighbour.
//!
//! This, the byte offsets and going on after damage are the reasons not to use the fastwarc crate,
//! which stops silently at damage and at the end of a cut file.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use memchr::memmem::Finder;

use super::compression::Compression;
use super::format::{RECORD_START, looks_like_text, starts_record};
use super::peek::Peek;
use super::source::{SourceFile, read_at_most};
use super::trial::{TRIAL, Trial};

/// A larger dictionary is not loaded; the usual ones have about 100 KiB.
const MAX_DICTIONARY: u32 = 32 << 20;
/// Bytes that may be decoded in vain, as a multiple of the file's size. A damaged member is
/// searched for others from its start, because its decoder may have run far into them; if this
/// fails all the time, the file was made to keep us busy, and the search starts where the decoder
/// stopped.
const MAX_WASTE: u64 = 16;

type Raw = Peek<SourceFile>;

/// What the file holds, as far as its members are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// WARC records.
    Records,
    /// Lines of text.
    Lines,
}

impl Content {
    /// Whether the stream ends before a member that begins like this.
    fn ends_before(self, start: &[u8]) -> bool {
        self == Content::Records && starts_record(start)
    }

    /// Whether reading can go on after damage at a member that begins like this.
    fn can_resume_at(self, start: &[u8]) -> bool {
        match self {
            Content::Records => starts_record(start),
            Content::Lines => !start.is_empty() && looks_like_text(start),
        }
    }
}

pub struct MemberStream {
    source: SourceFile,
    compression: Compression,
    content: Content,
    member: Member,
    /// Position in the file at which the current member begins.
    member_start: u64,
    /// Bytes of the current member handed out so far.
    given_out: u64,
    /// First bytes of the current member, decoded in order to look at them.
    ahead: Vec<u8>,
    is_held: bool,
    stops_at_member_end: bool,
    /// The next member cannot be decoded: reported when it is asked for.
    damage: Option<io::Error>,
    /// For `.warc.zst`: stored in a frame of its own at the start of the file.
    dictionary: Vec<u8>,
    /// Made when it is first needed.
    trial: Option<Trial>,
    /// Bytes of damaged members that had been decoded when the damage was noticed.
    wasted: u64,
}

enum Member {
    Plain(Raw),
    Gzip(Box<GzDecoder<Raw>>),
    Zstd(Box<zstd::Decoder<'static, Raw>>),
    /// At the end of the file, or between two members.
    None,
}

/// Where a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// Byte in the file: of the record, or of the compressed member that it is in.
    pub in_file: u64,
    /// Decoded bytes of that member before the record.
    pub in_member: u64,
}

impl MemberStream {
    pub fn new(source: SourceFile, compression: Compression, content: Content) -> Self {
        let mut stream = MemberStream {
            source,
            compression,
            content,
            member: Member::None,
            member_start: 0,
            given_out: 0,
            ahead: Vec::new(),
            is_held: false,
            stops_at_member_end: false,
            damage: None,
            dictionary: Vec::new(),
            trial: None,
            wasted: 0,
        };
        let raw = stream.raw_at(0);
        if compression == Compression::None {
            stream.member = Member::Plain(raw);
        } else {
            stream.open_member_and_hold(raw);
        }
        stream
    }

    /// Goes on to the record before which the stream ended, if there is one.
    pub fn advance(&mut self) -> io::Result<()> {
        (self.is_held, self.stops_at_member_end) = (false, false);
        self.damage.take().map_or(Ok(()), Err)
    }

    /// Ends the stream at the end of this member until [`MemberStream::advance`]: the record is
    /// complete, and what the next member begins with, damaged or not, does not concern it.
    pub fn stop_at_member_end(&mut self) {
        self.stops_at_member_end = true;
    }

    /// Undoes [`MemberStream::stop_at_member_end`], but still holds before a record or damage.
    pub fn allow_continuation(&mut self) {
        self.stops_at_member_end = false;
        let is_before_record = self.given_out == 0 && self.content.ends_before(&self.ahead);
        self.is_held = self.damage.is_some() || is_before_record;
    }

    /// Where the stream is, if `unread` bytes of it are still in the caller's buffer.
    pub fn offset(&self, unread: usize) -> Offset {
        match &self.member {
            Member::Plain(raw) => {
                Offset { in_file: position_of(raw).saturating_sub(unread as u64), in_member: 0 }
            }
            _ => Offset {
                in_file: self.member_start,
                in_member: self.given_out.saturating_sub(unread as u64),
            },
        }
    }

    /// Size of a file that is not compressed; `None` for one that is.
    pub fn plain_size(&self) -> io::Result<Option<u64>> {
        match self.compression {
            Compression::None => self.source.len().map(Some),
            _ => Ok(None),
        }
    }

    /// The file itself.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Up to `count` bytes of the file at `position`, without moving there.
    pub fn look_at(&self, position: u64, count: usize) -> io::Result<Vec<u8>> {
        read_at_most(self.source.at(position), count)
    }

    /// After damage: jumps to the next member at which reading can go on, and says at which byte
    /// of the file that is; `None` if there is none.
    pub fn resync(&mut self) -> io::Result<Option<u64>> {
        let mut from = self.search_start()?;
        (self.is_held, self.stops_at_member_end, self.damage) = (false, false, None);
        while let Some(candidate) = self.find_member(from)? {
            let raw = self.raw_at(candidate);
            if self.open_member(raw).is_ok() {
                return Ok(Some(candidate));
            }
            from = candidate + 1;
        }
        self.ahead.clear();
        self.member = Member::None;
        Ok(None)
    }

    /// Where the search for the next member begins after damage in this one.
    fn search_start(&mut self) -> io::Result<u64> {
        let next = self.member_start + 1;
        let reached = self.member.raw().map_or(next, position_of).max(next);
        self.wasted = self.wasted.saturating_add(reached - self.member_start);
        let limit = self.source.len()?.saturating_mul(MAX_WASTE);
        Ok(if self.wasted <= limit { next } else { reached })
    }

    fn raw_at(&self, position: u64) -> Raw {
        Peek::new(self.source.at(position))
    }

    /// Position of the next member at which reading can go on.
    fn find_member(&mut self, from: u64) -> io::Result<Option<u64>> {
        if self.trial.is_none() {
            self.trial = Trial::new(self.compression, &self.dictionary)?;
        }
        let Some(trial) = &mut self.trial else { return Ok(None) };
        let magic = Finder::new(trial.magic());
        let mut raw = Peek::with_buffer(self.source.at(from), 2 * TRIAL);
        loop {
            let bytes = raw.peek(TRIAL)?;
            let is_last = bytes.len() < TRIAL;
            match magic.find(bytes) {
                Some(0) => {
                    let start = trial.decode(bytes);
                    if start.is_some_and(|start| self.content.can_resume_at(start)) {
                        return Ok(Some(position_of(&raw)));
                    }
                    raw.consume(1);
                }
                Some(found) => raw.consume(found),
                None if is_last => return Ok(None),
                None => {
                    let passed = bytes.len() - (magic.needle().len() - 1);
                    raw.consume(passed);
                }
            }
        }
    }

    /// Opens the member at `raw`; holds before it if it begins with a record or is damaged.
    fn open_member_and_hold(&mut self, raw: Raw) {
        match self.open_member(raw) {
            Ok(()) => self.is_held = self.content.ends_before(&self.ahead),
            Err(error) => {
                self.is_held = true;
                self.damage = Some(error);
            }
        }
    }

    /// Opens the member at `raw` and decodes its first bytes.
    fn open_member(&mut self, mut raw: Raw) -> io::Result<()> {
        self.ahead.clear();
        self.member = Member::None;
        self.member_start = position_of(&raw);
        self.given_out = 0;
        if self.compression == Compression::Zstd {
            self.pass_skippable_frame(&mut raw)?;
        }
        if raw.peek(1)?.is_empty() {
            return Ok(());
        }
        self.member = match self.compression {
            Compression::None => Member::Plain(raw),
            Compression::Gzip => Member::Gzip(Box::new(GzDecoder::new(raw))),
            Compression::Zstd => Member::Zstd(Box::new(self.zstd_frame(raw)?)),
        };
        let mut start = Vec::new();
        (&mut self.member).take(RECORD_START as u64).read_to_end(&mut start)?;
        self.ahead = start;
        Ok(())
    }

    fn zstd_frame(&self, raw: Raw) -> io::Result<zstd::Decoder<'static, Raw>> {
        let decoder = zstd::Decoder::with_dictionary(raw, &self.dictionary)?;
        Ok(decoder.single_frame())
    }

    /// Passes a frame that holds no data. The one at the start of the file holds the dictionary,
    /// see <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.
    fn pass_skippable_frame(&mut self, raw: &mut Raw) -> io::Result<()> {
        let &[low @ 0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, ..] = raw.peek(8)? else {
            return Ok(());
        };
        let size = u32::from_le_bytes([a, b, c, d]);
        raw.consume(8);
        if low == 0x5D && self.member_start == 0 && size <= MAX_DICTIONARY {
            let frame = read_at_most(&mut *raw, size as usize)?;
            self.dictionary = unpacked_dictionary(frame)?;
        } else {
            io::copy(&mut raw.take(u64::from(size)), &mut io::sink())?;
        }
        Ok(())
    }

    fn take_ahead(&mut self, out: &mut [u8]) -> usize {
        let count = self.ahead.len().min(out.len());
        out[..count].copy_from_slice(&self.ahead[..count]);
        self.ahead.drain(..count);
        count
    }

    fn read_member(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() { self.member.read(out) } else { Ok(self.take_ahead(out)) }
    }
}

impl Read for MemberStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.is_held && !out.is_empty() {
            let count = self.read_member(out)?;
            self.given_out += count as u64;
            if count > 0 {
                return Ok(count);
            }
            match self.member.take_rest() {
                Some(rest) => {
                    self.open_member_and_hold(rest);
                    self.is_held |= self.stops_at_member_end;
                }
                None => break,
            }
        }
        Ok(0)
    }
}

impl Member {
    /// What follows a compressed member that was read to its end.
    fn take_rest(&mut self) -> Option<Raw> {
        match std::mem::replace(self, Member::None) {
            Member::Gzip(decoder) => Some(decoder.into_inner()),
            Member::Zstd(decoder) => Some(decoder.finish()),
            plain @ Member::Plain(_) => {
                *self = plain;
                None
            }
            Member::None => None,
        }
    }

    /// The bytes of the file that the decoder has not taken yet.
    fn raw(&self) -> Option<&Raw> {
        match self {
            Member::Plain(raw) => Some(raw),
            Member::Gzip(decoder) => Some(decoder.get_ref()),
            Member::Zstd(decoder) => Some(decoder.get_ref()),
            Member::None => None,
        }
    }
}

impl Read for Member {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Member::Plain(raw) => raw.read(out),
            Member::Gzip(decoder) => decoder.read(out),
            Member::Zstd(decoder) => decoder.read(out),
            Member::None => Ok(0),
        }
    }
}

fn position_of(raw: &Raw) -> u64 {
    raw.inner().position() - raw.buffered() as u64
}

/// The dictionary may itself be compressed.
fn unpacked_dictionary(frame: Vec<u8>) -> io::Result<Vec<u8>> {
    if Compression::of(&frame) != Compression::Zstd {
        return Ok(frame);
    }
    read_at_most(zstd::Decoder::new(frame.as_slice())?, MAX_DICTIONARY as usize)
}
