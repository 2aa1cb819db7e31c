//! `cmDDMONYYYYbhav`: NSE's older daily prices, with ISIN and without delivery.
//!
//! Each line ends with a comma, which is no field.

use super::cells;
use super::format::Format;
use super::price_row::{PriceFile, no_symbol_in_name};

pub(crate) const BHAV_OLD: PriceFile = PriceFile {
    format: Format::BhavOld,
    symbol: &["SYMBOL"],
    symbol_in_name: no_symbol_in_name,
    date: &["TIMESTAMP"],
    prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
    volume: &["TOTTRDQTY"],
    count: cells::count,
    length: None,
    series: Some("SERIES"),
    isin: Some("ISIN"),
    delivered: None,
    source_and_kind: None,
};
