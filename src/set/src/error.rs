//! The errors of sets, one variant for each thing that can fail.

use std::path::{Path, PathBuf};

use parquote_catalogue::operation::Market;

/// What can go wrong with sets.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file or folder cannot be read or written.
    #[error("{} cannot be {done}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What was tried, as a participle.
        done: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An object store cannot be reached or is not understood.
    #[error("the object store at `{root}` cannot be used")]
    Store {
        /// The user-supplied root.
        root: String,
        /// Why.
        #[source]
        source: object_store::Error,
    },
    /// A manifest is no manifest.
    #[error("the manifest {name} is not sound: {why}")]
    Manifest {
        /// Which.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A store confirmed what it does not hold.
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
        /// The newest number that is there; 0 where there is none.
        newest: u64,
        /// The number that is served.
        served: u64,
    },
    /// Somebody else published under the number first.
    #[error(
        "set {number} of {market} was published meanwhile by another ({by}); look at it with `parquote sets`, then publish again"
    )]
    Lost {
        /// The market.
        market: Market,
        /// The number that was wanted.
        number: u64,
        /// Who has it, as far as it can be read.
        by: String,
    },
    /// A set that is asked for is not kept any more, or never was.
    #[error("{market} has no set {number}; kept are {}", shown(kept))]
    Gone {
        /// The market.
        market: Market,
        /// The number that was asked for.
        number: u64,
        /// The numbers that are kept.
        kept: Vec<u64>,
    },
    /// Another run does the same work.
    #[error("another process works on {market} in {}: {holder}; wait until it has ended", root.display())]
    Locked {
        /// The market.
        market: Market,
        /// The root.
        root: PathBuf,
        /// Who, as it says itself.
        holder: String,
    },
}

impl SetError {
    /// An error of a path, by what was tried with it.
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
