//! Compresses the JSON of templates, with a checksum, and decompresses it up to a limit.

use std::io::{self, ErrorKind, Read, Write};

/// Limit of the decompressed size, 512 MiB. The templates of a site are a few hundred kilobytes of
/// JSON, so this is room for a thousand sites in one file, and little enough for a few bytes that
/// decompress to terabytes to be an error instead of the end of the process.
pub const MAX_JSON_BYTES: usize = 512 << 20;

/// Compresses the JSON of templates with zstd. A checksum makes a changed bit an error for
/// [`unpack`].
///
/// # Errors
/// The level is not one of zstd's.
pub fn pack(json: &str, level: i32) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), level)?;
    encoder.include_checksum(true)?;
    encoder.write_all(json.as_bytes())?;
    encoder.finish()
}

/// Decompresses what [`pack`] gave, or any other zstd: files of older releases have no checksum.
///
/// # Errors
/// The data is damaged, or decompresses to more than [`MAX_JSON_BYTES`].
pub fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    unpack_limited(packed, MAX_JSON_BYTES)
}

fn unpack_limited(packed: &[u8], limit: usize) -> io::Result<Vec<u8>> {
    let mut json = Vec::new();
    zstd::Decoder::new(packed)?.take(limit as u64 + 1).read_to_end(&mut json)?;
    if json.len() > limit {
        let what = format!("decompresses to more than {limit} bytes");
        return Err(io::Error::new(ErrorKind::InvalidData, what));
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "{\"some\": \"templates, templates, templates, and a few other words\"}";

    #[test]
    fn packed_templates_are_unpacked() {
        assert_eq!(unpack(&pack(JSON, 9).unwrap()).unwrap(), JSON.as_bytes());
        let without_checksum = zstd::encode_all(JSON.as_bytes(), 9).unwrap();
        assert_eq!(unpack(&without_checksum).unwrap(), JSON.as_bytes());
        assert!(unpack(b"").is_err());
    }

    #[test]
    fn no_flipped_bit_gives_other_templates() {
        let packed = pack(JSON, 9).unwrap();
        for bit in 0..packed.len() * 8 {
            let mut damaged = packed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Some bits of the header say only how much memory the decoder may use.
            if let Ok(json) = unpack(&damaged) {
                assert_eq!(json, JSON.as_bytes(), "bit {bit}");
            }
        }
        for length in 1..packed.len() {
            assert!(unpack(&packed[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn a_bomb_is_an_error() {
        let bomb = zstd::encode_all(io::repeat(b'x').take(1 << 20), 9).unwrap();
        assert!(bomb.len() < 1000);
        let error = unpack_limited(&bomb, 1000).unwrap_err().to_string();
        assert_eq!(error, "decompresses to more than 1000 bytes");
        assert_eq!(unpack_limited(&bomb, 1 << 20).unwrap().len(), 1 << 20);
    }
}
