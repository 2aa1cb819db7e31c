//! The signed-in user of a page: a caller as with a key, and an actor for the portal.

use super::caller::Caller;
use parquote_access::Actor;

/// The signed-in user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The caller in whose name pages call operations; its calls are metered like those of the key itself.
    pub caller: Caller,
    /// Key and session; `None` without access control.
    pub actor: Option<Actor>,
}
