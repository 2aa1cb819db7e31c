//! Proof Key for Code Exchange (RFC 7636): a code is useless without the verifier whose hash was in the authorization request. The method
//! is S256; `plain` is not accepted.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Returns the challenge of a verifier; `None` if the verifier is malformed.
pub(super) fn challenge_of(verifier: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_verifier = (43..=128).contains(&verifier.len()) && verifier.bytes().all(is_allowed);
    is_verifier.then(|| BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

/// Returns true if a text can be the hash of a verifier: canonical base64url, without padding or trailing bits.
pub(super) fn is_challenge(text: &str) -> bool {
    BASE64_URL_SAFE_NO_PAD.decode(text).is_ok_and(|hash| hash.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(challenge_of(verifier).as_deref(), Some(challenge));
        assert!(is_challenge(challenge) && !is_challenge("") && !is_challenge(&challenge[1..]));
        for wrong in [format!("{challenge}="), challenge.replace("cM", "cN"), challenge.replace('-', "+")] {
            assert!(!is_challenge(&wrong), "{wrong}");
        }
        for wrong in
            ["", &verifier[1..], &"a".repeat(129), &format!("{verifier} "), &verifier.replace('d', "é")]
        {
            assert_eq!(challenge_of(wrong), None, "{wrong}");
        }
    }
}
