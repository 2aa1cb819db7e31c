//! Trades of US insiders as Forms 4 and 5 report them: the forms themselves, and the SEC's tables of them.
//!
//! The code tells what was done: P is a purchase, S a sale, and everything else (grants, gifts, options, tax) is neither. A
//! table may have only some of the columns; which of two sources of a form is used is decided when all files are read.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::provenance::Provenance;
use crate::domain::reason::Reason;
use crate::domain::side::Side;
use crate::records::columns::NamedColumns;
use crate::records::placed::RecordPlace;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;
use parquote_encodings::text::dates;
use parquote_encodings::text::symbols;

/// A transaction of an insider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InsiderForm {
    /// The symbol; empty where the form says none and its issuer is unknown.
    pub(crate) symbol: String,
    /// The company.
    pub(crate) issuer_cik: Option<u64>,
    /// The company's name on the form.
    pub(crate) issuer: Option<String>,
    /// The accession number, where it is known.
    pub(crate) accession: Option<String>,
    /// The form, as `4` or `4/A`.
    pub(crate) form: Option<String>,
    /// The day of filing; of a form without its submission, that of the signature.
    pub(crate) filed_on: NaiveDate,
    /// The day of the trade.
    pub(crate) traded_on: NaiveDate,
    /// Who reports; several are apart by semicolons.
    pub(crate) person: Option<String>,
    /// The numbers of those who report.
    pub(crate) person_ciks: Option<String>,
    /// What they are to the company.
    pub(crate) category: Option<String>,
    /// The office of an officer.
    pub(crate) title: Option<String>,
    /// The security.
    pub(crate) security: Option<String>,
    /// The SEC's letter for what was done.
    pub(crate) code: String,
    /// Securities traded.
    pub(crate) shares: f64,
    /// Dollars a share; none where a footnote says it.
    pub(crate) price: Option<f64>,
    /// Whether they were acquired, otherwise disposed of; none where it is not said.
    pub(crate) is_acquired: Option<bool>,
    /// Securities held before, which follow from those held after; none where the form does not settle it.
    pub(crate) held_before: Option<f64>,
    /// Securities held after.
    pub(crate) held_after: Option<f64>,
    /// Whether they are held through others; none where it is not said.
    pub(crate) is_indirect: Option<bool>,
    /// What the form remarks on the transaction.
    pub(crate) footnotes: Option<String>,
    /// Where the row is from.
    pub(crate) source: Provenance,
}

impl InsiderForm {
    /// What was done, by its code.
    pub(crate) fn side(&self) -> Side {
        match self.code.as_str() {
            "P" => Side::Buy,
            "S" => Side::Sell,
            _ => Side::Other,
        }
    }

    /// What was done, in words.
    pub(crate) fn transaction(&self) -> &'static str {
        CODES.iter().find(|(code, _)| *code == self.code).map_or("Other", |(_, words)| *words)
    }

    /// The day of the trade; none where it is after the filing, as no trade is filed before it is made.
    pub(crate) fn trade_day(&self) -> Option<NaiveDate> {
        Some(self.traded_on).filter(|day| *day <= self.filed_on)
    }

    /// What tells a transaction from others of its submission, in every source.
    pub(crate) fn core(&self) -> impl Ord + use<> {
        let price = self.price.map(f64::to_bits);
        (self.symbol.clone(), self.traded_on, self.code.clone(), self.shares.to_bits(), price)
    }

    /// The submission: its number, else what the form says of itself.
    pub(crate) fn submission(&self) -> (String, String, NaiveDate) {
        let own = || format!("{:?}", self.issuer_cik);
        let number = self.accession.clone().unwrap_or_else(own);
        let people = if self.accession.is_some() { None } else { self.person_ciks.clone() };
        let filed = if self.accession.is_some() { NaiveDate::MIN } else { self.filed_on };
        (number, people.unwrap_or_default(), filed)
    }
}

/// The SEC's transaction codes, in short words of ours.
const CODES: [(&str, &str); 20] = [
    ("P", "Purchase"),
    ("S", "Sale"),
    ("A", "Grant or award"),
    ("D", "Disposition to the issuer"),
    ("F", "Shares withheld for price or tax"),
    ("I", "Discretionary transaction"),
    ("M", "Exercise or conversion of a derivative"),
    ("C", "Conversion of a derivative"),
    ("E", "Expiration of a short position"),
    ("H", "Expiration of a long position"),
    ("O", "Exercise of an out-of-the-money derivative"),
    ("X", "Exercise of an in-the-money derivative"),
    ("G", "Gift"),
    ("L", "Small acquisition"),
    ("W", "Will or inheritance"),
    ("Z", "Deposit into or withdrawal from a voting trust"),
    ("J", "Other acquisition or disposition"),
    ("K", "Equity swap"),
    ("U", "Tender in a change of control"),
    ("V", "Voluntary early report"),
];

impl PlainRecord<19> for InsiderForm {
    const RECORD: &'static str = "insider form";
    const COLUMNS: [&'static str; 19] = [
        "symbol text?",
        "code text",
        "traded_on date",
        "shares number",
        "price number",
        // Where files leave the day of filing to another table, it is the earliest there is.
        "filed_on date?",
        // Without it, the path of the file may say it.
        "accession text?",
        "form text?",
        "issuer_cik text?",
        "issuer text?",
        "person_ciks text?",
        "person text?",
        "category text?",
        "title text?",
        "security text?",
        "acquired text?",
        "held_after number?",
        "ownership text?",
        "footnotes text?",
    ];
    const FILLS: Option<&'static str> = Some(Self::TABLE);

    fn of(cells: [PlainCell<'_>; 19], file: &FileFacts) -> Result<Self, Reason> {
        let [ticker, code, traded_on, shares, price, filed_on, accession, form, issuer_cik, rest @ ..] =
            cells;
        let [issuer, person_ciks, person, category, title, rest @ ..] = rest;
        let [security, acquired, held_after, ownership, footnotes] = rest;
        let figure = |cell: PlainCell<'_>| cell.number().filter(|figure| *figure >= 0.0);
        let code = code.text().ok_or(Reason::NoRecords)?.to_uppercase();
        let traded_on = date(traded_on.bytes()).ok_or(Reason::BadDate)?;
        let filed_on = match (filed_on.is_there(), filed_on.bytes()) {
            (false, _) => NaiveDate::MIN,
            (true, []) => return Err(Reason::NoFilingDate),
            (true, written) => date(written).ok_or(Reason::BadDate)?,
        };
        // A price that a footnote says has an empty cell.
        let known = |cell: PlainCell<'_>| {
            if cell.bytes().is_empty() { Ok(None) } else { figure(cell).map(Some).ok_or(Reason::BadNumber) }
        };
        Ok(Self {
            symbol: ticker.text().and_then(symbol).unwrap_or_default(),
            issuer_cik: issuer_cik.cik(),
            issuer: issuer.words(),
            accession: accession.accession().or_else(|| file.owned_word()),
            form: form.words(),
            filed_on,
            traded_on,
            person: person.words(),
            person_ciks: person_ciks.words(),
            category: category.words(),
            title: title.words(),
            security: security.words(),
            is_acquired: is_acquired(acquired.text(), &code),
            held_before: None,
            code,
            shares: figure(shares).ok_or(Reason::NoAmount)?,
            price: known(price)?,
            held_after: known(held_after)?,
            is_indirect: ownership.text().map(|word| word.eq_ignore_ascii_case("I")),
            footnotes: footnotes.words(),
            source: Provenance::default(),
        })
    }
}

/// Whether securities were acquired (A) or disposed of (D), as the form says; tables may leave it to those codes that say it too.
fn is_acquired(said: Option<&str>, code: &str) -> Option<bool> {
    match (said, code) {
        (Some(word), _) if word.eq_ignore_ascii_case("A") => Some(true),
        (Some(word), _) if word.eq_ignore_ascii_case("D") => Some(false),
        (_, "P" | "A") => Some(true),
        (_, "S" | "F" | "D") => Some(false),
        _ => None,
    }
}

/// A day that a time zone may follow, as `2026-10-26-04:00`.
pub(super) fn date(cell: &[u8]) -> Option<NaiveDate> {
    let is_zoned = cell.len() > 10 && matches!(cell.get(10), Some(b'-' | b'+' | b'Z'));
    dates::in_cell(if is_zoned { cell.get(..10)? } else { cell })
}

/// The trading symbol as issuers write it: several are apart by commas, an exchange may stand before it.
pub(super) fn symbol(text: &str) -> Option<String> {
    let first =
        text.trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '"')).split([',', ';']).next()?;
    let symbol = symbols::symbol_of(first.rsplit(':').next()?.trim());
    let is_one =
        !symbol.is_empty() && !symbol.contains(' ') && !["NONE", "N.A", "NA"].contains(&symbol.as_str());
    is_one.then_some(symbol)
}

impl RawRecord for InsiderForm {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for InsiderForm {
    const TABLE: &'static str = "insider_trades";

    /// The columns of `insider_trades` that the US has.
    fn columns(rows: &[Self]) -> NamedColumns {
        let ownership = |is_indirect: bool| if is_indirect { "indirect" } else { "direct" };
        NamedColumns::of(rows)
            .text("symbol", |form| Some(&form.symbol))
            .date("filed_on", |form| Some(form.filed_on))
            .sequence("sequence", |form| (&form.symbol, form.filed_on))
            .text("security_name", |form| form.issuer.as_deref())
            .date("traded_from", Self::trade_day)
            .date("traded_to", Self::trade_day)
            .text("person", |form| form.person.as_deref())
            .text("category", |form| form.category.as_deref())
            .text("officer_title", |form| form.title.as_deref())
            .text("security_type", |form| form.security.as_deref())
            .text("side", |form| Some(form.side().word()))
            .text("transaction_type", |form| Some(form.transaction()))
            .text("transaction_code", |form| Some(&form.code))
            .rounded("shares", |form| Some(form.shares))
            .number("price", |form| form.price)
            .number("value_usd", |form| form.price.map(|price| price * form.shares))
            .rounded("held_before", |form| form.held_before)
            .rounded("held_after", |form| form.held_after)
            .text("ownership", |form| form.is_indirect.map(ownership))
            .text("footnotes", |form| form.footnotes.as_deref())
            .text("form", |form| form.form.as_deref())
            .text("accession", |form| form.accession.as_deref())
            .text("source", |form| form.source.words())
            .done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_as_issuers_write_them() {
        for (text, expected) in [
            ("ALFA", "ALFA"),
            ("alfa-b", "ALFA.B"),
            ("NYSE: ALFA", "ALFA"),
            ("ALFA, ALFB", "ALFA"),
            ("[ALFA]", "ALFA"),
        ] {
            assert_eq!(symbol(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["NONE", "N/A", "", "Alfa Partners"] {
            assert_eq!(symbol(text), None, "{text}");
        }
        assert_eq!(date(b"2026-10-26-04:00"), NaiveDate::from_ymd_opt(2026, 10, 26));
        assert_eq!(date(b"26-OCT-2026"), NaiveDate::from_ymd_opt(2026, 10, 26));
    }
}
