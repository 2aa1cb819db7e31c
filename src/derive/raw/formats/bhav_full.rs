//! `sec_bhavdata_full`: NSE's daily prices with delivery, the format that wins over all others.
//!
//! Blanks follow its commas, a dash stands for no delivery figure, the last traded price may be empty (and is not read).
//! A holiday's file repeats the day before, so the date is the row's.

use crate::derive::raw::formats::price_format::PriceFormat;
use crate::derive::raw::records::price_columns::{self, PriceNames, no_symbol_in_name};
use crate::derive::raw::records::raw_format::INDIA;
use crate::derive::raw::text::cells;

pub(super) static BHAV_FULL: PriceFormat = PriceFormat {
    label: "full bhavcopy",
    markets: INDIA,
    names: PriceNames {
        symbol: &["SYMBOL"],
        symbol_in_name: no_symbol_in_name,
        is_stock: None,
        date: &["DATE1"],
        day: price_columns::written_day,
        prices: ["OPEN_PRICE", "HIGH_PRICE", "LOW_PRICE", "CLOSE_PRICE"],
        volume: &["TTL_TRD_QNTY"],
        count: cells::count,
        length: None,
        series: Some("SERIES"),
        isin: None,
        delivered: Some("DELIV_QTY"),
        source_and_kind: None,
        restates: false,
    },
};
