//! The errors of sets, one variant for each kind of failure.

use std::path::{Path, PathBuf};

use parquote_catalogue::operation::Market;

/// An error of reading or publishing sets.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be {done}", path.display())]
    File {
        /// The path of the file or folder.
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
        /// The path of the manifest.
        name: String,
        /// The fault, in words.
        why: String,
    },
    /// A store confirmed a write and lost the object.
    #[error(
        "the object store at `{root}` confirmed that it stored {object}, but does not have it; nothing was published: publish again, and check the store if this repeats"
    )]
    LostWrite {
        /// The user-supplied root.
        root: String,
        /// The path of the first such object.
        object: String,
    },
    /// A store has lost its newest sets.
    #[error(
        "set {served} of {market} is served, and the newest that the object store still holds is {newest}: sets were lost, and the server may not notice a set that is published now; restart it to serve the newest one in the store"
    )]
    StoreLostSets {
        /// The market.
        market: Market,
        /// The newest available number; 0 if there is none.
        newest: u64,
        /// The number of the served set.
        served: u64,
    },
    /// Another publisher took the number first.
    #[error(
        "set {number} of {market} was published meanwhile by another process ({by}); look at it with `parquote sets`, then publish again"
    )]
    NumberTaken {
        /// The market.
        market: Market,
        /// The requested number.
        number: u64,
        /// The publisher of that set, or `unknown`.
        by: String,
    },
    /// A requested set was deleted or never existed.
    #[error("{market} has no set {number}; the available sets are {}", list_numbers(retained))]
    NoSuchSet {
        /// The market.
        market: Market,
        /// The requested number.
        number: u64,
        /// The available numbers.
        retained: Vec<u64>,
    },
    /// A ledger is damaged, or lacks a line.
    #[error(
        "the ledger {} is broken at line {line}: {why}. Nothing is written to it. Restore it from a copy; or {remedy}",
        path.display()
    )]
    Ledger {
        /// Its file, or its name.
        path: PathBuf,
        /// The number of the first line that is not sound or is missing.
        line: u64,
        /// The fault, in words.
        why: String,
        /// The way to begin another.
        remedy: &'static str,
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
    /// Returns a function that adds the path and the attempted operation, a participle, to an I/O error.
    pub(super) fn file(path: &Path, done: &'static str) -> impl Fn(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), done, source }
    }
}

fn list_numbers(retained: &[u64]) -> String {
    match retained {
        [] => "none".to_owned(),
        [one] => one.to_string(),
        [first, .., last] if (last - first + 1) as usize == retained.len() => format!("{first} to {last}"),
        many => many.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}
