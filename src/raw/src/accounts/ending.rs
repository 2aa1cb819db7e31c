//! How the reading of one file ends, and whether what ended it is a read fault.
//!
//! A file that is whole is no read fault: one of JSON with other values than its format has, or over a bound.

use std::io;

use crate::report::Unreadable;
use parquote_encodings::last_line::LastLine;
use parquote_encodings::unpack_bounds::is_refusal;

/// How the JSON reader says that values lie in values more than 128 deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// How a file ends: known with its last piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum FileEnding {
    /// Nothing is wrong with it, as far as it is read.
    #[default]
    Whole,
    /// Its last line has all cells, but no end.
    Open,
    /// It cannot be read from some place on.
    Fault(Unreadable),
}

impl FileEnding {
    /// How a file ends by what became of reading it.
    pub(crate) fn of(file: &str, outcome: io::Result<LastLine>) -> Self {
        match outcome {
            Ok(LastLine::Ended) => Self::Whole,
            Ok(LastLine::Open) => Self::Open,
            Err(error) => Self::Fault(unreadable(file.to_owned(), &error)),
        }
    }
}

/// A file by the error that ended its reading.
pub(crate) fn unreadable(file: String, error: &io::Error) -> Unreadable {
    // Such JSON has been read to its end, or to a value of another kind than the format has there.
    let json = error.get_ref().and_then(|inner| inner.downcast_ref::<serde_json::Error>());
    let is_of_another_shape = json.is_some_and(serde_json::Error::is_data);
    let is_too_deep = json.is_some_and(|json| json.to_string().starts_with(TOO_DEEP));
    let is_fault = !(is_of_another_shape || is_too_deep || is_refusal(error));
    Unreadable { file, why: error.to_string(), is_fault }
}
