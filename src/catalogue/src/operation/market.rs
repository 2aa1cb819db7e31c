//! The two supported markets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::digits::DigitGroups;

crate::word_enum! {
    /// A market: a set of exchanges that share a currency, a calendar and a time zone.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Market {
        /// NSE and BSE; rupees; Asia/Kolkata. This is the market of declarations that name no market.
        #[default]
        India = "india",
        /// NYSE and NASDAQ; dollars; America/New_York.
        Us = "us",
    }
    const ALL "Both markets, in display order.";
    fn word "Returns the market's word in folders, SQL schemas and on the command line.";
}

impl Market {
    /// Returns the market that a lower-case word means: its country, an exchange or an index; `None` for other words.
    pub fn find_by_word(word: &str) -> Option<Self> {
        match word {
            "india" | "indian" | "nse" | "bse" | "nifty" | "sensex" => Some(Self::India),
            "us" | "usa" | "american" | "nyse" | "nasdaq" => Some(Self::Us),
            _ => None,
        }
    }

    /// Returns a symbol that every demo market has and no exchange has.
    pub const fn invented_symbol(self) -> &'static str {
        match self {
            Self::India => "BAXIPAPOWR",
            Self::Us => "BAQEBO",
        }
    }

    /// Returns true if the exchanges limit the prices of a session to a band around the previous close, as NSE and BSE do. US exchanges
    /// only pause trading for minutes.
    pub const fn has_price_bands(self) -> bool {
        match self {
            Self::India => true,
            Self::Us => false,
        }
    }

    /// Returns the digit grouping of large numbers in the market.
    pub const fn digit_groups(self) -> DigitGroups {
        match self {
            Self::India => DigitGroups::Lakhs,
            Self::Us => DigitGroups::Thousands,
        }
    }

    /// Returns the time zone of the market's sessions.
    pub const fn time_zone(self) -> chrono_tz::Tz {
        match self {
            Self::India => chrono_tz::Asia::Kolkata,
            Self::Us => chrono_tz::America::New_York,
        }
    }
}

impl fmt::Display for Market {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Market {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|market| market.word() == word)
            .ok_or_else(|| format!("`{word}` is not a market; the markets are india and us"))
    }
}
