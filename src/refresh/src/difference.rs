//! The difference between two sets of a market: for each table, the rows that were added, removed and changed, by key.

use std::collections::HashMap;

use parquote_engine::{MarketSnapshot, RowDigests};

/// Counts of the changed rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDifference {
    /// Name of the table.
    pub table: String,
    /// Number of rows before and after; `None` if the table did not exist in that set.
    pub rows: [Option<u64>; 2],
    /// Rows with a new key.
    pub added: u64,
    /// Rows whose key was removed.
    pub removed: u64,
    /// Rows with the same key and other values.
    pub changed: u64,
    /// The first changes, such as `added KEY`; at most five.
    pub examples: Vec<String>,
}

impl TableDifference {
    /// Describes the changes in one line.
    pub fn words(&self) -> String {
        let count = |rows: Option<u64>| rows.map_or_else(|| "none".to_owned(), |rows| rows.to_string());
        let [before, after] = self.rows.map(count);
        let Self { table, added, removed, changed, .. } = self;
        format!("{table}: {before} -> {after} rows; {added} added, {removed} removed, {changed} changed")
    }
}

/// Changes between two sets of a market.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetDifference {
    /// The tables that differ, by name.
    pub tables: Vec<TableDifference>,
    /// Number of equal tables.
    pub same: usize,
}

impl SetDifference {
    /// Compares all tables of two sets.
    ///
    /// # Errors
    /// Rows that cannot be read.
    pub fn between(
        before: &MarketSnapshot,
        now: &MarketSnapshot,
    ) -> Result<Self, parquote_engine::EngineError> {
        let mut names: Vec<String> =
            before.counts().into_iter().chain(now.counts()).map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        let mut difference = Self::default();
        for name in names {
            if before.has_same_table(now, &name) {
                difference.same += 1;
                continue;
            }
            let (was, is) = (before.digests(&name)?, now.digests(&name)?);
            let table = compare(name, was, is);
            if (table.added, table.removed, table.changed) == (0, 0, 0) && table.rows[0] == table.rows[1] {
                difference.same += 1;
            } else {
                difference.tables.push(table);
            }
        }
        Ok(difference)
    }
}

fn compare(table: String, was: Option<RowDigests>, is: Option<RowDigests>) -> TableDifference {
    const MOST_SHOWN: usize = 5;
    let count = |digests: &Option<RowDigests>| digests.as_ref().map(|digests| digests.len() as u64);
    let rows = [count(&was), count(&is)];
    let mut remaining: HashMap<String, u64> = was.unwrap_or_default().into_iter().collect();
    let mut difference =
        TableDifference { table, rows, added: 0, removed: 0, changed: 0, examples: Vec::new() };
    for (key, digest) in is.unwrap_or_default() {
        let kind = match remaining.remove(&key) {
            Some(before) if before == digest => continue,
            Some(_) => {
                difference.changed += 1;
                "changed"
            }
            None => {
                difference.added += 1;
                "added"
            }
        };
        if difference.examples.len() < MOST_SHOWN {
            difference.examples.push(format!("{kind} {key}"));
        }
    }
    difference.removed = remaining.len() as u64;
    let mut gone: Vec<String> = remaining.into_keys().collect();
    gone.sort();
    let more = MOST_SHOWN.saturating_sub(difference.examples.len());
    difference.examples.extend(gone.into_iter().take(more).map(|key| format!("removed {key}")));
    difference
}
