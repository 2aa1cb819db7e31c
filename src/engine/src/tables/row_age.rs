//! Age of the rows that an operation reads, and its tables without rows, for callers who get no rows or old rows. One date column of each
//! table is read, once per snapshot; tables of sessions are as old as the market's date.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use datafusion::arrow::array::{Array as _, AsArray};
use datafusion::arrow::datatypes::Date32Type;

use crate::storage::served_table::{ServedTable, TableRows};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_functions::arrow_types::date;

/// Days after which a table's newest row is old: the same limit as for comparing a company's results with prices.
const OLD_AFTER_DAYS: i64 = 200;
/// Column with the reason why a row has no score; null if it has one.
const REASON_COLUMN: &str = "unscored_because";

/// Age of a table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableAge {
    /// The table is missing.
    Missing,
    /// It has no rows up to the market's date.
    Empty,
    /// Its rows have no date, and no row has a score.
    Unscored,
    /// The date of its newest row up to the market's date.
    Newest(NaiveDate),
    /// It has rows of other stocks only, none of a requested one; the date of its newest row, if its rows have dates.
    Others(Option<NaiveDate>),
}

impl TableAge {
    /// Returns the date of the newest row, if known.
    pub(crate) const fn date(self) -> Option<NaiveDate> {
        match self {
            Self::Newest(date) => Some(date),
            Self::Others(date) => date,
            Self::Missing | Self::Empty | Self::Unscored => None,
        }
    }
}

/// Age of the rows that an operation reads: each table with a date column, and each table that is missing, empty, without scores or without
/// rows of a requested stock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowAge(BTreeMap<String, TableAge>);

/// Returns the ages of loaded tables that have a date column, no rows or no scores, by the name of the table.
pub(crate) fn ages_of_tables<'a>(
    catalogue: &Catalogue,
    market: Market,
    loaded: impl Iterator<Item = &'a ServedTable>,
    last: Option<i32>,
) -> BTreeMap<String, TableAge> {
    let last = last.unwrap_or(i32::MAX);
    let age = |table: &ServedTable| {
        let mut dates = catalogue.table(market, &table.name)?.dates(market).peekable();
        let age = if table.count() == 0 {
            TableAge::Empty
        } else if dates.peek().is_some() {
            let newest = dates.find_map(|column| newest_date(table, column, last)).and_then(date);
            newest.map_or(TableAge::Empty, TableAge::Newest)
        } else {
            Some(TableAge::Unscored).filter(|_| is_unscored(table))?
        };
        Some((table.name.clone(), age))
    };
    loaded.filter_map(age).collect()
}

/// Returns the newest date of a column up to a day.
fn newest_date(table: &ServedTable, column: &str, last: i32) -> Option<i32> {
    let TableRows::Memory(rows, _) = &table.rows else { return None };
    let days = rows.column_by_name(column)?.as_primitive_opt::<Date32Type>()?;
    days.iter().flatten().filter(|day| *day <= last).max()
}

/// Returns true if each row has a reason why it has no score.
fn is_unscored(table: &ServedTable) -> bool {
    let TableRows::Memory(rows, _) = &table.rows else { return false };
    rows.column_by_name(REASON_COLUMN).is_some_and(|reasons| reasons.null_count() == 0)
}

impl RowAge {
    pub(crate) fn add(&mut self, table: &str, age: TableAge) {
        self.0.insert(table.to_owned(), age);
    }

    /// Records that a table has rows, but none of a requested stock.
    pub(crate) fn add_others(&mut self, table: &str) {
        let date = self.0.get(table).and_then(|age| age.date());
        self.add(table, TableAge::Others(date));
    }

    /// Returns the ages without those of some tables.
    #[must_use]
    pub fn without(&self, tables: &[&str]) -> Self {
        let ages = self.0.iter().filter(|(table, _)| !tables.contains(&table.as_str()));
        Self(ages.map(|(table, age)| (table.clone(), *age)).collect())
    }

    /// Returns one line with each table and the date of its newest row, `none`, `unscored`, `missing` or `others`; `None` if no table has an
    /// age.
    pub fn line(&self) -> Option<String> {
        let tables = self.0.iter().map(|(table, age)| match age {
            TableAge::Missing => format!("{table}=missing"),
            TableAge::Empty => format!("{table}=none"),
            TableAge::Unscored => format!("{table}=unscored"),
            TableAge::Newest(date) => format!("{table}={date}"),
            TableAge::Others(Some(date)) => format!("{table}=others {date}"),
            TableAge::Others(None) => format!("{table}=others"),
        });
        Some(tables.collect::<Vec<_>>().join(", ")).filter(|line| !line.is_empty())
    }

    /// Returns the tables with rows up to the market's date, each with the date of its newest row.
    pub fn newest(&self) -> impl Iterator<Item = (&str, NaiveDate)> {
        self.0.iter().filter_map(|(table, age)| Some((table.as_str(), age.date()?)))
    }

    /// Returns the message for tables with rows of other stocks only; `None` if there are none.
    pub fn other_stocks_message(&self) -> Option<String> {
        let others = self.0.iter().filter(|(_, age)| matches!(age, TableAge::Others(_)));
        names(others.map(|(table, _)| table)).map(|names| format!("Rows of other stocks only: {names}."))
    }

    /// Returns the message for an answer without rows; `None` if no table has an age.
    pub fn no_rows_message(&self) -> Option<String> {
        let names_with =
            |age: TableAge| names(self.0.iter().filter(|(_, other)| **other == age).map(|(name, _)| name));
        let dated = self.newest().map(|(table, date)| format!("of `{table}` is of {date}"));
        let dated = dated.collect::<Vec<_>>().join(", ");
        let newest = (!dated.is_empty()).then(|| format!("The newest row {dated}."));
        let empty = names_with(TableAge::Empty).map(|names| format!("Without rows: {names}."));
        let unscored = names_with(TableAge::Unscored).map(|names| {
            format!("No row of {names} has a score; the column `{REASON_COLUMN}` says why for each company.")
        });
        let missing = names_with(TableAge::Missing).map(|names| {
            format!("Missing: {names}; `parquote check --data FOLDER` says which raw files fill a table.")
        });
        let notes = [newest, self.other_stocks_message(), empty, unscored, missing];
        Some(notes.into_iter().flatten().collect::<Vec<_>>().join(" ")).filter(|notes| !notes.is_empty())
    }

    /// Returns the message for rows that are old at the market's date: each such table with the date of its newest row.
    pub fn old_rows_message(&self, as_of: NaiveDate) -> Option<String> {
        let old = self.newest().map(|(table, date)| (table, date, (as_of - date).num_days()));
        let old = old.filter(|(_, _, days)| *days > OLD_AFTER_DAYS).map(|(table, date, days)| {
            format!("the newest row of `{table}` is of {date}, {days} days before {as_of}")
        });
        let old = old.collect::<Vec<_>>().join("; ");
        (!old.is_empty()).then(|| format!("Old data: {old}."))
    }
}

fn names<'a>(tables: impl Iterator<Item = &'a String>) -> Option<String> {
    let names: Vec<String> = tables.map(|table| format!("`{table}`")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn nothing_says_since_when_and_what_is_not_there() {
        let mut age = RowAge::default();
        assert_eq!((age.line(), age.no_rows_message()), (None, None));
        age.add("deals", TableAge::Newest(day("2025-06-30")));
        age.add("order_wins", TableAge::Empty);
        age.add("pledges", TableAge::Missing);
        age.add("scorecards", TableAge::Unscored);
        assert_eq!(
            age.line().unwrap(),
            "deals=2025-06-30, order_wins=none, pledges=missing, scorecards=unscored"
        );
        assert_eq!(
            age.no_rows_message().unwrap(),
            "The newest row of `deals` is of 2025-06-30. Without rows: `order_wins`. No row of `scorecards` has a score; the column \
             `unscored_because` says why for each company. Missing: `pledges`; `parquote check --data FOLDER` says which raw files \
             fill a table."
        );
        assert_eq!(age.old_rows_message(day("2026-01-16")), None);
        assert_eq!(
            age.old_rows_message(day("2026-01-17")).unwrap(),
            "Old data: the newest row of `deals` is of 2025-06-30, 201 days before 2026-01-17."
        );
    }

    #[test]
    fn rows_of_others_only_are_named_with_their_date() {
        let mut age = RowAge::default();
        age.add("order_wins", TableAge::Newest(day("2025-06-30")));
        age.add_others("order_wins");
        age.add_others("ratios");
        assert_eq!(age.line().unwrap(), "order_wins=others 2025-06-30, ratios=others");
        assert_eq!(
            age.no_rows_message().unwrap(),
            "The newest row of `order_wins` is of 2025-06-30. Rows of other stocks only: `order_wins`, `ratios`."
        );
        assert!(age.old_rows_message(day("2026-02-17")).unwrap().contains("`order_wins`"));
    }
}
