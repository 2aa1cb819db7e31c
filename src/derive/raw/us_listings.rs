//! US listings: `symbol,name,sector,industry,market_cap`, with or without `exchange`; so are the screener's JSON files.
//!
//! The name decides what is common stock. Market caps are in dollars; `$` and digit groups are read over. Without a column
//! the exchange is the one that the file's name says. Sectors are those of the exchanges' screener; GICS's are put into its words.

use super::cells::{self, Header, Record};
use super::fact::{Fact, FactFile, ListColumns};
use super::reason::Reason;
use super::sector_words;

pub(crate) struct UsListings {
    columns: ListColumns,
    market_cap: usize,
    /// The exchange that the file's name says.
    exchange: Option<&'static str>,
}

/// Exchanges that files are named after.
const EXCHANGES: [&str; 3] = ["NASDAQ", "NYSE", "AMEX"];

impl UsListings {
    pub(crate) fn of(header: &Header, name: &str) -> Option<Self> {
        let mut columns = ListColumns::new(header, header.column(&["SYMBOL", "TICKER"])?);
        columns.name = Some(header.column(&["NAME"])?);
        columns.sector = Some(header.column(&["SECTOR"])?);
        columns.industry = Some(header.column(&["INDUSTRY"])?);
        columns.exchange = header.column(&["EXCHANGE"]);
        let market_cap = header.column(&["MARKET_CAP", "MARKET CAP", "MARKETCAP"])?;
        let name = name.to_uppercase();
        let exchange = EXCHANGES.into_iter().find(|exchange| name.contains(exchange));
        Some(Self { columns, market_cap, exchange })
    }
}

impl FactFile for UsListings {
    fn fact(&self, record: &Record) -> Result<Fact, Reason> {
        let mut listed = self.columns.listed(record)?;
        listed.sector = listed.sector.map(|sector| {
            sector_words::of_us(&sector, listed.industry.as_deref()).map_or(sector, str::to_owned)
        });
        listed.exchange = listed.exchange.or_else(|| self.exchange.map(str::to_owned));
        listed.market_cap = match record.cell(self.market_cap) {
            b"" => None,
            cell => Some(cells::money(cell).ok_or(Reason::BadNumber)?).filter(|cap| *cap > 0.0),
        };
        Ok(Fact::Listed(listed))
    }

    fn fields(&self) -> usize {
        self.columns.fields
    }

    fn symbol(&self) -> usize {
        self.columns.symbol
    }
}

/// A US symbol in one spelling: sources write the class of a share after `.`, `/` or `-`, and some end in `.US`.
pub(crate) fn symbol_of(text: &str) -> String {
    let text = match text.len().checked_sub(3).and_then(|end| text.split_at_checked(end)) {
        Some((symbol, country)) if country.eq_ignore_ascii_case(".us") => symbol,
        _ => text,
    };
    text.chars()
        .map(|c| match c {
            '/' | '-' => '.',
            c => c.to_ascii_uppercase(),
        })
        .collect()
}

/// Whether a listing is common stock or an ADR by its symbol and name.
///
/// Units of partnerships ("Common Units") are their common equity and stay; ADRs stay whatever they represent.
pub(crate) fn is_common_stock(symbol: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let ends_as_right = words.last() == Some(&"right") || has(&["rights"]);
    if has(&["etf", "etfs", "etn", "etns", "warrant", "warrants"]) || ends_as_right {
        return false;
    }
    if name.contains("american depos") || name.ends_with(" ads") || has(&["adr", "adrs"]) {
        return true;
    }
    let units = has(&["unit", "units"]) && !name.contains("common unit") && !name.contains("partner");
    let debt = has(&["note", "notes", "debenture", "debentures", "bond", "bonds"])
        && (name.contains('%') || has(&["due"]));
    let preferred = symbol.contains('^') || has(&["preferred", "preference"]);
    !(units || preferred || debt || has(&["notes", "debentures"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_common_stock() {
        for name in [
            "Inventia Inc. Common Stock",
            "Orbital Holdings plc American Depositary Shares each representing one preferred share",
            "Pipelines L.P. Common Units representing Limited Partner Interests",
            "United Rightsmith Corporation Class A Common Stock",
            "Notewell Trust Shares of Beneficial Interest",
        ] {
            assert!(is_common_stock("AAA", name), "{name}");
        }
        for name in [
            "Inventia Acquisition Corp. Unit",
            "Inventia Acquisition Corp. Units, each consisting of one share and one warrant",
            "Inventia Acquisition Corp. Warrant",
            "Inventia Acquisition Corp. Rights",
            "Inventia Inc. 6.25% Series A Preferred Stock",
            "Inventia Inc. Depositary Shares, each a share of Preferred Stock",
            "Inventia Inc. 7.75% Notes due 2030",
            "Global Widgets ETF",
        ] {
            assert!(!is_common_stock("AAA", name), "{name}");
        }
        assert!(!is_common_stock("AAA^B", "Inventia Inc."));
    }

    #[test]
    fn classes_have_one_spelling() {
        assert_eq!((symbol_of("brk/b"), symbol_of("BRK-B")), ("BRK.B".into(), "BRK.B".into()));
        assert_eq!((symbol_of("BRK-B.US"), symbol_of("us")), ("BRK.B".into(), "US".into()));
    }
}
