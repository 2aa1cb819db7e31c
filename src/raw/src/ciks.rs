//! The symbols of SEC filers by their CIK.
//!
//! A company may have several classes of shares; its filings belong to the first class in the newest list, its main class.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

/// A symbol of a company that files with the SEC.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Filer {
    pub(crate) cik: u64,
    pub(crate) symbol: String,
    pub(crate) name: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Ciks {
    by_cik: HashMap<u64, Vec<Filer>>,
    /// Rank of the file that lists the symbols of a CIK, by CIK.
    files: HashMap<u64, u32>,
}

impl Ciks {
    /// Adds a symbol; a newer list replaces all symbols of a filer in an older one.
    pub(crate) fn add(&mut self, filer: Filer, file: u32) {
        let symbols = self.by_cik.entry(filer.cik).or_default();
        if self.files.insert(filer.cik, file).is_some_and(|before| before != file) {
            symbols.clear();
        }
        symbols.push(filer);
    }

    /// Returns the main symbol of a filer.
    pub(crate) fn symbol(&self, cik: u64) -> Option<&str> {
        self.by_cik.get(&cik)?.first().map(|filer| filer.symbol.as_str())
    }

    /// Returns the first symbol of a filer that satisfies `is_wanted`.
    pub(crate) fn symbol_where(&self, cik: u64, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.by_cik.get(&cik)?.iter().map(|filer| filer.symbol.as_str()).find(|symbol| is_wanted(symbol))
    }

    /// Returns the filer of each symbol. If two filers have one symbol, the higher CIK (the younger filer) gets it.
    pub(crate) fn by_symbol(&self) -> HashMap<&str, u64> {
        let mut all: Vec<u64> = self.by_cik.keys().copied().collect();
        all.sort_unstable();
        let filers = all.iter().filter_map(|cik| self.by_cik.get(cik)).flatten();
        filers.map(|filer| (filer.symbol.as_str(), filer.cik)).collect()
    }

    /// Returns the names of filers, each with a symbol of the filer.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let filers: BTreeSet<(&str, &str)> = self
            .by_cik
            .values()
            .flatten()
            .filter_map(|filer| Some((filer.name.as_deref()?, filer.symbol.as_str())))
            .collect();
        filers.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_symbol_of_the_newest_list_is_the_main_one() {
        let filer = |symbol: &str| Filer { cik: 7, symbol: symbol.to_owned(), name: Some("Aa".to_owned()) };
        let mut ciks = Ciks::default();
        ciks.add(filer("OLD"), 1);
        ciks.add(filer("AAA"), 2);
        ciks.add(filer("AAB"), 2);
        assert_eq!((ciks.symbol(7), ciks.symbol(8)), (Some("AAA"), None));
        assert_eq!(ciks.symbol_where(7, |symbol| symbol != "AAA"), Some("AAB"));
        assert_eq!(ciks.by_symbol(), HashMap::from([("AAA", 7), ("AAB", 7)]));
        ciks.add(Filer { cik: 9, ..filer("AAB") }, 3);
        assert_eq!(ciks.by_symbol(), HashMap::from([("AAA", 7), ("AAB", 9)]));
        assert_eq!(ciks.names().collect::<Vec<_>>(), [("Aa", "AAA"), ("Aa", "AAB")]);
    }
}
