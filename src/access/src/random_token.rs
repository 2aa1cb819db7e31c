//! A random text of 256 bits that stands for something for a limited time: a session, a sign-in code. It is shown once and stored as its
//! hash; because it is random, a plain hash cannot be reversed.

use std::fmt;

const BYTES: usize = 32;

/// A random text: 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct RandomToken(String);

impl RandomToken {
    /// A new one.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(blake3::Hash::from_bytes(bytes).to_hex().to_string()))
    }

    /// The text itself, for whoever it is made for.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.0.as_bytes()).as_bytes()
    }

    /// What is stored of a text that someone sends; `None` for a text that has not the form of a token.
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
