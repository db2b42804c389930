//! How a file is compressed, told by its first bytes.
//!
//! Names are no help: `.warc` files that are gzip inside, and `.warc.gz` files that are not, are
//! common.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// Compression of a file that begins with `start`.
    pub fn of(start: &[u8]) -> Compression {
        match start {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            // A skippable frame: `.warc.zst` begins with one that holds the dictionary.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}
