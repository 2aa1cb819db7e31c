//! A provider's API key as sent by a caller: never printed, and zeroed in memory on drop.

use std::fmt;
use std::str::FromStr;

use zeroize::Zeroizing;

/// Minimum and maximum characters of a key.
const LENGTHS: std::ops::RangeInclusive<usize> = 8..=512;
/// Minimum length of a key whose masked form has seven of its characters.
const LEAST_SHOWABLE_LENGTH: usize = 20;

/// A provider's key: 8 to 512 visible ASCII characters.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(Zeroizing<String>);

/// The text does not have the form of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is not a provider key: a key has 8 to 512 visible ASCII characters and no spaces; copy it once more from the provider's page of keys"
)]
pub struct InvalidProviderKey;

impl ProviderKey {
    /// Returns the text of the key, for the request that it pays for.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the masked form, by which a person can distinguish keys: `sk-...cdef`, or dots for a short key.
    pub fn masked_text(&self) -> String {
        let text = self.reveal();
        match (text.get(..3), text.len().checked_sub(4).and_then(|at| text.get(at..))) {
            (Some(first), Some(last)) if text.len() >= LEAST_SHOWABLE_LENGTH => format!("{first}...{last}"),
            _ => "........".to_owned(),
        }
    }
}

impl FromStr for ProviderKey {
    type Err = InvalidProviderKey;

    fn from_str(text: &str) -> Result<Self, InvalidProviderKey> {
        let text = text.trim();
        let is_key = LENGTHS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_key { Ok(Self(Zeroizing::new(text.to_owned()))) } else { Err(InvalidProviderKey) }
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_a_sensible_length() {
        for text in ["1234567", "has a space", "with\u{7}bell", "gr\u{fc}\u{df}e-aus", "", &"x".repeat(513)] {
            assert_eq!(text.parse::<ProviderKey>(), Err(InvalidProviderKey), "{text}");
        }
        for text in ["12345678", "  sk-abc_DEF.123\n", &"x".repeat(512)] {
            assert_eq!(text.parse::<ProviderKey>().unwrap().reveal(), text.trim());
        }
    }

    #[test]
    fn it_shows_seven_characters_of_a_long_key_and_none_of_a_short_one() {
        let key: ProviderKey = "sk-proj-0123456789abcdef".parse().unwrap();
        assert_eq!(key.masked_text(), "sk-...cdef");
        assert_eq!(format!("{key:?}"), "ProviderKey(..)");
        assert_eq!("short-key-19-chars.".parse::<ProviderKey>().unwrap().masked_text(), "........");
    }
}
