//! The text of a key: `pq_` and 32 hexadecimal digits, 128 random bits of the system.
//!
//! The text never reaches a log: it has no `Display`, its `Debug` hides it, and [`redact`] removes keys from external text. Only the hash
//! is stored; because the text is random, a plain hash cannot be reversed.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Prefix of every key.
const PREFIX: &str = "pq_";
/// Number of digits after the prefix.
const DIGITS: usize = 32;
/// Number of characters that are displayed, so that keys can be distinguished.
const HINT_LENGTH: usize = PREFIX.len() + 4;
/// Minimum number of digits for which a text is treated as a key or a fragment of one.
const MIN_DIGITS: usize = 8;

/// The secret text of a key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Generates a key.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; DIGITS / 2];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{:032x}", u128::from_be_bytes(bytes))))
    }

    /// Returns the text itself, to be shown to its owner once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the first characters, by which keys are distinguished.
    pub fn hint(&self) -> &str {
        self.0.get(..HINT_LENGTH).unwrap_or_default()
    }

    /// Returns the hash to store.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.0.as_bytes()).as_bytes()
    }
}

/// Returns true if a text has the form of a key.
pub fn is_key(text: &str) -> bool {
    hash(text).is_some()
}

/// Returns the hash of a key's text; `None` if the text does not have the form of a key.
pub(super) fn hash(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix(PREFIX)?;
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_key = digits.len() == DIGITS && digits.bytes().all(is_digit);
    is_key.then(|| *blake3::hash(text.as_bytes()).as_bytes())
}

impl FromStr for Secret {
    type Err = Infallible;

    /// Wraps the text that a person presents as a key, without checking its form.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.trim().to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Prefixes of Parquote's keys and of provider keys, each with the minimum number of characters after it.
const KEY_PREFIXES: [(&str, usize); 4] = [(PREFIX, MIN_DIGITS), ("sk-", 12), ("gsk_", 12), ("AIza", 12)];

/// Replaces each text that looks like a key by its prefix, in any letter case: Parquote's keys, and provider keys that callers send to be
/// saved.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(first) = find_key(text) else { return Cow::Borrowed(text) };
    let mut clean = String::with_capacity(text.len());
    let (mut rest, mut next_key) = (text, Some(first));
    while let Some((at, prefix)) = next_key
        && let Some((before, after)) = rest.split_at_checked(at)
    {
        clean.push_str(before);
        clean.push_str(prefix);
        clean.push_str("[key]");
        let key_and_rest = after.get(prefix.len()..).unwrap_or_default();
        rest = key_and_rest.trim_start_matches(|c| may_be_in_key(c, prefix));
        next_key = find_key(rest);
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Finds the first text that looks like a key: its position and prefix. Every byte is read once, because texts may be long and full of
/// keys.
fn find_key(text: &str) -> Option<(usize, &'static str)> {
    // Most bytes begin no prefix.
    let begins = |(_, byte): &(usize, &u8)| matches!(**byte | 0x20, b'p' | b's' | b'g' | b'a');
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter(begins).find_map(|(at, _)| Some((at, prefix_of_key(bytes.get(at..)?)?)))
}

/// Returns the prefix of the key with which a text begins; `None` if it does not begin with a key.
fn prefix_of_key(bytes: &[u8]) -> Option<&'static str> {
    let begins = |(prefix, least): &&(&'static str, usize)| {
        let (start, rest) = bytes.split_at_checked(prefix.len()).unwrap_or_default();
        let digits = rest.get(..*least);
        start.eq_ignore_ascii_case(prefix.as_bytes())
            && digits.is_some_and(|digits| digits.iter().all(|byte| may_be_in_key(char::from(*byte), prefix)))
    };
    KEY_PREFIXES.iter().find(begins).map(|(prefix, _)| *prefix)
}

/// Returns true if a key with this prefix may contain the character.
fn may_be_in_key(c: char, prefix: &str) -> bool {
    if prefix == PREFIX { c.is_ascii_hexdigit() } else { c.is_ascii_alphanumeric() || c == '-' || c == '_' }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pq_0123456789abcdef0123456789abcdef";

    #[test]
    fn keys_are_made_in_their_form_and_never_twice() {
        let (a, b) = (Secret::generate().unwrap(), Secret::generate().unwrap());
        assert_eq!(hash(a.reveal()), Some(a.hash()));
        assert!(a != b && a.hash() != b.hash());
        assert_eq!(format!("{a:?}"), "Secret(..)");
    }

    #[test]
    fn only_the_exact_form_is_a_key() {
        assert_eq!(Secret(TEXT.to_owned()).hint(), "pq_0123");
        assert!(hash(TEXT).is_some());
        for text in [
            "",
            "pq_",
            &TEXT[1..],
            &TEXT[..34],
            &format!("{TEXT}0"),
            &TEXT.to_uppercase(),
            &TEXT.replace('f', "g"),
        ] {
            assert_eq!(hash(text), None, "{text}");
        }
    }

    #[test]
    fn every_prefix_is_found_in_any_letter_case() {
        for (prefix, _) in KEY_PREFIXES {
            let key = format!("{prefix}0123456789abcdef");
            for key in [&key, &key.to_uppercase(), &key.to_lowercase()] {
                assert_eq!(find_key(&format!("é {key}")), Some((3, prefix)), "{key}");
            }
        }
    }

    #[test]
    fn keys_are_cut_out_of_any_text() {
        let text = format!("a={TEXT}&b=é{}-x pq_12 pq_0123456", TEXT.to_uppercase());
        assert_eq!(redact(&text), "a=pq_[key]&b=épq_[key]-x pq_12 pq_0123456");
        assert_eq!(redact("pq_01234567"), "pq_[key]");
        assert!(matches!(redact("symbol=TCS"), Cow::Borrowed(_)));
        assert_eq!(
            redact("`sk-proj-abcDEF_0123-x` and AIzaSyA0123456789, sk-2"),
            "`sk-[key]` and AIza[key], sk-2"
        );
    }
}
