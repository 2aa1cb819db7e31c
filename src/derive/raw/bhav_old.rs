//! `cmDDMONYYYYbhav`: NSE's older daily prices, with ISIN and without delivery.
//!
//! Each line ends with a comma, which is no field.

use super::format::Format;
use super::price_row::PriceFile;

pub(crate) const BHAV_OLD: PriceFile = PriceFile {
    format: Format::BhavOld,
    symbol: &["SYMBOL"],
    date: "TIMESTAMP",
    prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
    volume: "TOTTRDQTY",
    series: Some("SERIES"),
    isin: Some("ISIN"),
    delivered: None,
    source_and_kind: None,
};
