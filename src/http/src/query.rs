//! The query string: pairs of text, decoded strictly. It does not interpret names.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use parquote_access::redact;

/// Name of the pair that carries a key instead of an argument.
const API_KEY: &str = "apiKey";

/// Decoded pair of name and value.
pub(super) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A pair that is not percent-encoded UTF-8.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` in the query string is not percent-encoded UTF-8: `%` is followed by two hexadecimal digits, and the \
     bytes are text"
)]
pub(super) struct BadEncoding {
    /// Name of the pair, undecoded.
    name: String,
}

/// Decodes the arguments of a query string, in order and including repeated names, without the pair of the key. The error names the first
/// pair that is not percent-encoded UTF-8.
pub(super) fn arguments(query: &str) -> Result<Vec<Pair<'_>>, BadEncoding> {
    let mut pairs = Vec::new();
    for (name, value) in segments(query) {
        let bad = || BadEncoding { name: name.to_owned() };
        let decoded = decode(name).ok_or_else(bad)?;
        if decoded != API_KEY {
            pairs.push((decoded, decode(value).ok_or_else(bad)?));
        }
    }
    Ok(pairs)
}

/// Returns the values of the pairs of the key, undecoded if they cannot be decoded.
pub(super) fn keys(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let is_key = |name| decode(name).is_some_and(|name| name == API_KEY);
    segments(query)
        .filter(move |(name, _)| is_key(name))
        .map(|(_, value)| decode(value).unwrap_or(Cow::Borrowed(value)))
}

/// Redacts a query string for the log: it drops the pair of the key in any encoding, hides the values of pairs whose names suggest a
/// secret, and cuts out everything else that looks like a key.
pub(super) fn redact_query(query: &str) -> Cow<'_, str> {
    let is_key = |segment: &str| decode(split_pair(segment).0).is_some_and(|name| name == API_KEY);
    let is_clean = |segment: &str| {
        !is_key(segment) && !is_secret_name(segment) && matches!(redact_text(segment), Cow::Borrowed(_))
    };
    if query.split('&').all(is_clean) {
        return Cow::Borrowed(query);
    }
    let redacted = query.split('&').filter(|segment| !is_key(segment)).map(|segment| {
        if is_secret_name(segment) {
            Cow::Owned(format!("{}=[hidden]", split_pair(segment).0))
        } else {
            redact_text(segment)
        }
    });
    Cow::Owned(redacted.collect::<Vec<_>>().join("&"))
}

/// Returns true if the value of a pair is hidden from the log because of its name. This includes near misspellings, since they contain the
/// same secret.
fn is_secret_name(segment: &str) -> bool {
    const SECRETS: [&str; 5] = ["key", "token", "secret", "password", "kye"];
    let (name, value) = split_pair(segment);
    let name = decode(name).unwrap_or(Cow::Borrowed(name)).to_lowercase();
    // No provider has such a long name: this is a key in the wrong place.
    let is_misplaced = name == "provider" && value.len() >= 16;
    // The text after the tilde grants access to a shared list.
    let is_shared = name == "list" && (value.contains('~') || value.to_lowercase().contains("%7e"));
    is_misplaced || is_shared || !value.is_empty() && SECRETS.iter().any(|word| name.contains(word))
}

/// Redacts a part of a URL for the log; if it contains a key in any encoding, the result is decoded and without the key.
pub(super) fn redact_text(text: &str) -> Cow<'_, str> {
    match decode(text) {
        Some(Cow::Owned(decoded)) if matches!(redact(&decoded), Cow::Owned(_)) => {
            redact(&decoded).into_owned().into()
        }
        _ => redact(text),
    }
}

fn segments(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|segment| !segment.is_empty()).map(split_pair)
}

fn split_pair(segment: &str) -> (&str, &str) {
    segment.split_once('=').unwrap_or((segment, ""))
}

/// Decodes `%xx` and `+`; `None` if that is not possible or is not UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    let is_byte = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if !text.split('%').skip(1).all(is_byte) {
        return None;
    }
    if !text.contains('+') {
        return percent_decode_str(text).decode_utf8().ok();
    }
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(|decoded| Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Vec<(String, String)> {
        arguments(query).unwrap().into_iter().map(|(n, v)| (n.into_owned(), v.into_owned())).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn pairs_are_decoded_in_order() {
        let query = "symbol=M%26M&q=a+b%20c&q=%E0%A4%AD&flag&empty=&&x=a=b";
        let expected =
            [("symbol", "M&M"), ("q", "a b c"), ("q", "भ"), ("flag", ""), ("empty", ""), ("x", "a=b")];
        assert_eq!(read(query), pairs(&expected));
        assert_eq!(read(""), []);
    }

    #[test]
    fn the_key_is_no_argument_and_is_not_logged() {
        assert_eq!(read("apiKey=pq_1&symbol=TCS&api%4Bey=%zz"), pairs(&[("symbol", "TCS")]));
        assert_eq!(redact_query("apiKey=pq_1&symbol=TCS&api%4Bey=2"), "symbol=TCS");
        assert_eq!(redact_query("symbol=%zz"), "symbol=%zz");
        assert_eq!(redact_query("apiKey=pq_1"), "");
    }

    #[test]
    fn a_key_under_another_name_is_not_logged() {
        let key = "pq_0123456789abcdef0123456789abcdef";
        assert_eq!(redact_query(&format!("apikey={key}&limit=5")), "apikey=[hidden]&limit=5");
        assert_eq!(redact_query(&format!("symbol=%70q%5F{}", &key[3..])), "symbol=pq_[key]");
        assert_eq!(redact_query(&format!("symbol={key}%zz")), "symbol=pq_[key]%zz");
        assert_eq!(redact_text(&format!("/v1/{key}/x")), "/v1/pq_[key]/x");
        assert_eq!(redact_query("list=Mine,~0a1b&limit=5"), "list=[hidden]&limit=5");
        assert!(matches!(redact_query("list=Mine&limit=5&q=a+b"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_not_text_is_refused_by_name() {
        for query in ["a=1&symbol=%", "a=1&symbol=%4", "symbol=%zz", "symbol=%ff", "symbol=%+1"] {
            assert_eq!(arguments(query), Err(BadEncoding { name: "symbol".to_owned() }), "{query}");
        }
        assert!(arguments("%ff=1").is_err());
    }
}
