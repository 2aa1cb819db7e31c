//! Pairs each past table with published tables, and selects the columns to compare.
//!
//! A table with a date or a period in its key is compared with the published table of the same name. Any other table describes only the
//! newest day. If it has a session column, its rows of the day are compared with each history whose key is the same key and the session.
//! Columns of the same name are compared, as a column name has one meaning in all tables.

use parquote_catalogue::operation::{Catalogue, ColumnType, Market, Table};

/// The column with the date of a row.
pub(super) const SESSION: &str = "session";
/// Columns that name a period but are not dates.
const PERIOD_COLUMNS: [&str; 2] = ["quarter", "quarter_index"];

/// Two tables to compare.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ComparedPair<'a> {
    /// The table as of the past day.
    pub past: &'a Table,
    /// The published table: the same table, or a history of its figures.
    pub whole: &'a Table,
    /// The columns that identify a row.
    pub key: Vec<String>,
    /// The columns to compare.
    pub columns: Vec<String>,
}

impl ComparedPair<'_> {
    /// Returns true if the past and the published table are the same; false if the published table is a history.
    pub(super) fn is_same_table(&self) -> bool {
        self.past.name == self.whole.name
    }
}

/// Returns all pairs of a market, ordered by the past table.
pub(super) fn pairs(catalogue: &Catalogue, market: Market) -> Vec<ComparedPair<'_>> {
    let stored_tables = || catalogue.tables_in(market).filter(|table| !table.is_view());
    let mut pairs = Vec::new();
    for past in stored_tables() {
        if has_period(past) {
            pairs.push(pair(past, past, past.key.clone(), market));
        } else if past.columns_in(market).any(|column| column.name == SESSION) {
            let key: Vec<String> = past.key.iter().cloned().chain([SESSION.to_owned()]).collect();
            let histories =
                stored_tables().filter(|table| has_period(table) && is_same_key(&table.key, &key));
            pairs.extend(histories.map(|whole| pair(past, whole, key.clone(), market)));
        }
    }
    pairs.retain(|pair| pair.is_same_table() || !pair.columns.is_empty());
    pairs
}

fn pair<'a>(past: &'a Table, whole: &'a Table, key: Vec<String>, market: Market) -> ComparedPair<'a> {
    let is_shared = |name: &String, ty: ColumnType| {
        whole.columns_in(market).any(|column| column.name == *name && column.ty == ty)
    };
    let is_left_out = |name: &String| {
        key.contains(name)
            || past.session_dependent_columns.contains(name)
            || whole.session_dependent_columns.contains(name)
    };
    let columns = past
        .columns_in(market)
        .filter(|column| is_shared(&column.name, column.ty) && !is_left_out(&column.name))
        .map(|column| column.name.clone())
        .collect();
    ComparedPair { past, whole, key, columns }
}

/// Returns true if the key of a table has a date or a period.
fn has_period(table: &Table) -> bool {
    table
        .columns
        .iter()
        .filter(|column| table.key.contains(&column.name))
        .any(|column| column.ty == ColumnType::Date || PERIOD_COLUMNS.contains(&column.name.as_str()))
}

fn is_same_key(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_compared_with_themselves_and_the_newest_day_with_histories() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let pairs = pairs(&catalogue, Market::India);
        let partners = |past: &str| -> Vec<&str> {
            pairs.iter().filter(|pair| pair.past.name == past).map(|pair| pair.whole.name.as_str()).collect()
        };
        assert_eq!(partners("rs_history"), ["rs_history"]);
        assert_eq!(partners("statement_lines"), ["statement_lines"]);
        assert_eq!(partners("ecs_rankings"), ["ecs_rankings"]);
        assert!(partners("stocks").contains(&"indicators") && partners("stocks").contains(&"rs_history"));
        assert!(partners("companies").is_empty(), "a list without a day has no row of the past");
        let stocks = pairs.iter().find(|pair| pair.past.name == "stocks" && pair.whole.name == "rs_history");
        assert!(stocks.unwrap().columns.contains(&"rs_rating".to_owned()));
    }
}
