//! The content that a source declares for a good file.
//!
//! It only holds the declaration; [`super::judge`] checks files against it.

use serde::Deserialize;

/// How a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Magic {
    /// Text: no archive, no page of HTML, no byte of zero.
    Text,
    /// JSON that is not empty.
    Json,
    Zip,
    Gzip,
}

/// What a good file has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) magic: Magic,
    /// Columns of its header line, in any case; more are fine. Empty: it has no header that is known.
    #[serde(default)]
    pub(crate) header: Vec<String>,
    /// How many fields its first line has, where it has no header.
    pub(crate) columns: Option<usize>,
    /// What parts its fields.
    #[serde(default = "comma")]
    pub(crate) delimiter: char,
    /// The column whose dates must be the session's.
    pub(crate) date: Option<String>,
    /// The fewest rows after the header.
    #[serde(default)]
    pub(crate) rows: u64,
    /// Words by which a file without rows is good.
    pub(crate) none: Option<String>,
    /// How its text begins.
    pub(crate) starts: Option<String>,
    /// Words near its beginning.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// How the name of the member begins that is judged; an archive without one has drifted.
    pub(crate) member: Option<String>,
    /// Whether the date in that member's name must be the session's.
    #[serde(default)]
    pub(crate) member_date: bool,
}

const fn comma() -> char {
    ','
}

impl Expect {
    /// What contradicts itself.
    pub(crate) fn mistake(&self) -> Option<&'static str> {
        if self.date.is_some() && self.header.is_empty() {
            return Some("`expect.date` names a column, so `expect.header` must name the columns");
        }
        if self.member.is_some() && self.magic != Magic::Zip {
            return Some("`expect.member` is of zip archives only");
        }
        if self.member_date && self.member.is_none() {
            return Some("`expect.member_date` needs `expect.member`");
        }
        if !self.delimiter.is_ascii() {
            return Some("`expect.delimiter` must be one ASCII character");
        }
        None
    }
}
