//! OAuth codes and tokens of apps. Each exchange is one transaction: of two concurrent exchanges of the same code or token, the second
//! finds it used.

use super::activity::{NewActivity, insert_log_line};
use super::bounds::{OwnerBounds, ReachedBound};
use super::database::{self, Optional as _, Row, Transaction, params, read_row};
use super::error::StateError;
use super::key_row::NewKey;
use super::keys::{insert_key, revoke_key};
use super::store::Store;

/// An authorization code, issued on consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCodeRow {
    /// Number of the key that consented.
    pub parent: i64,
    /// Client id of the app.
    pub app: String,
    /// Name of the app, as displayed.
    pub app_name: String,
    /// Name of the granted tier.
    pub tier: String,
    /// Redirect URI that the code was sent to.
    pub redirect_uri: String,
    /// The PKCE challenge: the hash that the verifier must have.
    pub challenge: String,
    /// Expiry, in Unix seconds.
    pub expires_at: i64,
    /// True if the app may save and remove provider keys.
    pub may_account: bool,
}

/// An access token of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessTokenRow {
    /// The hash of its text.
    pub hash: [u8; 32],
    /// Number of the key whose quotas its calls use.
    pub key_id: i64,
    /// Expiry, in Unix seconds.
    pub expires_at: i64,
}

/// The two tokens of an exchange, as hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewTokens {
    /// Hash and expiry of the access token.
    pub access: ([u8; 32], i64),
    /// Hash and expiry of the refresh token.
    pub refresh: ([u8; 32], i64),
}

/// A code or refresh token presented for exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenExchangeRequest<'a> {
    /// Hash of the code or refresh token.
    pub hash: [u8; 32],
    /// Client id of the app that presents it, as the app claims.
    pub app: &'a str,
    /// The tokens to store in exchange.
    pub tokens: NewTokens,
    /// Now, in Unix seconds.
    pub now: i64,
}

/// Result of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenExchangeEnd {
    /// The tokens are stored for the key of this number.
    Exchanged(i64),
    /// Unknown or expired code or token.
    Nothing,
    /// The code or token was exchanged before: the key issued for it is revoked.
    Replayed,
    /// The owner has reached the limit of apps.
    Full(ReachedBound),
}

impl Store {
    /// Returns the secret that signs app ids; stores `fresh` if there is none yet.
    pub fn app_secret(&mut self, fresh: [u8; 32]) -> Result<[u8; 32], StateError> {
        self.write(|transaction| {
            transaction
                .execute("INSERT INTO app_secret VALUES (1, ?1) ON CONFLICT DO NOTHING", params![fresh])?;
            transaction.query_row("SELECT bytes FROM app_secret", params![], |row| row.get(0))
        })
    }

    /// Stores a code and the log line of the consent, unless the owner has reached the daily limit of consents.
    pub fn insert_app_code(
        &mut self,
        hash: [u8; 32],
        code: &AppCodeRow,
        log_line: &NewActivity,
        bounds: Option<&OwnerBounds>,
    ) -> Result<Result<(), ReachedBound>, StateError> {
        const SQL: &str = "INSERT INTO app_codes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, ?9)";
        self.write(|transaction| {
            if let Some(bounds) = bounds
                && let Err(full) = OwnerBounds::check_daily(
                    transaction, &log_line.owner, log_line.at, log_line.what, bounds.consents,
                )?
            {
                return Ok(Err(full));
            }
            let AppCodeRow { parent, app, app_name, tier, redirect_uri, challenge, expires_at, may_account } =
                code;
            transaction.execute(
                SQL,
                params![hash, parent, app, app_name, tier, redirect_uri, challenge, expires_at, may_account],
            )?;
            insert_log_line(transaction, log_line, log_line.key_id).map(Ok)
        })
    }

    /// Returns a code by its hash.
    pub fn app_code(&self, hash: [u8; 32]) -> Result<Option<AppCodeRow>, StateError> {
        self.connection
            .query_row("SELECT * FROM app_codes WHERE hash = ?1", params![hash], code_row)
            .optional()
            .map_err(self.error_mapper())
    }

    /// Deletes a code that was presented with wrong data; if it was exchanged before, the key issued for it is revoked.
    pub fn invalidate_app_code(&mut self, hash: [u8; 32], now: i64) -> Result<(), StateError> {
        self.write(|transaction| {
            if let Some(CodeUse::Exchanged(key)) = use_of_code(transaction, hash)? {
                revoke_key(transaction, key, now)?;
            }
            transaction.execute("DELETE FROM app_codes WHERE hash = ?1", params![hash]).map(drop)
        })
    }

    /// Exchanges a code for tokens of a new key. A second exchange means that the code was stolen: the key issued for it is revoked.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn exchange_app_code(
        &mut self,
        request: TokenExchangeRequest<'_>,
        key: &NewKey,
        bounds: Option<&OwnerBounds>,
    ) -> Result<TokenExchangeEnd, StateError> {
        const MARK_USED: &str = "UPDATE app_codes SET key_id = ?2 WHERE hash = ?1";
        self.write(|transaction| {
            match use_of_code(transaction, request.hash)? {
                None => return Ok(TokenExchangeEnd::Nothing),
                Some(CodeUse::Exchanged(key)) => {
                    revoke_key(transaction, key, request.now)?;
                    return Ok(TokenExchangeEnd::Replayed);
                }
                Some(CodeUse::Unused) => {}
            }
            if let Some(bounds) = bounds
                && let Err(full) = bounds.check_new_key(transaction, key)?
            {
                return Ok(TokenExchangeEnd::Full(full));
            }
            let id = insert_key(transaction, key)?;
            transaction.execute(MARK_USED, params![request.hash, id])?;
            insert_tokens(transaction, &request, id)?;
            Ok(TokenExchangeEnd::Exchanged(id))
        })
    }

    /// Exchanges a refresh token for new tokens of its key and deletes the key's access tokens. A second exchange means that the token was
    /// stolen: its key is revoked. A repeat within 30 seconds, before the successor token was used, is taken for concurrent requests of one
    /// app and returns `Nothing`.
    ///
    /// # Errors
    /// Database errors; nothing is changed then.
    pub fn exchange_refresh_token(
        &mut self,
        request: TokenExchangeRequest<'_>,
    ) -> Result<TokenExchangeEnd, StateError> {
        const FIND: &str = "SELECT key_id, expires_at, used_at, EXISTS (SELECT 1 FROM app_tokens next
                                WHERE next.hash = app_tokens.successor AND next.used_at IS NULL) AS is_last
                            FROM app_tokens WHERE hash = ?1 AND app = ?2 AND kind = 'refresh'";
        const MARK_USED: &str = "UPDATE app_tokens SET used_at = ?2, successor = ?3 WHERE hash = ?1";
        self.write(|transaction| {
            let token = transaction.query_row(FIND, params![request.hash, request.app], |row| {
                let key_and_expiry: (i64, i64) = (row.get("key_id")?, row.get("expires_at")?);
                Ok((key_and_expiry, row.get::<_, Option<i64>>("used_at")?, row.get::<_, bool>("is_last")?))
            });
            let Some(((key, expires_at), used_at, is_last)) = token.optional()? else {
                return Ok(TokenExchangeEnd::Nothing);
            };
            if used_at.is_some_and(|at| is_last && request.now - at <= REPEATED_S) {
                return Ok(TokenExchangeEnd::Nothing);
            }
            if used_at.is_some() {
                revoke_key(transaction, key, request.now)?;
                return Ok(TokenExchangeEnd::Replayed);
            }
            if expires_at <= request.now {
                return Ok(TokenExchangeEnd::Nothing);
            }
            transaction.execute(MARK_USED, params![request.hash, request.now, request.tokens.refresh.0])?;
            transaction.execute("DELETE FROM app_tokens WHERE key_id = ?1 AND kind = 'access'", [key])?;
            insert_tokens(transaction, &request, key)?;
            Ok(TokenExchangeEnd::Exchanged(key))
        })
    }

    /// Returns the number of the key of an access or refresh token; `None` if the app has no such token. An empty `app` means any app.
    pub fn key_of_app_token(&self, hash: [u8; 32], app: &str) -> Result<Option<i64>, StateError> {
        const SQL: &str = "SELECT key_id FROM app_tokens WHERE hash = ?1 AND (?2 = '' OR app = ?2)";
        self.connection
            .query_row(SQL, params![hash, app], |row| row.get(0))
            .optional()
            .map_err(self.error_mapper())
    }
}

/// Seconds within which a repeated exchange is taken for concurrent requests and not for theft.
const REPEATED_S: i64 = 30;

/// Use of a code so far.
enum CodeUse {
    Unused,
    /// Exchanged for the key of this number.
    Exchanged(i64),
}

/// Returns the use of a code; `None` if there is no such code.
fn use_of_code(transaction: &Transaction<'_>, hash: [u8; 32]) -> database::Result<Option<CodeUse>> {
    const SQL: &str = "SELECT key_id FROM app_codes WHERE hash = ?1";
    let read_use =
        |row: &Row<'_>| Ok(row.get::<_, Option<i64>>(0)?.map_or(CodeUse::Unused, CodeUse::Exchanged));
    transaction.query_row(SQL, params![hash], read_use).optional()
}

fn insert_tokens(
    transaction: &Transaction<'_>,
    request: &TokenExchangeRequest<'_>,
    key_id: i64,
) -> database::Result<()> {
    const SQL: &str =
        "INSERT INTO app_tokens (hash, kind, key_id, app, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    let NewTokens { access, refresh } = request.tokens;
    for ((hash, expires_at), kind) in [(access, "access"), (refresh, "refresh")] {
        transaction.execute(SQL, params![hash, kind, key_id, request.app, expires_at])?;
    }
    Ok(())
}

pub(super) fn token_row(row: &Row<'_>) -> database::Result<AccessTokenRow> {
    read_row!(row => AccessTokenRow: hash, key_id, expires_at)
}

fn code_row(row: &Row<'_>) -> database::Result<AppCodeRow> {
    read_row!(row => AppCodeRow:
        parent, app, app_name, tier, redirect_uri, challenge, expires_at, may_account
    )
}
