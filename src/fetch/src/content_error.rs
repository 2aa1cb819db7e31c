//! The reason why the content of a file is rejected.

use std::io;

/// The reason why a file is rejected.
#[derive(Debug)]
pub(crate) enum ContentError {
    /// Its format differs from the declared one.
    Drifted(String),
    /// It is truncated, damaged or too large.
    Broken(String),
}

impl From<io::Error> for ContentError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<zip::result::ZipError> for ContentError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Broken(format!("the archive cannot be read: {error}"))
    }
}
