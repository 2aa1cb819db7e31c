//! The exchange's disclosures of short sales, `shortselling_DDMMYYYY.csv`: how many shares of a stock were sold short in a session.

use std::marker::PhantomData;

use chrono::NaiveDate;

use crate::derive::raw::domain::reason::Reason;
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

/// What was sold short of a stock in a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShortSale {
    symbol: String,
    session: NaiveDate,
    /// Shares.
    quantity: i64,
}

/// The columns of a file.
struct ShortSaleFile {
    symbol: usize,
    session: usize,
    quantity: usize,
}

impl ShortSaleFile {
    fn of(header: &HeaderLine) -> Option<Self> {
        Some(Self {
            symbol: header.column(&["SYMBOL NAME"])?,
            session: header.column(&["TRADE DATE"])?,
            quantity: header.column(&["QUANTITY SOLD SHORT"])?,
        })
    }
}

impl RecordFile for ShortSaleFile {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let quantity = cells::number(record.cell(self.quantity)).filter(|shares| *shares >= 0.0);
        Ok(Box::new(ShortSale {
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            session: dates::in_day_first_cell(record.cell(self.session)).ok_or(Reason::BadDate)?,
            quantity: quantity.ok_or(Reason::BadNumber)? as i64,
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RawRecord for ShortSale {
    fn symbol_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.symbol)
    }

    fn date(&self) -> Option<NaiveDate> {
        Some(self.session)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl TableRecord for ShortSale {
    const TABLE: &'static str = "short_sales";

    fn columns(rows: &[Self]) -> NamedColumns {
        NamedColumns::of(rows)
            .text("symbol", |sale| Some(&sale.symbol))
            .date("session", |sale| Some(sale.session))
            .int("short_quantity", |sale| Some(sale.quantity))
            .done()
    }
}

impl KeyedRecord for ShortSale {
    const DUPLICATES: Duplicates = Duplicates::NewestStands;

    type Key<'a> = (&'a str, NaiveDate);

    fn key(&self) -> Self::Key<'_> {
        (&self.symbol, self.session)
    }

    fn follow(&mut self, symbols: &Symbols, _: NaiveDate) {
        symbols.renew(&mut self.symbol, self.session);
    }
}

/// The disclosures of short sales.
pub(super) static SHORT_SALES: Format = Format {
    recognise: |head| Layout::records(ShortSaleFile::of(head.header)),
    records: Some(&KindOf::<ShortSale>(PhantomData)),
    ..Format::new("short sales", INDIA)
};
