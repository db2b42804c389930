//! Tells the start of a compressed member from bytes that only look like one.
//!
//! After damage a file is searched for the magic number of its compression, which also occurs by
//! chance, or because somebody put it there. Each hit is decoded on trial: a bounded number of
//! bytes, by a decoder that is set up once, so that the search is linear in the size of the file.

use std::io;

use flate2::{Decompress, FlushDecompress};
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use super::compression::Compression;

/// Bytes of a member that a trial looks at: the largest block of zstd, which gives nothing until
/// it is complete, with room for headers.
pub const TRIAL: usize = 130 << 10;
/// Decoded bytes that a trial wants to see.
const WANTED: usize = 512;

/// A decoder for the beginnings of members.
pub struct Trial {
    decoder: Decoder,
    decoded: Vec<u8>,
}

enum Decoder {
    Gzip(Box<Decompress>),
    Zstd(ZstdDecoder<'static>),
}

impl Trial {
    /// `None` for files that are not compressed.
    pub fn new(compression: Compression, dictionary: &[u8]) -> io::Result<Option<Trial>> {
        let decoder = match compression {
            Compression::None => return Ok(None),
            Compression::Gzip => Decoder::Gzip(Box::new(Decompress::new(false))),
            Compression::Zstd => Decoder::Zstd(ZstdDecoder::with_dictionary(dictionary)?),
        };
        Ok(Some(Trial { decoder, decoded: vec![0; WANTED] }))
    }

    /// What every member begins with.
    pub fn magic(&self) -> &'static [u8] {
        match self.decoder {
            Decoder::Gzip(_) => &[0x1F, 0x8B, 0x08],
            Decoder::Zstd(_) => &[0x28, 0xB5, 0x2F, 0xFD],
        }
    }

    /// The first decoded bytes of the member that begins here; `None` if there is no member.
    pub fn decode(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        let bytes = &bytes[..bytes.len().min(TRIAL)];
        let count = match &mut self.decoder {
            Decoder::Gzip(decoder) => {
                let data = &bytes[gzip_header(bytes)?..];
                decoder.reset(false);
                decoder.decompress(data, &mut self.decoded, FlushDecompress::None).ok()?;
                usize::try_from(decoder.total_out()).ok()?
            }
            Decoder::Zstd(decoder) => {
                decoder.reinit().ok()?;
                decode_zstd(decoder, bytes, &mut self.decoded).ok()?
            }
        };
        Some(&self.decoded[..count])
    }
}

fn decode_zstd(decoder: &mut ZstdDecoder, bytes: &[u8], out: &mut [u8]) -> io::Result<usize> {
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(out);
    loop {
        let before = (input.pos(), output.pos());
        let is_finished = decoder.run(&mut input, &mut output)? == 0;
        if is_finished || output.pos() == output.capacity() || before == (input.pos(), output.pos())
        {
            return Ok(output.pos());
        }
    }
}

/// Length of the gzip header at the start of `bytes`; `None` if there is none, or no data after it.
fn gzip_header(bytes: &[u8]) -> Option<usize> {
    const CRC: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    const RESERVED: u8 = 0xE0;
    const FIXED: usize = 10;
    let flags = *bytes.get(3)?;
    if flags & RESERVED != 0 {
        return None;
    }
    let mut length = FIXED;
    if flags & EXTRA != 0 {
        let size = bytes.get(length..length + 2)?;
        length += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for field in [NAME, COMMENT] {
        if flags & field != 0 {
            length += memchr::memchr(0, bytes.get(length..)?)? + 1;
        }
    }
    if flags & CRC != 0 {
        length += 2;
    }
    (length < bytes.len()).then_some(length)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::GzBuilder;

    use super::*;

    #[test]
    fn members_decode_and_look_alikes_do_not() {
        let header = GzBuilder::new().filename("a.warc").comment("c").extra(b"extra".as_slice());
        let mut encoder = header.write(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"some text").unwrap();
        let gzip = encoder.finish().unwrap();
        let mut trial = Trial::new(Compression::Gzip, b"").unwrap().unwrap();
        for _ in 0..2 {
            assert_eq!(trial.decode(&gzip), Some(b"some text".as_slice()));
            assert_eq!(trial.decode(b"\x1F\x8B\x08"), None);
            assert_eq!(trial.decode(&b"\x1F\x8B\x08".repeat(1000)), None);
            assert_eq!(trial.decode(b"\x1F\x8B\x08\x08\x01\x01\x01\x01\x02\x03endless name"), None);
        }
        let long = vec![b'x'; 300 << 10];
        let zstd = zstd::encode_all(long.as_slice(), 3).unwrap();
        let mut trial = Trial::new(Compression::Zstd, b"").unwrap().unwrap();
        for _ in 0..2 {
            assert_eq!(trial.decode(&zstd), Some(&long[..WANTED]));
            assert_eq!(trial.decode(&b"\x28\xB5\x2F\xFD".repeat(1000)), None);
        }
        assert!(Trial::new(Compression::None, b"").unwrap().is_none());
    }
}
