//! Positions of institutional managers: the lines of Form 13F, and the covers above them.
//!
//! Values are whole dollars in filings since 3 January 2023 and thousands before (SEC release 34-95148); here they are dollars. A
//! principal amount of bonds is no number of shares. Lines and covers that stand apart meet by their accession number.

use chrono::NaiveDate;

use crate::derive::raw::domain::provenance::Provenance;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::records::columns::NamedColumns;
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::{accession, cik, dates};

/// What the cover of a Form 13F says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) cik: u64,
    pub(crate) manager: Option<String>,
    pub(crate) accession: Option<String>,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    pub(crate) filed_on: NaiveDate,
    pub(crate) change: Amendment,
}

/// What a filing does to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amendment {
    /// It is all there is: an original, or an amendment that restates it.
    Whole,
    /// An amendment with holdings that were left out.
    Addition,
}

/// A line of an information table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PositionLine {
    /// None where the line stands without its cover.
    pub(crate) cover: Option<Cover>,
    /// The submission that the file's row or path says.
    pub(crate) accession: Option<String>,
    pub(crate) issuer: String,
    pub(crate) class: Option<String>,
    pub(crate) cusip: String,
    /// As the filing writes it, dollars or thousands.
    pub(crate) value: f64,
    /// None of bonds.
    pub(crate) shares: Option<f64>,
    /// `put` or `call` where it is an option on the shares.
    pub(crate) option: Option<&'static str>,
    /// Where the row is from.
    pub(crate) source: Provenance,
}

/// What an institution holds of a security at the end of a quarter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvestorPosition {
    /// The institution.
    pub(crate) cik: u64,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    /// The day of the newest filing that says it.
    pub(crate) filed_on: NaiveDate,
    /// The security.
    pub(crate) cusip: String,
    /// `put` or `call` where it is an option on it.
    pub(crate) option: Option<&'static str>,
    /// The symbol, where it is known.
    pub(crate) symbol: Option<String>,
    /// The issuer, as the filing writes it.
    pub(crate) issuer: String,
    /// The class of the security, as the filing writes it.
    pub(crate) class: Option<String>,
    /// Shares; none of bonds.
    pub(crate) shares: Option<f64>,
    /// Dollars.
    pub(crate) value: f64,
    /// Where the row is from; of several lines the first.
    pub(crate) source: Provenance,
}

impl Cover {
    /// What multiplies values of this filing to make them dollars.
    pub(crate) fn unit(&self) -> f64 {
        let since = NaiveDate::from_ymd_opt(2023, 1, 3).unwrap_or_default();
        if self.filed_on < since { 1_000.0 } else { 1.0 }
    }

    /// The submission: its number, else what the cover says.
    pub(crate) fn submission(&self) -> (NaiveDate, String) {
        (self.filed_on, self.accession.clone().unwrap_or_default())
    }
}

pub(crate) struct PositionFile {
    cover: CoverColumns,
    line: LineColumns,
    of_path: Option<String>,
}

/// Where a row says what the cover of its filing does.
pub(super) struct CoverColumns {
    accession: usize,
    filed_on: usize,
    form: usize,
    amendment: Option<usize>,
    report_date: usize,
    pub(super) cik: usize,
    manager: Option<usize>,
}

/// Where a row says a line of an information table.
pub(super) struct LineColumns {
    accession: usize,
    issuer: usize,
    class: Option<usize>,
    pub(super) cusip: usize,
    value: usize,
    amount: usize,
    amount_type: Option<usize>,
    option: Option<usize>,
}

impl PositionFile {
    pub(crate) fn of(header: &HeaderLine, path: &str) -> Option<Self> {
        Some(Self {
            cover: CoverColumns::of(header)?,
            line: LineColumns::of(header)?,
            of_path: accession::in_path(path),
        })
    }
}

impl CoverColumns {
    pub(super) fn of(header: &HeaderLine) -> Option<Self> {
        let column = |names: &[&str]| header.column(names);
        Some(Self {
            accession: column(&["ACCESSION_NUMBER"])?,
            filed_on: column(&["FILING_DATE"])?,
            form: column(&["SUBMISSIONTYPE"])?,
            amendment: column(&["AMENDMENTTYPE"]),
            report_date: column(&["PERIODOFREPORT"])?,
            cik: column(&["CIK"])?,
            manager: column(&["FILINGMANAGER_NAME"]),
        })
    }

    /// The cover; none where the row has none, as lines of a table that stands alone. `of_path` is the submission that the path says.
    pub(super) fn cover(&self, record: &CellRecord, of_path: Option<&str>) -> Result<Option<Cover>, Reason> {
        let form = record.text(self.form).unwrap_or_default();
        if form.starts_with("13F-NT") {
            return Err(Reason::NoRecords);
        }
        let Some(cik) = cik::number(record.cell(self.cik)) else { return Ok(None) };
        let adds = self.amendment.and_then(|column| record.text(column)).is_some_and(adds_holdings);
        Ok(Some(Cover {
            cik,
            manager: self.manager.and_then(|column| record.words(column)),
            accession: accession_of(record, self.accession, of_path),
            report_date: date(record.cell(self.report_date)).ok_or(Reason::BadDate)?,
            filed_on: date(record.cell(self.filed_on)).ok_or(Reason::BadDate)?,
            change: if adds && form.ends_with("/A") { Amendment::Addition } else { Amendment::Whole },
        }))
    }
}

impl LineColumns {
    pub(super) fn of(header: &HeaderLine) -> Option<Self> {
        let column = |names: &[&str]| header.column(names);
        Some(Self {
            accession: column(&["ACCESSION_NUMBER"])?,
            issuer: column(&["NAMEOFISSUER"])?,
            class: column(&["TITLEOFCLASS"]),
            cusip: column(&["CUSIP"])?,
            value: column(&["VALUE"])?,
            amount: column(&["SSHPRNAMT"])?,
            amount_type: column(&["SSHPRNAMTTYPE"]),
            option: column(&["PUTCALL"]),
        })
    }

    /// The line of a row, without its cover. `of_path` is the submission that the path says.
    pub(super) fn line(&self, record: &CellRecord, of_path: Option<&str>) -> Result<PositionLine, Reason> {
        let cusip = record.text(self.cusip).ok_or(Reason::NoCusip)?;
        let figure = |column: usize| cells::number(record.cell(column)).filter(|figure| *figure >= 0.0);
        let amount = figure(self.amount).ok_or(Reason::BadNumber)?;
        let is_bond = self.amount_type.and_then(|column| record.text(column)) == Some("PRN");
        let option = self.option.and_then(|column| record.text(column)).unwrap_or_default();
        Ok(PositionLine {
            cover: None,
            accession: accession_of(record, self.accession, of_path),
            issuer: record.text(self.issuer).unwrap_or_default().to_owned(),
            class: self.class.and_then(|column| record.words(column)),
            // Some filers drop the zeros that a CUSIP starts with.
            cusip: format!("{:0>9}", cusip.to_uppercase()),
            value: figure(self.value).ok_or(Reason::BadNumber)?,
            shares: (!is_bond).then_some(amount),
            option: ["put", "call"].into_iter().find(|word| option.eq_ignore_ascii_case(word)),
            source: Provenance::default(),
        })
    }
}

impl RecordFile for PositionFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let cover = self.cover.cover(record, self.of_path.as_deref())?;
        if record.text(self.line.cusip).is_none() {
            let cover = cover.ok_or(Reason::NoFiler)?;
            return Ok(Box::new(cover));
        }
        Ok(Box::new(PositionLine { cover, ..self.line.line(record, self.of_path.as_deref())? }))
    }

    fn symbol(&self) -> usize {
        self.line.cusip
    }
}

/// The submission that a row is of: its own word, else that of the path.
fn accession_of(record: &CellRecord, column: usize, of_path: Option<&str>) -> Option<String> {
    record.text(column).and_then(accession::in_cell).or_else(|| of_path.map(str::to_owned))
}

/// Whether an amendment of this type has holdings that were left out.
pub(super) fn adds_holdings(amendment: &str) -> bool {
    amendment.eq_ignore_ascii_case("NEW HOLDINGS")
}

/// A date as 13F writes it, `09-30-2026`, or as other files do.
fn date(cell: &[u8]) -> Option<NaiveDate> {
    let text = std::str::from_utf8(cell).ok()?;
    NaiveDate::parse_from_str(text, "%m-%d-%Y").ok().or_else(|| dates::in_cell(cell))
}

impl RawRecord for Cover {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for PositionLine {
    fn date(&self) -> Option<NaiveDate> {
        self.cover.as_ref().map(|cover| cover.filed_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for InvestorPosition {
    const TABLE: &'static str = "investor_positions";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .made_text("cik", |position| cik::text(position.cik))
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
            .done()
    }
}

/// Positions of institutions.
pub(super) static POSITIONS: Format = Format {
    recognise: |head| Layout::records(PositionFile::of(head.header, head.path)),
    table: Some(InvestorPosition::TABLE),
    ..Format::new("institutional positions", US)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_month_first() {
        let day = NaiveDate::from_ymd_opt(2026, 9, 30);
        for text in ["09-30-2026", "2026-09-30", "20260930", "30-SEP-2026"] {
            assert_eq!(date(text.as_bytes()), day, "{text}");
        }
        assert_eq!(date(b"30-09-2026"), None);
    }

    #[test]
    fn values_were_thousands_until_2023() {
        let filed = |year, month, day| Cover {
            cik: 1,
            manager: None,
            accession: None,
            report_date: NaiveDate::MIN,
            filed_on: NaiveDate::from_ymd_opt(year, month, day).unwrap(),
            change: Amendment::Whole,
        };
        assert_eq!((filed(2023, 1, 2).unit(), filed(2023, 1, 3).unit()), (1_000.0, 1.0));
    }
}
