//! Reading as a whole, over small invented files; and, on demand, over real ones.
//!
//! Every expected figure is computed by hand next to it. No file here is a published one.

mod action_dates;
mod announced;
mod caps;
mod damaged_rows;
mod data_sets;
mod documents;
mod envelopes;
mod faults;
mod filed;
mod formats;
mod fund_lists;
mod listings;
mod parse_cache;
mod real;
mod rules;
mod sec_statements;
mod sectors;
mod shareholdings;
mod statements;
mod symbols;
mod staged;
mod user_tables;
mod vendors;
mod workbooks;

use std::fs;
use std::io::Write;
use std::sync::LazyLock;

use chrono::NaiveDate;
use tempfile::TempDir;

use super::*;
use crate::report::Report;
use parquote_catalogue::operation::{Catalogue, Market, Table};

const FULL: &str = "SYMBOL, SERIES, DATE1, PREV_CLOSE, OPEN_PRICE, HIGH_PRICE, LOW_PRICE, LAST_PRICE, CLOSE_PRICE, \
                    AVG_PRICE, TTL_TRD_QNTY, TURNOVER_LACS, NO_OF_TRADES, DELIV_QTY, DELIV_PER\n";

/// The staged tables, and the formats that fill them.
static STAGED: LazyLock<(Catalogue, Vec<DeclaredFormat>)> = LazyLock::new(|| {
    let catalogue = Catalogue::with_overlay(&[]).unwrap();
    let formats = DeclaredFormat::table_formats(&catalogue).unwrap();
    (catalogue, formats)
});

/// A folder of raw files that vanishes with the test.
struct Raw {
    folder: TempDir,
}

impl Raw {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn bytes(self, name: &str, bytes: &[u8]) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        self.bytes(name, text.as_bytes())
    }

    /// A full bhavcopy with these rows.
    fn full(self, name: &str, rows: &[String]) -> Self {
        self.file(name, &format!("{FULL}{}\n", rows.join("\n")))
    }

    /// Full bhavcopies of each day from 1 January 2025, in which each symbol has a price a day; 0 is no bar.
    fn days(self, symbols: &[(&str, &[f64])]) -> Self {
        let most = symbols.iter().map(|(_, prices)| prices.len()).max().unwrap();
        (0..most).fold(self, |raw, position| {
            let date = (january(1) + chrono::Days::new(position as u64)).format("%d-%b-%Y").to_string();
            let rows: Vec<String> = symbols
                .iter()
                .filter_map(|(symbol, prices)| {
                    Some((symbol, prices.get(position).filter(|price| **price > 0.0)?))
                })
                .map(|(symbol, price)| row(symbol, "EQ", &date, *price))
                .collect();
            raw.full(&format!("prices/{position:02}.csv"), &rows)
        })
    }

    fn read_with(&self, options: RawOptions<'_>) -> RawMarket {
        let mut sink = RefusedCount::default();
        let market = read(self.folder.path(), &options, &mut sink, &SilentProgress).unwrap();
        assert!(market.report.adds_up(), "{}", market.report);
        assert_eq!(sink.rows, market.report.refused.values().sum::<u64>());
        let traded =
            market.stocks.iter().filter(|stock| !market.companies.iter().any(|it| it.symbol == stock.symbol));
        assert_eq!(
            (traded.count(), market.stocks.is_empty() || market.companies.len() == market.stocks.len()),
            (0, true)
        );
        market
    }

    /// Reads a market with the staged tables.
    fn market(&self, market: Market) -> RawMarket {
        let (catalogue, formats) = &*STAGED;
        let tables: Vec<_> = catalogue.tables_in(market).filter(|table| table.staging.is_some()).collect();
        let options =
            RawOptions { user_tables: &tables, declared_formats: formats, ..RawOptions::for_market(market) };
        let read = self.read_with(options);
        // With all bars in the spool file, the result is the same.
        let spooled = self.read_with(RawOptions { bars_memory_bytes: Some(0), ..options });
        let bars = |market: &RawMarket| -> Vec<SymbolBars> {
            market.bars.iter().map(|bars| bars.get().unwrap().into_owned()).collect()
        };
        assert_eq!(format!("{:?}", bars(&read)), format!("{:?}", bars(&spooled)));
        assert_eq!((&read.stocks.len(), &read.jumps), (&spooled.stocks.len(), &spooled.jumps));
        assert_eq!(format!("{:?}", read.indices), format!("{:?}", spooled.indices));
        assert_eq!(
            serde_json::to_string(&read.report).unwrap(),
            serde_json::to_string(&spooled.report).unwrap()
        );
        read
    }

    fn india(&self) -> RawMarket {
        self.market(Market::India)
    }

    fn us(&self) -> RawMarket {
        self.market(Market::Us)
    }
}

impl RawMarket {
    fn stock(&self, symbol: &str) -> SymbolBars {
        let at = self.stocks.iter().position(|stock| stock.symbol == symbol).unwrap();
        self.bars[at].get().unwrap().into_owned()
    }

    fn factors(&self, symbol: &str) -> Vec<f64> {
        self.stock(symbol).factors().collect()
    }

    fn company(&self, symbol: &str) -> &Company {
        self.companies.iter().find(|company| company.symbol == symbol).unwrap()
    }

    fn symbols(&self) -> Vec<&str> {
        self.stocks.iter().map(|stock| stock.symbol.as_str()).collect()
    }

    /// Returns the cells of some columns of a staged table, a line for each row; a null is a dash.
    fn cells(&self, table: &str, columns: &str) -> Vec<String> {
        let declared: Vec<&str> = STAGED
            .0
            .table(self.market, table)
            .unwrap()
            .columns_in(self.market)
            .map(|it| it.name.as_str())
            .collect();
        let index = |name: &str| declared.iter().position(|known| *known == name).unwrap();
        let text = |row: &UserRow, name: &str| match &row.0[index(name)] {
            UserCell::Null => "-".to_owned(),
            UserCell::Text(text) => text.clone(),
            UserCell::Int(value) => value.to_string(),
            UserCell::Number(value) => value.to_string(),
            UserCell::Date(date) => date.format("%d %b").to_string(),
            other => format!("{other:?}"),
        };
        let line = |row| columns.split(' ').map(|name| text(row, name)).collect::<Vec<_>>().join(" | ");
        self.user_rows.get(table).into_iter().flatten().map(line).collect()
    }

    fn refused_as(&self, words: &str) -> u64 {
        self.report.refused.get(words).copied().unwrap_or_default()
    }

    fn refused(&self, reason: Reason) -> u64 {
        self.report.refused.get(reason.label()).copied().unwrap_or_default()
    }
}

fn january(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2025, 1, day).unwrap()
}

/// A row of a full bhavcopy: one price all day, 100 shares, 50 delivered.
fn row(symbol: &str, series: &str, date: &str, price: f64) -> String {
    format!("{symbol}, {series}, {date}, 1, {price}, {price}, {price}, , {price}, {price}, 100, 1, 1, 50, 50")
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        archive.start_file(*name, ::zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
