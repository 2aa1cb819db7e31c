//! Base64 with the letters of URLs and without padding (RFC 4648, section 5), as OAuth writes hashes and numbers.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as text.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..=group.len() {
            let letter = LETTERS.get((word >> (18 - 6 * place) & 63) as usize);
            text.extend(letter.map(|letter| char::from(*letter)));
        }
    }
    text
}

/// The bytes of a text; `None` if it is not the one way to write them.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.as_bytes().chunks(4) {
        let mut word = 0_u32;
        for byte in group {
            word = word << 6 | LETTERS.iter().position(|letter| letter == byte)? as u32;
        }
        word <<= 6 * (4 - group.len());
        let [_, written @ ..] = word.to_be_bytes();
        bytes.extend(written.iter().take(group.len().checked_sub(1)?));
    }
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard() {
        // RFC 4648, section 10, without padding.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff, 0xbf]), "-_-_");
        for wrong in ["Z", "Zh", "Zg==", "Zm9", "Zm 9", "Zm9v+/", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
