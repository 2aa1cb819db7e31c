//! What a text of Rust says to the compiler: its tokens, without blanks, comments and what only tests compile.
//!
//! It is no parser: it tells texts in quotes and lifetimes from names, and finds the end of an item by its brackets.

/// The tokens of a text, without comments and without the items under `#[cfg(test)]`.
pub(crate) fn code(text: &str) -> Vec<String> {
    const TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let tokens = tokens(text);
    let (mut code, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        let is_test = tokens.get(at..at + TESTS.len()).is_some_and(|some| some == TESTS);
        if is_test {
            at = end_of_item(&tokens, at + TESTS.len());
        } else {
            code.push(token.clone());
            at += 1;
        }
    }
    code
}

/// The place behind an item: behind its `;`, or behind the brace that closes its body.
fn end_of_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" if depth == 1 => return at,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

/// The tokens of a text of Rust, without blanks and comments. A text in quotes is one token.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => token(rest, first),
        };
        let (token, behind) = rest.split_at(length);
        if !first.is_whitespace() && !token.starts_with("//") && !token.starts_with("/*") {
            tokens.push(token.to_owned());
        }
        rest = behind;
    }
    tokens
}

/// How long the token is with which a text begins.
fn token(text: &str, first: char) -> usize {
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let behind = text.get(word..).unwrap_or_default();
    let is_raw = ["r", "br"].contains(&text.get(..word).unwrap_or_default());
    if is_raw && behind.trim_start_matches('#').starts_with('"') {
        let hashes = behind.len() - behind.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let inside = word + hashes + 1;
        return text
            .get(inside..)
            .and_then(|rest| rest.find(&end))
            .map_or(text.len(), |at| inside + at + end.len());
    }
    match first {
        '"' => quoted(text, '"'),
        // A letter or an escape in quotes; a name behind a quote alone is a lifetime.
        '\'' if text.chars().nth(1) == Some('\\') || text.chars().nth(2) == Some('\'') => quoted(text, '\''),
        '\'' => {
            1 + text
                .get(1..)
                .and_then(|rest| rest.find(|c: char| !c.is_alphanumeric() && c != '_'))
                .unwrap_or(0)
        }
        ':' if text.starts_with("::") => 2,
        _ if word > 0 => word,
        _ => first.len_utf8(),
    }
}

/// How long a text in quotes is.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
