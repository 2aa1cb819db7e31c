//! `queries/tables/<name>.sql`: one table and its data contract.

use std::collections::BTreeMap;

use super::column::{Column, ColumnType};
use super::filling::Filling;
use super::header::{DeclarationError, HeaderFact, QueryFile};
use super::market::Market;
use super::staged_table::{StagedTable, names};
use super::variants;

/// The source of tables whose rows raw files of their name give.
pub const USER_SUPPLIED: &str = "user-supplied";

/// The source of tables whose rows a SELECT makes of the rows of raw files.
const STAGED: &str = "staged";

/// Where the rows of a table come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableOrigin {
    /// Derived by this SQL and stored.
    Derived(String),
    /// This SQL, planned on the fly; nothing is stored.
    View(String),
    /// Read from raw sources by the reader of this name.
    Source(String),
}

/// How a table may be derived in pieces, so that memory does not grow with the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Its SQL looks at one symbol at a time, also in the tables with symbols that it reads beside the bars. Of a source: the rows
    /// of a symbol are made of its bars alone.
    Symbol,
    /// Its SQL looks at one session at a time.
    Session,
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Path below `queries/`.
    pub file: String,
    /// Its name in SQL and in the data folder.
    pub name: String,
    /// What it is, in one line.
    pub title: String,
    /// More about it; may be empty.
    pub prose: String,
    /// The market it is for; `None` is both.
    pub market: Option<Market>,
    /// Where its rows come from.
    pub origin: TableOrigin,
    /// The raw files that give its rows, where it is read from some.
    pub filled_by: Vec<Filling>,
    /// The source tables that it comes with, the usual one first: raw files that fill one of them make this one too. One with a market
    /// does so there alone.
    pub made_with: Vec<(String, Option<Market>)>,
    /// The columns that name a row.
    pub key: Vec<String>,
    /// The date column that says when a row was known; without it, or where it is null, a date of the key does.
    pub known: Option<String>,
    /// The columns by which its files are sorted, ascending.
    pub sorted: Vec<String>,
    /// How it may be derived in pieces.
    pub per: Option<Per>,
    /// Made by symbol: how many bars before its own a row is made from, through the tables that it reads too, beside what is
    /// carried. Where a table does not say it, histories are always gone through whole.
    pub lookback: Option<usize>,
    /// The columns whose figures at a bar are all that later figures need of the bars up to it, beside those that windows
    /// look back on; its SQL takes them up with `carried`.
    pub carried: Vec<String>,
    /// Whether it is long: one file a calendar year, read by key range instead of held in memory.
    pub yearly: bool,
    /// Whether it stays as it was first derived, unless a raw file of its name replaces it.
    pub keep: bool,
    /// When it is refreshed in each market, as a cron line in the market's time.
    pub schedules: BTreeMap<Market, String>,
    /// Hours after which it counts as stale.
    pub stale_after_hours: Option<u32>,
    /// The columns that are of the market's date in rows of the past too: a change since then, a place among those that filed by now.
    pub of_day: Vec<String>,
    /// Name and version of the formulas behind its figures.
    pub formula: Option<String>,
    /// Tables its SQL can do without.
    pub optional_tables: Vec<String>,
    /// How its rows are made of those of raw files, where its source is staged; the source then has the table's name.
    pub staging: Option<StagedTable>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// The line on which its SQL starts.
    pub line: usize,
}

impl Table {
    /// Whether the market has this table.
    pub fn is_in(&self, market: Market) -> bool {
        self.market.is_none_or(|only| only == market)
    }

    /// The columns of the market's copy.
    pub fn columns_in(&self, market: Market) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.is_in(market))
    }

    /// The columns that may say of what day a row is, the best first: when it was known, a date of its key or of its order, else its first
    /// date. None of a table whose rows are of a session.
    pub fn dates(&self, market: Market) -> impl Iterator<Item = &str> {
        let column = move |name: &str| self.columns_in(market).find(|column| column.name == name);
        let is_of_session = column("session").is_some_and(|column| !column.nullable);
        let named =
            self.known.iter().chain(&self.key).chain(&self.sorted).filter_map(move |name| column(name));
        let first = self.columns_in(market).filter(|column| !column.nullable);
        let dates = named.chain(first).filter(|column| column.ty == ColumnType::Date);
        dates.filter(move |_| !is_of_session).map(|column| column.name.as_str())
    }

    /// The SQL behind it, if there is any.
    pub fn sql(&self) -> Option<&str> {
        match &self.origin {
            TableOrigin::Derived(sql) | TableOrigin::View(sql) => Some(sql),
            TableOrigin::Source(_) => None,
        }
    }

    /// When it is refreshed in a market, as a cron line in the market's time.
    pub fn schedule_in(&self, market: Market) -> Option<&str> {
        self.schedules.get(&market).map(String::as_str)
    }

    /// Whether raw files that are named after it give its rows.
    pub fn is_given(&self) -> bool {
        self.keep || matches!(&self.origin, TableOrigin::Source(source) if source == USER_SUPPLIED)
    }

    /// How its rows are made in a market, where they are staged.
    pub fn staging_in(&self, market: Market) -> Option<&StagedTable> {
        self.staging.as_ref().filter(|staging| staging.market.is_none_or(|only| only == market))
    }

    /// Whether formats may be declared that fill it.
    pub fn is_filled(&self) -> bool {
        self.is_given() || self.staging.is_some()
    }

    /// Whether nothing of it is stored.
    pub fn is_view(&self) -> bool {
        matches!(self.origin, TableOrigin::View(_))
    }

    /// Reads a table file; `file` is its path below `queries/`. It declares one table, or several (`also:`).
    ///
    /// # Errors
    /// Everything wrong with it.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, Vec<DeclarationError>> {
        let source = QueryFile::parse(file, text).map_err(|error| vec![error])?;
        let name = file.trim_start_matches("tables/").trim_end_matches(".sql");
        let declared = variants::split(&source, name, &format!("us_{name}"))?;
        declared.into_iter().map(|(name, source)| Self::read(&source, name)).collect()
    }

    fn read(source: &QueryFile, name: String) -> Result<Self, Vec<DeclarationError>> {
        let block = source.blocks.first().cloned();
        let mut errors = Vec::new();
        if let Some(second) = source.blocks.get(1) {
            errors.push(source.error(second.line, "a table has one SELECT"));
        }
        let (facts, sql, line) = block.map_or((Vec::new(), String::new(), 0), |b| (b.facts, b.sql, b.line));
        let table = blank(name, source, line);
        let mut reader = TableReader { view: false, source: None, seen: Vec::new(), table };
        for fact in &facts {
            if let Err(message) = reader.fact(fact) {
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

fn blank(name: String, source: &QueryFile, line: usize) -> Table {
    Table {
        file: source.file.clone(),
        name,
        title: source.title.clone(),
        prose: source.prose.clone(),
        market: None,
        origin: TableOrigin::Source(String::new()),
        filled_by: Vec::new(),
        made_with: Vec::new(),
        key: Vec::new(),
        known: None,
        sorted: Vec::new(),
        per: None,
        lookback: None,
        carried: Vec::new(),
        yearly: false,
        keep: false,
        schedules: BTreeMap::new(),
        stale_after_hours: None,
        of_day: Vec::new(),
        formula: None,
        optional_tables: Vec::new(),
        staging: None,
        columns: Vec::new(),
        line,
    }
}

/// Tables, each alone or with the market in which it counts.
fn made_with(text: &str) -> Result<Vec<(String, Option<Market>)>, String> {
    let one = |name: &String| match name.split_once(' ') {
        None => Ok((name.clone(), None)),
        Some((name, market)) => Ok((name.to_owned(), Some(market.trim().parse()?))),
    };
    names(text).iter().map(one).collect()
}

struct TableReader {
    view: bool,
    source: Option<String>,
    seen: Vec<String>,
    table: Table,
}

impl TableReader {
    fn fact(&mut self, fact: &HeaderFact) -> Result<(), String> {
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
            "key" => table.key = names(value),
            "known" => table.known = Some(value.to_owned()),
            "sorted" => table.sorted = names(value),
            "per" => {
                table.per = Some(match value {
                    "symbol" => Per::Symbol,
                    "session" => Per::Session,
                    _ => return Err(format!("`{value}` is neither symbol nor session")),
                });
            }
            "lookback" => {
                let bars = value.parse().map_err(|_| format!("`{value}` is not a number of bars"))?;
                table.lookback = Some(bars);
            }
            "carried" => table.carried = names(value),
            "split" if value == "year" => table.yearly = true,
            "split" => return Err(format!("`{value}` is not a way to split a table; the way is year")),
            "keep" if value == "yes" => table.keep = true,
            "keep" => return Err("`keep:` is yes or left out".to_owned()),
            "source" => self.source = Some(value.to_owned()),
            "filled-by" => table.filled_by.push(Filling::parse(value)?),
            "made-with" => table.made_with = made_with(value)?,
            "view" if value == "yes" => self.view = true,
            "view" => return Err("`view:` is yes or left out".to_owned()),
            "schedule" => {
                for (market, line) in schedules(value)? {
                    if table.schedules.insert(market, line).is_some() {
                        return Err(format!("{market} has two schedules; give it one"));
                    }
                }
            }
            "stale-after-hours" => {
                let hours = value.parse().map_err(|_| format!("`{value}` is not a number of hours"))?;
                table.stale_after_hours = Some(hours);
            }
            "of-day" => table.of_day = names(value),
            "formula" => table.formula = Some(value.to_owned()),
            "optional" => table.optional_tables.extend(names(value)),
            "column" => table.columns.push(Column::parse(value, fact.line)?),
            _ if StagedTable::KEYS.contains(&key) => {
                table.staging.get_or_insert_default().fact(key, value)?;
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
        let is_staged = source == STAGED;
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
        let is_read = matches!(self.table.origin, TableOrigin::Source(_));
        if !is_read && (!self.table.made_with.is_empty() || !self.table.filled_by.is_empty()) {
            return Err("`filled-by:` and `made-with:` are of tables with a `source:`".to_owned());
        }
        check(&self.table)?;
        Ok(self.table)
    }
}

/// The rules of a table's columns.
fn check(table: &Table) -> Result<(), String> {
    if table.columns.is_empty() {
        return Err("a table declares its columns".to_owned());
    }
    if table.key.is_empty() {
        return Err("`key:` is missing: the columns that name a row".to_owned());
    }
    for name in
        table.key.iter().chain(&table.known).chain(&table.sorted).chain(&table.carried).chain(&table.of_day)
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
    if table.lookback.is_some() && table.per != Some(Per::Symbol) {
        return Err("`lookback:` is for tables made `per: symbol`".to_owned());
    }
    if !table.carried.is_empty() && (table.per != Some(Per::Symbol) || !table.yearly) {
        return Err("`carried:` is for tables made `per: symbol` and `split: year`".to_owned());
    }
    if table.per == Some(Per::Symbol) {
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

/// Reads `30 12 * * 1-5`, for both markets, or `30 12 * * 1-5 india`.
fn schedules(text: &str) -> Result<Vec<(Market, String)>, String> {
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
