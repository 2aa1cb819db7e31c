//! NSE's disclosures of insiders (PIT regulation 7): the fields of its API as CSV, and the website's export.
//!
//! What was done is told by two columns, the transaction and its mode: a `Buy` by gift or by an employee's option is no
//! purchase. Disclosures of the same trade on two exchanges stay two rows.

use chrono::NaiveDate;

use crate::raw::declared::plain_row::{FileFacts, PlainCell};
use crate::raw::domain::money::CRORE;
use crate::raw::domain::provenance::Provenance;
use crate::raw::domain::reason::Reason;
use crate::raw::domain::side::Side;
use crate::raw::records::columns::NamedColumns;
use crate::raw::records::keyed_record::{Duplicates, KeyedRecord, KindOf, RecordKind};
use crate::raw::records::placed::RecordPlace;
use crate::raw::records::plain_record::PlainRecord;
use crate::raw::records::record::RawRecord;
use crate::raw::records::table_row::TableRecord;
use crate::raw::reference_data::ReferenceData;
use crate::raw::symbols::Symbols;
use std::marker::PhantomData;

/// A disclosure of a trade by an insider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InsiderTrade {
    /// The symbol.
    pub(crate) symbol: String,
    /// The company's name in the disclosure.
    pub(crate) company: Option<String>,
    /// The day on which the exchange published it.
    pub(crate) filed_on: NaiveDate,
    /// The first day of the trade.
    pub(crate) traded_from: Option<NaiveDate>,
    /// The last day of the trade.
    pub(crate) traded_to: Option<NaiveDate>,
    /// Who traded.
    pub(crate) person: Option<String>,
    /// What the person is to the company.
    pub(crate) category: Option<String>,
    /// The kind of security.
    pub(crate) security: Option<String>,
    /// Bought, sold, or neither.
    pub(crate) side: Side,
    /// What was done, as written.
    pub(crate) transaction: Option<String>,
    /// By what way, as written.
    pub(crate) mode: Option<String>,
    /// Securities traded.
    pub(crate) shares: Option<f64>,
    /// In rupees.
    pub(crate) value: Option<f64>,
    /// Securities held before.
    pub(crate) held_before: Option<f64>,
    /// The same in percent of the company.
    pub(crate) held_before_pct: Option<f64>,
    /// Securities held after.
    pub(crate) held_after: Option<f64>,
    /// The same in percent of the company.
    pub(crate) held_after_pct: Option<f64>,
    /// The exchange of the trade.
    pub(crate) exchange: Option<String>,
    /// The filing.
    pub(crate) document: Option<String>,
    /// Where the row is from.
    pub(crate) source: Provenance,
}

impl PlainRecord<18> for InsiderTrade {
    const RECORD: &'static str = "insider trade";
    const COLUMNS: [&'static str; 18] = [
        "symbol text",
        "filed_on date",
        "transaction text",
        "mode text",
        "shares number",
        "value number",
        "company text?",
        "traded_from date?",
        "traded_to date?",
        "person text?",
        "category text?",
        "security text?",
        "held_before number?",
        "held_before_pct number?",
        "held_after number?",
        "held_after_pct number?",
        "exchange text?",
        "document text?",
    ];
    const KIND: Option<&'static dyn RecordKind> = Some(&KindOf::<Self>(PhantomData));

    fn of(cells: [PlainCell<'_>; 18], _: &FileFacts) -> Result<Self, Reason> {
        let [symbol, filed_on, transaction, mode, shares, value, company, from, to, rest @ ..] = cells;
        let [person, category, security, before, before_pct, after, after_pct, exchange, document] = rest;
        let figure = |cell: PlainCell<'_>| cell.money().filter(|figure| *figure >= 0.0);
        let (shares, value) = (figure(shares), figure(value));
        if shares.is_none() && value.is_none() {
            return Err(Reason::NoAmount);
        }
        let (transaction, mode) = (transaction.words(), mode.words());
        Ok(Self {
            symbol: symbol.symbol()?,
            company: company.words(),
            filed_on: filed_on.date().ok_or(Reason::BadDate)?,
            traded_from: from.date(),
            traded_to: to.date(),
            person: person.words(),
            category: category.words(),
            security: security.words(),
            side: side(transaction.as_deref().unwrap_or_default(), mode.as_deref().unwrap_or_default()),
            transaction,
            mode,
            shares,
            value,
            held_before: figure(before),
            held_before_pct: figure(before_pct),
            held_after: figure(after),
            held_after_pct: figure(after_pct),
            exchange: exchange.words().filter(|exchange| exchange != "NA"),
            document: document.words(),
            source: Provenance::default(),
        })
    }
}

/// Whether a transaction by a mode was a purchase, a sale, or neither.
///
/// Neither are pledges, gifts, transfers between promoters, employees' options, bonuses, mergers, conversions, inheritance:
/// no money of the person came to the market or left it by a decision of theirs.
fn side(transaction: &str, mode: &str) -> Side {
    const NO_TRADE: [&str; 11] = [
        "pledge",
        "gift",
        "esop",
        "esos",
        "inter-se",
        "bonus",
        "merger",
        "amalgamation",
        "conversion",
        "inherit",
        "transmission",
    ];
    let mode = mode.to_lowercase();
    if NO_TRADE.iter().any(|word| mode.contains(word)) {
        return Side::Other;
    }
    match transaction.to_lowercase().as_str() {
        "buy" => Side::Buy,
        "sell" => Side::Sell,
        _ => Side::Other,
    }
}

impl RawRecord for InsiderTrade {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for InsiderTrade {
    const TABLE: &'static str = "insider_trades";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |trade| Some(&trade.symbol))
            .date("filed_on", |trade| Some(trade.filed_on))
            .sequence("sequence", |trade| (&trade.symbol, trade.filed_on))
            .text("security_name", |trade| trade.company.as_deref())
            .date("traded_from", |trade| trade.traded_from)
            .date("traded_to", |trade| trade.traded_to)
            .text("person", |trade| trade.person.as_deref())
            .text("category", |trade| trade.category.as_deref())
            .text("security_type", |trade| trade.security.as_deref())
            .text("side", |trade| Some(trade.side.word()))
            .text("transaction_type", |trade| trade.transaction.as_deref())
            .text("mode", |trade| trade.mode.as_deref())
            .rounded("shares", |trade| trade.shares)
            .number("value_cr", |trade| trade.value.map(|value| value / CRORE))
            .rounded("held_before", |trade| trade.held_before)
            .number("held_before_pct", |trade| trade.held_before_pct)
            .rounded("held_after", |trade| trade.held_after)
            .number("held_after_pct", |trade| trade.held_after_pct)
            .text("trade_exchange", |trade| trade.exchange.as_deref())
            .text("document", |trade| trade.document.as_deref())
            .text("source", |trade| trade.source.words())
            .done()
    }
}

/// A text in small letters; nothing for none.
fn small(text: Option<&String>) -> String {
    text.map(String::as_str).unwrap_or_default().to_lowercase()
}

impl KeyedRecord for InsiderTrade {
    const DUPLICATES: Duplicates = Duplicates::AsOftenAsInOneFile;

    /// Symbol and day; who; what; held before in percent, and after.
    type Key<'a> = (&'a str, NaiveDate, [String; 3], Side, [String; 2], [Option<u64>; 4]);

    /// All that tells one disclosure from another; equal ones are numbered. What only one of the layouts has is no part of it.
    fn key(&self) -> Self::Key<'_> {
        let who = [&self.person, &self.category, &self.security].map(|text| small(text.as_ref()));
        let what = [&self.transaction, &self.mode].map(|text| small(text.as_ref()));
        let figures = [self.shares, self.value, self.held_before_pct, self.held_after];
        (&self.symbol, self.filed_on, who, self.side, what, figures.map(|figure| figure.map(f64::to_bits)))
    }

    fn follow(&mut self, symbols: &Symbols, _: NaiveDate) {
        symbols.renew(&mut self.symbol, self.filed_on);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_tells_a_purchase_from_what_only_looks_like_one() {
        assert_eq!(side("Buy", "Market Purchase"), Side::Buy);
        assert_eq!(side("Sell", "Off Market"), Side::Sell);
        for (transaction, mode) in [
            ("Buy", "ESOP"),
            ("Sell", "Gift"),
            ("Pledge", "Pledge Creation"),
            ("Pledge Revoke", "Revokation of Pledge"),
            ("Buy", "Inter-se-Transfer"),
            ("Sell", "Scheme of Amalgamation/Merger/Demerger/Arrangement"),
            ("", ""),
        ] {
            assert_eq!(side(transaction, mode), Side::Other, "{transaction} {mode}");
        }
    }
}
