//! A buffered reader that can look any number of bytes ahead.
//!
//! `BufReader::fill_buf` may show a single byte if its buffer happens to end there, but recognizing
//! a gzip header or a `WARC/1.` line needs several bytes in one piece.

use std::io::{self, BufRead, ErrorKind, Read};

/// Buffer size that suits files and decoders alike.
pub const BUFFER: usize = 32 << 10;

#[derive(Debug)]
pub struct Peek<R> {
    inner: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Peek<R> {
    pub fn new(inner: R) -> Self {
        Self::with_buffer(inner, BUFFER)
    }

    pub fn with_buffer(inner: R, size: usize) -> Self {
        Peek { inner, buffer: vec![0; size.max(1)], start: 0, end: 0 }
    }

    /// Shows the next bytes without consuming them: at least `wanted`, fewer only at the end of the
    /// input. After an error, the bytes read before it are still there.
    pub fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        self.make_room(wanted);
        while self.end - self.start < wanted && self.read_more()? > 0 {}
        Ok(&self.buffer[self.start..self.end])
    }

    /// Bytes read from the inner reader but not consumed.
    pub fn buffered(&self) -> usize {
        self.end - self.start
    }

    pub fn inner(&self) -> &R {
        &self.inner
    }

    pub fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Forgets what was read ahead, because the inner reader has jumped elsewhere.
    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Puts bytes back in front of those that were not consumed.
    pub fn unread(&mut self, bytes: &[u8]) {
        let mut buffer = Vec::with_capacity(bytes.len() + self.buffer.len());
        buffer.extend_from_slice(bytes);
        buffer.extend_from_slice(&self.buffer[self.start..self.end]);
        (self.start, self.end) = (0, buffer.len());
        buffer.resize(buffer.len().max(self.buffer.len()), 0);
        self.buffer = buffer;
    }

    fn make_room(&mut self, wanted: usize) {
        if self.start + wanted <= self.buffer.len() {
            return;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }

    fn read_more(&mut self) -> io::Result<usize> {
        loop {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
            }
        }
    }
}

impl<R: Read> BufRead for Peek<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.clear();
            self.read_more()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }
}

impl<R: Read> Read for Peek<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(out.len());
        out[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte per call: the worst case for code that trusts `fill_buf`.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(out.len()).min(1);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn shows_as_many_bytes_as_asked_for() {
        let mut peek = Peek::with_buffer(Trickle(b"abcdefgh"), 2);
        assert_eq!(peek.peek(3).unwrap(), b"abc");
        peek.consume(2);
        assert_eq!(peek.peek(4).unwrap(), b"cdef");
        assert_eq!(peek.peek(99).unwrap(), b"cdefgh");
        peek.unread(b"ab");
        assert_eq!(peek.peek(1).unwrap(), b"abcdefgh");
        peek.consume(2);
        let mut rest = Vec::new();
        peek.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"cdefgh");
        assert_eq!(peek.peek(1).unwrap(), b"");
    }
}
