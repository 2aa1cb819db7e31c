//! Implausible figures of insiders' transactions: a price that is the cost of all shares, a trade dated after its filing.

use crate::formats::insider_forms::InsiderForm;
use crate::sec::day_prices::DayPrices;
use parquote_catalogue::digits::counted;

/// A price of more than this multiple of the close is not that of one share.
const MOST_TIMES_CLOSE: f64 = 20.0;

/// Removes prices that are the cost of all shares. Returns notes on them and on trades dated after their filing, whose dates are removed
/// when forms become rows.
pub(super) fn remove_total_prices(forms: &mut [InsiderForm], closes: &DayPrices) -> Vec<String> {
    let late = forms.iter().filter(|form| form.trade_day().is_none()).count();
    let mut totals = 0_u32;
    for form in forms {
        let close = closes.close(&form.symbol, form.traded_on);
        let is_total = close.zip(form.price).is_some_and(|(close, price)| {
            price > MOST_TIMES_CLOSE * close && (0.5..2.0).contains(&(price / form.shares / close))
        });
        if is_total {
            form.price = None;
            totals += 1;
        }
    }
    let mut notes = Vec::new();
    if late > 0 {
        notes.push(format!(
            "{} after the filing, and without a day",
            counted(late, "transaction of Forms 4 and 5 is dated", "transactions of Forms 4 and 5 are dated")
        ));
    }
    if totals > 0 {
        notes.push(format!(
            "{} what all shares cost in place of a price, as the prices of the day show, and no price is used",
            counted(totals, "transaction of Forms 4 and 5 states", "transactions of Forms 4 and 5 state")
        ));
    }
    notes
}
