//! NSE's bulk and block deals: the daily reports, and the website's export of a longer time.
//!
//! Bulk deals are those of a client who traded more than 0.5 % of a company's shares in a session; block deals are struck in
//! a window of their own. Which of both a file has, its name says, otherwise its columns: only bulk deals have remarks.

use chrono::NaiveDate;

use crate::derive::raw::domain::money::CRORE;
use crate::derive::raw::domain::provenance::Provenance;
use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::domain::side::Side;
use crate::derive::raw::records::columns::NamedColumns;
use crate::derive::raw::records::keyed_record::{Duplicates, KeyedRecord, KindOf};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{Format, INDIA, Layout};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::symbols::Symbols;
use crate::derive::raw::text::cells::{self, CellRecord, HeaderLine};
use crate::derive::raw::text::dates;
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

pub(crate) struct DealFile {
    date: usize,
    symbol: usize,
    security: usize,
    client: usize,
    side: usize,
    quantity: usize,
    price: usize,
    remarks: Option<usize>,
    kind: DealKind,
}

impl DealFile {
    pub(crate) fn of(header: &HeaderLine, file: &str) -> Option<Self> {
        let remarks = header.column(&["REMARKS"]);
        let file = file.to_lowercase();
        let kind = match remarks {
            _ if file.contains("bulk") => DealKind::Bulk,
            _ if file.contains("block") => DealKind::Block,
            Some(_) => DealKind::Bulk,
            None => DealKind::Block,
        };
        Some(Self {
            date: header.column(&["DATE"])?,
            symbol: header.column(&["SYMBOL"])?,
            security: header.column(&["SECURITY NAME"])?,
            client: header.column(&["CLIENT NAME"])?,
            side: header.column(&["BUY/SELL", "BUY / SELL"])?,
            quantity: header.column(&["QUANTITY TRADED"])?,
            price: header.column(&["TRADE PRICE / WGHT. AVG. PRICE", "TRADE PRICE/WGHT. AVG. PRICE"])?,
            remarks,
            kind,
        })
    }
}

impl RecordFile for DealFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        if record.cell(self.date).eq_ignore_ascii_case(b"NO RECORDS") {
            return Err(Reason::NoRecords);
        }
        let side = match record.cell(self.side) {
            cell if cell.eq_ignore_ascii_case(b"BUY") => Side::Buy,
            cell if cell.eq_ignore_ascii_case(b"SELL") => Side::Sell,
            _ => return Err(Reason::NoSide),
        };
        let figure = |column| cells::money(record.cell(column)).filter(|figure| *figure > 0.0);
        Ok(Box::new(Deal {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            date: dates::in_day_first_cell(record.cell(self.date)).ok_or(Reason::BadDate)?,
            kind: self.kind,
            security: record.words(self.security),
            client: record.text(self.client).unwrap_or_default().to_owned(),
            side,
            quantity: figure(self.quantity).ok_or(Reason::BadNumber)?.round() as i64,
            price: figure(self.price).ok_or(Reason::BadNumber)?,
            remarks: self.remarks.and_then(|column| record.words(column)),
            source: Provenance::default(),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
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

/// NSE's bulk and block deals.
pub(super) static DEALS: Format = Format {
    recognise: |head| Layout::records(DealFile::of(head.header, head.name())),
    records: Some(&KindOf::<Deal>(PhantomData)),
    ..Format::new("bulk and block deals", INDIA)
};
