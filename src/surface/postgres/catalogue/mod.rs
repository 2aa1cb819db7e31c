//! What clients ask of a Postgres catalogue: which tables there are, of which columns and types. It is a small database in memory, made of
//! the declarations of the tables that the caller may read, and it knows no row of them.
//!
//! Reading order: `dialect` (from the SQL of Postgres to that of SQLite), `columns` (what a question answers), `functions`, and the tables themselves in `tables.sql`.

mod columns;
mod dialect;
pub(super) mod functions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use serde_json::Value as Json;

use self::functions::{Facts, SCHEMAS};
use super::failure::SqlFailure;
use super::kind::PgKind;
use crate::engine::TypedCell;
use crate::operation::{Market, Table};

/// How long a question may take.
const TIME: Duration = Duration::from_secs(1);
/// The most rows of an answer: all columns of all tables, and some more.
const MOST_ROWS: usize = 20_000;
/// The longest text that a question makes.
const LONGEST_TEXT: i32 = 64 << 10;
/// The first number of a table.
const FIRST_OID: i64 = 20_000;

/// The catalogue for one question.
pub(super) struct ClientCatalogue {
    database: Connection,
}

/// The answer to a question.
#[derive(Debug, Default)]
pub(super) struct CatalogueRows {
    /// Names and types.
    pub columns: Vec<(String, PgKind)>,
    /// The rows.
    pub rows: Vec<Vec<Fact>>,
}

/// A value of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    Null,
    Bool(bool),
    Int(i64),
    Number(f64),
    Text(String),
}

impl Fact {
    /// The value as answers have it.
    pub(super) fn cell(&self) -> TypedCell<'_> {
        match self {
            Self::Null => TypedCell::Null,
            Self::Bool(flag) => TypedCell::Bool(*flag),
            Self::Int(number) => TypedCell::Int(*number),
            Self::Number(number) => TypedCell::Number(*number),
            Self::Text(text) => TypedCell::Text(text),
        }
    }

    fn of(value: ValueRef<'_>, kind: PgKind) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match (value, kind) {
            (ValueRef::Null, _) => Self::Null,
            (ValueRef::Integer(number), PgKind::Bool) => Self::Bool(number != 0),
            (ValueRef::Integer(number), PgKind::Int2 | PgKind::Int4 | PgKind::Int8 | PgKind::Oid) => {
                Self::Int(number)
            }
            (ValueRef::Integer(number), PgKind::Number) => Self::Number(number as f64),
            (ValueRef::Integer(number), _) => Self::Text(number.to_string()),
            (ValueRef::Real(number), PgKind::Number) => Self::Number(number),
            (ValueRef::Real(number), PgKind::Int2 | PgKind::Int4 | PgKind::Int8 | PgKind::Oid) => {
                Self::Int(number as i64)
            }
            (ValueRef::Real(number), _) => Self::Text(number.to_string()),
            (ValueRef::Text(bytes) | ValueRef::Blob(bytes), kind) => {
                let text = text(bytes);
                match kind {
                    PgKind::Bool => Self::Bool(matches!(text.as_str(), "t" | "true" | "1" | "on")),
                    PgKind::Int2 | PgKind::Int4 | PgKind::Int8 | PgKind::Oid => {
                        text.parse().map_or(Self::Null, Self::Int)
                    }
                    PgKind::Number => text.parse().map_or(Self::Null, Self::Number),
                    _ => Self::Text(text),
                }
            }
        }
    }
}

impl ClientCatalogue {
    /// The catalogue of these tables, for a question that is asked now, for a database in which tables of this market need no schema.
    pub(super) fn of<'a>(
        tables: impl IntoIterator<Item = (Market, &'a Table)>,
        market: Market,
        name: &str,
    ) -> rusqlite::Result<Self> {
        let mut database = Connection::open_in_memory()?;
        database.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_TEXT)?;
        database.execute_batch(columns::TABLES)?;
        let mut facts = Facts { market: Some(market), database: name.to_owned(), ..Facts::default() };
        {
            let mut types = database.prepare(include_str!("types.sql"))?;
            let mut found = types.query([])?;
            while let Some(row) = found.next()? {
                facts.types.insert(row.get(0)?, row.get(1)?);
            }
        }
        let filled = database.transaction()?;
        {
            for (oid, schema) in SCHEMAS {
                filled.execute("INSERT INTO pg_namespace VALUES (?1, ?2, 10, NULL)", params![oid, schema])?;
            }
            for (oid, market) in (1_i64..).zip(Market::ALL) {
                filled.execute(
                    "INSERT INTO pg_database (oid, datname, datdba, encoding, datcollate, datctype, datistemplate, datallowconn, datconnlimit) \
                     VALUES (?1, ?2, 10, 6, 'C', 'C', 0, 1, -1)",
                    params![oid, market.word()],
                )?;
            }
            let mut classes = filled.prepare(
                "INSERT INTO pg_class (oid, relname, relnamespace, relnatts) VALUES (?1, ?2, ?3, ?4)",
            )?;
            let mut attributes = filled.prepare(
                "INSERT INTO pg_attribute (attrelid, attname, atttypid, attlen, attnum, attnotnull) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut words = filled
                .prepare("INSERT INTO pg_description (objoid, classoid, objsubid, description) VALUES (?1, 1259, ?2, ?3)")?;
            for (oid, (market, table)) in (FIRST_OID..).zip(tables) {
                let schema = SCHEMAS.iter().find(|(_, name)| *name == market.word()).map(|(oid, _)| *oid);
                let columns: Vec<_> = table.columns_in(market).collect();
                classes.execute(params![oid, table.name, schema, columns.len() as i64])?;
                words.execute(params![oid, 0, table.title])?;
                facts.words.insert((oid, 0), table.title.clone());
                for (number, column) in (1_i64..).zip(columns) {
                    let kind = PgKind::of(column.ty);
                    attributes.execute(params![
                        oid,
                        column.name,
                        kind.oid(),
                        kind.length(),
                        number,
                        !column.nullable
                    ])?;
                    if !column.words.is_empty() {
                        words.execute(params![oid, number, column.words])?;
                        facts.words.insert((oid, number), column.words.clone());
                    }
                }
                facts.tables.insert(oid, (market.word().to_owned(), table.name.clone()));
            }
        }
        filled.commit()?;
        functions::register(&database, &Arc::new(facts))?;
        database.execute_batch("PRAGMA query_only = ON; PRAGMA case_sensitive_like = ON")?;
        let until = Instant::now() + TIME;
        database.progress_handler(1_000, Some(move || Instant::now() > until))?;
        Ok(Self { database })
    }

    /// Answers a question.
    ///
    /// # Errors
    /// What is no question to a catalogue, and one that takes too long.
    pub(super) fn answer(&self, sql: &str, values: &[Json]) -> Result<CatalogueRows, SqlFailure> {
        let question = dialect::question(sql)?;
        if question.finds_nothing {
            return Ok(CatalogueRows { columns: question.columns.unwrap_or_default(), rows: Vec::new() });
        }
        let asked = self.asked(&question, values);
        asked.map_err(|refused| match refused {
            rusqlite::Error::SqliteFailure(error, _)
                if error.code == rusqlite::ErrorCode::OperationInterrupted =>
            {
                SqlFailure::new(
                    "57014",
                    "the question to the catalogue takes longer than a second; ask for less",
                )
            }
            rusqlite::Error::InvalidParameterCount(given, wanted) => {
                SqlFailure::new("08P01", format!("{given} values are given; the question takes {wanted}"))
            }
            other => SqlFailure::new("0A000", format!("the catalogue does not answer this: {other}")),
        })
    }

    /// The columns of an answer, and how many values the question takes.
    pub(super) fn shape(&self, sql: &str) -> Result<(Vec<(String, PgKind)>, usize), SqlFailure> {
        let question = dialect::question(sql)?;
        if question.finds_nothing {
            return Ok((question.columns.unwrap_or_default(), 0));
        }
        let prepared = self.database.prepare(&question.sql);
        let prepared = prepared.map_err(|error| {
            SqlFailure::new("0A000", format!("the catalogue does not answer this: {error}"))
        })?;
        Ok((answered(&question, &prepared), prepared.parameter_count()))
    }

    fn asked(&self, question: &dialect::Question, values: &[Json]) -> rusqlite::Result<CatalogueRows> {
        let mut prepared = self.database.prepare(&question.sql)?;
        let columns = answered(question, &prepared);
        if prepared.parameter_count() != values.len() {
            return Err(rusqlite::Error::InvalidParameterCount(values.len(), prepared.parameter_count()));
        }
        for (number, value) in (1..).zip(values) {
            let place = prepared.parameter_index(&format!("${number}"))?.unwrap_or(number);
            match value {
                Json::Bool(flag) => prepared.raw_bind_parameter(place, flag)?,
                Json::Number(number) if number.is_i64() => {
                    prepared.raw_bind_parameter(place, number.as_i64())?;
                }
                Json::Number(number) => prepared.raw_bind_parameter(place, number.as_f64())?,
                Json::String(text) => prepared.raw_bind_parameter(place, text)?,
                _ => prepared.raw_bind_parameter(place, rusqlite::types::Null)?,
            }
        }
        let mut found = prepared.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            if rows.len() == MOST_ROWS {
                return Err(rusqlite::Error::UserFunctionError(
                    format!("it has more than {MOST_ROWS} rows").into(),
                ));
            }
            let cell = |(at, (_, kind)): (usize, &(String, PgKind))| {
                row.get_ref(at).map(|value| Fact::of(value, *kind))
            };
            rows.push(columns.iter().enumerate().map(cell).collect::<rusqlite::Result<Vec<_>>>()?);
        }
        Ok(CatalogueRows { columns, rows })
    }
}

fn answered(question: &dialect::Question, prepared: &rusqlite::Statement<'_>) -> Vec<(String, PgKind)> {
    let named = || {
        let names = prepared.column_names();
        names.map(|name| (name.to_owned(), columns::kind_of_column(name))).collect()
    };
    question.columns.clone().unwrap_or_else(named)
}
