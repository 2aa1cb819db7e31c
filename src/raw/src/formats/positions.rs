//! Positions of institutional managers: the lines of Form 13F, and the covers above them.
//!
//! Values are whole dollars in filings since 3 January 2023 and thousands before (SEC release 34-95148); here they are dollars. A principal
//! amount of bonds is no number of shares. Separate lines and covers are joined by their accession number.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::records::columns::NamedColumns;
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::{cik, dates};

/// The cover of a Form 13F.
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

/// Effect of a filing on those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amendment {
    /// Replaces them: an original, or an amendment that restates it.
    Whole,
    /// Adds to them: an amendment with omitted holdings.
    Addition,
}

/// A line of an information table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PositionLine {
    /// `None` if the line is not in a row with its cover.
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
    pub(crate) option: Option<&'static str>,
    /// Source of the row.
    pub(crate) source: Provenance,
}

/// An institution's holding of a security at the end of a quarter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InvestorPosition {
    /// The institution.
    pub(crate) cik: u64,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    /// The day of the newest filing with it.
    pub(crate) filed_on: NaiveDate,
    /// The security.
    pub(crate) cusip: String,
    /// `put` or `call` if it is an option on it.
    pub(crate) option: Option<&'static str>,
    /// The symbol, if it is known.
    pub(crate) symbol: Option<String>,
    /// The issuer, as the filing writes it.
    pub(crate) issuer: String,
    /// The class of the security, as the filing writes it.
    pub(crate) class: Option<String>,
    /// Shares; `None` for bonds.
    pub(crate) shares: Option<f64>,
    /// Dollars.
    pub(crate) value: f64,
    /// Source of the row; of several lines the first.
    pub(crate) source: Provenance,
}

impl Cover {
    /// Returns the factor that converts values of this filing to dollars.
    pub(crate) fn unit(&self) -> f64 {
        let since = NaiveDate::from_ymd_opt(2023, 1, 3).unwrap_or_default();
        if self.filed_on < since { 1_000.0 } else { 1.0 }
    }

    /// Returns the key of the submission: its day of filing and its number.
    pub(crate) fn submission(&self) -> (NaiveDate, String) {
        (self.filed_on, self.accession.clone().unwrap_or_default())
    }
}

/// A row with a line and its cover, or with the cover alone.
pub(crate) enum PositionRow {
    Cover(Cover),
    Line(PositionLine),
}

impl Cover {
    /// Reads a cover; `None` if the row has none, such as lines of a separate table.
    pub(super) fn in_cells(cells: [PlainCell<'_>; 7], file: &FileFacts) -> Result<Option<Self>, Reason> {
        let [cik, accession, filed_on, form, report_date, amendment, manager] = cells;
        let form = form.text().unwrap_or_default();
        if form.starts_with("13F-NT") {
            return Err(Reason::NoRecords);
        }
        let Some(cik) = cik.cik() else { return Ok(None) };
        let adds = amendment.text().is_some_and(adds_holdings);
        Ok(Some(Self {
            cik,
            manager: manager.words(),
            accession: accession.accession().or_else(|| file.owned_word()),
            report_date: date(report_date.bytes()).ok_or(Reason::BadDate)?,
            filed_on: date(filed_on.bytes()).ok_or(Reason::BadDate)?,
            change: if adds && form.ends_with("/A") { Amendment::Addition } else { Amendment::Whole },
        }))
    }
}

impl PositionLine {
    pub(super) const COLUMNS: [&'static str; 8] = [
        "cusip text",
        "accession text",
        "issuer text",
        "value number",
        "amount number",
        "class text?",
        "amount_type text?",
        "option text?",
    ];

    /// Reads a line, without its cover.
    pub(super) fn in_cells(cells: [PlainCell<'_>; 8], file: &FileFacts) -> Result<Self, Reason> {
        let [cusip, accession, issuer, value, amount, class, amount_type, option] = cells;
        let cusip = cusip.text().ok_or(Reason::NoCusip)?;
        let figure = |cell: PlainCell<'_>| cell.number().filter(|figure| *figure >= 0.0);
        let amount = figure(amount).ok_or(Reason::BadNumber)?;
        let is_bond = amount_type.text() == Some("PRN");
        let option = option.text().unwrap_or_default();
        Ok(Self {
            cover: None,
            accession: accession.accession().or_else(|| file.owned_word()),
            issuer: issuer.owned().unwrap_or_default(),
            class: class.words(),
            // Some filers drop the leading zeros of a CUSIP.
            cusip: format!("{:0>9}", cusip.to_uppercase()),
            value: figure(value).ok_or(Reason::BadNumber)?,
            shares: (!is_bond).then_some(amount),
            option: ["put", "call"].into_iter().find(|word| option.eq_ignore_ascii_case(word)),
            source: Provenance::default(),
        })
    }
}

impl PlainRecord<14> for PositionRow {
    const RECORD: &'static str = "position";
    const COLUMNS: [&'static str; 14] = [
        "cusip text",
        "accession text",
        "issuer text",
        "value number",
        "amount number",
        "class text?",
        "amount_type text?",
        "option text?",
        "cik text",
        "filed_on date",
        "form text",
        "report_date date",
        "amendment text?",
        "manager text?",
    ];
    const FILLS: Option<&'static str> = Some(InvestorPosition::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 14], file: &FileFacts) -> Result<Self, Reason> {
        let [cusip, accession, issuer, value, amount, class, amount_type, option, cover @ ..] = cells;
        let [cik, filed_on, form, report_date, amendment, manager] = cover;
        let cover = [cik, accession, filed_on, form, report_date, amendment, manager];
        let cover = Cover::in_cells(cover, file)?;
        if cusip.text().is_none() {
            return cover.map(Self::Cover).ok_or(Reason::NoFiler);
        }
        let line = [cusip, accession, issuer, value, amount, class, amount_type, option];
        Ok(Self::Line(PositionLine { cover, ..PositionLine::in_cells(line, file)? }))
    }
}

/// Returns true if an amendment of this type has omitted holdings.
pub(super) fn adds_holdings(amendment: &str) -> bool {
    amendment.eq_ignore_ascii_case("NEW HOLDINGS")
}

/// Parses a date as 13F writes it, `09-30-2026`, or as other files do.
fn date(cell: &[u8]) -> Option<NaiveDate> {
    let text = std::str::from_utf8(cell).ok()?;
    NaiveDate::parse_from_str(text, "%m-%d-%Y").ok().or_else(|| dates::in_cell(cell))
}

impl RawRecord for Cover {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for PositionRow {
    fn date(&self) -> Option<NaiveDate> {
        match self {
            Self::Cover(cover) | Self::Line(PositionLine { cover: Some(cover), .. }) => Some(cover.filed_on),
            Self::Line(_) => None,
        }
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        match *self {
            Self::Cover(cover) => into.records.add(cover, at),
            Self::Line(line) => {
                into.records.add(PositionLine { source: at.provenance.clone(), ..line }, at);
            }
        }
    }
}

impl TableRecord for InvestorPosition {
    const TABLE: &'static str = "investor_positions";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::for_rows(rows)
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
