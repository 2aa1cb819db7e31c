//! What a format looks at to recognise a file: its header line and its path.

use crate::operation::Market;
use crate::raw::text::cells::HeaderLine;
use crate::raw::text::dates::DayOrder;
use crate::raw::text::file_name::file_name;

/// What a format looks at.
pub(crate) struct FileHead<'a> {
    pub(crate) market: Market,
    pub(crate) header: &'a HeaderLine,
    /// The file, relative to the market's folder.
    pub(crate) path: &'a str,
    /// Which number of the dates in these columns is the day, where the source of such files writes days first.
    pub(crate) days: &'a dyn Fn(&[usize]) -> DayOrder,
}

impl FileHead<'_> {
    /// The name of the file itself, without folders and archive.
    pub(crate) fn name(&self) -> &str {
        file_name(self.path)
    }
}
