//! Misprinted prices of a bar: an open, high or low that is far from the previous close and from the bar's own close.
//!
//! A price outside the bar's range that is far from its close is also a misprint, whatever the previous close. Uncorrected, a misprint
//! would be the 52-week high or low for a year. It is replaced by the nearer of open and close, and reported. Closes stay as they are: a
//! wrong close is a jump. A bar is compared with itself and with the previous close, never with a later bar.

use crate::domain::bad_tick::BadTick;
use crate::domain::bar::Bar;
use crate::steps::jump_rule::JumpRule;

/// Corrects the misprinted prices of a symbol's bars. `file_and_line` returns the file and line of a bar.
pub(crate) fn correct_misprints(
    symbol: &str,
    bars: &mut [Bar],
    rule: JumpRule,
    file_and_line: impl Fn(&Bar) -> String,
) -> Vec<BadTick> {
    let mut ticks = Vec::new();
    let mut before = None;
    for bar in bars {
        let [open, high, low, close] = bar.prices;
        // A price that contradicts the rest of the bar is compared to the bar's close only.
        let is_misprint = |price: f64, is_outside: bool| {
            let from = if is_outside { Some(close) } else { before };
            // Vendors write 0 if they have no figure.
            price <= 0.0 || from.is_some_and(|from| rule.is_misprint(price, from, close, bar.date))
        };
        let new_open = if is_misprint(open, open < low || open > high) { close } else { open };
        let new_high = if is_misprint(high, high < close) { new_open.max(close) } else { high };
        let new_low = if is_misprint(low, low > close) { new_open.min(close) } else { low };
        for (price, found, taken) in
            [("open", open, new_open), ("high", high, new_high), ("low", low, new_low)]
        {
            if found.total_cmp(&taken).is_ne() {
                let (symbol, at) = (symbol.to_owned(), file_and_line(bar));
                ticks.push(BadTick { symbol, date: bar.date, price, found, taken, at });
            }
        }
        bar.prices = [new_open, new_high, new_low, close];
        before = Some(close);
    }
    ticks
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;
    use crate::domain::bar::Series;
    use parquote_catalogue::operation::Market;

    #[test]
    fn one_wrong_price_is_taken_as_the_nearest_of_open_and_close() {
        let date = NaiveDate::from_ymd_opt(2026, 1, 5).unwrap();
        let bar = |prices| Bar {
            date,
            file: 0,
            line: 7,
            series: Series::None,
            prices,
            volume: 1,
            delivered: -1,
            previous_close: 0.0,
        };
        let mut bars = [
            // No bar precedes the first one, but 0 is no price.
            [0.0, 100.0, 9.9, 10.0],
            [10.2, 102.0, 9.8, 10.1],
            [10.2, 10.3, 1.0, 10.1],
            [1.0, 10.4, 1.0, 10.2],
            [99.0, 99.0, 10.1, 10.3],
            [10.1, 12.0, 9.0, 10.0],
            // Compared with the bar itself, whatever was before: an open below the low, a high below it, a low above the high.
            [1.0, 10.4, 9.9, 10.0],
            [10.1, 1.04, 9.9, 10.0],
            [10.1, 10.4, 99.0, 10.0],
            [0.02, 0.02, 0.0, 0.01],
        ]
        .map(bar);
        let ticks = correct_misprints("AROHI", &mut bars, JumpRule::for_market(Market::India), |bar| {
            format!("a.csv:{}", bar.line)
        });
        let right = [
            [10.0, 100.0, 9.9, 10.0],
            [10.2, 10.2, 9.8, 10.1],
            [10.2, 10.3, 10.1, 10.1],
            [10.2, 10.4, 10.2, 10.2],
            [10.3, 10.3, 10.1, 10.3],
            [10.1, 12.0, 9.0, 10.0],
            [10.0, 10.4, 9.9, 10.0],
            [10.1, 10.1, 9.9, 10.0],
            [10.1, 10.4, 10.0, 10.0],
            [0.02, 0.02, 0.01, 0.01],
        ];
        assert_eq!(bars.map(|bar| bar.prices), right);
        let corrected: Vec<_> = ticks.iter().map(|tick| (tick.price, tick.found, tick.taken)).collect();
        let wanted = [
            ("open", 0.0, 10.0),
            ("high", 102.0, 10.2),
            ("low", 1.0, 10.1),
            ("open", 1.0, 10.2),
            ("low", 1.0, 10.2),
            ("open", 99.0, 10.3),
            ("high", 99.0, 10.3),
            ("open", 1.0, 10.0),
            ("high", 1.04, 10.1),
            ("low", 99.0, 10.0),
            ("low", 0.0, 0.01),
        ];
        assert_eq!(corrected, wanted);
        assert_eq!((ticks[0].symbol.as_str(), ticks[0].at.as_str()), ("AROHI", "a.csv:7"));
    }
}
