//! Positions of institutional managers: the lines of Form 13F, and the covers above them.
//!
//! Values are whole dollars in filings since 3 January 2023 and thousands before (SEC release 34-95148); here they are dollars. A
//! principal amount of bonds is no number of shares. Lines and covers that stand apart meet by their accession number.

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::fact::{Fact, FactFile};
use super::provenance::Provenance;
use super::reason::Reason;
use super::{accession, cik, dates};

/// What the cover of a Form 13F says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) cik: u64,
    pub(crate) manager: Option<String>,
    pub(crate) accession: Option<String>,
    /// The last day of the quarter.
    pub(crate) report_date: NaiveDate,
    pub(crate) filed_on: NaiveDate,
    pub(crate) change: Change,
}

/// What a filing does to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is all there is: an original, or an amendment that restates it.
    Whole,
    /// An amendment with holdings that were left out.
    Addition,
}

/// A line of an information table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
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
    fields: usize,
    accession: usize,
    filed_on: usize,
    form: usize,
    amendment: Option<usize>,
    report_date: usize,
    cik: usize,
    manager: Option<usize>,
    issuer: usize,
    class: Option<usize>,
    cusip: usize,
    value: usize,
    amount: usize,
    amount_type: Option<usize>,
    option: Option<usize>,
    of_path: Option<String>,
}

impl PositionFile {
    pub(crate) fn of(header: &Header, path: &str) -> Option<Self> {
        let column = |names: &[&str]| header.column(names);
        Some(Self {
            fields: header.len(),
            accession: column(&["ACCESSION_NUMBER"])?,
            filed_on: column(&["FILING_DATE"])?,
            form: column(&["SUBMISSIONTYPE"])?,
            amendment: column(&["AMENDMENTTYPE"]),
            report_date: column(&["PERIODOFREPORT"])?,
            cik: column(&["CIK"])?,
            manager: column(&["FILINGMANAGER_NAME"]),
            issuer: column(&["NAMEOFISSUER"])?,
            class: column(&["TITLEOFCLASS"]),
            cusip: column(&["CUSIP"])?,
            value: column(&["VALUE"])?,
            amount: column(&["SSHPRNAMT"])?,
            amount_type: column(&["SSHPRNAMTTYPE"]),
            option: column(&["PUTCALL"]),
            of_path: accession::in_path(path),
        })
    }

    fn accession(&self, record: &Record) -> Option<String> {
        record.text(self.accession).and_then(accession::in_cell).or_else(|| self.of_path.clone())
    }

    /// The cover; none where the row has none, as lines of a table that stands alone.
    fn cover(&self, record: &Record) -> Result<Option<Cover>, Reason> {
        let form = record.text(self.form).unwrap_or_default();
        if form.starts_with("13F-NT") {
            return Err(Reason::NoRecords);
        }
        let Some(cik) = cik::number(record.cell(self.cik)) else { return Ok(None) };
        let adds = self.amendment.and_then(|column| record.text(column));
        let adds = form.ends_with("/A") && adds.is_some_and(|kind| kind.eq_ignore_ascii_case("NEW HOLDINGS"));
        Ok(Some(Cover {
            cik,
            manager: self.manager.and_then(|column| record.words(column)),
            accession: self.accession(record),
            report_date: date(record.cell(self.report_date)).ok_or(Reason::BadDate)?,
            filed_on: date(record.cell(self.filed_on)).ok_or(Reason::BadDate)?,
            change: if adds { Change::Addition } else { Change::Whole },
        }))
    }
}

impl FactFile for PositionFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let cover = self.cover(record)?;
        let Some(cusip) = record.text(self.cusip) else {
            return cover.map(Fact::Cover).ok_or(Reason::NoFiler);
        };
        let figure = |column: usize| cells::number(record.cell(column)).filter(|figure| *figure >= 0.0);
        let amount = figure(self.amount).ok_or(Reason::BadNumber)?;
        let is_bond = self.amount_type.and_then(|column| record.text(column)) == Some("PRN");
        let option = self.option.and_then(|column| record.text(column)).unwrap_or_default();
        Ok(Fact::Position(Box::new(Line {
            cover,
            accession: self.accession(record),
            issuer: record.text(self.issuer).unwrap_or_default().to_owned(),
            class: self.class.and_then(|column| record.words(column)),
            // Some filers drop the zeros that a CUSIP starts with.
            cusip: format!("{:0>9}", cusip.to_uppercase()),
            value: figure(self.value).ok_or(Reason::BadNumber)?,
            shares: (!is_bond).then_some(amount),
            option: ["put", "call"].into_iter().find(|word| option.eq_ignore_ascii_case(word)),
            source: Provenance::default(),
        })))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.cusip
    }
}

/// A date as 13F writes it, `09-30-2026`, or as other files do.
fn date(cell: &[u8]) -> Option<NaiveDate> {
    let text = std::str::from_utf8(cell).ok()?;
    NaiveDate::parse_from_str(text, "%m-%d-%Y").ok().or_else(|| dates::in_cell(cell))
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
            change: Change::Whole,
        };
        assert_eq!((filed(2023, 1, 2).unit(), filed(2023, 1, 3).unit()), (1_000.0, 1.0));
    }
}
