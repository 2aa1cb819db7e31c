//! Canonical spelling of symbols in each market.

use std::borrow::Cow;

use parquote_catalogue::operation::Market;

/// Converts a symbol from a user's file to the market's canonical spelling.
pub fn market_spelling(symbol: &str, market: Market) -> String {
    let symbol = &*clean(symbol);
    match market {
        Market::India => symbol.strip_prefix("NSE:").unwrap_or(symbol).to_uppercase(),
        Market::Us => normalize_us_symbol(symbol),
    }
}

/// Removes blanks and NUL characters around a symbol, and restores an ampersand that is written as `&amp;`.
pub fn clean(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    if text.contains("&amp;") { text.replace("&amp;", "&").into() } else { text.into() }
}

/// Normalizes a US symbol to upper case, with a point before the share class; sources write `.`, `/` or `-`, and some append `.US`.
pub fn normalize_us_symbol(text: &str) -> String {
    let text = match text.len().checked_sub(3).and_then(|end| text.split_at_checked(end)) {
        Some((symbol, country)) if country.eq_ignore_ascii_case(".us") => symbol,
        _ => text,
    };
    text.chars()
        .map(|c| match c {
            '/' | '-' => '.',
            c => c.to_ascii_uppercase(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_a_symbol_is_none_of_it() {
        for written in ["casea", " CASEA\u{a0}", "\0\0CASEA", "NSE:CASEA"] {
            assert_eq!(market_spelling(written, Market::India), "CASEA", "{written:?}");
        }
        assert_eq!(market_spelling("M&amp;M", Market::India), "M&M");
    }

    #[test]
    fn classes_have_one_spelling() {
        assert_eq!(
            (normalize_us_symbol("brk/b"), normalize_us_symbol("BRK-B")),
            ("BRK.B".into(), "BRK.B".into())
        );
        assert_eq!(
            (normalize_us_symbol("BRK-B.US"), normalize_us_symbol("us")),
            ("BRK.B".into(), "US".into())
        );
    }
}
