//! The header line and the path of a file, by which its format is recognised.

use crate::text::cells::HeaderLine;
use crate::text::dates::DayOrder;
use crate::text::file_name::file_name;
use parquote_catalogue::operation::Market;

/// The facts by which the format of a file is recognised.
pub struct FileHead<'a> {
    /// The market whose folder has the file.
    pub market: Market,
    /// The first line of the file.
    pub header: &'a HeaderLine,
    /// The path relative to the market's folder.
    pub path: &'a str,
    /// Returns the position of the day in the dates of these columns (from 0), for sources that mostly write days first.
    pub days: &'a dyn Fn(&[usize]) -> DayOrder,
}

impl FileHead<'_> {
    /// Returns the name of the file, without folders and archive.
    pub fn name(&self) -> &str {
        file_name(self.path)
    }
}
