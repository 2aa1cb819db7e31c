//! What readers call the markets and their money.

use parquote_catalogue::operation::Market;
use parquote_picture::number::MoneyWords;

/// The market's name.
pub(super) const fn name(market: Market) -> &'static str {
    match market {
        Market::India => "India",
        Market::Us => "US",
    }
}

/// How its money and its large numbers are written.
pub(super) const fn money(market: Market) -> MoneyWords {
    match market {
        Market::India => MoneyWords::Rupee,
        Market::Us => MoneyWords::Dollar,
    }
}

/// The sign of its currency.
pub(super) const fn sign(market: Market) -> &'static str {
    match market {
        Market::India => "₹",
        Market::Us => "$",
    }
}
