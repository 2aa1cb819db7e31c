//! Rights of keys over other keys. An admin key manages the keys of all owners and tiers. Any other key without a parent manages the keys
//! of its owner that have at most the same rights. A child key manages only itself.

use super::administration_error::AdministrationError;
use super::directory::Key;
use parquote_catalogue::operation::Tier;
use parquote_catalogue::unseen::is_unseen;
use parquote_state::KeyRow;

/// Maximum characters of a label and of an owner's name.
const LONGEST_TEXT: usize = 80;

/// A request for a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// The owner of the new key; `None` for the owner of the requesting key. Only an admin key may name another owner.
    pub owner: Option<String>,
    /// Note on the purpose of the key.
    pub label: String,
    /// Tier of the new key.
    pub tier: Tier,
    /// Expiry, in Unix seconds; `None` for no expiry.
    pub expires_at: Option<i64>,
    /// True if the new key may manage the keys of all owners.
    pub is_admin: bool,
    /// True if the new key may save and remove provider keys although it is a child of the requesting key.
    pub may_account: bool,
}

/// The keys that a key may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyScope<'a> {
    All,
    Owner(&'a str),
    Itself(i64),
}

impl<'a> KeyScope<'a> {
    pub(super) fn for_key(key: &'a Key) -> Self {
        match key.parent {
            _ if key.is_admin => Self::All,
            Some(_) => Self::Itself(key.id),
            None => Self::Owner(&key.owner),
        }
    }

    /// Returns the owner whose rows are read for a key; `None` for all owners.
    pub(super) fn owner(key: &'a Key) -> Option<&'a str> {
        (!key.is_admin).then_some(&*key.owner)
    }

    /// Returns true if a key of this number and owner is visible.
    pub(super) fn may_see(self, id: i64, owner: &str) -> bool {
        match self {
            Self::All => true,
            Self::Owner(visible) => visible == owner,
            Self::Itself(visible) => visible == id,
        }
    }
}

/// Returns true if a key may rotate and revoke another.
pub(super) fn may_manage(key: &Key, row: &KeyRow) -> bool {
    let is_tier_allowed = row.tier.parse().is_ok_and(|tier| key.tier.reaches(tier));
    key.is_admin || KeyScope::for_key(key).may_see(row.id, &row.owner) && !row.is_admin && is_tier_allowed
}

/// Checks and normalizes the request of a key for a new one; also returns the number of the new key's parent.
///
/// # Errors
/// The request exceeds the key's rights, or cannot be stored.
pub(super) fn admit_request(
    key: &Key,
    request: &KeyRequest,
) -> Result<(KeyRequest, Option<i64>), AdministrationError> {
    let label = check_one_line("label", &request.label, "")?;
    let owner = request.owner.as_deref().map(str::trim).filter(|owner| !owner.is_empty());
    let owner = check_one_line("owner", owner.unwrap_or(&key.owner), ", at least one")?;
    let request = KeyRequest { label, owner: Some(owner), ..request.clone() };
    if key.is_admin {
        return Ok((request, None));
    }
    let reason = if key.parent.is_some() {
        "a key that was issued with another key cannot issue keys; sign in with that other key"
    } else if request.owner.as_deref() != Some(&*key.owner) {
        "only an admin key issues keys for other owners"
    } else if request.is_admin {
        "only an admin key issues admin keys"
    } else if !key.tier.reaches(request.tier) {
        "a key cannot issue a key of a higher tier than its own"
    } else {
        let expires_at = match (request.expires_at, key.expires_at()) {
            (Some(requested), Some(own)) => Some(requested.min(own)),
            (requested, own) => requested.or(own),
        };
        return Ok((KeyRequest { expires_at, ..request }, Some(key.id)));
    };
    Err(AdministrationError::Denied(reason))
}

/// Trims and checks a text that a person typed: the owner or the label of a key.
///
/// # Errors
/// The text is too long, has invisible characters, or is empty although `nonempty`, a part of the message, is not.
pub fn check_one_line(
    field: &'static str,
    text: &str,
    nonempty: &'static str,
) -> Result<String, AdministrationError> {
    let text = text.trim();
    let is_valid = text.chars().count() <= LONGEST_TEXT
        && !text.chars().any(is_unseen)
        && (nonempty.is_empty() || !text.is_empty());
    is_valid.then(|| text.to_owned()).ok_or(AdministrationError::Text { field, most: LONGEST_TEXT, nonempty })
}
