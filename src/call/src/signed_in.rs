//! Who is signed in on a page: a caller as one with a key is, and who that is for the portal.

use super::caller::Caller;
use parquote_access::Actor;

/// Who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The caller of what the pages ask, metered as with the key itself.
    pub caller: Caller,
    /// Whose key and which session it is; `None` where there are no keys.
    pub actor: Option<Actor>,
}
