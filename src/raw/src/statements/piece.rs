//! A piece of a file of statements, with its figures collected.

use chrono::NaiveDate;

use crate::accounts::ending::FileEnding;
use crate::accounts::refused::RefusedRows;
use crate::accounts::row_accounts::{Counts, ReadPiece};
use crate::files::source::RawSource;
use crate::statements::gathered::GatheredStatements;
use crate::statements::record::StatementRecord;
use parquote_catalogue::operation::Market;

/// Consecutive rows of a file, collected.
#[derive(Debug)]
pub(crate) struct StatementPiece {
    /// Figures; companies, sources and filings are numbered within the piece.
    pub(crate) gathered: GatheredStatements,
    pub(crate) counts: Counts,
    pub(crate) refused: RefusedRows,
    /// End of the file, set in its last piece.
    pub(crate) ending: FileEnding,
    /// The newest day on which a row of it became known.
    pub(crate) newest: Option<NaiveDate>,
}

impl StatementPiece {
    /// Collects the records of a piece.
    pub(crate) fn gather(
        mut piece: ReadPiece<(u32, StatementRecord)>,
        file: &RawSource,
        market: Market,
    ) -> Self {
        let noted = piece.take_unused_figures();
        let counts = Counts { rows: piece.rows.len() as u64, read: piece.read, noted };
        let newest = piece.rows.iter().map(|(_, record)| record.date()).max();
        let mut gathered = GatheredStatements::default();
        for (line, record) in piece.rows {
            match record {
                StatementRecord::Tagged(row) => gathered.add_tagged(row, line, file, market),
                StatementRecord::Submission(row) => gathered.add_submission(&row, file),
                StatementRecord::Line(row) => gathered.add(row, line, file, market),
            }
        }
        Self { gathered, counts, refused: piece.refused, ending: piece.ending, newest }
    }
}
