//! Output of a document's rows.

use crate::text::cells::CellRecord;

/// Passes the rows of a document to a callback.
pub(super) struct DocumentRows<'a> {
    /// The record, reused for all rows.
    pub(super) record: CellRecord,
    /// Number of rows that [`Self::push_row`] has passed on.
    pub(super) line: u64,
    /// The callback; it returns false if it wants no more rows.
    pub(super) each: &'a mut dyn FnMut(&CellRecord) -> bool,
}

impl DocumentRows<'_> {
    /// Passes a row on; returns false if the receiver wants no more rows.
    pub(super) fn push_row<S: AsRef<str>>(&mut self, cells: &[S]) -> bool {
        self.line += 1;
        self.push_row_at(self.line, cells)
    }

    /// Passes a row on with its line in the file; returns false if the receiver wants no more rows.
    pub(super) fn push_row_at<S: AsRef<str>>(&mut self, line: u64, cells: &[S]) -> bool {
        self.record.start(line);
        for cell in cells {
            self.record.push(cell.as_ref());
        }
        (self.each)(&self.record)
    }
}
