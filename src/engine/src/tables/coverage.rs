//! Raw files that an operation or a table depends on. The SQL of an operation names tables, the SQL of these tables names others, down to
//! source tables, and raw files fill these.
//!
//! Everything follows from declarations, not from the contents of a snapshot: callers pass the tables that exist.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::execution::context::SessionState;

use super::tables_read::{add_tables_read, tables_of};
use crate::error::EngineError;
use parquote_catalogue::operation::{Catalogue, Market, Operation, Table, TableOrigin};
use parquote_functions::Calendar;
use parquote_functions::context::market_context;
use parquote_set::TableFiles;

/// The declarations of a market, for tracing tables to their sources.
pub struct Coverage<'a> {
    catalogue: &'a Catalogue,
    market: Market,
    state: SessionState,
}

/// Source tables of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceNeeds {
    /// Source tables without which the operation cannot answer.
    pub needed: BTreeSet<String>,
    /// Source tables that a part of its answer needs; without them, that part is empty.
    pub useful: BTreeSet<String>,
}

impl<'a> Coverage<'a> {
    /// Creates the coverage of a market's declarations.
    pub fn new(catalogue: &'a Catalogue, market: Market) -> Self {
        Self { catalogue, market, state: market_context(market, &Calendar::default()).state() }
    }

    /// Returns the source tables of an operation; empty if it does not read the market.
    ///
    /// # Errors
    /// SQL that does not parse.
    pub fn needs(&self, operation: &Operation) -> Result<SourceNeeds, EngineError> {
        let (mut needed, mut all) = (BTreeSet::new(), BTreeSet::new());
        for select in operation.selects.iter().filter(|select| select.serves(self.market)) {
            for (optional, names) in [(Some(&*operation.optional_tables), &mut needed), (None, &mut all)] {
                add_tables_read(&self.state, self.catalogue, self.market, &select.sql, optional, names)?;
            }
        }
        let needed = self.sources(needed, false)?;
        let useful = self.sources(all, true)?.difference(&needed).cloned().collect();
        Ok(SourceNeeds { needed, useful })
    }

    /// Returns the source tables that tables are ultimately made from, with or without optional tables.
    ///
    /// # Errors
    /// SQL that does not parse.
    pub fn sources(
        &self,
        tables: impl IntoIterator<Item = String>,
        with_optional: bool,
    ) -> Result<BTreeSet<String>, EngineError> {
        let mut pending: Vec<String> = tables.into_iter().collect();
        let (mut seen, mut sources, mut made_with) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        while let Some(name) = pending.pop() {
            let Some(table) = self.catalogue.table(self.market, &name).filter(|_| seen.insert(name)) else {
                continue;
            };
            match (&table.origin, table.made_with.as_slice()) {
                (TableOrigin::Source(_), [_, ..]) => {
                    made_with.push(&table.made_with);
                    // The table exists even without its raw files, which add data to it.
                    sources.extend(
                        Some(&table.name).filter(|_| with_optional && !table.filled_by.is_empty()).cloned(),
                    );
                }
                (TableOrigin::Source(_), []) => drop(sources.insert(table.name.clone())),
                (TableOrigin::Derived(sql) | TableOrigin::View(sql), _) => {
                    let reads = tables_of(&self.state, sql)?;
                    let is_followed = |name: &&String| with_optional || !table.optional_tables.contains(name);
                    pending.extend(reads.iter().filter(is_followed).cloned());
                }
            }
        }
        // Such a table needs one of several sources: the usual one is added unless one of them is needed anyway.
        for tables in made_with {
            let is_in_market =
                |(_, only): &&(String, Option<Market>)| only.is_none_or(|only| only == self.market);
            let mut names = tables.iter().filter(is_in_market).map(|(name, _)| name);
            let usual = names.next();
            if with_optional || !usual.into_iter().chain(names).any(|name| sources.contains(name)) {
                sources.extend(usual.cloned());
            }
        }
        Ok(sources)
    }

    /// Describes how to get the raw files of a source table.
    pub fn remedy(&self, source: &str) -> String {
        let table = self.catalogue.table(self.market, source);
        table.map(|table| remedy(table, self.market)).unwrap_or_default()
    }
}

/// Describes how to get the raw files of a source table.
fn remedy(table: &Table, market: Market) -> String {
    let files = table.filled_by.iter().filter(|files| files.is_in(market)).map(|files| files.words(market));
    let files: Vec<String> = files.collect();
    let is_user_supplied = files.is_empty() || table.is_user_supplied();
    let user_file = is_user_supplied.then(|| format!("{}.csv (your own: nobody publishes it)", table.name));
    user_file.into_iter().chain(files).collect::<Vec<_>>().join("; or ")
}

/// Returns the sources of the tables that are not among these files.
pub(crate) fn sources_of_missing_tables(
    catalogue: &Catalogue,
    market: Market,
    files: &TableFiles,
) -> Result<BTreeMap<String, BTreeMap<String, String>>, EngineError> {
    let coverage = Coverage::new(catalogue, market);
    let missing =
        catalogue.tables_in(market).filter(|table| !table.is_view() && !files.contains_key(&table.name));
    let filled_by = |table: &Table| {
        let sources = coverage.sources([table.name.clone()], false)?.into_iter();
        let sources = sources.filter(|source| !files.contains_key(source));
        let remedies = sources.map(|source| (source.clone(), coverage.remedy(&source)));
        Ok((table.name.clone(), remedies.collect()))
    };
    missing.map(filled_by).collect()
}

/// Returns the message for a server without data of a market.
pub(crate) fn no_data(market: Market) -> String {
    let name = match market {
        Market::India => "India",
        Market::Us => "US",
    };
    format!("has no {name} data; `parquote fetch {market}` and `parquote derive` bring some")
}
