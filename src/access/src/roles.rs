//! Who may do what with keys. An admin key manages the keys of all owners, of any tier. Any other key manages those of its own
//! owner that reach no further than it does. A key that depends on another one manages itself alone.

use super::administration_error::AdministrationError;
use super::directory::Key;
use parquote_catalogue::operation::Tier;
use parquote_state::KeyRow;

/// The longest label and the longest name of an owner, in characters.
const LONGEST_TEXT: usize = 80;

/// What somebody asks of a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Whose it will be; only an admin key names another owner than its own.
    pub owner: Option<String>,
    /// What it is for.
    pub label: String,
    /// What it may call.
    pub tier: Tier,
    /// From when on it does not work.
    pub expires_at: Option<i64>,
    /// Whether it may manage the keys of all owners.
    pub is_admin: bool,
    /// Whether it may save and remove keys of model providers although it depends on the key that asks.
    pub may_account: bool,
}

/// What a key may see and manage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyScope<'a> {
    All,
    Owner(&'a str),
    Itself(i64),
}

impl<'a> KeyScope<'a> {
    pub(super) fn of(key: &'a Key) -> Self {
        match key.parent {
            _ if key.is_admin => Self::All,
            Some(_) => Self::Itself(key.id),
            None => Self::Owner(&key.owner),
        }
    }

    /// The owner whose things are shown; `None` for all.
    pub(super) fn owner(key: &'a Key) -> Option<&'a str> {
        (!key.is_admin).then_some(&*key.owner)
    }

    /// Whether it sees a key of this number and owner.
    pub(super) fn sees(self, (id, owner): (i64, &str)) -> bool {
        match self {
            Self::All => true,
            Self::Owner(own) => own == owner,
            Self::Itself(own) => own == id,
        }
    }
}

/// Whether a key may rotate and revoke another.
pub(super) fn manages(key: &Key, row: &KeyRow) -> bool {
    let reaches = row.tier.parse().is_ok_and(|tier| key.tier.reaches(tier));
    key.is_admin || KeyScope::of(key).sees((row.id, &row.owner)) && !row.is_admin && reaches
}

/// What a key may ask of a new one, cleaned; also which key depends on which.
///
/// # Errors
/// What is not its to ask, or cannot be stored.
pub(super) fn admitted(
    key: &Key,
    request: &KeyRequest,
) -> Result<(KeyRequest, Option<i64>), AdministrationError> {
    let label = one_line("label", &request.label, "")?;
    let owner = request.owner.as_deref().map(str::trim).filter(|owner| !owner.is_empty());
    let owner = one_line("owner", owner.unwrap_or(&key.owner), ", at least one")?;
    let request = KeyRequest { label, owner: Some(owner), ..request.clone() };
    if key.is_admin {
        return Ok((request, None));
    }
    let refused = if key.parent.is_some() {
        "a key that was issued with another one issues no keys; sign in with the other one"
    } else if request.owner.as_deref() != Some(&*key.owner) {
        "only an admin key issues keys for other owners"
    } else if request.is_admin {
        "only an admin key issues admin keys"
    } else if !key.tier.reaches(request.tier) {
        "a key issues no key of a higher tier than its own"
    } else {
        let expires_at = match (request.expires_at, key.expires_at()) {
            (Some(asked), Some(own)) => Some(asked.min(own)),
            (asked, own) => asked.or(own),
        };
        return Ok((KeyRequest { expires_at, ..request }, Some(key.id)));
    };
    Err(AdministrationError::Denied(refused))
}

/// A text of a person, without spaces around it.
fn one_line(field: &'static str, text: &str, nonempty: &'static str) -> Result<String, AdministrationError> {
    let text = text.trim();
    let is_right = text.chars().count() <= LONGEST_TEXT
        && !text.chars().any(char::is_control)
        && (nonempty.is_empty() || !text.is_empty());
    is_right.then(|| text.to_owned()).ok_or(AdministrationError::Text { field, most: LONGEST_TEXT, nonempty })
}
