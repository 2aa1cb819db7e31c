//! Names of the markets and their currencies.

use parquote_catalogue::operation::Market;
use parquote_picture::number::MarketCurrency;

pub(super) const fn name(market: Market) -> &'static str {
    match market {
        Market::India => "India",
        Market::Us => "US",
    }
}

/// Returns the format of a market's money and large numbers.
pub(super) const fn money(market: Market) -> MarketCurrency {
    match market {
        Market::India => MarketCurrency::Rupee,
        Market::Us => MarketCurrency::Dollar,
    }
}

/// Returns the sign of a market's currency.
pub(super) const fn sign(market: Market) -> &'static str {
    match market {
        Market::India => "₹",
        Market::Us => "$",
    }
}
