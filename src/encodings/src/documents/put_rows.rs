//! Where a document puts its rows: one record is filled again and again.

use crate::text::cells::CellRecord;

/// Where a document puts its rows.
pub(super) struct DocumentRows<'a> {
    pub(super) record: CellRecord,
    pub(super) line: u64,
    pub(super) each: &'a mut dyn FnMut(&CellRecord) -> bool,
}

impl DocumentRows<'_> {
    /// Hands a row on; false when no more is wanted.
    pub(super) fn put<S: AsRef<str>>(&mut self, cells: &[S]) -> bool {
        self.line += 1;
        self.put_at(self.line, cells)
    }

    /// The same for a row that stands on a line of the file.
    pub(super) fn put_at<S: AsRef<str>>(&mut self, line: u64, cells: &[S]) -> bool {
        self.record.start(line);
        for cell in cells {
            self.record.push(cell.as_ref());
        }
        (self.each)(&self.record)
    }
}
