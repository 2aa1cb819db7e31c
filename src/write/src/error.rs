//! Errors of the files of replies, notes and rows.

use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refuses it.
    #[error("{} cannot be {action}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// `read`, `written` or `deleted`.
        action: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// Another process writes rows in the same folder.
    #[error("another `parquote write` works in {}; wait until it has ended", .0.display())]
    Busy(PathBuf),
    /// A stored reply or note is not what the program wrote.
    #[error("{} is damaged or was changed by something else; delete it, and the file of its row if there is one: both are then written again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
}

impl WriteError {
    /// Returns a function that wraps an error of reading or writing a file.
    pub(crate) fn file(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, action, source }
    }
}
