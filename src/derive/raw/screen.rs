//! Which symbols are common stock, and which stands in for an index.
//!
//! A symbol is judged by what is known of it on any date; a list on which it is missing never excludes it.

use std::collections::HashMap;

use chrono::NaiveDate;

use super::reason::Reason;
use super::references::References;
use super::us_listings;
use crate::operation::Market;

/// An ISIN and the newest date on which a price file gave it.
pub(crate) type DatedIsin = (NaiveDate, [u8; 12]);

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Stock,
    /// An index fund whose bars serve as a benchmark.
    Benchmark,
    Refused(Reason),
}

/// What is known of symbols before their bars are read.
pub(crate) struct Screen<'a> {
    pub(crate) market: Market,
    pub(crate) references: &'a References,
    /// ISINs in price files, by symbol.
    pub(crate) isins: &'a HashMap<String, DatedIsin>,
}

/// The fund whose bars stand in for an index of the market.
pub(crate) const fn benchmark(market: Market) -> &'static str {
    match market {
        Market::India => "NIFTYBEES",
        Market::Us => "SPY",
    }
}

impl Screen<'_> {
    /// What a symbol is, as far as its symbol, the lists and the price files' ISINs tell.
    pub(crate) fn judge(&self, symbol: &str) -> Verdict {
        if symbol == benchmark(self.market) {
            return Verdict::Benchmark;
        }
        let refused = match self.market {
            Market::India => self.refuse_india(symbol),
            Market::Us => self.refuse_us(symbol),
        };
        refused.map_or(Verdict::Stock, Verdict::Refused)
    }

    fn refuse_india(&self, symbol: &str) -> Option<Reason> {
        if is_entitlement(symbol) {
            return Some(Reason::RightsEntitlement);
        }
        if self.references.funds.contains(symbol) {
            return Some(Reason::Etf);
        }
        let isin = self.isins.get(symbol).map(|(_, isin)| isin.to_vec());
        if let Some(isin) = isin.or_else(|| self.references.isin(symbol).map(String::into_bytes)) {
            return (!isin.starts_with(b"INE")).then_some(Reason::IsinNotIne);
        }
        let listed = self.references.listed.contains_key(symbol);
        (!listed && is_named_as_fund(symbol)).then_some(Reason::NamedAsEtf)
    }

    fn refuse_us(&self, symbol: &str) -> Option<Reason> {
        let name = self.references.listed.get(symbol).and_then(|listed| listed.name.as_deref());
        (!us_listings::is_common_stock(symbol, name.unwrap_or_default())).then_some(Reason::NotCommonStock)
    }
}

impl Verdict {
    /// The verdict in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Benchmark => "benchmark",
            Self::Refused(reason) => reason.words(),
        }
    }

    /// The verdict on a row that says its own ISIN.
    pub(crate) fn with_isin(self, isin: &[u8]) -> Self {
        match self {
            Self::Stock | Self::Refused(Reason::NamedAsEtf)
                if !isin.is_empty() && !isin.starts_with(b"INE") =>
            {
                Self::Refused(Reason::IsinNotIne)
            }
            Self::Refused(Reason::NamedAsEtf) if isin.starts_with(b"INE") => Self::Stock,
            _ => self,
        }
    }
}

/// A rights entitlement: `-RE`, and digits when there are several.
fn is_entitlement(symbol: &str) -> bool {
    symbol.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("-RE")
}

fn is_named_as_fund(symbol: &str) -> bool {
    symbol.contains("ETF") || symbol.contains("BEES")
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
    fn a_row_may_know_better_than_the_lists() {
        let named = Verdict::Refused(Reason::NamedAsEtf);
        assert_eq!(named.with_isin(b"INE000X01010"), Verdict::Stock);
        assert_eq!(named.with_isin(b""), named);
        assert_eq!(named.with_isin(b"INF000X01010"), Verdict::Refused(Reason::IsinNotIne));
        assert_eq!(Verdict::Stock.with_isin(b"INF000X01010"), Verdict::Refused(Reason::IsinNotIne));
        assert_eq!(Verdict::Refused(Reason::Etf).with_isin(b"INE000X01010"), Verdict::Refused(Reason::Etf));
    }
}
