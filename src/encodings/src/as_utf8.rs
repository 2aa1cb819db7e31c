//! Converts text files to UTF-8: UTF-16 with or without a byte order mark, UTF-8 with such a mark, and Windows-1252 for bytes that are
//! not valid UTF-8. Parquet files, ZIP archives and PDFs are passed through unchanged.

use std::collections::VecDeque;
use std::io::{self, Read};

/// Encoding of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Not determined yet: fewer than `MARK_BYTES` bytes have been read.
    Unknown,
    /// A Parquet file, a ZIP archive or a PDF.
    Binary,
    /// UTF-8, with Windows-1252 for invalid bytes.
    Text,
    /// UTF-16.
    Utf16 { is_little_endian: bool },
}

/// Windows-1252 characters of the bytes 0x80 to 0x9F, which are control characters in Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Returns the character of a byte in Windows-1252.
pub(crate) fn windows_char(byte: u8) -> char {
    let index = byte.checked_sub(0x80).map(usize::from);
    index.and_then(|index| WINDOWS_1252.get(index)).copied().unwrap_or(char::from(byte))
}

/// Bytes per read.
const CHUNK: usize = 1 << 15;

/// Bytes needed to determine an encoding.
const MARK_BYTES: usize = 4;

/// A reader that converts a file to UTF-8.
pub struct Utf8Reader<R> {
    inner: R,
    encoding: Encoding,
    /// Bytes of an incomplete character.
    incomplete: Vec<u8>,
    /// Converted bytes that the caller has not read yet.
    output: VecDeque<u8>,
}

impl<R: Read> Utf8Reader<R> {
    /// Wraps a reader of the bytes of a file, from its beginning.
    pub fn new(inner: R) -> Self {
        Self { inner, encoding: Encoding::Unknown, incomplete: Vec::new(), output: VecDeque::new() }
    }

    /// Reads until some output is ready, or the file ends.
    fn fill(&mut self) -> io::Result<()> {
        while self.output.is_empty() {
            let mut bytes = std::mem::take(&mut self.incomplete);
            let carried = bytes.len();
            bytes.resize(carried + CHUNK, 0);
            let read = self.inner.read(bytes.get_mut(carried..).unwrap_or_default())?;
            bytes.truncate(carried + read);
            let is_end = read == 0;
            if self.encoding == Encoding::Unknown {
                if bytes.len() < MARK_BYTES && !is_end {
                    self.incomplete = bytes;
                    continue;
                }
                let mark;
                (self.encoding, mark) = Encoding::detect(&bytes);
                bytes.drain(..mark);
            }
            if is_end && bytes.is_empty() {
                return Ok(());
            }
            self.incomplete = match self.encoding {
                Encoding::Utf16 { is_little_endian } => {
                    put_utf16(&mut bytes, is_little_endian, &mut self.output)
                }
                Encoding::Text => put_text(&bytes, is_end, &mut self.output),
                Encoding::Binary | Encoding::Unknown => {
                    self.output.extend(bytes);
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
    /// Returns the encoding that the first bytes indicate, and the length of the byte order mark.
    fn detect(start: &[u8]) -> (Self, usize) {
        match start {
            [b'P', b'A', b'R', b'1', ..] | [b'P', b'K', 3, 4, ..] | [b'%', b'P', b'D', b'F', ..] => {
                (Self::Binary, 0)
            }
            [0xef, 0xbb, 0xbf, ..] => (Self::Text, 3),
            [0xff, 0xfe, ..] => (Self::Utf16 { is_little_endian: true }, 2),
            [0xfe, 0xff, ..] => (Self::Utf16 { is_little_endian: false }, 2),
            [1..=255, 0, 1..=255, 0, ..] => (Self::Utf16 { is_little_endian: true }, 0),
            [0, 1..=255, 0, 1..=255, ..] => (Self::Utf16 { is_little_endian: false }, 0),
            _ => (Self::Text, 0),
        }
    }
}

/// Decodes UTF-16 into `output`, and returns the bytes of an incomplete character.
fn put_utf16(bytes: &mut Vec<u8>, is_little_endian: bool, output: &mut VecDeque<u8>) -> Vec<u8> {
    let unit =
        |pair: &[u8; 2]| if is_little_endian { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(unit).collect();
    // A high surrogate waits for its low surrogate.
    let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
    let whole = units.len() - usize::from(is_half);
    for character in char::decode_utf16(units.into_iter().take(whole)) {
        push_utf8(character.unwrap_or(char::REPLACEMENT_CHARACTER), output);
    }
    bytes.split_off(2 * whole)
}

/// Decodes text into `output`, and returns the bytes of an incomplete character.
fn put_text(bytes: &[u8], is_end: bool, output: &mut VecDeque<u8>) -> Vec<u8> {
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        output.extend(chunk.valid().as_bytes());
        let may_continue = chunks.peek().is_none() && !is_end;
        if may_continue
            && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none())
        {
            return chunk.invalid().to_vec();
        }
        for byte in chunk.invalid() {
            push_utf8(windows_char(*byte), output);
        }
    }
    Vec::new()
}

fn push_utf8(character: char, output: &mut VecDeque<u8>) {
    output.extend(character.encode_utf8(&mut [0; 4]).bytes());
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.output.is_empty() && self.encoding == Encoding::Binary {
            return self.inner.read(into);
        }
        self.fill()?;
        self.output.read(into)
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
    fn characters_across_two_reads_are_whole_and_parquet_is_unchanged() {
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
