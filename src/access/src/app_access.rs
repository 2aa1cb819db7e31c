//! OAuth access of apps. On consent, an app gets a code, which it exchanges for an access token of 15 minutes and a refresh token, and that
//! for the next two tokens. The tokens belong to a child of the owner's key, which shares the quotas of that key, is listed and revoked
//! like other keys, and whose text is discarded.

use std::net::IpAddr;

use super::administration::{Actor, Administration, bounds};
use super::administration_error::AdministrationError;
use super::error::AccessError;
use super::random_token::RandomToken;
use super::roles::{KeyRequest, admit_request};
use parquote_catalogue::operation::Tier;
use parquote_state::{APP_HINT, AppCodeRow, NewKey, NewTokens, TokenExchangeEnd, TokenExchangeRequest};

/// Lifetime of a code, in seconds.
const CODE_S: i64 = 60;
/// Lifetime of an access token, in seconds.
pub const ACCESS_S: i64 = 900;
/// Lifetime of a refresh token, in seconds.
const REFRESH_S: i64 = 30 * 86_400;
/// Seconds after which an app needs a new consent.
const APP_S: i64 = 90 * 86_400;

/// An owner's consent to an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppConsent {
    /// Client id of the app.
    pub app: String,
    /// Displayed name of the app.
    pub name: String,
    /// Highest tier that the app may call.
    pub tier: Tier,
    /// Redirect URI to which the code is sent.
    pub redirect_uri: String,
    /// The PKCE challenge: the hash that the verifier must have.
    pub challenge: String,
    /// True if the app may save and remove provider keys.
    pub may_account: bool,
}

/// The tokens of an exchange.
#[derive(Debug)]
pub struct AppTokens {
    /// Access token.
    pub access: RandomToken,
    /// Refresh token.
    pub refresh: RandomToken,
    /// True if the app may save and remove provider keys.
    pub may_account: bool,
}

/// A code that an app presents for exchange.
#[derive(Debug, Clone, Copy)]
pub struct CodeExchange<'a> {
    /// The code.
    pub code: &'a str,
    /// Client id of the app that presents the code, as the app states it.
    pub app: &'a str,
    /// Redirect URI that the app claims.
    pub redirect_uri: &'a str,
    /// Hash of the verifier that the app sent.
    pub challenge: &'a str,
    /// Address of the client, if known.
    pub from: Option<IpAddr>,
}

/// The reason why a code or a refresh token was not exchanged.
#[derive(Debug, thiserror::Error)]
pub enum TokenExchangeError {
    /// The code or token is invalid, or was issued to another app.
    #[error(
        "this code or token is not known, was used, has expired, or was given to another client; begin again"
    )]
    InvalidGrant,
    /// Too many invalid codes or tokens came from one address.
    #[error(transparent)]
    TooMany(AccessError),
    /// Any other error.
    #[error(transparent)]
    Failed(#[from] AdministrationError),
}

impl Administration {
    /// Records a consent and returns the code for the app.
    ///
    /// # Errors
    /// The key may not issue keys, the tier is above that of the key, or the state cannot be written.
    pub fn consent(&self, actor: &Actor, consent: &AppConsent) -> Result<RandomToken, AdministrationError> {
        let now = self.now();
        admit_request(&actor.key, &app_key_request(consent.tier, &consent.name, now))?;
        let code = RandomToken::generate().map_err(|_| AdministrationError::Randomness)?;
        let stored = AppCodeRow {
            parent: actor.key.id,
            app: consent.app.clone(),
            app_name: consent.name.clone(),
            tier: consent.tier.word().to_owned(),
            redirect_uri: consent.redirect_uri.clone(),
            challenge: consent.challenge.clone(),
            expires_at: now.saturating_add(CODE_S),
            may_account: consent.may_account,
        };
        let mut entry = self.activity_entry(&actor.key, "let an app in", &actor.key.owner, None);
        entry.detail = format!("{}: {}", consent.tier, consent.name);
        let stored = self.open_store()?.insert_app_code(code.hash(), &stored, &entry, bounds(&actor.key))?;
        stored.map_err(AdministrationError::Full)?;
        Ok(code)
    }

    /// Exchanges a code for tokens. A code presented with wrong data becomes invalid.
    ///
    /// # Errors
    /// The reason why there are no tokens.
    pub fn exchange_code(&self, code_exchange: CodeExchange<'_>) -> Result<AppTokens, TokenExchangeError> {
        let now = self.now();
        let Some(hash) = RandomToken::hash_of(code_exchange.code) else {
            return Err(self.invalid_grant(code_exchange.from));
        };
        let stored_code =
            self.open_store().and_then(|store| store.app_code(hash)).map_err(AdministrationError::from)?;
        let Some(code) = stored_code else { return Err(self.invalid_grant(code_exchange.from)) };
        let is_valid = code.app == code_exchange.app
            && code.redirect_uri == code_exchange.redirect_uri
            && code.challenge == code_exchange.challenge
            && code.expires_at > now;
        let key = self.access.key(code.parent).filter(|_| is_valid);
        let tier = code.tier.parse::<Tier>().ok();
        let (Some(parent), Some(tier)) = (key, tier) else {
            let mut store = self.open_store().map_err(AdministrationError::from)?;
            store.invalidate_app_code(hash, now).map_err(AdministrationError::from)?;
            self.access.sync_from_store(&store).map_err(AdministrationError::from)?;
            drop(store);
            return Err(self.invalid_grant(code_exchange.from));
        };
        // The tier or expiry of the key may have changed since the consent.
        let (request, parent_id) = admit_request(&parent, &app_key_request(tier, &code.app_name, now))?;
        let hidden_token = RandomToken::generate().map_err(|_| AdministrationError::Randomness)?;
        let stored = NewKey {
            hash: hidden_token.hash(),
            hint: APP_HINT.to_owned(),
            tier: tier.word().to_owned(),
            owner: request.owner.unwrap_or_default(),
            note: request.label,
            quota_day: None,
            quota_hour: None,
            created_at: now,
            expires_at: request.expires_at.into_iter().chain(parent.expires_at()).min(),
            is_admin: false,
            // An app depends on its owner's key even if that is an admin key.
            parent: parent_id.or(Some(parent.id)),
            may_account: code.may_account,
        };
        let end = |administration: &Self, exchanged: TokenExchangeRequest<'_>| {
            administration.open_store()?.exchange_app_code(exchanged, &stored, bounds(&parent))
        };
        self.exchange_result(hash, code_exchange.app, code_exchange.from, end)
    }

    /// Exchanges a refresh token for new tokens.
    ///
    /// # Errors
    /// The reason why there are no tokens.
    pub fn exchange_refresh(
        &self,
        token: &str,
        app: &str,
        from: Option<IpAddr>,
    ) -> Result<AppTokens, TokenExchangeError> {
        let Some(hash) = RandomToken::hash_of(token) else { return Err(self.invalid_grant(from)) };
        let end = |administration: &Self, exchanged: TokenExchangeRequest<'_>| {
            administration.open_store()?.exchange_refresh_token(exchanged)
        };
        self.exchange_result(hash, app, from, end)
    }

    /// Generates tokens, exchanges a code or refresh token for them by `exchange`, and synchronizes the servers.
    fn exchange_result(
        &self,
        hash: [u8; 32],
        app: &str,
        from: Option<IpAddr>,
        exchange: impl FnOnce(
            &Self,
            TokenExchangeRequest<'_>,
        ) -> Result<TokenExchangeEnd, parquote_state::StateError>,
    ) -> Result<AppTokens, TokenExchangeError> {
        let now = self.now();
        let token = || RandomToken::generate().map_err(|_| AdministrationError::Randomness);
        let mut tokens = AppTokens { access: token()?, refresh: token()?, may_account: false };
        let stored = NewTokens {
            access: (tokens.access.hash(), now.saturating_add(ACCESS_S)),
            refresh: (tokens.refresh.hash(), now.saturating_add(REFRESH_S)),
        };
        let end = exchange(self, TokenExchangeRequest { hash, app, tokens: stored, now });
        let end = end.map_err(AdministrationError::from)?;
        let store = self.open_store().map_err(AdministrationError::from)?;
        // Other servers must have read new tokens before the app uses them.
        let synced = match end {
            TokenExchangeEnd::Exchanged(_) => self.propagate(store),
            _ => self.access.sync_from_store(&store),
        };
        synced.map_err(AdministrationError::from)?;
        match end {
            TokenExchangeEnd::Replayed => {
                tracing::warn!(app, "a code or a refresh token of an app came twice; its access is revoked");
                Err(self.invalid_grant(from))
            }
            TokenExchangeEnd::Full(full) => Err(AdministrationError::Full(full).into()),
            // The key may have expired in the meantime; its tokens are then useless.
            TokenExchangeEnd::Exchanged(key) => {
                let Some(key) = self.access.key(key) else { return Err(self.invalid_grant(from)) };
                tokens.may_account = key.may_account;
                Ok(tokens)
            }
            TokenExchangeEnd::Nothing => Err(self.invalid_grant(from)),
        }
    }

    /// Revokes the key behind an app's access or refresh token. An unknown token is a success.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn end_app(&self, token: &str, app: &str) -> Result<(), AdministrationError> {
        let Some(hash) = RandomToken::hash_of(token) else { return Ok(()) };
        let mut store = self.open_store()?;
        if let Some(key) = store.key_of_app_token(hash, app)? {
            store.revoke_key(key, self.now())?;
            self.propagate(store)?;
        }
        Ok(())
    }

    /// Returns the secret that signs app ids, shared by all servers of a state.
    ///
    /// # Errors
    /// The system has no random bytes, or the state cannot be written.
    pub fn app_secret(&self) -> Result<[u8; 32], AdministrationError> {
        let mut fresh = [0_u8; 32];
        getrandom::fill(&mut fresh).map_err(|_| AdministrationError::Randomness)?;
        Ok(self.open_store()?.app_secret(fresh)?)
    }

    fn invalid_grant(&self, from: Option<IpAddr>) -> TokenExchangeError {
        self.access
            .count_failure(from)
            .map_or_else(TokenExchangeError::TooMany, |()| TokenExchangeError::InvalidGrant)
    }
}

/// Builds the request for an app's key.
fn app_key_request(tier: Tier, name: &str, now: i64) -> KeyRequest {
    let expires_at = Some(now.saturating_add(APP_S));
    KeyRequest { owner: None, label: name.to_owned(), tier, expires_at, is_admin: false, may_account: false }
}
