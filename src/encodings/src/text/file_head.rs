//! Data for recognising the format of a file: its header line and its path.

use crate::text::cells::HeaderLine;
use crate::text::dates::DayOrder;
use crate::text::file_name::file_name;
use parquote_catalogue::operation::Market;

/// Data for recognising the format of a file.
pub struct FileHead<'a> {
    /// The market of its folder.
    pub market: Market,
    /// Its first line.
    pub header: &'a HeaderLine,
    /// The path relative to the market's folder.
    pub path: &'a str,
    /// Returns the position of the day in the dates of these columns, for sources that write days first.
    pub days: &'a dyn Fn(&[usize]) -> DayOrder,
}

impl FileHead<'_> {
    /// Returns the name of the file, without folders and archive.
    pub fn name(&self) -> &str {
        file_name(self.path)
    }
}
