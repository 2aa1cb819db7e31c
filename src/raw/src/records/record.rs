//! One row of a raw file that is neither a bar, a figure of a statement nor a row that a user supplies.
//!
//! A record is as its file has it, and says itself what becomes of it. Which of two records holds, and from when, is decided later.

use std::any::Any;

use chrono::NaiveDate;

use crate::domain::reason::Reason;
use crate::records::placed::RecordPlace;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::cells::CellRecord;

/// A row of a raw file.
pub(crate) trait RawRecord: Any + Send {
    /// The symbol that it is about, if it is about one; it is put into the market's one spelling.
    fn symbol_mut(&mut self) -> Option<&mut String> {
        None
    }

    /// The day from which it was known, as far as its row says; lists say theirs in their path.
    fn date(&self) -> Option<NaiveDate> {
        None
    }

    /// Whether its day may be still to come, as the days are that are announced.
    fn is_announced(&self) -> bool {
        false
    }

    /// What becomes of it.
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData);
}

/// A file of records whose header was recognised.
pub(crate) trait RecordFile: Send + Sync {
    /// The record in a row.
    fn record(&self, row: &CellRecord) -> Result<Box<dyn RawRecord>, Reason>;
    /// The column by which repeated header lines are found, mostly that of the symbol: a data row never has the column's own name there.
    fn symbol(&self) -> usize;
}
