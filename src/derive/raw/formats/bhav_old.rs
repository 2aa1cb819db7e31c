//! `cmDDMONYYYYbhav`: NSE's older daily prices, with ISIN and without delivery.
//!
//! Each line ends with a comma, which is no field.

use crate::derive::raw::formats::price_format::PriceFormat;
use crate::derive::raw::records::price_columns::{self, PriceNames, no_symbol_in_name};
use crate::derive::raw::records::raw_format::INDIA;
use crate::derive::raw::text::cells;

pub(super) static BHAV_OLD: PriceFormat = PriceFormat {
    label: "old bhavcopy",
    markets: INDIA,
    names: PriceNames {
        symbol: &["SYMBOL"],
        symbol_in_name: no_symbol_in_name,
        is_stock: None,
        date: &["TIMESTAMP"],
        day: price_columns::written_day,
        prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
        volume: &["TOTTRDQTY"],
        count: cells::count,
        length: None,
        series: Some("SERIES"),
        isin: Some("ISIN"),
        delivered: None,
        source_and_kind: None,
        restates: false,
    },
};
