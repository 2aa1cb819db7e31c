//! `picture:` - the chart of a SELECT's rows, as declared in its file.
//!
//! Only its text and line are stored here; the words and columns are validated when the SELECT is planned. Above the first `when:` it
//! applies to every SELECT that declares no picture. Below a `when:` it applies only to that SELECT, and `none` means no picture.

/// A picture declared for a SELECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPicture {
    /// Kind and columns, such as `bars period=sector value=avg_rs_rating`.
    pub text: String,
    /// Line of the declaration in its file, from 1.
    pub line: usize,
}

impl DeclaredPicture {
    /// Parses the text after `picture:`; returns `None` for the word `none`.
    pub(super) fn parse(text: &str, line: usize) -> Option<Self> {
        (text != "none").then(|| Self { text: text.to_owned(), line })
    }

    /// Returns its kind, the first word.
    pub fn kind(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }
}
