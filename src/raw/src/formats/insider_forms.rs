//! Trades of US insiders as Forms 4 and 5 report them: the forms themselves, and the SEC's tables of them.
//!
//! The code gives the side: P is a purchase, S a sale, and everything else (grants, gifts, options, tax) is neither. A table may have only
//! some of the columns; if two sources have the same form, one is selected after all files are read.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::domain::provenance::Provenance;
use crate::domain::side::Side;
use crate::records::columns::NamedColumns;
use crate::records::table_row::TableRecord;
use parquote_encodings::text::symbols;

/// A transaction of an insider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct InsiderForm {
    /// The symbol; empty if the form has none and its issuer is unknown.
    pub(crate) symbol: String,
    pub(crate) issuer_cik: Option<u64>,
    /// The company's name on the form.
    pub(crate) issuer: Option<String>,
    /// The accession number, if it is known.
    pub(crate) accession: Option<String>,
    /// The form, such as `4` or `4/A`.
    pub(crate) form: Option<String>,
    /// The day of filing; for a form without its submission, that of the signature. `None` until the submission is known.
    pub(crate) filed_on: Option<NaiveDate>,
    pub(crate) traded_on: NaiveDate,
    /// The reporting persons, separated by semicolons.
    pub(crate) person: Option<String>,
    /// The CIKs of the reporting persons.
    pub(crate) person_ciks: Option<String>,
    /// The persons' relation to the company.
    pub(crate) category: Option<String>,
    /// The office of an officer.
    pub(crate) title: Option<String>,
    pub(crate) security: Option<String>,
    /// The SEC's transaction code.
    pub(crate) code: String,
    /// Securities traded.
    pub(crate) shares: f64,
    /// Dollars per share; `None` if it is in a footnote.
    pub(crate) price: Option<f64>,
    /// True if the securities were acquired, false if disposed of; `None` if unstated.
    pub(crate) is_acquired: Option<bool>,
    /// Securities held before, derived from those held after; `None` if the form does not determine it.
    #[serde(skip)]
    pub(crate) held_before: Option<f64>,
    /// Securities held after.
    pub(crate) held_after: Option<f64>,
    /// True if the securities are held through others; `None` if unstated.
    pub(crate) is_indirect: Option<bool>,
    /// Remarks of the form on the transaction.
    pub(crate) footnotes: Option<String>,
    #[serde(skip)]
    pub(crate) source: Provenance,
}

impl InsiderForm {
    /// Returns the side of the trade by its code.
    pub(crate) fn side(&self) -> Side {
        match self.code.as_str() {
            "P" => Side::Buy,
            "S" => Side::Sell,
            _ => Side::Other,
        }
    }

    /// Returns the transaction in words.
    pub(crate) fn transaction(&self) -> &'static str {
        CODES.iter().find(|(code, _)| *code == self.code).map_or("Other", |(_, words)| *words)
    }

    /// Returns the day of the trade; `None` if it is after the filing, as no trade is filed before it is made.
    pub(crate) fn trade_day(&self) -> Option<NaiveDate> {
        Some(self.traded_on).filter(|day| Some(*day) <= self.filed_on)
    }

    /// Returns the key that identifies a transaction in its submission, in every source.
    pub(crate) fn transaction_key(&self) -> impl Ord + use<> {
        let price = self.price.map(f64::to_bits);
        (self.symbol.clone(), self.traded_on, self.code.clone(), self.shares.to_bits(), price)
    }

    /// Returns the key of the submission: its number, else the issuer, the reporting persons and the day of filing.
    pub(crate) fn submission_key(&self) -> (String, String, Option<NaiveDate>) {
        if let Some(number) = &self.accession {
            return (number.clone(), String::new(), None);
        }
        let people = self.person_ciks.clone().unwrap_or_default();
        (format!("{:?}", self.issuer_cik), people, self.filed_on)
    }

    /// Returns the transaction with its symbol as the market writes it, and the source of the row.
    pub(super) fn with_source(mut self, source: &Provenance) -> Self {
        self.symbol = parse_symbol(&self.symbol).unwrap_or_default();
        self.source.clone_from(source);
        self
    }
}

/// The SEC's transaction codes with short descriptions.
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

/// Parses a trading symbol as issuers write it: several are separated by commas, an exchange may precede it.
pub(crate) fn parse_symbol(text: &str) -> Option<String> {
    let first =
        text.trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '"')).split([',', ';']).next()?;
    let symbol = symbols::normalize_us_symbol(first.rsplit(':').next()?.trim());
    let is_one =
        !symbol.is_empty() && !symbol.contains(' ') && !["NONE", "N.A", "NA"].contains(&symbol.as_str());
    is_one.then_some(symbol)
}

impl TableRecord for InsiderForm {
    const TABLE: &'static str = "insider_trades";

    /// Returns the columns of `insider_trades` that the US has.
    fn columns(rows: &[Self]) -> NamedColumns {
        let ownership = |is_indirect: bool| if is_indirect { "indirect" } else { "direct" };
        NamedColumns::for_rows(rows)
            .text("symbol", |form| Some(&form.symbol))
            .date("filed_on", |form| form.filed_on)
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
            .finish()
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
            assert_eq!(parse_symbol(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["NONE", "N/A", "", "Alfa Partners"] {
            assert_eq!(parse_symbol(text), None, "{text}");
        }
    }
}
