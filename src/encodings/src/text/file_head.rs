//! What a format looks at to recognise a file: its header line and its path.

use crate::text::cells::HeaderLine;
use crate::text::dates::DayOrder;
use crate::text::file_name::file_name;
use parquote_catalogue::operation::Market;

/// What a format looks at.
pub struct FileHead<'a> {
    /// The market of its folder.
    pub market: Market,
    /// Its first line.
    pub header: &'a HeaderLine,
    /// The file, relative to the market's folder.
    pub path: &'a str,
    /// Which number of the dates in these columns is the day, where the source of such files writes days first.
    pub days: &'a dyn Fn(&[usize]) -> DayOrder,
}

impl FileHead<'_> {
    /// The name of the file itself, without folders and archive.
    pub fn name(&self) -> &str {
        file_name(self.path)
    }
}
