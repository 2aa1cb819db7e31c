//! NSE's bulk and block deals: the daily reports, and the website's export of a longer time.
//!
//! Bulk deals are those of a client who traded more than 0.5 % of a company's shares in a session; block deals are struck in
//! a window of their own. Which of both a file has, its name says, otherwise its columns: only bulk deals have remarks.

use chrono::NaiveDate;

use super::cells::{self, Header, Record};
use super::dates;
use super::fact::{Fact, FactFile};
use super::provenance::Provenance;
use super::reason::Reason;

/// The two kinds of deals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DealKind {
    /// A client traded more than 0.5 % of the shares.
    Bulk,
    /// Struck in the block window.
    Block,
}

/// What someone did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Bought.
    Buy,
    /// Sold.
    Sell,
    /// Neither: no decision about the market.
    Other,
}

/// A bulk or block deal.
#[derive(Debug, Clone, PartialEq)]
pub struct Deal {
    /// The symbol.
    pub symbol: String,
    /// The session.
    pub date: NaiveDate,
    /// Bulk or block.
    pub kind: DealKind,
    /// The security's name in the report.
    pub security: Option<String>,
    /// The client.
    pub client: String,
    /// Buy or sell.
    pub side: Side,
    /// Shares.
    pub quantity: i64,
    /// Rupees a share; the weighted average of a bulk deal.
    pub price: f64,
    /// What the exchange remarks.
    pub remarks: Option<String>,
    /// Where the row is from.
    pub source: Provenance,
}

impl DealKind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Block => "block",
        }
    }
}

impl Side {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
            Self::Other => "other",
        }
    }
}

impl Deal {
    /// All that tells one deal from another; equal deals are numbered.
    pub(crate) fn identity(&self) -> impl Ord + use<> {
        let Self { symbol, date, kind, client, side, quantity, price, .. } = self;
        // Prices are positive, so their bits are in their order.
        (symbol.clone(), *date, *kind, client.clone(), *side, *quantity, price.to_bits())
    }
}

pub(crate) struct DealFile {
    fields: usize,
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
    pub(crate) fn of(header: &Header, file: &str) -> Option<Self> {
        let remarks = header.column(&["REMARKS"]);
        let file = file.to_lowercase();
        let kind = match remarks {
            _ if file.contains("bulk") => DealKind::Bulk,
            _ if file.contains("block") => DealKind::Block,
            Some(_) => DealKind::Bulk,
            None => DealKind::Block,
        };
        Some(Self {
            fields: header.len(),
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

impl FactFile for DealFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        if record.cell(self.date).eq_ignore_ascii_case(b"NO RECORDS") {
            return Err(Reason::NoRecords);
        }
        let side = match record.cell(self.side) {
            cell if cell.eq_ignore_ascii_case(b"BUY") => Side::Buy,
            cell if cell.eq_ignore_ascii_case(b"SELL") => Side::Sell,
            _ => return Err(Reason::NoSide),
        };
        let figure = |column| cells::money(record.cell(column)).filter(|figure| *figure > 0.0);
        Ok(Fact::Deal(Deal {
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

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}
