//! Orders derived tables so that each comes after the tables that it reads.

use std::collections::{BTreeMap, BTreeSet};

use super::error::DeriveError;
use datafusion::execution::SessionState;

use parquote_catalogue::operation::{Catalogue, Market, PartitionBy, Table, TableOrigin};
use parquote_engine::tables_read::tables_of;
use parquote_functions::Calendar;
use parquote_functions::context::market_context;

/// The derived tables by stage.
pub(super) struct Order<'a> {
    /// Inputs of per-symbol tables besides the bars, made before the symbol pass.
    pub early: Vec<&'a Table>,
    /// Per-symbol tables, made from the bars.
    pub by_symbol: Vec<&'a Table>,
    /// Tables made from written tables after the symbol pass.
    pub later: Vec<&'a Table>,
    /// For each derived table, the names of the tables that it reads.
    pub reads: BTreeMap<String, Vec<String>>,
    /// Names of the tables that operations read, directly or through views.
    pub looked_up: BTreeSet<String>,
}

impl Order<'_> {
    /// Drops all tables except the requested ones and their direct and indirect inputs.
    ///
    /// # Errors
    /// A requested table is not a derived one.
    pub(super) fn keep_only(&mut self, wanted: &[String]) -> Result<(), DeriveError> {
        let mut retained = BTreeSet::new();
        let mut waiting: Vec<&String> = wanted.iter().collect();
        if let Some(unknown) = wanted.iter().find(|name| !self.reads.contains_key(*name)) {
            return Err(DeriveError::NotDerived {
                table: unknown.clone(),
                derived: self.reads.keys().cloned().collect(),
            });
        }
        while let Some(name) = waiting.pop() {
            if let Some(reads) = self.reads.get(name).filter(|_| retained.insert(name.clone())) {
                waiting.extend(reads);
            }
        }
        for tables in [&mut self.early, &mut self.by_symbol, &mut self.later] {
            tables.retain(|table| retained.contains(&table.name));
        }
        Ok(())
    }

    pub(super) fn is_made(&self, table: &Table) -> bool {
        [&self.early, &self.by_symbol, &self.later].into_iter().flatten().any(|made| made.name == table.name)
    }
}

/// Returns the derived tables that read one of `of`, directly or through other tables, without those in `excluded`. Also returns the other
/// per-symbol tables that they need, as one symbol pass makes all per-symbol tables.
///
/// # Errors
/// SQL does not parse.
pub(super) fn dependants<'a>(
    catalogue: &'a Catalogue,
    market: Market,
    of: &BTreeSet<String>,
    excluded: &BTreeSet<String>,
) -> Result<(Vec<&'a Table>, Vec<&'a Table>), DeriveError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut waiting = Vec::new();
    for table in catalogue.tables_in(market) {
        if let TableOrigin::Derived(sql) = &table.origin {
            waiting
                .push((table, tables_of(&state, sql).map_err(DeriveError::row_error(&table.name))?.to_vec()));
        }
    }
    let reads: BTreeMap<String, Vec<String>> =
        waiting.iter().map(|(table, reads)| (table.name.clone(), reads.clone())).collect();
    let (mut known, mut dependants) = (of.clone(), Vec::new());
    waiting.retain(|(table, _)| !of.contains(&table.name) && !excluded.contains(&table.name));
    while let Some(at) = waiting.iter().position(|(_, reads)| reads.iter().any(|name| known.contains(name))) {
        let (table, reads) = waiting.remove(at);
        known.insert(table.name.clone());
        dependants.push((table, reads));
    }
    let needed = needed_by_symbol(&dependants, &reads);
    let is_recomputed = |table: &&Table| {
        table.per == Some(PartitionBy::Symbol)
            && matches!(table.origin, TableOrigin::Derived(_))
            && needed.contains(&table.name)
            && !dependants.iter().any(|(other, _)| other.name == table.name)
    };
    let recomputed = catalogue.tables_in(market).filter(is_recomputed).collect();
    Ok((dependants.into_iter().map(|(table, _)| table).collect(), recomputed))
}

/// Orders the derived tables of a market that are not in `made`. All source tables are in `made`, except for the table of bars.
///
/// # Errors
/// Tables depend on each other, or SQL does not parse.
pub(super) fn order<'a>(
    catalogue: &'a Catalogue,
    market: Market,
    made: &BTreeSet<String>,
    bars: Option<&Table>,
) -> Result<Order<'a>, DeriveError> {
    let state = market_context(market, &Calendar::default()).state();
    let mut waiting = Vec::new();
    for table in catalogue.tables_in(market).filter(|table| !made.contains(&table.name)) {
        if let TableOrigin::Derived(sql) = &table.origin {
            let reads = tables_of(&state, sql).map_err(DeriveError::row_error(&table.name))?;
            waiting.push((table, reads.to_vec()));
        }
    }
    let mut known = made.clone();
    let sources: BTreeSet<String> = made.iter().chain(bars.map(|bars| &bars.name)).cloned().collect();
    drop_blocked_tables(catalogue, market, &sources, &mut waiting);
    drop_optional_inputs(&sources, &mut waiting);
    let reads: BTreeMap<String, Vec<String>> =
        waiting.iter().map(|(table, reads)| (table.name.clone(), reads.clone())).collect();
    let needed = needed_by_symbol(&waiting, &reads);
    let early = take_ready(&mut waiting, &mut known, |table| {
        table.per != Some(PartitionBy::Symbol) && needed.contains(&table.name)
    });
    known.extend(bars.map(|bars| bars.name.clone()));
    let by_symbol = take_ready(&mut waiting, &mut known, |table| table.per == Some(PartitionBy::Symbol));
    let later = take_ready(&mut waiting, &mut known, |table| table.per != Some(PartitionBy::Symbol));
    if waiting.is_empty() {
        let looked_up = tables_read_by_operations(catalogue, market, &state)?;
        return Ok(Order { early, by_symbol, later, reads, looked_up });
    }
    Err(DeriveError::Order(waiting.into_iter().map(|(table, _)| table.name.clone()).collect()))
}

/// Returns the tables that operations read, directly or through views.
fn tables_read_by_operations(
    catalogue: &Catalogue,
    market: Market,
    state: &SessionState,
) -> Result<BTreeSet<String>, DeriveError> {
    let operations = catalogue.operations().iter().filter(|operation| operation.market == market);
    let of_operations =
        operations.flat_map(|of| of.selects.iter().map(|select| (of.name.as_str(), select.sql.as_str())));
    let views = catalogue.tables_in(market).filter(|table| table.is_view());
    let of_views = views.map(|view| (view.name.as_str(), view.sql().unwrap_or_default()));
    let mut sought = BTreeSet::new();
    for (name, sql) in of_operations.chain(of_views) {
        sought.extend(tables_of(state, sql).map_err(DeriveError::row_error(name))?.iter().cloned());
    }
    Ok(sought)
}

/// Removes optional inputs that are neither in `made` nor derived.
fn drop_optional_inputs(made: &BTreeSet<String>, waiting: &mut [(&Table, Vec<String>)]) {
    let available: BTreeSet<String> =
        waiting.iter().map(|(table, _)| table.name.clone()).chain(made.iter().cloned()).collect();
    for (table, reads) in waiting {
        reads.retain(|name| available.contains(name) || !table.optional_tables.contains(name));
    }
}

/// Drops tables that need a source table without raw files, and tables that need a dropped table.
fn drop_blocked_tables(
    catalogue: &Catalogue,
    market: Market,
    made: &BTreeSet<String>,
    waiting: &mut Vec<(&Table, Vec<String>)>,
) {
    let mut missing: BTreeSet<&str> = catalogue
        .tables_in(market)
        .filter(|table| matches!(table.origin, TableOrigin::Source(_)) && !made.contains(&table.name))
        .map(|table| table.name.as_str())
        .collect();
    loop {
        let blocked = waiting.iter().position(|(table, reads)| {
            let cannot_do_without = |name: &&String| !table.optional_tables.contains(name);
            reads.iter().filter(cannot_do_without).any(|name| missing.contains(name.as_str()))
        });
        let Some(at) = blocked else { return };
        missing.insert(&waiting.remove(at).0.name);
    }
}

/// Returns the inputs of per-symbol tables, direct and indirect.
fn needed_by_symbol(
    waiting: &[(&Table, Vec<String>)],
    reads: &BTreeMap<String, Vec<String>>,
) -> BTreeSet<String> {
    let of_stocks = waiting.iter().filter(|(table, _)| table.per == Some(PartitionBy::Symbol));
    let mut open: Vec<&String> = of_stocks.flat_map(|(_, reads)| reads).collect();
    let mut needed = BTreeSet::new();
    while let Some(name) = open.pop() {
        if needed.insert(name.clone()) {
            open.extend(reads.get(name).into_iter().flatten());
        }
    }
    needed
}

/// Moves the wanted tables whose inputs are in `known` from `waiting` to the result, each before the tables that read it.
fn take_ready<'a>(
    waiting: &mut Vec<(&'a Table, Vec<String>)>,
    known: &mut BTreeSet<String>,
    wanted: impl Fn(&Table) -> bool,
) -> Vec<&'a Table> {
    let mut taken = Vec::new();
    loop {
        let ready = waiting
            .iter()
            .position(|(table, reads)| wanted(table) && reads.iter().all(|name| known.contains(name)));
        let Some(at) = ready else { return taken };
        let (table, _) = waiting.remove(at);
        known.insert(table.name.clone());
        taken.push(table);
    }
}
