//! Entity tags. All of ours are weak: `meta` changes from reply to reply and compression changes the bytes, while the
//! tag names the `data`. So one tag holds for every encoding, and `If-None-Match` is compared as it should be: weakly.

use axum::http::{HeaderMap, HeaderValue, header};

/// The weak form of a quoted tag.
pub(super) fn weak(tag: &str) -> String {
    if tag.starts_with("W/") { tag.to_owned() } else { format!("W/{tag}") }
}

/// Whether a header `If-None-Match` names this tag.
pub(super) fn none_match(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(header::IF_NONE_MATCH);
    lines.iter().filter_map(|line: &HeaderValue| line.to_str().ok()).any(|line| names(line, opaque(tag)))
}

/// Whether a list of tags names the one with this quoted, opaque part.
///
/// `*` names none. It asks whether there is anything at all, which is for those who are about to create it; taken for a tag it would
/// say of every call for nothing that it could be answered.
fn names(mut list: &str, wanted: &str) -> bool {
    loop {
        list = list.trim_start_matches([' ', '\t', ',']);
        // A tag may hold commas, so that the list is read quote by quote.
        let Some(end) = opaque(list).strip_prefix('"').and_then(|rest| rest.find('"')) else { return false };
        let (tag, rest) = opaque(list).split_at(end + 2);
        if tag == wanted {
            return true;
        }
        list = rest;
    }
}

fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(lines: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::IF_NONE_MATCH, HeaderValue::from_static(line));
        }
        none_match(&headers, "W/\"abc\"")
    }

    #[test]
    fn lists_and_both_forms_match() {
        assert!(asks(&["\"abc\""]));
        assert!(asks(&["W/\"abc\""]));
        assert!(asks(&["\"x\", W/\"y,z\" ,\t\"abc\""]));
        assert!(asks(&["\"x\"", "\"abc\""]));
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
