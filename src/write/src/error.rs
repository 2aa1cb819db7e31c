//! Errors of the files of replies, notes and rows.

use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system returned an error.
    #[error("{} cannot be {action}", .path.display())]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// `read`, `written` or `deleted`.
        action: &'static str,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Another process writes rows in the same folder.
    #[error("another `parquote write` works in {}; wait until it has ended", .0.display())]
    Busy(PathBuf),
    /// A stored reply or note is not what the program wrote.
    #[error("{} is damaged or was changed by something else; delete it, and the file of its row if there is one: both are then written again", .path.display())]
    Damaged {
        /// Path of the stored reply or note.
        path: PathBuf,
        /// The error of the JSON parser.
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
