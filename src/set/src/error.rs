//! The errors of sets, one variant for each kind of failure.

use std::path::{Path, PathBuf};

use parquote_catalogue::operation::Market;

/// An error of reading or publishing sets.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be {done}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The attempted operation, as a participle.
        done: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// An object store cannot be reached, or its URL is unsupported.
    #[error("the object store at `{root}` cannot be used")]
    Store {
        /// The user-supplied root.
        root: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// A manifest is invalid.
    #[error("the manifest {name} is not sound: {why}")]
    Manifest {
        /// Its name.
        name: String,
        /// The reason.
        why: String,
    },
    /// A store confirmed a write and lost the object.
    #[error(
        "the object store at `{root}` said that it took {object} and does not hold it; nothing was published: publish again, and look at the store if it goes on"
    )]
    Unkept {
        /// The user-supplied root.
        root: String,
        /// The path of the first such object.
        object: String,
    },
    /// A store has lost its newest sets.
    #[error(
        "set {served} of {market} is served, and the newest that the object store still holds is {newest}: sets were lost, and one that is published now may not be seen; start the server again to serve what is there"
    )]
    Backwards {
        /// The market.
        market: Market,
        /// The newest available number; 0 if there is none.
        newest: u64,
        /// The number of the served set.
        served: u64,
    },
    /// Another publisher took the number first.
    #[error(
        "set {number} of {market} was published meanwhile by another ({by}); look at it with `parquote sets`, then publish again"
    )]
    Lost {
        /// The market.
        market: Market,
        /// The requested number.
        number: u64,
        /// The publisher of that set, or `unknown`.
        by: String,
    },
    /// A requested set was deleted or never existed.
    #[error("{market} has no set {number}; kept are {}", shown(kept))]
    Gone {
        /// The market.
        market: Market,
        /// The requested number.
        number: u64,
        /// The available numbers.
        kept: Vec<u64>,
    },
    /// Another process holds the lock of the market.
    #[error("another process works on {market} in {}: {holder}; wait until it has ended", root.display())]
    Locked {
        /// The market.
        market: Market,
        /// The root.
        root: PathBuf,
        /// The holder, as written in the lock file.
        holder: String,
    },
}

impl SetError {
    /// Builds an error for a path and the attempted operation.
    pub(super) fn file(path: &Path, done: &'static str) -> impl Fn(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), done, source }
    }
}

fn shown(kept: &[u64]) -> String {
    match kept {
        [] => "none".to_owned(),
        [one] => one.to_string(),
        [first, .., last] if (last - first + 1) as usize == kept.len() => format!("{first} to {last}"),
        many => many.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}
