//! One-time codes that sign a browser in without a key. They are printed on the server's console, which only the operator reads, and expire
//! after ten minutes.

use super::administration_error::AdministrationError;
use super::random_token::RandomToken;
use parquote_state::Store;

/// Lifetime of a code, in seconds.
const LIFETIME_S: i64 = 600;

/// Creates a code that signs in with a key.
///
/// # Errors
/// The key does not exist, or the state cannot be written.
pub fn new_sign_in_code(
    store: &mut Store,
    key_id: i64,
    now: i64,
) -> Result<RandomToken, AdministrationError> {
    let code = RandomToken::generate().map_err(|_| AdministrationError::Randomness)?;
    store.insert_sign_in_code(code.hash(), key_id, now.saturating_add(LIFETIME_S))?;
    Ok(code)
}
