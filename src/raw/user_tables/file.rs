//! Files that are named after a table and supply its rows: `pledges.csv`, `pledges_2026.json.gz`, `pledges/june.parquet`; and files of
//! a format that is declared for a table.
//!
//! Columns are found by name, in any order and case. What a column means is the table's to say; a file only has it or not.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use chrono::NaiveDate;

use crate::operation::{Column, ColumnType, Market, Table};
use crate::raw::declared::format::{DeclaredFormat, FilledBy};
use crate::raw::declared::plain_row::{PlainCell, PlainColumn};
use crate::raw::domain::provenance::Provenance;
use crate::raw::domain::reason::Reason;
use crate::raw::encodings::last_line::LastLine;
use crate::raw::encodings::object_rows;
use crate::raw::encodings::rows::{self, Head, RowEncoding};
use crate::raw::text::cells::{CellRecord, HeaderLine};
use crate::raw::text::dates;
use crate::raw::text::file_head::FileHead;
use crate::raw::text::symbols::spelled;
use crate::raw::user_tables::cell::UserCell;

/// A row that a user supplies: a cell for each column of the market's copy.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRow(pub Vec<UserCell>);

impl UserRow {
    /// The row, which says in its column of that place where it is from if it did not.
    pub(super) fn from(mut self, place: Option<usize>, provenance: &Provenance) -> Self {
        let cell = place.and_then(|place| self.0.get_mut(place));
        if let (Some(cell @ UserCell::Null), Some(words)) = (cell, provenance.words()) {
            *cell = UserCell::Text(words.to_owned());
        }
        self
    }
}

/// Endings of files that may give a table.
const ENDINGS: [&str; 5] = ["csv", "json", "ndjson", "jsonl", "parquet"];

/// A table that files of its name give, as one market has it.
#[derive(Debug)]
pub(crate) struct UserTable {
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
pub(crate) struct UserTables {
    tables: Vec<Arc<UserTable>>,
    /// Formats of files of other names, each with its table.
    declared: Vec<(DeclaredFormat, Arc<UserTable>)>,
}

/// A file of a table's rows.
#[derive(Debug)]
pub(crate) struct UserTableFile {
    pub(super) table: Arc<UserTable>,
    encoding: RowEncoding,
    header: HeaderLine,
    /// Where each column of the table stands.
    columns: Vec<PlainColumn>,
    /// The place of the column whose date the path says, and that date.
    of_path: Option<(usize, NaiveDate)>,
    /// Names that the table has not.
    pub(super) unknown: Vec<String>,
}

impl UserTables {
    pub(crate) fn new(tables: &[&Table], declared: &[DeclaredFormat], market: Market) -> Self {
        let mut tables: Vec<_> = tables.iter().map(|table| Arc::new(UserTable::new(table, market))).collect();
        tables.sort_by_key(|table| std::cmp::Reverse(table.name.len()));
        let table = |name: &str| tables.iter().find(|table| table.name == name).map(Arc::clone);
        let of_market = declared.iter().filter(|format| format.is_of(market));
        let declared = of_market.filter_map(|format| match &format.fills {
            FilledBy::Table { table: name, .. } => Some((format.clone(), table(name)?)),
            FilledBy::Record { .. } => None,
        });
        let declared = declared.collect();
        Self { tables, declared }
    }

    /// The file with this header and path, if it is of a declared format.
    pub(crate) fn declared(&self, head: &FileHead<'_>, encoding: RowEncoding) -> Option<UserTableFile> {
        self.declared.iter().find_map(|(format, table)| {
            let columns = format.columns(table.columns.iter().map(|column| column.name.as_str()));
            let columns = format.open(&columns, head)?.columns;
            let of_path = format.dated_column().and_then(|name| {
                let place = table.columns.iter().position(|column| column.name == name)?;
                Some((place, dates::in_path(head.path)?))
            });
            let is_of_path = |at: usize| of_path.is_some_and(|(of_path, _)| of_path == at);
            let is_there = |(at, column): (usize, &Column)| {
                column.nullable || is_of_path(at) || columns.get(at).is_some_and(|it| it.place.is_some())
            };
            table.columns.iter().enumerate().all(is_there).then(|| UserTableFile {
                table: Arc::clone(table),
                encoding,
                header: head.header.clone(),
                columns,
                of_path,
                unknown: Vec::new(),
            })
        })
    }

    /// The table after which a file or a folder above it is named.
    pub(crate) fn table_of(&self, path: &str) -> Option<&Arc<UserTable>> {
        let path = path.to_ascii_lowercase();
        let mut parts = path.rsplit(['/', '\\', '!']);
        let mut name = parts.next()?.split('.');
        let stem = name.next()?;
        if !name.next().is_some_and(|ending| ENDINGS.contains(&ending)) {
            return None;
        }
        let folders: Vec<&str> = parts.collect();
        self.tables.iter().find(|table| {
            let behind = stem.strip_prefix(table.name.as_str());
            behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-']))
                || folders.contains(&table.name.as_str())
        })
    }
}

impl UserTable {
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
    pub(super) fn known(&self, row: &UserRow) -> Option<NaiveDate> {
        self.dates.iter().find_map(|at| match row.0.get(*at) {
            Some(UserCell::Date(date)) => Some(*date),
            _ => None,
        })
    }
}

impl UserTableFile {
    /// Looks at the beginning of a file, or into all of it where each row names its columns.
    ///
    /// A file that lacks a column without which there is no row is none of the table's; its words say which.
    pub(crate) fn open(table: &Arc<UserTable>, reader: &mut dyn Read) -> io::Result<Result<Self, String>> {
        let mut start = Vec::new();
        reader.take(rows::OBJECT_BYTES).read_to_end(&mut start)?;
        let has_data = table.columns.iter().any(|column| column.name == "data");
        let encoding = rows::objects(&start, !has_data);
        let mut whole = io::Cursor::new(start).chain(reader);
        let (encoding, header, names) = match encoding {
            Some(encoding) => {
                let known: csv::ByteRecord = table.names().into_iter().collect();
                (encoding, HeaderLine::new(&known), object_rows::names(encoding, &mut whole)?)
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
        let columns = table.names().iter().map(|name| PlainColumn::at(header.column(&[name]))).collect();
        let known = table.names();
        let unknown = names.into_iter().filter(|name| !known.contains(name)).collect();
        Ok(Ok(Self { table: Arc::clone(table), encoding, header, columns, of_path: None, unknown }))
    }

    /// The name of the table.
    pub(crate) fn table(&self) -> &str {
        &self.table.name
    }

    pub(crate) const fn encoding(&self) -> RowEncoding {
        self.encoding
    }

    /// Hands each record to `each` until it says stop.
    pub(crate) fn records(
        &self,
        reader: &mut dyn Read,
        each: &mut dyn FnMut(&CellRecord) -> bool,
    ) -> io::Result<LastLine> {
        match self.encoding {
            RowEncoding::Json | RowEncoding::JsonLines => {
                object_rows::records(self.encoding, self.header.cells(), reader, each)?;
                Ok(LastLine::Ended)
            }
            RowEncoding::Csv | RowEncoding::Tabs | RowEncoding::Parquet | RowEncoding::Document(_) => {
                rows::records(self.encoding, true, reader, each)
            }
        }
    }

    /// The row of a record, or why there is none and which column is to blame.
    pub(crate) fn row(&self, record: &CellRecord) -> Result<UserRow, (Reason, Option<String>)> {
        if record.is_broken() {
            return Err((Reason::NotAnObject, None));
        }
        let first = self.table.key.first().and_then(|at| self.columns.get(*at)?.place);
        if first.is_some_and(|column| record.repeats(&self.header, column)) {
            return Err((Reason::RepeatedHeader, None));
        }
        if !record.fits(self.header.len()) {
            return Err((Reason::WrongFieldCount, None));
        }
        let mut row = UserRow(Vec::with_capacity(self.columns.len()));
        for (at, column) in self.table.columns.iter().enumerate() {
            let cell = self.cell(at, column, record).map_err(|reason| (reason, Some(column.name.clone())))?;
            row.0.push(match cell {
                UserCell::Text(symbol) if Some(at) == self.table.symbol => {
                    UserCell::Text(spelled(&symbol, self.table.market))
                }
                other => other,
            });
        }
        Ok(row)
    }

    /// The cell of a column in a record, or the date that the path says.
    fn cell(&self, at: usize, column: &Column, record: &CellRecord) -> Result<UserCell, Reason> {
        match self.of_path {
            Some((of_path, date)) if of_path == at => Ok(UserCell::Date(date)),
            _ => {
                let place = self.columns.get(at).unwrap_or(const { &PlainColumn::at(None) });
                UserCell::read(column, PlainCell::new(record, place))
            }
        }
    }
}
