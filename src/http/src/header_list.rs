//! Headers with a list: the items of all their lines. An item with other bytes than visible ASCII does not hide the other items.

use axum::http::header::HeaderName;
use axum::http::{HeaderMap, HeaderValue};

/// Text in place of an item with other bytes: no address, cookie, format or encoding is written so.
const NOT_ASCII: &str = "?";

/// Returns the items of a header, from all of its lines, in order; `separator` is the byte between two items. Spaces around items remain.
pub(super) fn items(headers: &HeaderMap, name: HeaderName, separator: u8) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let items = lines.flat_map(move |line| line.split(move |byte| *byte == separator));
    items.map(|item| str::from_utf8(item).ok().filter(|item| item.is_ascii()).unwrap_or(NOT_ASCII))
}

#[cfg(test)]
mod tests {
    use axum::http::header::{ACCEPT, COOKIE};

    use super::*;

    #[test]
    fn an_item_of_other_bytes_hides_no_other() {
        let mut headers = HeaderMap::new();
        for line in [&b"a=1; b=\xc3\xa9; c=\xff"[..], b"d", b"\xe9;e"] {
            headers.append(COOKIE, HeaderValue::from_bytes(line).unwrap());
        }
        let found: Vec<&str> = items(&headers, COOKIE, b';').collect();
        assert_eq!(found, ["a=1", "?", "?", "d", "?", "e"]);
        assert_eq!(items(&headers, ACCEPT, b',').count(), 0);
    }
}
