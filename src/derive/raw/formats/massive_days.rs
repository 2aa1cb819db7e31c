//! Massive's day files (`YYYY-MM-DD.csv.gz`): the bars of all US securities in a session, unadjusted.
//!
//! The session is that of `window_start`, the nanosecond at which the day began in New York; files of minutes have the same
//! header, and their rows are no day's. A small letter in a ticker tells preferred shares (`BACpL`), rights and shares that are
//! not issued yet from common stock.

use chrono::{DateTime, NaiveDate, NaiveTime};

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::price_format::PriceFormat;
use crate::derive::raw::records::price_columns::{PriceNames, no_symbol_in_name};
use crate::derive::raw::records::raw_format::US;
use crate::derive::raw::text::cells;
use crate::operation::Market;

pub(super) static MASSIVE_DAYS: PriceFormat = PriceFormat {
    label: "Massive day files",
    markets: US,
    names: PriceNames {
        symbol: &["TICKER"],
        symbol_in_name: no_symbol_in_name,
        is_stock: Some(is_stock),
        date: &["WINDOW_START"],
        day: session,
        prices: ["OPEN", "HIGH", "LOW", "CLOSE"],
        volume: &["VOLUME"],
        // Trades of fractions of shares are counted since 2026.
        count: cells::scaled_count,
        length: None,
        series: None,
        isin: None,
        delivered: None,
        source_and_kind: None,
        restates: false,
    },
};

/// The day in New York that begins at so many nanoseconds.
fn session(cell: &[u8]) -> Result<NaiveDate, Reason> {
    let nanoseconds = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
    let start = DateTime::from_timestamp_nanos(nanoseconds.ok_or(Reason::BadDate)?)
        .with_timezone(&Market::Us.time_zone());
    if start.time() == NaiveTime::MIN { Ok(start.date_naive()) } else { Err(Reason::NotDaily) }
}

fn is_stock(ticker: &str) -> bool {
    !ticker.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_new_york() {
        let day = |y, m, d| Ok(NaiveDate::from_ymd_opt(y, m, d).unwrap());
        // 04:00 UTC in summer, 05:00 in winter: 1744776000 is 2025-04-16T04:00:00Z, 1736312400 is 2025-01-08T05:00:00Z.
        assert_eq!(session(b"1744776000000000000"), day(2025, 4, 16));
        assert_eq!(session(b"1736312400000000000"), day(2025, 1, 8));
        assert_eq!(session(b"1744792500000000000"), Err(Reason::NotDaily), "a minute");
        for cell in [&b""[..], b"2025-04-16", b"1e18", b"99999999999999999999"] {
            assert_eq!(session(cell), Err(Reason::BadDate));
        }
    }

    #[test]
    fn small_letters_are_no_common_stock() {
        assert!(is_stock("BRK.B") && is_stock("A"));
        assert!(!is_stock("BACpL") && !is_stock("ABCw"));
    }
}
