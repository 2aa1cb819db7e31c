//! US prices: `symbol,date,open,high,low,close,volume` in any order and case.
//!
//! Such files often hold the last weeks only and restate splits for those weeks; see [`super::overlap`].

use super::format::Format;
use super::price_row::PriceFile;

pub(crate) const US_PRICES: PriceFile = PriceFile {
    format: Format::UsPrices,
    symbol: &["SYMBOL", "TICKER"],
    date: "DATE",
    prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
    volume: "VOLUME",
    series: None,
    isin: None,
    delivered: None,
    source_and_kind: None,
};
