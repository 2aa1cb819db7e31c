//! A piece of a file of statements, with its figures collected.

use chrono::NaiveDate;

use crate::accounts::ending::FileEnding;
use crate::accounts::refused::RefusedRows;
use crate::accounts::row_accounts::{Counts, ReadPiece};
use crate::files::source::RawSource;
use crate::statements::gathered_statements::GatheredStatements;
use crate::statements::record::StatementRecord;
use parquote_catalogue::operation::Market;

#[derive(Debug)]
pub(crate) struct StatementPiece {
    /// Figures; companies, sources and filings are numbered within the piece.
    pub(crate) statements: GatheredStatements,
    pub(crate) counts: Counts,
    pub(crate) refused: RefusedRows,
    /// End of the file, set in its last piece.
    pub(crate) ending: FileEnding,
    /// The newest day on which one of its rows became known.
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
        let mut statements = GatheredStatements::default();
        for (line, record) in piece.rows {
            match record {
                StatementRecord::Tagged(row) => statements.add_tagged(row, line, file, market),
                StatementRecord::Submission(row) => statements.add_submission(&row, file),
                StatementRecord::Line(row) => statements.add(row, line, file, market),
            }
        }
        Self { statements, counts, refused: piece.refused, ending: piece.ending, newest }
    }
}
