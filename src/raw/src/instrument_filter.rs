//! Decides which symbols are common stock, and which is the benchmark for an index.
//!
//! The facts of all dates decide on a symbol; its absence from a list never excludes it.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::common_stock;
use crate::domain::reason::Reason;
use crate::reference_data::ReferenceData;
use parquote_catalogue::operation::Market;

/// An ISIN and the newest date on which a price file gave it.
pub(crate) type DatedIsin = (NaiveDate, [u8; 12]);

/// Use of a symbol's bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eligibility {
    Stock,
    /// An index fund whose bars serve as a benchmark.
    Benchmark,
    Refused(Reason),
}

/// Facts on symbols that are known before their bars are read.
pub(crate) struct InstrumentFilter<'a> {
    pub(crate) market: Market,
    pub(crate) reference: &'a ReferenceData,
    /// ISINs in price files, by symbol.
    pub(crate) isins: &'a HashMap<String, DatedIsin>,
}

/// Returns the fund whose bars serve as the market's benchmark.
pub(crate) const fn benchmark(market: Market) -> &'static str {
    match market {
        Market::India => "NIFTYBEES",
        Market::Us => "SPY",
    }
}

impl InstrumentFilter<'_> {
    /// Decides on a symbol by its name, the lists and the ISINs in price files.
    pub(crate) fn eligibility(&self, symbol: &str) -> Eligibility {
        if symbol == benchmark(self.market) {
            return Eligibility::Benchmark;
        }
        let refused = match self.market {
            Market::India => self.refuse_india(symbol),
            Market::Us => self.refuse_us(symbol),
        };
        refused.map_or(Eligibility::Stock, Eligibility::Refused)
    }

    fn refuse_india(&self, symbol: &str) -> Option<Reason> {
        if is_entitlement(symbol) {
            return Some(Reason::RightsEntitlement);
        }
        if self.reference.funds.contains(symbol) {
            return Some(Reason::Etf);
        }
        let isin = self.isins.get(symbol).map(|(_, isin)| isin.to_vec());
        if let Some(isin) = isin.or_else(|| self.reference.isin(symbol).map(String::into_bytes)) {
            return (!isin.starts_with(b"INE")).then_some(Reason::IsinNotIne);
        }
        let listed = self.reference.listings.contains_key(symbol);
        (!listed && is_symbol_of_fund(symbol)).then_some(Reason::NamedAsEtf)
    }

    fn refuse_us(&self, symbol: &str) -> Option<Reason> {
        if self.reference.funds.contains(symbol) {
            return Some(Reason::Etf);
        }
        if self.reference.test_issues.contains(symbol) {
            return Some(Reason::NotCommonStock);
        }
        let name = self.reference.listings.get(symbol).and_then(|listed| listed.name.as_deref());
        (!common_stock::is_common_stock(symbol, name.unwrap_or_default())).then_some(Reason::NotCommonStock)
    }
}

impl Eligibility {
    /// Corrects the eligibility for a row with an ISIN: `is_ine` is true for the ISIN of an Indian share.
    pub(crate) fn with_isin(self, is_ine: Option<bool>) -> Self {
        match (self, is_ine) {
            (Self::Stock | Self::Refused(Reason::NamedAsEtf), Some(false)) => {
                Self::Refused(Reason::IsinNotIne)
            }
            (Self::Refused(Reason::NamedAsEtf), Some(true)) => Self::Stock,
            _ => self,
        }
    }

    /// Returns why rows are not used; `None` if they are.
    pub(crate) const fn refusal(self) -> Option<Reason> {
        match self {
            Self::Stock | Self::Benchmark => None,
            Self::Refused(reason) => Some(reason),
        }
    }
}

/// Returns true for a rights entitlement: `-RE`, and digits if there are several.
fn is_entitlement(symbol: &str) -> bool {
    symbol.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("-RE")
}

/// Returns true if a symbol is named like a fund: by the index or the securities that it holds, or by the suffix of a fund house.
fn is_symbol_of_fund(symbol: &str) -> bool {
    const FUND_CONTENT_WORDS: [&str; 6] = ["BEES", "NIFTY", "SENSEX", "GSEC", "LIQUID", "SDL2"];
    const FUND_HOUSE_WORDS: [&str; 5] = ["AXIS", "ADD", "BETA", "CASE", "GROWW"];
    // `JETFREIGHT` is not a fund.
    (symbol.contains("ETF") && !symbol.contains("ETFR"))
        || FUND_CONTENT_WORDS.iter().any(|words| symbol.contains(words))
        || FUND_HOUSE_WORDS
            .iter()
            .any(|house| symbol.strip_suffix(house).is_some_and(|rest| !["", "PR"].contains(&rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entitlements_end_in_re_and_digits() {
        assert!(is_entitlement("AROHI-RE") && is_entitlement("AROHI-RE1"));
        assert!(!is_entitlement("AROHI-REX") && !is_entitlement("AROHIRE"));
    }

    #[test]
    fn symbols_tell_funds() {
        for symbol in [
            "GOLDAXIS", "GSEC10ADD", "SILVERBETA", "SENSEXAXIS", "EBANKNIFTY", "SETFGOLD", "NIFTYBEES",
            "CEMNTGROWW",
        ] {
            assert!(is_symbol_of_fund(symbol), "{symbol}");
        }
        for symbol in
            ["PRAXIS", "JETFREIGHT", "SKYGOLD", "DECNGOLD", "GROWW", "NETWORK18", "AXISBANK", "SBIFUNDS"]
        {
            assert!(!is_symbol_of_fund(symbol), "{symbol}");
        }
    }

    #[test]
    fn a_row_may_know_better_than_the_lists() {
        let named = Eligibility::Refused(Reason::NamedAsEtf);
        assert_eq!(named.with_isin(Some(true)), Eligibility::Stock);
        assert_eq!(named.with_isin(None), named);
        assert_eq!(named.with_isin(Some(false)), Eligibility::Refused(Reason::IsinNotIne));
        assert_eq!(Eligibility::Stock.with_isin(Some(false)), Eligibility::Refused(Reason::IsinNotIne));
        assert_eq!(
            Eligibility::Refused(Reason::Etf).with_isin(Some(true)),
            Eligibility::Refused(Reason::Etf)
        );
    }
}
