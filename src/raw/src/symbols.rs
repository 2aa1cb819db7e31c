//! Maps the symbol that a company had on a date to its current one.
//!
//! Dates distinguish a company's former symbol from another company's use of it: a change moves only rows dated before it.

use std::collections::HashMap;

use chrono::NaiveDate;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct SymbolChange {
    /// The first day under the new symbol.
    pub(crate) date: NaiveDate,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// Maximum length of a chain of changes; a longer one is a mistake of the file.
const LONGEST_CHAIN: usize = 20;

/// Changes of symbols up to a date, by old symbol.
#[derive(Debug, Clone, Default)]
pub(crate) struct SymbolChanges {
    /// Ascending by date.
    pub(crate) changes: HashMap<String, Vec<SymbolChange>>,
}

impl SymbolChanges {
    /// Collects changes up to a date.
    pub(crate) fn new(changes: &[SymbolChange], last: NaiveDate) -> Self {
        let mut sorted: Vec<&SymbolChange> = changes.iter().filter(|change| change.date <= last).collect();
        sorted.sort();
        sorted.dedup();
        let mut symbols = Self::default();
        for change in sorted {
            symbols.changes.entry(change.old.clone()).or_default().push(change.clone());
        }
        symbols
    }

    /// Returns the current symbol of the company that had `symbol` on `date`, or before all changes if `date` is `None`. `None` if the
    /// symbol did not change.
    pub(crate) fn current(&self, symbol: &str, date: impl Into<Option<NaiveDate>>) -> Option<&str> {
        let date = date.into();
        let next = |symbol: &str, is_later: &dyn Fn(NaiveDate) -> bool| {
            self.changes.get(symbol)?.iter().find(|change| is_later(change.date))
        };
        let mut change = next(symbol, &|changed| date.is_none_or(|date| changed > date))?;
        for _ in 0..LONGEST_CHAIN {
            let Some(later) = next(&change.new, &|changed| changed >= change.date) else { break };
            change = later;
        }
        Some(&change.new)
    }

    /// Replaces a symbol that was in use on `date` with the current one.
    pub(crate) fn renew(&self, symbol: &mut String, date: impl Into<Option<NaiveDate>>) {
        if let Some(now) = self.current(symbol, date) {
            *symbol = now.to_owned();
        }
    }

    pub(crate) fn old_symbols(&self) -> impl Iterator<Item = &String> {
        self.changes.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2025, 1, n).unwrap()
    }

    #[test]
    fn dates_tell_the_companies_of_one_symbol_apart() {
        let change =
            |n, old: &str, new: &str| SymbolChange { date: day(n), old: old.into(), new: new.into() };
        // Company one: AROHI, from the 5th BELA, from the 9th CHARU. Company two takes AROHI on the 7th, DEEPA on the 20th.
        let changes = [
            change(9, "BELA", "CHARU"),
            change(5, "AROHI", "BELA"),
            change(20, "AROHI", "DEEPA"),
            change(25, "CHARU", "ELA"),
        ];
        let symbols = SymbolChanges::new(&changes, day(24));
        assert_eq!(symbols.current("AROHI", day(4)), Some("CHARU"));
        assert_eq!(symbols.current("BELA", day(8)), Some("CHARU"));
        assert_eq!(symbols.current("AROHI", day(7)), Some("DEEPA"));
        for (symbol, n) in [("AROHI", 20), ("BELA", 9), ("CHARU", 1)] {
            assert_eq!(symbols.current(symbol, day(n)), None, "{symbol} {n}");
        }
    }
}
