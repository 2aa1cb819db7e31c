//! Why a change of keys or sessions is refused. The messages are for whoever asked for it.

use super::error::AccessError;
use parquote_state::{FullBound, StateError};

/// Why something cannot be done with keys and sessions.
#[derive(Debug, thiserror::Error)]
pub enum AdministrationError {
    /// The key that was typed is not let in.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A working key, but another one.
    #[error("this is a key, but not the one that you signed in with; type that one")]
    OtherKey,
    /// The sign-in code is of no use.
    #[error(
        "this sign-in code is not known, was used, or its ten minutes are over; print another with `parquote keys login ID`"
    )]
    Code,
    /// What was asked is not this key's to do.
    #[error("{0}")]
    Denied(&'static str),
    /// There is no such key or session, or it has ended.
    #[error("there is no such {0} any more, or it is not yours; look at the list again")]
    Gone(&'static str),
    /// A text that cannot be stored.
    #[error("the {field} may have up to {most} characters, on one line{nonempty}")]
    Text {
        /// What it is.
        field: &'static str,
        /// How long it may be.
        most: usize,
        /// Says that it may not be empty, where that is so.
        nonempty: &'static str,
    },
    /// Another word than those there are.
    #[error("`{field}` is one of {allowed}")]
    Choice {
        /// What it is.
        field: &'static str,
        /// What may be chosen.
        allowed: &'static str,
    },
    /// The owner has as many keys or apps as there may be, or did something too often.
    #[error("{}", full(.0))]
    Full(FullBound),
    /// The key's time would begin with its end.
    #[error("the key would have expired before it is issued")]
    Past,
    /// The system gives no randomness.
    #[error("the system gives no random bytes for a secret; try again")]
    Randomness,
    /// The state file fails.
    #[error("the state file cannot be used now; try again")]
    State(#[from] StateError),
}

/// What an owner is told who meets a bound, and what to do.
fn full(bound: &FullBound) -> String {
    match bound {
        FullBound::Keys(most) => {
            format!("you have {most} valid keys, which is the most that an owner may have; revoke one first")
        }
        FullBound::Apps(most) => {
            format!(
                "{most} apps have access, which is the most that an owner may let in; revoke one first, with the keys"
            )
        }
        FullBound::Day { what, most } => {
            format!(
                "in the last 24 hours the log of this owner says `{what}` {most} times, which is the most; try again later"
            )
        }
    }
}
