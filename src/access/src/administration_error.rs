//! Errors of changes to keys and sessions. The messages are for the person who makes the change.

use super::error::AccessError;
use parquote_state::{ReachedBound, StateError};

/// An error of the management of keys and sessions.
#[derive(Debug, thiserror::Error)]
pub enum AdministrationError {
    /// The presented key is refused.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The field for the key is empty.
    #[error("the field for your API key is empty; paste the key that you sign in with")]
    NoKey,
    /// The key works, but it is not the key of the session.
    #[error("this is a key, but not the one that you signed in with; type that one")]
    OtherKey,
    /// The sign-in code is unknown, used or expired.
    #[error(
        "this sign-in code is not known, was used, or its ten minutes are over; print another with `parquote keys login ID`"
    )]
    Code,
    /// The key may not do this.
    #[error("{0}")]
    Denied(&'static str),
    /// The key or session, as named here, does not exist or has ended.
    #[error("there is no such {0} any more, or it is not yours; look at the list again")]
    Gone(&'static str),
    /// A text that cannot be stored.
    #[error("the {field} may have up to {most} visible characters, on one line{nonempty}")]
    Text {
        /// Name of the field.
        field: &'static str,
        /// Maximum number of characters.
        most: usize,
        /// Words for the message if the text must not be empty; empty otherwise.
        nonempty: &'static str,
    },
    /// A value outside the allowed ones.
    #[error("`{field}` is one of {allowed}")]
    Choice {
        /// Name of the field.
        field: &'static str,
        /// Allowed values.
        allowed: &'static str,
    },
    /// The owner has reached a limit of keys, apps or actions per day.
    #[error("{}", limit_message(.0))]
    Full(ReachedBound),
    /// The expiry of the new key is in the past.
    #[error("the key would have expired before it is issued")]
    Past,
    /// The system has no random bytes.
    #[error("the system gives no random bytes for a secret; try again")]
    Randomness,
    /// The state cannot be used.
    #[error("the state file cannot be used now; try again")]
    State(#[from] StateError),
}

/// Builds the message for an owner at a limit, with advice.
fn limit_message(bound: &ReachedBound) -> String {
    match bound {
        ReachedBound::Keys(most) => {
            format!("you have {most} valid keys, which is the most that an owner may have; revoke one first")
        }
        ReachedBound::Apps(most) => {
            format!(
                "{most} apps have access, which is the most that an owner may let in; revoke one first, with the keys"
            )
        }
        ReachedBound::Day { what, most } => {
            format!(
                "in the last 24 hours the log of this owner says `{what}` {most} times, which is the most; try again later"
            )
        }
    }
}
