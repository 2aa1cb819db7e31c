//! Why a file is rejected, as its reader finds while it reads the bytes.

use std::io;

/// Why a file is not good.
#[derive(Debug)]
pub(crate) enum Flaw {
    /// It has another form than the one that is known.
    Drifted(String),
    /// It is cut, damaged or too large.
    Broken(String),
}

impl From<io::Error> for Flaw {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<zip::result::ZipError> for Flaw {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Broken(format!("the archive cannot be read: {error}"))
    }
}
