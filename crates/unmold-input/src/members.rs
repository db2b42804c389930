//! The bytes of a WARC file as one stream that knows where its compressed members begin.
//!
//! A `.warc.gz` should hold one gzip member per record (a `.warc.zst` one frame), but there are
//! files with one member around everything, and files cut into members at random places. So the
//! stream runs on from member to member, except before one that begins with a WARC record:
//! there it ends until [`RecordStream::advance`] is called. A record with a wrong length can
//! then never swallow the next, and damage in one member is never blamed on its neighbour.
//!
//! This, the byte offsets and going on after damage are why there is a reader of our own instead
//! of the fastwarc crate, which stops silently at damage and at the end of a cut file.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use memchr::memmem;

use super::format::{Compression, starts_record};
use super::peek::Peek;
use super::source::SourceFile;

/// Enough to tell `WARC/1.`.
const RECORD_START: usize = 7;
/// A dictionary larger than this is not loaded; the usual ones have about 100 KiB.
const MAX_DICTIONARY: u32 = 32 << 20;

type Raw = Peek<SourceFile>;

pub struct RecordStream {
    source: SourceFile,
    compression: Compression,
    member: Member,
    /// Position in the file at which the current member begins.
    member_start: u64,
    /// Bytes of the current member handed out so far.
    given_out: u64,
    /// First bytes of the current member, decoded in order to look at them.
    ahead: Vec<u8>,
    is_held: bool,
    stops_at_member_end: bool,
    /// The next member cannot be decoded: told when it is asked for.
    damage: Option<io::Error>,
    /// For `.warc.zst`: stands in a frame of its own at the start of the file.
    dictionary: Vec<u8>,
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
    /// Byte in the file: of the record, or of the compressed member it lies in.
    pub in_file: u64,
    /// Decoded bytes of that member before the record.
    pub in_member: u64,
}

impl RecordStream {
    pub fn new(source: SourceFile, compression: Compression) -> Self {
        let mut stream = RecordStream {
            source,
            compression,
            member: Member::None,
            member_start: 0,
            given_out: 0,
            ahead: Vec::new(),
            is_held: false,
            stops_at_member_end: false,
            damage: None,
            dictionary: Vec::new(),
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

    /// A record is whole: what the next member begins with, damaged or not, is not its business.
    /// Holds until [`RecordStream::advance`].
    pub fn stop_at_member_end(&mut self) {
        self.stops_at_member_end = true;
    }

    /// Undoes [`RecordStream::stop_at_member_end`], but still holds before a record or damage.
    pub fn allow_continuation(&mut self) {
        self.stops_at_member_end = false;
        self.is_held = self.damage.is_some() || (self.given_out == 0 && starts_record(&self.ahead));
    }

    /// Where the stream is, `unread` bytes of it being still in the caller's buffer.
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

    /// Up to `count` bytes of the file, without moving there.
    pub fn look_at(&self, position: u64, count: usize) -> io::Result<Vec<u8>> {
        super::read_at_most(self.source.at(position), count)
    }

    /// Reads on from an earlier position; false in a compressed file, where that is not possible.
    pub fn go_back_to(&mut self, position: u64) -> bool {
        if self.compression == Compression::None {
            self.member = Member::Plain(self.raw_at(position));
        }
        self.compression == Compression::None
    }

    /// After damage: jumps to the next member that begins with a record; false if there is none.
    ///
    /// The search begins within the damaged member, because its decoder may have run far into
    /// the members behind it before it noticed.
    pub fn resync(&mut self) -> io::Result<bool> {
        (self.is_held, self.stops_at_member_end, self.damage) = (false, false, None);
        self.ahead.clear();
        self.member = Member::None;
        let mut from = self.member_start + 1;
        while let Some(candidate) = self.find_member(from)? {
            let raw = self.raw_at(candidate);
            if self.open_member(raw).is_ok() && starts_record(&self.ahead) {
                return Ok(true);
            }
            from = candidate + 1;
        }
        self.ahead.clear();
        self.member = Member::None;
        Ok(false)
    }

    fn raw_at(&self, position: u64) -> Raw {
        Peek::new(self.source.at(position))
    }

    fn find_member(&self, from: u64) -> io::Result<Option<u64>> {
        let magic: &[u8] = match self.compression {
            Compression::None => return Ok(None),
            Compression::Gzip => &[0x1F, 0x8B, 0x08],
            Compression::Zstd => &[0x28, 0xB5, 0x2F, 0xFD],
        };
        let mut raw = self.raw_at(from);
        loop {
            let bytes = raw.peek(magic.len())?;
            if bytes.len() < magic.len() {
                return Ok(None);
            }
            let found = memmem::find(bytes, magic);
            let passed = found.unwrap_or(bytes.len() - (magic.len() - 1));
            raw.consume(passed);
            if found.is_some() {
                return Ok(Some(position_of(&raw)));
            }
        }
    }

    /// Opens the member at `raw`; holds before it if it begins with a record or is damaged.
    fn open_member_and_hold(&mut self, raw: Raw) {
        match self.open_member(raw) {
            Ok(()) => self.is_held = starts_record(&self.ahead),
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

    /// Frames that hold no data: the one at the start of the file holds the dictionary, see
    /// <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.
    fn pass_skippable_frame(&mut self, raw: &mut Raw) -> io::Result<()> {
        let &[low @ 0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, ..] = raw.peek(8)? else {
            return Ok(());
        };
        let size = u32::from_le_bytes([a, b, c, d]);
        raw.consume(8);
        if low == 0x5D && self.member_start == 0 && size <= MAX_DICTIONARY {
            let frame = super::read_at_most(&mut *raw, size as usize)?;
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

impl Read for RecordStream {
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
    if !frame.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        return Ok(frame);
    }
    super::read_at_most(zstd::Decoder::new(frame.as_slice())?, MAX_DICTIONARY as usize)
}
