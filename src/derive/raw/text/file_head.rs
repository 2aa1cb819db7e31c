//! What a format looks at to recognise a file: its header line and its path.

use crate::derive::raw::text::cells::HeaderLine;
use crate::derive::raw::text::file_name::file_name;
use crate::operation::Market;

/// What a format looks at.
pub(crate) struct FileHead<'a> {
    pub(crate) market: Market,
    pub(crate) header: &'a HeaderLine,
    /// The file, relative to the market's folder.
    pub(crate) path: &'a str,
}

impl FileHead<'_> {
    /// The name of the file itself, without folders and archive.
    pub(crate) fn name(&self) -> &str {
        file_name(self.path)
    }
}
