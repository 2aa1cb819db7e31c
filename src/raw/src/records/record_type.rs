//! A kind of record, a row of a raw file that is neither a bar, a figure of a statement nor a row of a table: the file of `queries/records`
//! that declares it, and the Rust type that its rows become. The columns of its SELECT have the names of the fields of that type.
//!
//! Another format of the same record needs only another declaration of a format.

use std::sync::OnceLock;

use chrono::NaiveDate;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as CellError, MapDeserializer};

use crate::declared::plain_row::{DeclaredFile, FileFacts, PlainColumn};
use crate::domain::reason::Refusal;
use crate::records::positioned_row::RecordPosition;
use crate::reference_data::ReferenceData;
use crate::user_tables::cell::UserCell;
use crate::user_tables::staged_rows::{StagedRows, WantedColumns};
use parquote_catalogue::operation::{DeclarationError, Market, RecordDeclaration, embedded_files};
use parquote_encodings::text::cells::CellRecord;

pub(crate) struct RecordType {
    /// Its name in declarations of formats. Its file has this name, with underscores in place of blanks.
    pub(crate) name: &'static str,
    make: Box<MakeRecord>,
    declaration: OnceLock<Result<RecordDeclaration, DeclarationError>>,
    india: LazyStagedRows,
    us: LazyStagedRows,
}

/// The SELECT of a record for one market, planned on the first use.
type LazyStagedRows = OnceLock<Result<StagedRows, DeclarationError>>;

/// Converts the cells of named columns to a record.
type MakeRecord = dyn Fn(&[String], Vec<UserCell>) -> Result<StoreRecord, CellError> + Send + Sync;

/// A record of a file, as a function that stores it. A later step chooses among contradictory records.
pub(crate) type StoreRecord = Box<dyn FnOnce(&RecordPosition<'_>, &mut ReferenceData) + Send>;

/// A record, and the date from which it was known.
pub(crate) type DatedRecord = (StoreRecord, Option<NaiveDate>);

impl RecordType {
    /// Returns the kind of records that become values of a type; `store` stores the values.
    pub(crate) fn new<T: DeserializeOwned + Send + 'static>(
        name: &'static str,
        store: fn(T, &RecordPosition<'_>, &mut ReferenceData),
    ) -> Self {
        let make = move |names: &[String], cells: Vec<UserCell>| -> Result<StoreRecord, CellError> {
            let cells = names.iter().map(String::as_str).zip(cells);
            let cells: MapDeserializer<'_, _, CellError> = MapDeserializer::new(cells);
            let record = T::deserialize(cells)?;
            Ok(Box::new(move |at: &RecordPosition<'_>, into: &mut ReferenceData| store(record, at, into)))
        };
        let (declaration, india, us) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { name, make: Box::new(make), declaration, india, us }
    }

    fn file(&self) -> String {
        format!("{}{}.sql", RecordDeclaration::FOLDER, self.name.replace(' ', "_"))
    }

    fn mistake(&self, message: String) -> DeclarationError {
        DeclarationError { file: self.file(), line: 1, message }
    }

    /// Returns the declaration, parsed on the first call.
    ///
    /// # Errors
    /// The file is missing or has a mistake.
    pub(crate) fn declaration(&self) -> Result<&RecordDeclaration, DeclarationError> {
        let parse = || {
            let (path, text) = embedded_files()
                .iter()
                .find(|(path, _)| *path == self.file())
                .ok_or_else(|| self.mistake("the record is not declared".to_owned()))?;
            RecordDeclaration::parse(path, text)
        };
        self.declaration.get_or_init(parse).as_ref().map_err(Clone::clone)
    }

    /// Returns the SELECT, planned for a market.
    fn rows(&self, market: Market) -> Result<&StagedRows, DeclarationError> {
        let planned = match market {
            Market::India => &self.india,
            Market::Us => &self.us,
        };
        let plan = || {
            let staging = &self.declaration()?.staging;
            StagedRows::new(staging, market).map_err(|error| self.mistake(error.strip_backtrace()))
        };
        planned.get_or_init(plan).as_ref().map_err(Clone::clone)
    }
}

/// A file of records, with the columns of its kind located.
pub(crate) struct RecordFile {
    record: &'static RecordType,
    columns: Vec<PlainColumn>,
    facts: FileFacts,
}

impl RecordFile {
    /// Builds the file; its columns are in the order of the record's declaration.
    pub(crate) fn new(record: &'static RecordType, file: DeclaredFile) -> Self {
        Self { record, columns: file.columns, facts: file.facts }
    }

    /// Returns the position of the column by which repeated header lines are recognised, mostly that of the symbol: no data row has the
    /// column's name there.
    pub(crate) fn symbol_column(&self) -> usize {
        self.columns.iter().find_map(|column| column.position).unwrap_or_default()
    }

    /// Returns true if the dates of records may be in the future.
    pub(crate) fn is_announced(&self) -> bool {
        self.record.declaration().is_ok_and(|declared| declared.is_announced)
    }

    /// Returns the record of each row, or the reason for refusing it.
    ///
    /// # Errors
    /// The declaration of the record has a mistake, or its columns are not the fields of its type.
    pub(crate) fn records(
        &self,
        rows: &[&CellRecord],
    ) -> Result<Vec<Result<DatedRecord, Refusal>>, DeclarationError> {
        let (record, market) = (self.record, self.facts.market);
        let (staged, known_column) = (record.rows(market)?, record.declaration()?.known.as_ref());
        let names = staged.selected_columns();
        let known_position = known_column.and_then(|column| names.iter().position(|name| name == column));
        let rows = staged.rows(WantedColumns::NONE, &self.columns, &self.facts, rows);
        let rows = rows.map_err(|error| record.mistake(error.strip_backtrace()))?;
        let records = rows.into_iter().map(|row| {
            let row = match row {
                Ok(row) => row,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let date = match known_position.and_then(|position| row.get(position)) {
                Some(UserCell::Date(date)) => Some(*date),
                _ => None,
            };
            let store = (record.make)(&names, row).map_err(|error| record.mistake(error.to_string()))?;
            Ok(Ok((store, date)))
        });
        records.collect()
    }
}
