//! Cleans a provider's error text: one short line without any part of a key.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::key::ProviderKey;

/// Maximum characters of a cleaned line.
const LONGEST_RESULT: usize = 200;
/// Replacement of a key.
const REPLACEMENT: &str = "[key]";
/// Maximum characters of a text that are read; later ones would be cut anyway.
const MOST_SCANNED: usize = 4_096;
/// Minimum number of consecutive characters of a key that count as a quote of it.
const PARTIAL_QUOTE_LENGTH: usize = 8;
/// Prefixes of providers' keys.
const PREFIXES: [&str; 9] = ["sk-", "sk_", "gsk_", "gsk-", "aiza", "pq_", "rk-", "xai-", "key-"];
/// Length from which a run of letters and digits counts as a key.
const LONG_RUN: usize = 20;

/// Returns one line of at most 200 characters, without control characters, the key, and anything that looks like a key.
pub(super) fn clean_line(text: &str, key: &ProviderKey) -> String {
    let visible: String =
        text.chars().take(MOST_SCANNED).map(|c| if is_printable(c) { c } else { ' ' }).collect();
    let keyless = without_key_parts(&visible, key.reveal());
    let mut line = String::new();
    for word in keyless.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&without_keys(word));
        if line.chars().count() > LONGEST_RESULT {
            break;
        }
    }
    match line.char_indices().nth(LONGEST_RESULT) {
        None => line,
        Some(_) => line.chars().take(LONGEST_RESULT - 3).chain("...".chars()).collect(),
    }
}

/// Removes the key from a text and changes nothing else.
pub(super) fn without_key(text: String, key: &ProviderKey) -> String {
    if text.contains(key.reveal()) { text.replace(key.reveal(), REPLACEMENT) } else { text }
}

/// Cleans the name of a model in a reply: at most 200 characters, without control characters and the key.
pub(super) fn clean_name(text: &str, key: &ProviderKey) -> String {
    without_key(text.chars().filter(|c| is_printable(*c)).take(LONGEST_RESULT).collect(), key)
}

/// Removes the key from every text and field name of a JSON value; returns `true` if it was in one.
pub(super) fn remove_key_from_json(value: &mut Json, key: &ProviderKey) -> bool {
    match value {
        Json::String(text) => {
            let has_key = text.contains(key.reveal());
            *text = without_key(std::mem::take(text), key);
            has_key
        }
        Json::Array(list) => clean_each(list.iter_mut(), key),
        Json::Object(fields) => {
            let is_in_names = fields.keys().any(|name| name.contains(key.reveal()));
            if is_in_names {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, value)| (without_key(name, key), value)));
            }
            clean_each(fields.values_mut(), key) || is_in_names
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

/// Removes the key from several JSON values; returns `true` if it was in one of them.
fn clean_each<'a>(values: impl Iterator<Item = &'a mut Json>, key: &ProviderKey) -> bool {
    let mut is_changed = false;
    for value in values {
        is_changed |= remove_key_from_json(value, key);
    }
    is_changed
}

/// Returns true if a line may contain the character: neither a control character nor one that reverses or hides the text after it.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Removes the key and its longer fragments from a text: some providers quote the start and the end of a key.
fn without_key_parts(text: &str, key: &str) -> String {
    let key = key.as_bytes();
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let bytes = rest.as_bytes();
        let common = |from: &[u8]| from.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let part = (0..key.len()).filter_map(|at| key.get(at..)).map(common).max().unwrap_or_default();
        // Keys are ASCII, so a part of one ends at a character boundary.
        let (is_key_part, length) =
            if part >= PARTIAL_QUOTE_LENGTH { (true, part) } else { (false, first.len_utf8()) };
        if is_key_part {
            clean.push_str(REPLACEMENT);
        } else {
            clean.push(first);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    clean
}

/// Removes runs that look like a key from a word.
fn without_keys(word: &str) -> Cow<'_, str> {
    let is_run_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | '~' | '+');
    let mut clean = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        let run_end = rest.find(|c| !is_run_char(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(run_end);
        clean.push_str(if looks_like_a_key(run) { REPLACEMENT } else { run });
        let next = after.find(is_run_char).unwrap_or(after.len());
        let (between, after) = after.split_at(next);
        clean.push_str(between);
        rest = after;
    }
    if clean == word { Cow::Borrowed(word) } else { Cow::Owned(clean) }
}

fn looks_like_a_key(run: &str) -> bool {
    let lower = run.to_ascii_lowercase();
    let has_prefix =
        run.len() > PARTIAL_QUOTE_LENGTH && PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    // Model names have long runs too, but with a separator every few letters.
    let is_long = lower.split(['-', '.']).any(|piece| {
        piece.len() >= LONG_RUN
            && piece.bytes().any(|b| b.is_ascii_digit())
            && piece.bytes().any(|b| b.is_ascii_alphabetic())
    });
    has_prefix || is_long
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "a1B2-c3D4/e5F6+g7H8=i9J0";

    fn scrubbed(text: &str) -> String {
        clean_line(text, &KEY.parse().unwrap())
    }

    #[test]
    fn the_key_goes_whole_and_in_part() {
        assert_eq!(scrubbed(&format!("bad key {KEY}, sorry")), "bad key [key], sorry");
        assert_eq!(scrubbed(&format!("<{KEY}{KEY}>")), "<[key][key]>");
        // The first and last characters, as some providers quote a key.
        assert_eq!(scrubbed("bad: 5F6+g7H8... or é-c3D4/e5F6é"), "bad: [key]... or é[key]é");
        // A masked key shows seven characters.
        assert_eq!(scrubbed("bad: 5F6+g7H"), "bad: 5F6+g7H");
        let key = KEY.parse().unwrap();
        assert_eq!(without_key(format!("{{\"a\": \"{KEY}\"}}\n"), &key), "{\"a\": \"[key]\"}\n");
        assert_eq!(without_key("nothing  of it".to_owned(), &key), "nothing  of it");
    }

    #[test]
    fn what_looks_like_any_key_goes_too_and_names_of_models_stay() {
        assert_eq!(
            scrubbed(
                "Incorrect API key provided: sk-proj-****************abcd. See https://platform.openai.com/keys"
            ),
            "Incorrect API key provided: [key] See https://platform.openai.com/keys"
        );
        for key in
            ["AIzaSyA-1234567890abcdefghijk", "gsk_0123456789abcdef", "0123456789abcdef0123456789abcdef"]
        {
            assert_eq!(scrubbed(&format!("`{key}`")), "`[key]`", "{key}");
        }
        for text in
            ["claude-sonnet-4-5-20250929 is gone", "use openai/gpt-oss-120b", "quota of 1000000 tokens"]
        {
            assert_eq!(scrubbed(text), text);
        }
    }

    #[test]
    fn it_is_one_short_line_without_anything_hidden() {
        assert_eq!(scrubbed("a\u{1b}[31m\r\nb\u{202e}\u{0}c\tд"), "a [31m b c д");
        let long = scrubbed(&"много слов ".repeat(90));
        assert_eq!((long.chars().count(), long.ends_with("...")), (200, true));
    }
}
