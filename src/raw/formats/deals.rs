//! NSE's bulk and block deals: the daily reports, and the website's export of a longer time.
//!
//! Bulk deals are those of a client who traded more than 0.5 % of a company's shares in a session; block deals are struck in
//! a window of their own. Which of both a file has, its name says, otherwise its columns: only bulk deals have remarks.

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

/// The two kinds of deals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DealKind {
    /// A client traded more than 0.5 % of the shares.
    Bulk,
    /// Struck in the block window.
    Block,
}

/// A bulk or block deal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deal {
    /// The symbol.
    pub(crate) symbol: String,
    /// The session.
    pub(crate) date: NaiveDate,
    /// Bulk or block.
    pub(crate) kind: DealKind,
    /// The security's name in the report.
    pub(crate) security: Option<String>,
    /// The client.
    pub(crate) client: String,
    /// Buy or sell.
    pub(crate) side: Side,
    /// Shares.
    pub(crate) quantity: i64,
    /// Rupees a share; the weighted average of a bulk deal.
    pub(crate) price: f64,
    /// What the exchange remarks.
    pub(crate) remarks: Option<String>,
    /// Where the row is from.
    pub(crate) source: Provenance,
}

impl DealKind {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Block => "block",
        }
    }
}

impl PlainRecord<8> for Deal {
    const RECORD: &'static str = "deal";
    const COLUMNS: [&'static str; 8] = [
        "symbol text",
        "date date",
        "security text",
        "client text",
        "side text",
        "quantity number",
        "price number",
        "remarks text?",
    ];
    const KIND: Option<&'static dyn RecordKind> = Some(&KindOf::<Self>(PhantomData));

    fn of(cells: [PlainCell<'_>; 8], file: &FileFacts) -> Result<Self, Reason> {
        let [symbol, date, security, client, side, quantity, price, remarks] = cells;
        if date.bytes().eq_ignore_ascii_case(b"NO RECORDS") {
            return Err(Reason::NoRecords);
        }
        let side = match side.bytes() {
            cell if cell.eq_ignore_ascii_case(b"BUY") => Side::Buy,
            cell if cell.eq_ignore_ascii_case(b"SELL") => Side::Sell,
            _ => return Err(Reason::NoSide),
        };
        let figure = |cell: PlainCell<'_>| cell.money().filter(|figure| *figure > 0.0);
        Ok(Self {
            symbol: symbol.symbol()?,
            date: date.date().ok_or(Reason::BadDate)?,
            kind: match file.word.as_deref() {
                Some(word) if word == DealKind::Block.word() => DealKind::Block,
                None if !remarks.is_there() => DealKind::Block,
                _ => DealKind::Bulk,
            },
            security: security.words(),
            client: client.owned().unwrap_or_default(),
            side,
            quantity: figure(quantity).ok_or(Reason::BadNumber)?.round() as i64,
            price: figure(price).ok_or(Reason::BadNumber)?,
            remarks: remarks.words(),
            source: Provenance::default(),
        })
    }
}

impl RawRecord for Deal {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.date)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

impl TableRecord for Deal {
    const TABLE: &'static str = "deals";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |deal| Some(&deal.symbol))
            .date("deal_date", |deal| Some(deal.date))
            .sequence("sequence", |deal| (&deal.symbol, deal.date))
            .text("deal_type", |deal| Some(deal.kind.word()))
            .text("security_name", |deal| deal.security.as_deref())
            .text("client", |deal| Some(&deal.client))
            .text("side", |deal| Some(deal.side.word()))
            .int("quantity", |deal| Some(deal.quantity))
            .number("price", |deal| Some(deal.price))
            .number("value_cr", |deal| Some(deal.quantity as f64 * deal.price / CRORE))
            .text("remarks", |deal| deal.remarks.as_deref())
            .text("source", |deal| deal.source.words())
            .done()
    }
}

impl KeyedRecord for Deal {
    const DUPLICATES: Duplicates = Duplicates::AsOftenAsInOneFile;

    /// All that tells one deal from another; equal deals are numbered. Prices are positive, so their bits are in their order.
    type Key<'a> = (&'a str, NaiveDate, DealKind, &'a str, Side, i64, u64);

    fn key(&self) -> Self::Key<'_> {
        let Self { symbol, date, kind, client, side, quantity, price, .. } = self;
        (symbol, *date, *kind, client, *side, *quantity, price.to_bits())
    }

    fn follow(&mut self, symbols: &Symbols, _: NaiveDate) {
        symbols.renew(&mut self.symbol, self.date);
    }
}
