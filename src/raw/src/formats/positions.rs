//! Positions of institutional managers: the lines of Form 13F, and the covers above them.
//!
//! Values are whole dollars in filings since 3 January 2023 and thousands before (SEC release 34-95148); here they are dollars. A principal
//! amount of bonds is no number of shares. Separate lines and covers are joined by their accession number.

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer};

use crate::domain::provenance::Provenance;
use crate::records::columns::NamedColumns;
use crate::records::positioned_row::RecordPosition;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::cik;

/// The cover of a Form 13F.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Cover {
    pub(crate) cik: u64,
    pub(crate) manager: Option<String>,
    pub(crate) accession: Option<String>,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    pub(crate) filed_on: NaiveDate,
    /// True for an amendment that adds omitted holdings to earlier filings; an original, or another amendment, replaces them.
    pub(crate) adds: bool,
}

/// A line of an information table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct PositionLine {
    /// `None` if the cover is not in the row of the line.
    #[serde(skip)]
    pub(crate) cover: Option<Cover>,
    /// The submission in the row or path of the file.
    pub(crate) accession: Option<String>,
    pub(crate) issuer: String,
    pub(crate) class: Option<String>,
    pub(crate) cusip: String,
    /// As filed, in dollars or thousands.
    pub(crate) value: f64,
    /// `None` for bonds.
    pub(crate) shares: Option<f64>,
    /// `put` or `call` if it is an option on the shares.
    #[serde(deserialize_with = "option_word")]
    pub(crate) option: OptionWord,
    #[serde(skip)]
    pub(crate) source: Provenance,
}

/// A line of the SEC's data sets (`INFOTABLE.tsv`).
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct DataSetLine(pub(super) PositionLine);

/// The cover page of a report in the SEC's data sets (`COVERPAGE.tsv`); the cover itself is a row of `SUBMISSION.tsv`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct CoverPage {
    pub(crate) accession: String,
    pub(crate) manager: Option<String>,
    /// True if it is an amendment that adds holdings which an earlier report omitted.
    pub(crate) adds: bool,
}

/// Total value of all lines of a report (`SUMMARYPAGE.tsv`), as filed, in dollars or thousands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ReportTotal {
    pub(crate) accession: String,
    pub(crate) value: f64,
}

/// An institution's holding of a security at the end of a quarter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvestorPosition {
    pub(crate) cik: u64,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    /// The day of the newest filing with the holding.
    pub(crate) filed_on: NaiveDate,
    pub(crate) cusip: String,
    /// `put` or `call` if it is an option on the security.
    pub(crate) option: OptionWord,
    /// The symbol, if it is known.
    pub(crate) symbol: Option<String>,
    /// The issuer, as the filing writes it.
    pub(crate) issuer: String,
    /// The class of the security, as the filing writes it.
    pub(crate) class: Option<String>,
    /// Shares; `None` for bonds.
    pub(crate) shares: Option<f64>,
    /// In dollars.
    pub(crate) value: f64,
    /// Source of the row; of several lines the first.
    pub(crate) source: Provenance,
}

impl Cover {
    /// Returns the factor that converts values of this filing to dollars.
    pub(crate) fn dollar_factor(&self) -> f64 {
        let since = NaiveDate::from_ymd_opt(2023, 1, 3).unwrap_or_default();
        if self.filed_on < since { 1_000.0 } else { 1.0 }
    }

    /// Returns the key of the submission: its day of filing and its number.
    pub(crate) fn submission_key(&self) -> (NaiveDate, String) {
        (self.filed_on, self.accession.clone().unwrap_or_default())
    }
}

/// A row with a line, with a cover, or with both.
#[derive(Deserialize)]
pub(crate) struct PositionRow {
    cik: Option<u64>,
    manager: Option<String>,
    accession: Option<String>,
    report_date: Option<NaiveDate>,
    filed_on: Option<NaiveDate>,
    adds: bool,
    /// `None` if there is no line.
    cusip: Option<String>,
    issuer: String,
    class: Option<String>,
    value: Option<f64>,
    shares: Option<f64>,
    #[serde(deserialize_with = "option_word")]
    option: OptionWord,
}

/// `put` or `call`. An alias, because serde would borrow a field whose type it sees as a reference.
pub(crate) type OptionWord = Option<&'static str>;

/// Reads `put` or `call`; other words mean shares.
fn option_word<'de, D: Deserializer<'de>>(from: D) -> Result<OptionWord, D::Error> {
    let word = Option::<String>::deserialize(from)?;
    Ok(["put", "call"].into_iter().find(|known| Some(*known) == word.as_deref()))
}

impl PositionRow {
    fn parts(self, source: &Provenance) -> (Option<Cover>, Option<PositionLine>) {
        let Self { cik, manager, accession, report_date, filed_on, adds, .. } = self;
        let dated = cik.zip(report_date.zip(filed_on));
        let cover = dated.map(|(cik, (report_date, filed_on))| Cover {
            cik,
            manager,
            accession: accession.clone(),
            report_date,
            filed_on,
            adds,
        });
        let Some((cusip, value)) = self.cusip.zip(self.value) else { return (cover, None) };
        let Self { issuer, class, shares, option, .. } = self;
        let source = source.clone();
        let line = PositionLine { cover, accession, issuer, class, cusip, value, shares, option, source };
        (None, Some(line))
    }

    /// Stores the line with its cover, or the cover alone.
    pub(super) fn store(self, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        match self.parts(at.provenance) {
            (_, Some(line)) => into.records.add(line, at),
            (Some(cover), None) => into.records.add(cover, at),
            (None, None) => {}
        }
    }
}

impl TableRecord for InvestorPosition {
    const TABLE: &'static str = "investor_positions";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
            .computed_text("cik", |position| cik::text(position.cik))
            .date("report_date", |position| Some(position.report_date))
            .date("filed_on", |position| Some(position.filed_on))
            .text("cusip", |position| Some(&position.cusip))
            .text("option_type", |position| Some(position.option.unwrap_or("none")))
            .text("symbol", |position| position.symbol.as_deref())
            .text("issuer", |position| Some(&position.issuer))
            .text("share_class", |position| position.class.as_deref())
            .rounded("shares", |position| position.shares)
            .number("value_usd", |position| Some(position.value))
            .text("source", |position| position.source.words())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_were_thousands_until_2023() {
        let filed = |year, month, day| Cover {
            cik: 1,
            manager: None,
            accession: None,
            report_date: NaiveDate::default(),
            filed_on: NaiveDate::from_ymd_opt(year, month, day).unwrap(),
            adds: false,
        };
        assert_eq!((filed(2023, 1, 2).dollar_factor(), filed(2023, 1, 3).dollar_factor()), (1_000.0, 1.0));
    }
}
