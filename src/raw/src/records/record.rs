//! One row of a raw file that is neither a bar, a figure of a statement nor a user-supplied row.
//!
//! A record is as its file has it, and stores itself in the reference data. The choice between records and their dates is made later.

use std::any::Any;

use chrono::NaiveDate;

use crate::domain::reason::Reason;
use crate::records::placed::RecordPosition;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::cells::CellRecord;

/// A row of a raw file.
pub(crate) trait RawRecord: Any + Send {
    /// Returns the symbol that it is about, if any, to be converted to the market's spelling.
    fn symbol_mut(&mut self) -> Option<&mut String> {
        None
    }

    /// Returns the day from which it was known, if its row has it; lists have it in their path.
    fn date(&self) -> Option<NaiveDate> {
        None
    }

    /// Returns true if its day may be in the future, as for announcements.
    fn is_announced(&self) -> bool {
        false
    }

    /// Stores it.
    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData);
}

/// A file of records whose header was recognised.
pub(crate) trait RecordFile: Send + Sync {
    /// Parses the record in a row.
    fn record(&self, row: &CellRecord) -> Result<Box<dyn RawRecord>, Reason>;
    /// Returns the column by which repeated header lines are found, mostly that of the symbol: no data row has the column's name there.
    fn symbol(&self) -> usize;
}
