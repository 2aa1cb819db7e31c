//! A row of a file of statements: a line, a figure under a tag, or a filing in the list of a data set.

use chrono::NaiveDate;

use crate::domain::note::FigureNote;
use crate::domain::reason::Reason;
use crate::statements::row::{Basis, CompanyRef, PeriodSpan};
use crate::statements::units::Currency;
use parquote_catalogue::operation::line_item::LineItem;
use parquote_encodings::documents::statement_tags::Tag;
use parquote_encodings::text::cells::CellRecord;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StatementRecord {
    Line(StatedLine),
    Tagged(TaggedFigure),
    Submission(Submission),
}

/// A line of a statement as a file states it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedLine {
    pub(crate) company: CompanyRef,
    pub(crate) period_end: NaiveDate,
    pub(crate) span: PeriodSpan,
    pub(crate) basis: Basis,
    pub(crate) line: LineItem,
    /// In plain units.
    pub(crate) value: f64,
    /// `None` for the market's currency.
    pub(crate) currency: Option<Currency>,
    pub(crate) filed_at: Option<NaiveDate>,
    pub(crate) source: Option<String>,
}

/// A figure under a tag.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaggedFigure {
    /// The accession number of its filing; `None` if the file is the filing.
    pub(crate) accession: Option<u64>,
    /// Its company; `None` if the list of filings has it.
    pub(crate) company: Option<CompanyRef>,
    /// Day of filing.
    pub(crate) filed_on: Option<NaiveDate>,
    pub(crate) tag: Tag,
    pub(crate) end: NaiveDate,
    pub(crate) span: PeriodSpan,
    pub(crate) basis: Basis,
    pub(crate) currency: Option<Currency>,
    pub(crate) value: f64,
}

/// Filer, form and date of a filing in the list of a data set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Submission {
    pub(crate) accession: u64,
    pub(crate) cik: u64,
    /// Day of filing.
    pub(crate) filed_on: NaiveDate,
    /// True if its figures of twelve months cover fiscal years; `None` if the list lacks its form.
    pub(crate) has_years: Option<bool>,
    /// True if its form is one for foreign companies.
    pub(crate) is_foreign: bool,
    /// The SIC code of the company, if the list has it.
    pub(crate) sic: Option<u16>,
}

/// A file of statements whose header was recognised.
pub(crate) trait StatementFile: Send + Sync {
    /// Parses the record in a row.
    fn record(&self, row: &CellRecord) -> Result<StatementRecord, Reason>;
    /// Returns the position of the column by which repeated header lines are recognised: no data row has the column's name there.
    fn symbol_column(&self) -> usize;
    /// Returns the note to be counted if the row yields no record.
    fn note(&self, _: &CellRecord) -> Option<FigureNote> {
        None
    }
}

impl StatementRecord {
    /// Returns the day from which the record is known.
    pub(crate) fn date(&self) -> NaiveDate {
        match self {
            Self::Line(line) => line.filed_at.unwrap_or(line.period_end),
            Self::Tagged(tagged) => tagged.filed_on.unwrap_or(tagged.end),
            Self::Submission(submission) => submission.filed_on,
        }
    }
}
