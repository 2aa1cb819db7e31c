//! US prices: `symbol,date,open,high,low,close,volume` in any order and case, many symbols a file or one.
//!
//! A file without a symbol's column is of the symbol that its name says, as `aapl.us.txt`. Such files often hold the last
//! weeks only and restate splits for those weeks; see `steps/overlap.rs`.

use crate::derive::raw::formats::price_format::PriceFormat;
use crate::derive::raw::records::price_columns::{self, PriceNames};
use crate::derive::raw::records::raw_format::US;
use crate::derive::raw::text::cells;
use crate::derive::raw::text::symbols;

pub(super) static US_PRICES: PriceFormat = PriceFormat {
    label: "US prices",
    markets: US,
    names: PriceNames {
        symbol: &["SYMBOL", "TICKER"],
        symbol_in_name,
        is_stock: None,
        date: &["DATE", "TRADE_DATE", "TIMESTAMP"],
        day: price_columns::written_day,
        prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
        volume: &["VOLUME", "VOL"],
        // Sources that adjust volumes for splits leave fractions of shares.
        count: cells::scaled_count,
        length: Some("PER"),
        series: None,
        isin: None,
        delivered: None,
        source_and_kind: None,
        restates: true,
    },
};

/// The symbol that a file is named after, if its name is one: up to five letters, and perhaps the class of a share.
fn symbol_in_name(file: &str) -> Option<String> {
    let mut stem = file;
    for ending in [".gz", ".csv", ".txt", ".json", ".parquet"] {
        let cut = stem.len().checked_sub(ending.len()).and_then(|end| stem.split_at_checked(end));
        stem = cut.filter(|(_, tail)| tail.eq_ignore_ascii_case(ending)).map_or(stem, |(head, _)| head);
    }
    let symbol = symbols::symbol_of(stem);
    let (root, class) = symbol.split_once('.').unwrap_or((&symbol, "A"));
    let is_word = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    (is_word(root, 5) && is_word(class, 2)).then_some(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_named_after_its_symbol() {
        for (file, symbol) in [("aapl.us.txt", "AAPL"), ("BRK-B.csv.gz", "BRK.B"), ("f.us.csv", "F")] {
            assert_eq!(symbol_in_name(file).as_deref(), Some(symbol), "{file}");
        }
        for file in ["^spx.txt", "sp500_prices.csv", "2026-01-02.csv", "prices-all.csv", ".csv"] {
            assert_eq!(symbol_in_name(file), None, "{file}");
        }
    }
}
