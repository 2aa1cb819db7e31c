//! Files that are named after a table and supply its rows: `pledges.csv`, `pledges_2026.json.gz`, `pledges/june.parquet`; and files of a
//! format that is declared for a table.
//!
//! Columns are found by name, in any order and case. The table defines the meaning of a column; a file has the column or lacks it.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::error::DataFusionError;

use crate::declared::column::DeclaredColumn;
use crate::declared::format::DeclaredFormat;
use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainCell, PlainColumn};
use crate::declared::written_format::FormatTarget;
use crate::domain::reason::{Reason, Refusal};
use crate::user_tables::cell::UserCell;
use crate::user_tables::staged_rows::{StagedRows, WantedColumns};
use parquote_catalogue::operation::{
    Column, ColumnType, CompletionRule, DeclarationError, Duplicates, Market, Table,
};
use parquote_encodings::last_line::LastLine;
use parquote_encodings::object_rows;
use parquote_encodings::rows::{self, Head, RowEncoding};
use parquote_encodings::text::cells::{CellRecord, HeaderLine};
use parquote_encodings::text::dates;
use parquote_encodings::text::file_head::FileHead;
use parquote_encodings::text::symbols::market_spelling;

/// Extensions of files that may fill a table.
const ENDINGS: [&str; 5] = ["csv", "json", "ndjson", "jsonl", "parquet"];

/// A table filled by files, in the variant of one market.
#[derive(Debug)]
pub(crate) struct UserTable {
    pub(crate) name: String,
    market: Market,
    pub(crate) columns: Vec<Column>,
    /// The positions of its key columns.
    pub(crate) key: Vec<usize>,
    /// The positions of the columns by which it is sorted.
    pub(crate) sorted: Vec<usize>,
    /// The positions of the dates on which a row became known, in order of preference.
    dates: Vec<usize>,
    pub(crate) symbol: Option<usize>,
    /// The position of the column with the source of a row.
    pub(crate) source: Option<usize>,
    /// The positions of columns that are completed from other rows of the key.
    pub(crate) completed: CompletionRule<usize>,
    /// The rules of its rows, if it is staged.
    pub(crate) staged: Option<StagedRows>,
    /// The position of the date in its key.
    pub(crate) key_date: Option<usize>,
    /// The position of the column that numbers rows of a staged table, if there is one.
    pub(crate) number: Option<usize>,
}

/// The tables of a market that are filled by files, the longest name first.
#[derive(Debug, Default)]
pub(crate) struct UserTables {
    tables: Vec<Arc<UserTable>>,
    /// Declared formats of files with other names.
    declared: Vec<TableFormat>,
}

/// A format and the table that it fills.
#[derive(Debug)]
struct TableFormat {
    format: DeclaredFormat,
    table: Arc<UserTable>,
    /// In the order of the columns that are read from a row.
    columns: Vec<DeclaredColumn>,
}

/// A file of a table's rows.
#[derive(Debug)]
pub(crate) struct UserTableFile {
    pub(crate) table: Arc<UserTable>,
    pub(crate) encoding: RowEncoding,
    header: HeaderLine,
    /// In the order of the columns that are read.
    columns: Vec<PlainColumn>,
    /// The position of the column whose date is in the path, and that date.
    path_date: Option<(usize, NaiveDate)>,
    /// Other facts in the path.
    facts: Option<FileFacts>,
    /// The date in the path, if it is the day from which rows are known.
    pub(crate) known_from: Option<NaiveDate>,
    /// Column names that the table lacks.
    pub(crate) unknown: Vec<String>,
}

impl UserTables {
    /// Builds the tables of a market, and the formats that fill them.
    ///
    /// # Errors
    /// The SELECT of a staged table has a mistake.
    pub(crate) fn new(
        tables: &[&Table],
        declared: &[DeclaredFormat],
        market: Market,
    ) -> Result<Self, DeclarationError> {
        let tables = tables.iter().map(|table| {
            let made = UserTable::new(table, market);
            made.map(Arc::new).map_err(|error| mistake(&table.name, table.line, &error))
        });
        let mut tables = tables.collect::<Result<Vec<_>, _>>()?;
        tables.sort_by_key(|table| std::cmp::Reverse(table.name.len()));
        let of_market = declared.iter().filter(|format| format.is_for(market));
        let declared = of_market.filter_map(|format| {
            let FormatTarget::Table { table, .. } = &format.fills else { return None };
            let table = Arc::clone(tables.iter().find(|known| known.name == *table)?);
            let columns = format.columns(table.source_columns().into_iter());
            Some(TableFormat { format: format.clone(), table, columns })
        });
        let declared = declared.collect();
        Ok(Self { tables, declared })
    }

    pub(crate) fn table_named(&self, name: &str) -> Option<&UserTable> {
        self.tables.iter().find(|table| table.name == name).map(|table| &**table)
    }

    /// Returns the tables that exist even without a file.
    pub(crate) fn always_present(&self) -> impl Iterator<Item = &str> {
        let is_always = |table: &&Arc<UserTable>| table.staged.as_ref().is_some_and(|it| it.staging.always);
        self.tables.iter().filter(is_always).map(|table| table.name.as_str())
    }

    /// Opens the file with this header and path, if it is of the format that the file `declaration` below `queries/` declares, or without
    /// `declaration` of any declared format.
    pub(crate) fn open_declared(
        &self,
        head: &FileHead<'_>,
        encoding: RowEncoding,
        declaration: Option<&str>,
    ) -> Option<UserTableFile> {
        let is_wanted = |it: &&TableFormat| declaration.is_none_or(|file| it.format.file == file);
        self.declared.iter().filter(is_wanted).find_map(|it| it.open(head, encoding))
    }

    /// Returns the table that the misspelt name of a file probably means.
    pub(crate) fn misspelt_table(&self, path: &str) -> Option<&str> {
        /// Minimum number of letters; shorter names are too similar.
        const MIN_LETTERS: usize = 5;
        let stem = path.rsplit(['/', '\\', '!']).next()?.split(['.', '-']).next()?.to_ascii_lowercase();
        let tables =
            self.tables.iter().filter(|table| table.staged.is_none()).map(|table| table.name.as_str());
        if stem.len() < MIN_LETTERS { None } else { parquote_catalogue::operation::misspelt(&stem, tables) }
    }

    /// Returns the table after which a file or a folder above it is named.
    pub(crate) fn table_of(&self, path: &str) -> Option<&Arc<UserTable>> {
        let path = path.to_ascii_lowercase();
        let mut parts = path.rsplit(['/', '\\', '!']);
        let mut name = parts.next()?.split('.');
        let stem = name.next()?;
        // A symbol such as `BRK.B` has a dot too.
        if !name.any(|ending| ENDINGS.contains(&ending)) {
            return None;
        }
        let folders: Vec<&str> = parts.collect();
        self.tables.iter().filter(|table| table.staged.is_none()).find(|table| {
            let behind = stem.strip_prefix(table.name.as_str());
            behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-']))
                || folders.contains(&table.name.as_str())
        })
    }
}

/// Converts an error in the SELECT of a table whose declaration starts on `line`.
pub(crate) fn mistake(table: &str, line: usize, error: &DataFusionError) -> DeclarationError {
    DeclarationError { file: format!("tables/{table}.sql"), line, message: error.strip_backtrace() }
}

impl TableFormat {
    /// Opens the file with this header and path, if it is of the format.
    fn open(&self, head: &FileHead<'_>, encoding: RowEncoding) -> Option<UserTableFile> {
        let Self { format, table, columns } = self;
        let DeclaredFile { columns, facts, .. } = format.open(columns, head)?;
        let path_date = format.dated_column().and_then(|name| {
            let position = table.columns.iter().position(|column| column.name == name)?;
            Some((position, dates::in_path(head.path)?))
        });
        let is_from_path = |at: usize| path_date.is_some_and(|(column, _)| column == at);
        let is_there = |(at, column): (usize, &Column)| {
            column.nullable || is_from_path(at) || columns.get(at).is_some_and(|it| it.position.is_some())
        };
        let is_whole = table.staged.is_some() || table.columns.iter().enumerate().all(is_there);
        is_whole.then(|| UserTableFile {
            table: Arc::clone(table),
            encoding,
            header: head.header.clone(),
            columns,
            path_date,
            facts: Some(facts),
            known_from: dates::in_path(head.path).filter(|_| format.is_dated_by_path()),
            unknown: Vec::new(),
        })
    }
}

impl UserTable {
    fn new(table: &Table, market: Market) -> Result<Self, DataFusionError> {
        let columns: Vec<Column> = table.columns_in(market).cloned().collect();
        let position = |name: &String| columns.iter().position(|column| column.name == *name);
        let key: Vec<usize> = table.key.iter().filter_map(position).collect();
        let is_date = |at: &usize| columns.get(*at).is_some_and(|column| column.ty == ColumnType::Date);
        let dates =
            table.known.iter().filter_map(position).chain(key.iter().copied().filter(is_date)).collect();
        let staging = table.staging_in(market);
        let is_numbered = staging.is_some_and(|it| it.duplicates == Duplicates::AsOftenAsInOneFile);
        let completed =
            staging.map(|staging| staging.completed.map(|names| names.iter().filter_map(position).collect()));
        let key_date = key.iter().copied().find(is_date);
        let made = Self {
            name: table.name.clone(),
            market,
            sorted: table.sorted.iter().filter_map(position).collect(),
            symbol: position(&"symbol".to_owned()),
            source: position(&"source".to_owned()),
            key_date,
            number: key.last().copied().filter(|_| is_numbered),
            completed: completed.unwrap_or_default(),
            staged: staging.map(|staging| StagedRows::new(staging, market)).transpose()?,
            key,
            dates,
            columns,
        };
        // The columns of the SELECT can be checked without a row.
        if let Some(staged) = &made.staged {
            let facts = FileFacts { market, word: None, date: None };
            staged.rows(
                made.wanted_columns(),
                &vec![PlainColumn::at(None); staged.staging.columns.len()],
                &facts,
                &[],
            )?;
        }
        Ok(made)
    }

    /// Returns the columns that a SELECT has to yield.
    fn wanted_columns(&self) -> WantedColumns<'_> {
        WantedColumns { columns: &self.columns, later: [self.source, self.number, self.key_date] }
    }

    /// Returns the names of the columns that are read from a row.
    fn source_columns(&self) -> Vec<&str> {
        match &self.staged {
            Some(staged) => staged.staging.source_columns().collect(),
            None => self.columns.iter().map(|column| column.name.as_str()).collect(),
        }
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.to_uppercase()).collect()
    }

    /// Returns a message that lists the required columns that are not among `names`; `None` if all are.
    fn missing_columns(&self, names: &BTreeSet<String>) -> Option<String> {
        let missing_columns: Vec<&str> = self
            .columns
            .iter()
            .filter(|column| !column.nullable && !names.contains(&column.name.to_uppercase()))
            .map(|column| column.name.as_str())
            .collect();
        (!missing_columns.is_empty())
            .then(|| format!("it lacks {} of the table `{}`", missing_columns.join(", "), self.name))
    }

    /// Returns the day on which a row became known, if it has one.
    pub(crate) fn known_on(&self, row: &[UserCell]) -> Option<NaiveDate> {
        self.dates.iter().find_map(|at| match row.get(*at) {
            Some(UserCell::Date(date)) => Some(*date),
            _ => None,
        })
    }
}

impl UserTableFile {
    /// Opens a file by its beginning, or by all of it if each row names its columns.
    ///
    /// A file that lacks a required column is not one of the table's; the message names the column.
    pub(crate) fn open(table: &Arc<UserTable>, reader: &mut dyn Read) -> io::Result<Result<Self, String>> {
        let mut start = Vec::new();
        reader.take(rows::OBJECT_BYTES).read_to_end(&mut start)?;
        let has_data = table.columns.iter().any(|column| column.name == "data");
        let encoding = rows::detect_objects(&start, !has_data);
        let mut whole = io::Cursor::new(start).chain(reader);
        let (encoding, header, names) = match encoding {
            Some(encoding) => {
                let known: csv::ByteRecord = table.names().into_iter().collect();
                (encoding, HeaderLine::new(&known), object_rows::names(encoding, &mut whole)?)
            }
            None => match rows::head(&mut whole)? {
                Head::Rows(encoding, header) => {
                    let names = header.cells().iter().cloned().collect();
                    (encoding, header, names)
                }
                Head::Unknown | Head::Empty => return Ok(Err("it has no header".to_owned())),
            },
        };
        if let Some(missing_columns) = table.missing_columns(&names) {
            return Ok(Err(missing_columns));
        }
        let columns = table.names().iter().map(|name| PlainColumn::at(header.column(&[name]))).collect();
        let table_columns = table.names();
        let unknown = names.into_iter().filter(|name| !table_columns.contains(name)).collect();
        let table = Arc::clone(table);
        let (path_date, facts, known_from) = (None, None, None);
        Ok(Ok(Self { table, encoding, header, columns, path_date, facts, known_from, unknown }))
    }

    /// Passes each record to `each` until `each` returns false.
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
            _ => rows::records(self.encoding, true, reader, each),
        }
    }

    /// Returns the cells of each record, or the reason for refusing it and the column to blame.
    ///
    /// # Errors
    /// The SELECT fails on a row.
    pub(crate) fn rows(
        &self,
        records: &[&CellRecord],
    ) -> Result<Vec<Result<Vec<UserCell>, Refusal>>, DataFusionError> {
        let checked = records.iter().map(|record| (*record, self.fault(record)));
        let (Some(staged), Some(facts)) = (&self.table.staged, &self.facts) else {
            return Ok(checked.map(|(record, fault)| fault.map_or_else(|| self.row(record), Err)).collect());
        };
        let checked: Vec<_> = checked.collect();
        let whole: Vec<&CellRecord> =
            checked.iter().filter(|(_, fault)| fault.is_none()).map(|(record, _)| *record).collect();
        let mut made = staged.rows(self.table.wanted_columns(), &self.columns, facts, &whole)?.into_iter();
        let row = |(_, fault): (_, Option<Refusal>)| fault.map(Err).or_else(|| made.next());
        Ok(checked.into_iter().filter_map(row).collect())
    }

    /// Returns the refusal of a record that is no row, regardless of its values.
    fn fault(&self, record: &CellRecord) -> Option<Refusal> {
        let first = match &self.table.staged {
            Some(_) => self.columns.iter().find_map(|column| column.position),
            None => self.table.key.first().and_then(|at| self.columns.get(*at)?.position),
        };
        let reason = if record.is_broken() {
            Reason::NotAnObject
        } else if first.is_some_and(|column| record.repeats(&self.header, column)) {
            Reason::RepeatedHeader
        } else if self.table.staged.is_some() && record.holds_a_row(self.header.len()) {
            Reason::OpenQuote
        } else if record.fits(self.header.len()) {
            return None;
        } else {
            Reason::WrongFieldCount
        };
        Some((reason.label().into(), None))
    }

    /// Returns the cells of a user-supplied record.
    fn row(&self, record: &CellRecord) -> Result<Vec<UserCell>, Refusal> {
        let mut row = Vec::with_capacity(self.columns.len());
        for (at, column) in self.table.columns.iter().enumerate() {
            let refusal = |reason: Reason| (reason.label().into(), Some(column.name.clone()));
            let cell = self.cell(at, column, record).map_err(refusal)?;
            row.push(match cell {
                UserCell::Text(symbol) if Some(at) == self.table.symbol => {
                    UserCell::Text(market_spelling(&symbol, self.table.market))
                }
                other => other,
            });
        }
        Ok(row)
    }

    /// Returns the cell of a column in a record, or the date in the path.
    fn cell(&self, at: usize, column: &Column, record: &CellRecord) -> Result<UserCell, Reason> {
        match self.path_date {
            Some((column, date)) if column == at => Ok(UserCell::Date(date)),
            _ => {
                let plain_column = self.columns.get(at).unwrap_or(const { &PlainColumn::at(None) });
                UserCell::read(column, PlainCell::new(record, plain_column))
            }
        }
    }
}
