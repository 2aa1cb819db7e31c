//! `picture:` - how the rows of a SELECT are drawn, as its file declares it.
//!
//! Here it is a text with its line: what the words in it mean, and whether the rows have its columns, is found out where the SELECT is
//! planned. In the header of a file, above the first `when:`, it is the picture of every SELECT that declares none of its own; below a
//! `when:` it is that SELECT's alone, and `none` says there that its rows are not drawn.

/// A picture that a SELECT declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPicture {
    /// The kind and its columns, such as `bars period=sector value=avg_rs_rating`.
    pub text: String,
    /// Where it is declared.
    pub line: usize,
}

impl DeclaredPicture {
    /// What stands behind `picture:` on a line; none for the word `none`.
    pub(super) fn read(text: &str, line: usize) -> Option<Self> {
        (text != "none").then(|| Self { text: text.to_owned(), line })
    }

    /// Its kind, the first word.
    pub fn kind(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }
}
