//! The content that a source declares for a good file.
//!
//! [`super::content_check`] checks files against such a declaration.

use serde::Deserialize;

/// The kind of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Magic {
    /// Text: no archive, no HTML page, no zero byte.
    Text,
    /// Text, which may be an HTML page.
    Page,
    /// Non-empty JSON.
    Json,
    Zip,
    Gzip,
}

/// The content of a good file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedContent {
    pub(crate) magic: Magic,
    /// Names of required columns in the header line, in upper or lower case; empty for a file without a header line.
    #[serde(default)]
    pub(crate) header: Vec<String>,
    /// Number of fields of the first line, for a file without a header line.
    pub(crate) columns: Option<usize>,
    /// Field separator.
    #[serde(default = "default_delimiter")]
    pub(crate) delimiter: char,
    /// The column whose dates must equal the date of the session.
    pub(crate) date: Option<String>,
    /// Minimum number of rows after the header.
    #[serde(default)]
    pub(crate) rows: u64,
    /// Text in a file that has no rows and is good nevertheless.
    pub(crate) none: Option<String>,
    /// Required beginning of the text.
    pub(crate) starts: Option<String>,
    /// Words that must occur near the beginning.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Name prefix of the member that is checked; an archive without such a member has drifted.
    pub(crate) member: Option<String>,
    /// True if the name of that member must contain the date of the session.
    #[serde(default)]
    pub(crate) member_date: bool,
}

const fn default_delimiter() -> char {
    ','
}

impl ExpectedContent {
    /// Returns the first contradiction in the declaration.
    pub(crate) fn first_contradiction(&self) -> Option<&'static str> {
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
