//! Converts text files to UTF-8: UTF-16 with or without a byte order mark, UTF-8 with a mark, and Windows-1252 (Latin-1) for bytes that are
//! not valid UTF-8. Parquet files, packed files and PDFs are passed through unchanged.

use std::collections::VecDeque;
use std::io::{self, Read};

/// Encoding of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Not yet determined.
    Unknown,
    Binary,
    Text,
    /// UTF-16, and its byte order.
    Utf16 {
        is_little: bool,
    },
}

/// Windows-1252 characters in the range that Latin-1 leaves undefined.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Returns the character of a byte in Windows-1252.
pub(crate) fn windows_char(byte: u8) -> char {
    let place = byte.checked_sub(0x80).map(usize::from);
    place.and_then(|at| WINDOWS.get(at)).copied().unwrap_or(char::from(byte))
}

/// Bytes per read.
const CHUNK: usize = 1 << 15;

/// Bytes needed to determine an encoding.
const MARK_BYTES: usize = 4;

/// Reader that converts a file to UTF-8.
pub struct Utf8Reader<R> {
    inner: R,
    encoding: Encoding,
    /// Bytes of an incomplete character.
    begun: Vec<u8>,
    ready: VecDeque<u8>,
}

impl<R: Read> Utf8Reader<R> {
    /// Wraps a reader.
    pub fn new(inner: R) -> Self {
        Self { inner, encoding: Encoding::Unknown, begun: Vec::new(), ready: VecDeque::new() }
    }

    /// Reads until some output is ready, or the file ends.
    fn fill(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            let mut bytes = std::mem::take(&mut self.begun);
            let begun = bytes.len();
            bytes.resize(begun + CHUNK, 0);
            let read = self.inner.read(bytes.get_mut(begun..).unwrap_or_default())?;
            bytes.truncate(begun + read);
            let is_end = read == 0;
            if self.encoding == Encoding::Unknown {
                if bytes.len() < MARK_BYTES && !is_end {
                    self.begun = bytes;
                    continue;
                }
                let mark;
                (self.encoding, mark) = Encoding::detect(&bytes);
                bytes.drain(..mark);
            }
            if is_end && bytes.is_empty() {
                return Ok(());
            }
            self.begun = match self.encoding {
                Encoding::Utf16 { is_little } => put_utf16(&mut bytes, is_little, &mut self.ready),
                Encoding::Text => put_text(&bytes, is_end, &mut self.ready),
                Encoding::Binary | Encoding::Unknown => {
                    self.ready.extend(bytes);
                    Vec::new()
                }
            };
            if is_end {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Encoding {
    /// Returns the encoding by the first bytes, and the length of its byte order mark.
    fn detect(start: &[u8]) -> (Self, usize) {
        match start {
            [b'P', b'A', b'R', b'1', ..] | [b'P', b'K', 3, 4, ..] | [b'%', b'P', b'D', b'F', ..] => {
                (Self::Binary, 0)
            }
            [0xef, 0xbb, 0xbf, ..] => (Self::Text, 3),
            [0xff, 0xfe, ..] => (Self::Utf16 { is_little: true }, 2),
            [0xfe, 0xff, ..] => (Self::Utf16 { is_little: false }, 2),
            [1..=255, 0, 1..=255, 0, ..] => (Self::Utf16 { is_little: true }, 0),
            [0, 1..=255, 0, 1..=255, ..] => (Self::Utf16 { is_little: false }, 0),
            _ => (Self::Text, 0),
        }
    }
}

/// Decodes UTF-16 into `ready`, and returns the bytes of an incomplete character.
fn put_utf16(bytes: &mut Vec<u8>, is_little: bool, ready: &mut VecDeque<u8>) -> Vec<u8> {
    let unit = |pair: &[u8; 2]| if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(unit).collect();
    // A high surrogate waits for its low surrogate.
    let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
    let whole = units.len() - usize::from(is_half);
    for sign in char::decode_utf16(units.into_iter().take(whole)) {
        push_utf8(sign.unwrap_or(char::REPLACEMENT_CHARACTER), ready);
    }
    bytes.split_off(2 * whole)
}

/// Decodes text into `ready`, and returns the bytes of an incomplete character.
fn put_text(bytes: &[u8], is_end: bool, ready: &mut VecDeque<u8>) -> Vec<u8> {
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        ready.extend(chunk.valid().as_bytes());
        let is_begun = chunks.peek().is_none() && !is_end;
        if is_begun && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none()) {
            return chunk.invalid().to_vec();
        }
        for byte in chunk.invalid() {
            push_utf8(windows_char(*byte), ready);
        }
    }
    Vec::new()
}

fn push_utf8(sign: char, ready: &mut VecDeque<u8>) {
    ready.extend(sign.encode_utf8(&mut [0; 4]).bytes());
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.ready.is_empty() && self.encoding == Encoding::Binary {
            return self.inner.read(into);
        }
        self.fill()?;
        self.ready.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        /// Returns few bytes per read.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let most = into.len().min(3);
                self.0.read(&mut into[..most])
            }
        }
        let (mut whole, mut slow) = (String::new(), String::new());
        Utf8Reader::new(bytes).read_to_string(&mut whole).unwrap();
        Utf8Reader::new(Slow(bytes)).read_to_string(&mut slow).unwrap();
        assert_eq!(whole, slow);
        whole
    }

    #[test]
    fn every_encoding_reads_the_same() {
        let text = "Name,Zürich – 5 €\nNestlé,😀\n";
        let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        let (little, big) = (units(u16::to_le_bytes), units(u16::to_be_bytes));
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            [b"\xff\xfe", little.as_slice()].concat(),
            [b"\xfe\xff", big.as_slice()].concat(),
            little,
            big,
        ] {
            assert_eq!(decoded(&bytes), text);
        }
        assert_eq!(decoded(b"Nestl\xe9,Z\xfcrich \x96 5 \x80"), "Nestlé,Zürich – 5 €");
        assert_eq!(
            (decoded(b""), decoded(b"\xff\xfe"), decoded(b"Nestl\xc3")),
            (String::new(), String::new(), "NestlÃ".into())
        );
    }

    #[test]
    fn signs_that_lie_across_two_readings_are_whole_and_parquet_passes_as_it_is() {
        let text = format!("x{}", "é".repeat(CHUNK));
        assert_eq!(decoded(text.as_bytes()), text);
        let half = [b"\xff\xfe".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
        assert_eq!(decoded(&half), text);
        let mut bytes = Vec::new();
        let binary = [b"PAR1\xff\xfe\x00".to_vec(), vec![0xe9; 1 << 17]].concat();
        Utf8Reader::new(binary.as_slice()).read_to_end(&mut bytes).unwrap();
        assert!(bytes == binary);
    }
}
