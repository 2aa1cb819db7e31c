//! CIKs: the numbers under which companies file with the SEC, and the symbols of their shares.
//!
//! Lists are the SEC's `company_tickers.json` or any file with the columns `cik` and `ticker`. A company may have several
//! classes of shares; its filings stand under the first of the newest list, which is its main class.

use std::collections::{BTreeSet, HashMap};

use super::cells::{self, Header, Record};
use super::fact::{Fact, FactFile};
use super::reason::Reason;

/// A symbol of a company that files with the SEC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filer {
    pub(crate) cik: u64,
    pub(crate) symbol: String,
    pub(crate) name: Option<String>,
}

pub(crate) struct CikFile {
    fields: usize,
    cik: usize,
    symbol: usize,
    name: Option<usize>,
}

impl CikFile {
    /// Lists have nothing but these three columns, and perhaps the exchange; a CIK beside other figures is no list.
    pub(crate) fn of(header: &Header) -> Option<Self> {
        let cik = header.column(&["CIK", "CIK_STR"])?;
        let symbol = header.column(&["TICKER", "SYMBOL"])?;
        let name = header.column(&["TITLE", "NAME"]);
        let known = 2 + usize::from(name.is_some()) + usize::from(header.column(&["EXCHANGE"]).is_some());
        (header.len() == known).then_some(Self { fields: header.len(), cik, symbol, name })
    }
}

impl FactFile for CikFile {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        Ok(Fact::Filer(Filer {
            cik: number(record.cell(self.cik)).ok_or(Reason::BadNumber)?,
            symbol: record.text(self.symbol).ok_or(Reason::NoSymbol)?.to_uppercase(),
            name: self.name.and_then(|column| record.words(column)),
        }))
    }

    fn fields(&self) -> usize {
        self.fields
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

/// A CIK in a cell, with or without its leading zeros and `CIK`.
pub(crate) fn number(cell: &[u8]) -> Option<u64> {
    let digits = cell.strip_prefix(b"CIK").unwrap_or(cell);
    cells::count(digits).filter(|cik| (1..10_000_000_000).contains(cik)).map(i64::unsigned_abs)
}

/// A CIK in its ten digits.
pub(crate) fn text(cik: u64) -> String {
    format!("{cik:010}")
}

/// The symbols of filers.
#[derive(Debug, Default)]
pub(crate) struct Ciks {
    by_cik: HashMap<u64, Vec<Filer>>,
    /// The list of which the symbols of a CIK are, by its rank.
    files: HashMap<u64, u32>,
}

impl Ciks {
    /// Adds a symbol; a newer list replaces all symbols that an older one gave a filer.
    pub(crate) fn add(&mut self, filer: Filer, file: u32) {
        let symbols = self.by_cik.entry(filer.cik).or_default();
        if self.files.insert(filer.cik, file).is_some_and(|before| before != file) {
            symbols.clear();
        }
        symbols.push(filer);
    }

    /// The main symbol of a filer.
    pub(crate) fn symbol(&self, cik: u64) -> Option<&str> {
        self.by_cik.get(&cik)?.first().map(|filer| filer.symbol.as_str())
    }

    /// The first symbol of a filer that is wanted.
    pub(crate) fn symbol_where(&self, cik: u64, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
        self.by_cik.get(&cik)?.iter().map(|filer| filer.symbol.as_str()).find(|symbol| is_wanted(symbol))
    }

    /// By symbol: its filer. Of two filers that have one symbol, the one of the higher number, which is the younger, has it.
    pub(crate) fn by_symbol(&self) -> HashMap<&str, u64> {
        let mut all: Vec<u64> = self.by_cik.keys().copied().collect();
        all.sort_unstable();
        let filers = all.iter().filter_map(|cik| self.by_cik.get(cik)).flatten();
        filers.map(|filer| (filer.symbol.as_str(), filer.cik)).collect()
    }

    /// The names of filers, each with the symbols that have it.
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
    fn a_cik_has_ten_digits_or_fewer() {
        assert_eq!(number(b"0001318605"), Some(1_318_605));
        assert_eq!(number(b"CIK0001318605"), Some(1_318_605));
        for text in ["", "0", "-5", "12345678901", "abc"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(text(1_318_605), "0001318605");
    }

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
