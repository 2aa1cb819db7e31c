//! UDiFF `BhavCopy_NSE_CM`: the common format of India's exchanges, with ISIN and without delivery.
//!
//! BSE publishes the same columns: its rows have another source and are refused, as are instruments other than shares.

use crate::derive::raw::formats::price_format::PriceFormat;
use crate::derive::raw::records::price_columns::{self, PriceNames, no_symbol_in_name};
use crate::derive::raw::records::raw_format::INDIA;
use crate::derive::raw::text::cells;

pub(super) static UDIFF: PriceFormat = PriceFormat {
    label: "UDiFF bhavcopy",
    markets: INDIA,
    names: PriceNames {
        symbol: &["TCKRSYMB"],
        symbol_in_name: no_symbol_in_name,
        is_stock: None,
        date: &["TRADDT"],
        day: price_columns::written_day,
        prices: ["OPNPRIC", "HGHPRIC", "LWPRIC", "CLSPRIC"],
        volume: &["TTLTRADGVOL"],
        count: cells::count,
        length: None,
        series: Some("SCTYSRS"),
        isin: Some("ISIN"),
        delivered: None,
        source_and_kind: Some(("SRC", "FININSTRMTP")),
        restates: false,
    },
};
