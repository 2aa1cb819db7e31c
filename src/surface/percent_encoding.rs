//! Texts as parts of a URL, by percent-encoding (RFC 3986, section 2).

use std::fmt::Write as _;

/// A text with every byte encoded but letters, digits, `-`, `.`, `_`, `~` and those of `kept`: a segment of a path, or a value in a
/// query.
pub(crate) fn encoded(text: &str, kept: &[u8]) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a text cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_what_means_itself_is_encoded() {
        assert_eq!(encoded("M&M", b""), "M%26M");
        assert_eq!(encoded("Jun 2026", b""), "Jun%202026");
        assert_eq!(encoded("é,a-b", b","), "%C3%A9,a-b");
        assert_eq!(encoded("a,b/../c?", b""), "a%2Cb%2F..%2Fc%3F");
    }
}
