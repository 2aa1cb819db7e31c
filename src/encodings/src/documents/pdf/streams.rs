//! The data of a file's streams, and bounds on what they unpack to.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;

use crate::unpack_bounds::refusal;

/// Maximum bytes to which the streams of a file unpack together.
pub(super) const MOST_UNPACKED: usize = 512 << 20;
/// Maximum bytes of a stream that is packed in another way than most.
const MOST_RARELY_PACKED: usize = 256 << 10;

/// Checks that the streams of a file do not unpack to too much. A stream is found by its keyword, so that the check needs no structure.
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

/// Returns the data of a stream; `None` for a picture, for data that is packed twice, and for long data that is packed in a rare way.
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
