//! Entity tags. All of them are weak: `meta` changes from reply to reply and compression changes the bytes, while a tag identifies `data`.
//! One tag holds for every encoding, and `If-None-Match` is compared weakly, as specified.

use axum::http::{HeaderMap, header};

/// Returns the weak form of a quoted tag.
pub(super) fn weak_form(tag: &str) -> String {
    if tag.starts_with("W/") { tag.to_owned() } else { format!("W/{tag}") }
}

/// Returns true if a header `If-None-Match` names the tag, so that the reply is a 304.
pub(super) fn is_named(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(header::IF_NONE_MATCH);
    // The tags of others may contain any byte from 0x80 on.
    lines.iter().any(|line| list_contains(&String::from_utf8_lossy(line.as_bytes()), opaque_tag(tag)))
}

/// Returns true if a list of tags contains the tag with a quoted, opaque part.
///
/// `*` never matches: it checks whether a resource exists at all, before it is created. If it matched, every call could be answered with
/// 304 for free.
fn list_contains(mut list: &str, opaque: &str) -> bool {
    loop {
        list = list.trim_start_matches([' ', '\t', ',']);
        // A tag may contain commas, so the list is read quote by quote.
        let Some(end) = opaque_tag(list).strip_prefix('"').and_then(|rest| rest.find('"')) else {
            return false;
        };
        let (tag, rest) = opaque_tag(list).split_at(end + 2);
        if tag == opaque {
            return true;
        }
        list = rest;
    }
}

fn opaque_tag(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn asks(lines: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::IF_NONE_MATCH, HeaderValue::from_static(line));
        }
        is_named(&headers, "W/\"abc\"")
    }

    #[test]
    fn lists_and_both_forms_match() {
        assert!(asks(&["\"abc\""]));
        assert!(asks(&["W/\"abc\""]));
        assert!(asks(&["\"x\", W/\"y,z\" ,\t\"abc\""]));
        assert!(asks(&["\"x\"", "\"abc\""]));
        let line = HeaderValue::from_bytes(b"\"\xe9\", \"abc\"").unwrap();
        assert!(is_named(&HeaderMap::from_iter([(header::IF_NONE_MATCH, line)]), "W/\"abc\""));
    }

    #[test]
    fn others_and_nonsense_do_not() {
        assert!(!asks(&[]));
        assert!(!asks(&["\"ab\", \"abcd\""]));
        assert!(!asks(&["abc"]));
        assert!(!asks(&["*"]));
        assert!(!asks(&["\"abc"]));
        assert!(!asks(&["\"x,abc\""]));
        assert!(!asks(&["", ",,"]));
    }
}
