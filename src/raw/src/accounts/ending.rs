//! End of reading one file, and whether the error that ended it is a read fault.
//!
//! An error on an intact file is no read fault: JSON whose values do not fit its format, or a file over a bound.

use std::io;

use crate::report::UnreadableFile;
use parquote_encodings::last_line::LastLine;
use parquote_encodings::unpack_bounds::is_refusal;

/// Message of the JSON reader for values nested more than 128 deep.
const DEPTH_MESSAGE: &str = "recursion limit exceeded";

/// End of a file, known with its last piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum FileEnding {
    /// Intact, as far as it is read.
    #[default]
    Whole,
    /// The last line has all cells, but no line end.
    Open,
    /// Unreadable from some position on.
    Fault(UnreadableFile),
}

impl FileEnding {
    /// Classifies the outcome of reading a file.
    pub(crate) fn from_outcome(file: &str, outcome: io::Result<LastLine>) -> Self {
        match outcome {
            Ok(LastLine::Ended) => Self::Whole,
            Ok(LastLine::Open) => Self::Open,
            Err(error) => Self::Fault(unreadable(file.to_owned(), &error)),
        }
    }
}

/// Describes a file by the error that ended its reading.
pub(crate) fn unreadable(file: String, error: &io::Error) -> UnreadableFile {
    // Intact JSON of another shape than the format's is no read fault.
    let json = error.get_ref().and_then(|inner| inner.downcast_ref::<serde_json::Error>());
    let is_of_another_shape = json.is_some_and(serde_json::Error::is_data);
    let is_too_deep = json.is_some_and(|json| json.to_string().starts_with(DEPTH_MESSAGE));
    let is_fault = !(is_of_another_shape || is_too_deep || is_refusal(error));
    UnreadableFile { file, why: error.to_string(), is_fault }
}
