//! `queries/tables/<name>.sql`: one table and its data contract.

use std::collections::BTreeMap;

use super::column::{Column, ColumnType};
use super::filling::Filling;
use super::header::{DeclarationError, HeaderFact, QueryFile};
use super::market::Market;
use super::staged_table::{StagedTable, split_names};
use super::variants;

/// The source of a table that is filled by raw files of its name.
pub const USER_SUPPLIED: &str = "user-supplied";

/// The source of a table that is filled by a SELECT over rows of raw files.
const STAGED_SOURCE: &str = "staged";

/// Origin of a table's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableOrigin {
    /// Derived by this SQL and stored.
    Derived(String),
    /// Computed by this SQL in each query; its rows are not stored.
    View(String),
    /// Made from raw files by the reader of this name.
    Source(String),
}

/// The parts in which a table is derived, so that memory does not grow with the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionBy {
    /// By symbol: the SQL reads the rows of some symbols at a time. The rows of a symbol in a source table depend only on the bars of that
    /// symbol.
    Symbol,
    /// By session: the SQL reads the rows of one session at a time.
    Session,
}

impl Default for TableOrigin {
    fn default() -> Self {
        Self::Source(String::new())
    }
}

/// A table with its data contract.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Path below `queries/`.
    pub file: String,
    /// Its name in SQL and in the data folder.
    pub name: String,
    /// Description in one line.
    pub title: String,
    /// Details; may be empty.
    pub prose: String,
    /// Its market; `None` for both.
    pub market: Option<Market>,
    /// Origin of its rows.
    pub origin: TableOrigin,
    /// Formats of raw files that fill it; empty if no format does directly.
    pub filled_by: Vec<Filling>,
    /// Source tables from whose raw files this table is also filled, the usual one first, each with the only market in which it counts;
    /// `None` for both.
    pub made_with: Vec<(String, Option<Market>)>,
    /// Columns that identify a row.
    pub key: Vec<String>,
    /// Date column of the day on which a row became known. Without it, or if it is null, a date of the key is used.
    pub known: Option<String>,
    /// Columns by which its files are sorted, ascending.
    pub sorted: Vec<String>,
    /// Parts in which it is derived; `None` for all rows at once.
    pub per: Option<PartitionBy>,
    /// For a table derived by symbol, the number of earlier bars that a row depends on besides the carried columns, also through other
    /// tables. `None` if a row depends on all earlier bars.
    pub lookback: Option<usize>,
    /// Columns whose values at a bar are all that later rows need of the bars before it, besides the lookback. The SQL reads them with
    /// `carried`.
    pub carried: Vec<String>,
    /// True for a long table: it has a file for each calendar year, of which a query reads ranges of keys, and is not held in memory.
    pub yearly: bool,
    /// True if later derivations do not change its rows, unless a raw file of its name replaces them.
    pub keep: bool,
    /// Refresh schedule in each market, as five cron fields in the market's time.
    pub schedules: BTreeMap<Market, String>,
    /// Age in hours above which its data counts as stale; `None` for never.
    pub stale_after_hours: Option<u32>,
    /// Columns whose values in past rows depend on the market's last session, such as a change since then, or a rank among the companies
    /// that have filed by now.
    pub session_dependent_columns: Vec<String>,
    /// Name and version of the formulas of its figures, if it declares them.
    pub formula: Option<String>,
    /// Names of tables that its SQL reads and that may be missing.
    pub optional_tables: Vec<String>,
    /// Conversion of raw rows if its source is `staged`. The origin is then the source with the table's name.
    pub staging: Option<StagedTable>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// First line of its SQL in the file, from 1; 0 without SQL.
    pub line: usize,
}

impl Table {
    /// Returns true if the market has this table.
    pub fn is_in(&self, market: Market) -> bool {
        self.market.is_none_or(|only| only == market)
    }

    /// Returns the columns of the market's table.
    pub fn columns_in(&self, market: Market) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.is_in(market))
    }

    /// Returns the columns that the table has in at least one market.
    pub fn columns_anywhere(&self) -> impl Iterator<Item = &Column> {
        let is_in = |column: &&Column| Market::ALL.into_iter().any(|of| self.is_in(of) && column.is_in(of));
        self.columns.iter().filter(is_in)
    }

    /// Returns the date columns by which a row may be dated, best first: the day on which it became known, then the dates of its key and
    /// sort order, then its other dates. Empty for a table with a non-null column `session`.
    pub fn dates(&self, market: Market) -> impl Iterator<Item = &str> {
        let column = move |name: &str| self.columns_in(market).find(|column| column.name == name);
        let is_of_session = column("session").is_some_and(|column| !column.nullable);
        let named =
            self.known.iter().chain(&self.key).chain(&self.sorted).filter_map(move |name| column(name));
        let first = self.columns_in(market).filter(|column| !column.nullable);
        let dates = named.chain(first).filter(|column| column.ty == ColumnType::Date);
        dates.filter(move |_| !is_of_session).map(|column| column.name.as_str())
    }

    /// Returns its SQL; `None` for a source table.
    pub fn sql(&self) -> Option<&str> {
        match &self.origin {
            TableOrigin::Derived(sql) | TableOrigin::View(sql) => Some(sql),
            TableOrigin::Source(_) => None,
        }
    }

    /// Returns its refresh schedule in a market, as five cron fields in the market's time; `None` without a schedule.
    pub fn schedule_in(&self, market: Market) -> Option<&str> {
        self.schedules.get(&market).map(String::as_str)
    }

    /// Returns true if raw files of its name may fill it.
    pub fn is_user_supplied(&self) -> bool {
        self.keep || matches!(&self.origin, TableOrigin::Source(source) if source == USER_SUPPLIED)
    }

    /// Returns the conversion of raw rows in a market; `None` if the table is not staged there.
    pub fn staging_in(&self, market: Market) -> Option<&StagedTable> {
        self.staging.as_ref().filter(|staging| staging.market.is_none_or(|only| only == market))
    }

    /// Returns true if declared formats of raw files may fill it.
    pub fn accepts_declared_formats(&self) -> bool {
        self.is_user_supplied() || self.staging.is_some()
    }

    /// Returns true if it is computed in each query instead of stored.
    pub fn is_view(&self) -> bool {
        matches!(self.origin, TableOrigin::View(_))
    }

    /// Parses a table file; `file` is its path below `queries/`. It declares one table, or several (`also:`).
    ///
    /// # Errors
    /// All errors of the file.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let name = file.trim_start_matches("tables/").trim_end_matches(".sql");
        let declared = variants::split(&source, name, &format!("us_{name}"))?;
        declared.into_iter().map(|(name, source)| Self::from_source(&source, name)).collect()
    }

    fn from_source(source: &QueryFile, name: String) -> Result<Self, Vec<DeclarationError>> {
        let block = source.blocks.first().cloned();
        let mut errors = Vec::new();
        if let Some(second) = source.blocks.get(1) {
            errors.push(source.error(second.line, "a table has one SELECT"));
        }
        let (facts, sql, line) = block.map_or((Vec::new(), String::new(), 0), |b| (b.facts, b.sql, b.line));
        let (file, title, prose) = (source.file.clone(), source.title.clone(), source.prose.clone());
        let table = Table { file, name, title, prose, line, ..Self::default() };
        let mut reader = TableReader { view: false, source: None, seen: Vec::new(), table };
        for fact in &facts {
            if let Err(message) = reader.read_fact(fact) {
                errors.push(source.error(fact.line, message));
            }
        }
        let table = reader.finish(sql).map_err(|message| errors.push(source.error(1, message)));
        match table {
            Ok(table) if errors.is_empty() => Ok(table),
            _ => Err(errors),
        }
    }
}

/// Parses table names, each with an optional market.
fn parse_made_with(text: &str) -> Result<Vec<(String, Option<Market>)>, String> {
    let one = |name: &String| match name.split_once(' ') {
        None => Ok((name.clone(), None)),
        Some((name, market)) => Ok((name.to_owned(), Some(market.trim().parse()?))),
    };
    split_names(text).iter().map(one).collect()
}

struct TableReader {
    view: bool,
    source: Option<String>,
    seen: Vec<String>,
    table: Table,
}

impl TableReader {
    fn read_fact(&mut self, fact: &HeaderFact) -> Result<(), String> {
        let key = fact.key.as_str();
        if !["column", "schedule", "optional", "filled-by"].contains(&key)
            && self.seen.iter().any(|seen| seen == key)
        {
            return Err(format!("`{key}` is given twice"));
        }
        self.seen.push(key.to_owned());
        let value = fact.value.as_str();
        let table = &mut self.table;
        match key {
            "market" => table.market = if value == "both" { None } else { Some(value.parse()?) },
            "key" => table.key = split_names(value),
            "known" => table.known = Some(value.to_owned()),
            "sorted" => table.sorted = split_names(value),
            "per" => {
                table.per = Some(match value {
                    "symbol" => PartitionBy::Symbol,
                    "session" => PartitionBy::Session,
                    _ => return Err(format!("`{value}` is neither symbol nor session")),
                });
            }
            "lookback" => {
                let bars = value.parse().map_err(|_| format!("`{value}` is not a number of bars"))?;
                table.lookback = Some(bars);
            }
            "carried" => table.carried = split_names(value),
            "split" if value == "year" => table.yearly = true,
            "split" => return Err(format!("`{value}` is not a way to split a table; the way is year")),
            "keep" if value == "yes" => table.keep = true,
            "keep" => return Err("`keep:` is yes or left out".to_owned()),
            "source" => self.source = Some(value.to_owned()),
            "filled-by" => table.filled_by.push(Filling::parse(value)?),
            "made-with" => table.made_with = parse_made_with(value)?,
            "view" if value == "yes" => self.view = true,
            "view" => return Err("`view:` is yes or left out".to_owned()),
            "schedule" => {
                for (market, line) in parse_schedules(value)? {
                    if table.schedules.insert(market, line).is_some() {
                        return Err(format!("{market} has two schedules; give it one"));
                    }
                }
            }
            "stale-after-hours" => {
                let hours = value.parse().map_err(|_| format!("`{value}` is not a number of hours"))?;
                table.stale_after_hours = Some(hours);
            }
            "of-day" => table.session_dependent_columns = split_names(value),
            "formula" => table.formula = Some(value.to_owned()),
            "optional" => table.optional_tables.extend(split_names(value)),
            "column" => table.columns.push(Column::parse(value, fact.line)?),
            _ if StagedTable::KEYS.contains(&key) => {
                table.staging.get_or_insert_default().read_fact(key, value)?;
            }
            _ => {
                return Err(format!(
                    "`{key}` is not a key of a table; the keys are market, key, known, sorted, per, lookback, carried, split, keep, source, filled-by, made-with, view, schedule, stale-after-hours, of-day, formula, optional, staged, duplicates, completed, always, column, also, and these with a label before them, such as us-column"
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self, sql: String) -> Result<Table, String> {
        let source = self.source.clone().unwrap_or_default();
        let (source, market) = source.split_once(' ').unwrap_or((&source, ""));
        let is_staged = source == STAGED_SOURCE;
        if is_staged != self.table.staging.as_ref().is_some_and(|staging| !staging.columns.is_empty()) {
            return Err(
                "`source: staged` and `staged:`, the columns that are read, belong together".to_owned()
            );
        }
        self.table.origin = match (self.source, self.view, sql.is_empty()) {
            (Some(_), false, false) if is_staged => {
                let only = if market.is_empty() { None } else { Some(market.parse()?) };
                if let Some(staging) = &mut self.table.staging {
                    (staging.sql, staging.market) = (sql, only);
                }
                TableOrigin::Source(self.table.name.clone())
            }
            (Some(source), false, true) if !is_staged => TableOrigin::Source(source),
            (None, true, false) => TableOrigin::View(sql),
            (None, false, false) => TableOrigin::Derived(sql),
            _ => {
                return Err(
                    "a table has either `source:` or SQL, which `view: yes` keeps from being stored; only `source: staged` has both"
                        .to_owned(),
                );
            }
        };
        let is_source = matches!(self.table.origin, TableOrigin::Source(_));
        if !is_source && (!self.table.made_with.is_empty() || !self.table.filled_by.is_empty()) {
            return Err("`filled-by:` and `made-with:` are of tables with a `source:`".to_owned());
        }
        check_table(&self.table)?;
        Ok(self.table)
    }
}

/// Checks the rules of a table's columns.
fn check_table(table: &Table) -> Result<(), String> {
    if table.columns.is_empty() {
        return Err("a table declares its columns".to_owned());
    }
    if table.key.is_empty() {
        return Err("`key:` is missing: the columns that name a row".to_owned());
    }
    for name in table
        .key
        .iter()
        .chain(&table.known)
        .chain(&table.sorted)
        .chain(&table.carried)
        .chain(&table.session_dependent_columns)
    {
        if !table.columns.iter().any(|column| column.name == *name) {
            return Err(format!("`{name}` is not a column of this table"));
        }
    }
    for (index, column) in table.columns.iter().enumerate() {
        if table.columns.iter().take(index).any(|earlier| earlier.name == column.name) {
            return Err(format!("the column `{}` is declared twice", column.name));
        }
    }
    if let Some(column) = table.columns.iter().find(|c| matches!(c.ty, ColumnType::Row | ColumnType::Rows)) {
        return Err(format!(
            "`{}` is {}, which only answers hold; a table of its own holds such rows",
            column.name,
            column.ty.word()
        ));
    }
    let is_date = |name: &String| table.columns.iter().any(|c| c.name == *name && c.ty == ColumnType::Date);
    if table.known.as_ref().is_some_and(|known| !is_date(known)) {
        return Err("`known:` names a date column".to_owned());
    }
    if table.lookback.is_some() && table.per != Some(PartitionBy::Symbol) {
        return Err("`lookback:` is for tables made `per: symbol`".to_owned());
    }
    if !table.carried.is_empty() && (table.per != Some(PartitionBy::Symbol) || !table.yearly) {
        return Err("`carried:` is for tables made `per: symbol` and `split: year`".to_owned());
    }
    if table.per == Some(PartitionBy::Symbol) {
        let symbol = || table.columns.iter().find(|column| column.name == "symbol");
        if table.sorted.first().is_none_or(|by| by != "symbol") || symbol().is_none_or(|it| it.nullable) {
            return Err(
                "a table made `per: symbol` has a column `symbol` and is `sorted:` by it first".to_owned()
            );
        }
        if !table.yearly && (table.key != ["symbol"]) {
            return Err(
                "a table made `per: symbol` in one file has `key: symbol`: a row a stock, of its last bar"
                    .to_owned(),
            );
        }
    }
    if table.yearly && (table.sorted.is_empty() || !table.columns.iter().any(|c| c.name == "session")) {
        return Err("a table split by year has a column `session` and says how it is `sorted:`".to_owned());
    }
    Ok(())
}

/// Parses `30 12 * * 1-5`, for both markets, or `30 12 * * 1-5 india`.
fn parse_schedules(text: &str) -> Result<Vec<(Market, String)>, String> {
    const FIELDS: usize = 5;
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    let markets = match fields.last().map(|last| last.parse()) {
        Some(Ok(market)) => {
            fields.pop();
            vec![market]
        }
        _ => Market::ALL.to_vec(),
    };
    let is_field = |field: &&str| field.chars().all(|c| c.is_ascii_digit() || "*,-/".contains(c));
    if fields.len() != FIELDS || !fields.iter().all(is_field) {
        return Err(format!(
            "`{text}` is not a schedule; write five fields of cron in the market's time, and the market if it has a schedule of its own: `30 12 * * 1-5 india`"
        ));
    }
    let line = fields.join(" ");
    Ok(markets.into_iter().map(|market| (market, line.clone())).collect())
}
