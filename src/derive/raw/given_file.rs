//! Files that are named after a table and give its rows: `pledges.csv`, `pledges_2026.json.gz`, `pledges/june.parquet`.
//!
//! Columns are found by name, in any order and case. What a column means is the table's to say; a file only has it or not.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use super::cells::{Header, Record};
use super::given::GivenRow;
use super::given_cell::GivenCell;
use super::last_line::LastLine;
use super::object_rows;
use super::reason::Reason;
use super::rows::{self, Encoding, Head};
use super::us_listings;
use crate::operation::{Column, ColumnType, Market, Table};

/// Endings of files that may give a table.
const ENDINGS: [&str; 5] = ["csv", "json", "ndjson", "jsonl", "parquet"];

/// A table that files of its name give, as one market has it.
#[derive(Debug)]
pub(crate) struct GivenTable {
    pub(super) name: String,
    market: Market,
    pub(super) columns: Vec<Column>,
    /// The places of its key.
    pub(super) key: Vec<usize>,
    /// The places of the columns by which it is sorted.
    pub(super) sorted: Vec<usize>,
    /// The places of the dates that say when a row was known, the best first.
    dates: Vec<usize>,
    pub(super) symbol: Option<usize>,
    /// The place of the column that says where a row is from.
    pub(super) source: Option<usize>,
}

/// The tables of a market that files of their name give, the longest name first.
#[derive(Debug, Default)]
pub(crate) struct GivenTables(Vec<Arc<GivenTable>>);

/// A file of a table's rows.
#[derive(Debug)]
pub(crate) struct GivenFile {
    pub(super) table: Arc<GivenTable>,
    encoding: Encoding,
    header: Header,
    /// For each column of the table its place in a record.
    places: Vec<Option<usize>>,
    /// Names that the table has not.
    pub(super) unknown: Vec<String>,
}

impl GivenTables {
    pub(crate) fn new(tables: &[&Table], market: Market) -> Self {
        let mut tables: Vec<_> =
            tables.iter().map(|table| Arc::new(GivenTable::new(table, market))).collect();
        tables.sort_by_key(|table| std::cmp::Reverse(table.name.len()));
        Self(tables)
    }

    /// The table after which a file or a folder above it is named.
    pub(crate) fn table_of(&self, path: &str) -> Option<&Arc<GivenTable>> {
        let path = path.to_ascii_lowercase();
        let mut parts = path.rsplit(['/', '\\', '!']);
        let mut name = parts.next()?.split('.');
        let stem = name.next()?;
        if !name.next().is_some_and(|ending| ENDINGS.contains(&ending)) {
            return None;
        }
        let folders: Vec<&str> = parts.collect();
        self.0.iter().find(|table| {
            let behind = stem.strip_prefix(table.name.as_str());
            behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-']))
                || folders.contains(&table.name.as_str())
        })
    }
}

impl GivenTable {
    fn new(table: &Table, market: Market) -> Self {
        let columns: Vec<Column> = table.columns_in(market).cloned().collect();
        let place = |name: &String| columns.iter().position(|column| column.name == *name);
        let key: Vec<usize> = table.key.iter().filter_map(place).collect();
        let is_date = |at: &usize| columns.get(*at).is_some_and(|column| column.ty == ColumnType::Date);
        let dates = table.known.iter().filter_map(place).chain(key.iter().copied().filter(is_date)).collect();
        Self {
            name: table.name.clone(),
            market,
            sorted: table.sorted.iter().filter_map(place).collect(),
            symbol: place(&"symbol".to_owned()),
            source: place(&"source".to_owned()),
            key,
            dates,
            columns,
        }
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.to_uppercase()).collect()
    }

    /// Which of the columns that every row has a value in are not among `names`; none when all are there.
    fn lacking(&self, names: &BTreeSet<String>) -> Option<String> {
        let lacking: Vec<&str> = self
            .columns
            .iter()
            .filter(|column| !column.nullable && !names.contains(&column.name.to_uppercase()))
            .map(|column| column.name.as_str())
            .collect();
        (!lacking.is_empty()).then(|| format!("it lacks {} of the table `{}`", lacking.join(", "), self.name))
    }

    /// When a row was known, as far as it says.
    pub(super) fn known(&self, row: &GivenRow) -> Option<chrono::NaiveDate> {
        self.dates.iter().find_map(|at| match row.0.get(*at) {
            Some(GivenCell::Date(date)) => Some(*date),
            _ => None,
        })
    }
}

impl GivenFile {
    /// Looks at the beginning of a file, or into all of it where each row names its columns.
    ///
    /// A file that lacks a column without which there is no row is none of the table's; its words say which.
    pub(crate) fn open(table: &Arc<GivenTable>, reader: &mut dyn Read) -> io::Result<Result<Self, String>> {
        let mut start = Vec::new();
        reader.take(64).read_to_end(&mut start)?;
        let encoding = rows::objects(&start);
        let mut whole = io::Cursor::new(start).chain(reader);
        let (encoding, header, names) = match encoding {
            Some(encoding) => {
                let known: csv::ByteRecord = table.names().into_iter().collect();
                (encoding, Header::new(&known), object_rows::names(encoding, &mut whole)?)
            }
            None => match rows::head(&mut whole)? {
                Head::Known(encoding, header) => {
                    let names = header.cells().iter().cloned().collect();
                    (encoding, header, names)
                }
                Head::Unknown | Head::Empty => return Ok(Err("it has no header".to_owned())),
            },
        };
        if let Some(lacking) = table.lacking(&names) {
            return Ok(Err(lacking));
        }
        let places = table.names().iter().map(|name| header.column(&[name])).collect();
        let known = table.names();
        let unknown = names.into_iter().filter(|name| !known.contains(name)).collect();
        Ok(Ok(Self { table: Arc::clone(table), encoding, header, places, unknown }))
    }

    /// The name of the table.
    pub(crate) fn table(&self) -> &str {
        &self.table.name
    }

    pub(crate) const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Hands each record to `each` until it says stop.
    pub(crate) fn records(
        &self,
        reader: &mut dyn Read,
        each: &mut dyn FnMut(&Record) -> bool,
    ) -> io::Result<LastLine> {
        match self.encoding {
            Encoding::Json | Encoding::JsonLines => {
                object_rows::records(self.encoding, self.header.cells(), reader, each)?;
                Ok(LastLine::Ended)
            }
            Encoding::Csv | Encoding::Parquet | Encoding::Document(_) => {
                rows::records(self.encoding, true, reader, each)
            }
        }
    }

    /// The row of a record, or why there is none and which column is to blame.
    pub(crate) fn row(&self, record: &Record) -> Result<GivenRow, (Reason, Option<String>)> {
        if record.is_broken() {
            return Err((Reason::NotAnObject, None));
        }
        let first = self.table.key.first().and_then(|at| self.places.get(*at).copied().flatten());
        if first.is_some_and(|column| record.repeats(&self.header, column)) {
            return Err((Reason::RepeatedHeader, None));
        }
        if !record.fits(self.header.len()) {
            return Err((Reason::WrongFieldCount, None));
        }
        let mut row = GivenRow(Vec::with_capacity(self.places.len()));
        for (at, (column, place)) in self.table.columns.iter().zip(&self.places).enumerate() {
            let cell = GivenCell::read(column, *place, record);
            let cell = cell.map_err(|reason| (reason, Some(column.name.clone())))?;
            row.0.push(match cell {
                GivenCell::Text(symbol) if Some(at) == self.table.symbol => {
                    GivenCell::Text(spelled(&symbol, self.table.market))
                }
                other => other,
            });
        }
        Ok(row)
    }
}

/// A symbol in the market's one spelling.
fn spelled(symbol: &str, market: Market) -> String {
    match market {
        Market::India => symbol.strip_prefix("NSE:").unwrap_or(symbol).to_uppercase(),
        Market::Us => us_listings::symbol_of(symbol),
    }
}
