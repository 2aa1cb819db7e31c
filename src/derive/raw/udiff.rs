//! UDiFF `BhavCopy_NSE_CM`: the common format of India's exchanges, with ISIN and without delivery.
//!
//! BSE publishes the same columns: its rows have another source and are refused, as are instruments other than shares.

use super::cells;
use super::format::Format;
use super::price_row::{PriceFile, no_symbol_in_name};

pub(crate) const UDIFF: PriceFile = PriceFile {
    format: Format::Udiff,
    symbol: &["TCKRSYMB"],
    symbol_in_name: no_symbol_in_name,
    date: &["TRADDT"],
    prices: ["OPNPRIC", "HGHPRIC", "LWPRIC", "CLSPRIC"],
    volume: &["TTLTRADGVOL"],
    count: cells::count,
    length: None,
    series: Some("SCTYSRS"),
    isin: Some("ISIN"),
    delivered: None,
    source_and_kind: Some(("SRC", "FININSTRMTP")),
};
