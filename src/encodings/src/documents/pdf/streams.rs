//! Data of the streams of a PDF, and limits on their unpacked size.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;

use crate::unpack_bounds::refusal;

/// Maximum bytes to which the streams of a file unpack together.
pub(super) const MOST_UNPACKED: usize = 512 << 20;
/// Maximum packed bytes of a stream with another compression than Flate.
const MOST_RARELY_PACKED: usize = 256 << 10;

/// Checks the unpacked size of all streams of a file. They are found by their keyword, so that the structure of the file need not be read.
pub(super) fn check_unpacked(bytes: &[u8]) -> io::Result<()> {
    const KEYWORD: &[u8] = b"stream";
    let mut left = MOST_UNPACKED;
    let mut buffer = vec![0; 1 << 16];
    for (at, _) in bytes.windows(KEYWORD.len()).enumerate().filter(|(_, word)| *word == KEYWORD) {
        let packed = bytes.get(at + KEYWORD.len()..).unwrap_or_default().trim_ascii_start();
        // A header of two bytes may come before the packed data.
        let packed = match packed {
            [first, second, rest @ ..] if u16::from_be_bytes([*first, *second]).is_multiple_of(31) => rest,
            _ => packed,
        };
        let mut unpacked = DeflateDecoder::new(packed);
        while let Ok(read @ 1..) = unpacked.read(&mut buffer) {
            left = left.checked_sub(read).ok_or_else(|| {
                let most = MOST_UNPACKED >> 20;
                refusal(format!("it is a PDF that unpacks to more than {most} MiB: save its text as .txt"))
            })?;
        }
    }
    Ok(())
}

/// Returns the unpacked data of a stream; `None` for an image, for data compressed twice, and for long data not compressed by Flate.
pub(super) fn unpack(stream: &Stream<'_>) -> Option<Vec<u8>> {
    let filters = stream.filters();
    let packings =
        filters.iter().filter(|filter| !matches!(filter, Filter::AsciiHexDecode | Filter::Ascii85Decode));
    let is_usual = filters.iter().all(|filter| matches!(filter, Filter::FlateDecode));
    if packings.count() > 1 || !is_usual && stream.raw_data().len() > MOST_RARELY_PACKED {
        return None;
    }
    stream.decoded_data().ok().map(Cow::into_owned)
}
