//! A random text of 256 bits with limited lifetime, such as a session token or a sign-in code. It is displayed once and stored as a hash;
//! because it is random, a plain hash suffices.

use std::fmt;

const BYTES: usize = 32;

/// A random text: 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct RandomToken(String);

impl RandomToken {
    /// Generates a token.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(blake3::Hash::from_bytes(bytes).to_hex().to_string()))
    }

    /// Returns the text itself, for its recipient.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash to store.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.0.as_bytes()).as_bytes()
    }

    /// Returns the hash of a received text; `None` if the text does not have the form of a token.
    pub fn hash_of(text: &str) -> Option<[u8; 32]> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_token = text.len() == 2 * BYTES && text.bytes().all(is_digit);
        is_token.then(|| *blake3::hash(text.as_bytes()).as_bytes())
    }
}

impl fmt::Debug for RandomToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RandomToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_form_and_differ() {
        let (a, b) = (RandomToken::generate().unwrap(), RandomToken::generate().unwrap());
        assert_eq!(RandomToken::hash_of(a.reveal()), Some(a.hash()));
        assert!(a != b && a.hash() != b.hash());
        assert_eq!(format!("{a:?}"), "RandomToken(..)");
        for text in ["", "ab", &a.reveal().to_uppercase().replace('0', "A"), &format!("{}0", a.reveal())] {
            assert_eq!(RandomToken::hash_of(text), None, "{text}");
        }
    }
}
