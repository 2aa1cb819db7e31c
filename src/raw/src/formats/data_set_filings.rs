//! The filings of the SEC's financial-statement data sets: filer, form and date.

use crate::domain::reason::Reason;
use crate::records::raw_format::{Format, Layout};
use crate::statements::record::{StatementFile, StatementRecord, Submission};
use parquote_encodings::documents::statement_columns::{SUBMISSION_COLUMNS, has_years, is_foreign};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};
use parquote_encodings::text::{accession, cik, dates};

/// The list of filings of a data set: `sub.txt`.
pub(crate) struct SubmissionFile {
    accession: usize,
    cik: usize,
    filed: usize,
    form: Option<usize>,
    sic: Option<usize>,
}

impl SubmissionFile {
    pub(crate) fn from_header(header: &HeaderLine) -> Option<Self> {
        let [accession, cik, filed, form, sic] = SUBMISSION_COLUMNS.map(|name| header.column(&[name]));
        Some(Self { accession: accession?, cik: cik?, filed: filed?, form, sic })
    }
}

impl StatementFile for SubmissionFile {
    fn record(&self, record: &CellRecord) -> Result<StatementRecord, Reason> {
        Ok(StatementRecord::Submission(Submission {
            accession: accession::digits(record.cell(self.accession)).ok_or(Reason::BadNumber)?,
            cik: cik::number(record.cell(self.cik)).ok_or(Reason::NoSymbol)?,
            filed_on: dates::in_cell(record.cell(self.filed)).ok_or(Reason::BadDate)?,
            has_years: self.form.and_then(|column| record.text(column)).map(has_years),
            is_foreign: self.form.and_then(|column| record.text(column)).is_some_and(is_foreign),
            sic: self.sic.and_then(|column| record.text(column)).and_then(|cell| cell.parse().ok()),
        }))
    }

    fn symbol_column(&self) -> usize {
        self.cik
    }
}

/// Filings of the SEC's financial-statement data sets.
pub(super) static DATA_SET_FILINGS: Format = Format {
    recognise: |head| Layout::statements(SubmissionFile::from_header(head.header)),
    ..Format::new("SEC data sets, filings")
};
