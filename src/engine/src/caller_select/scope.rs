//! Resolves the tables that a SELECT names: `stocks` of the requested market, `india.stocks` and `us.stocks` of each. Tables that are not
//! declared, not served, or not readable for the caller are refused before planning.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList,
};
use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::SessionState;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::sql::sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::exactness::Exactness;
use super::membership::Membership;
use super::names::plain;
use super::refusal::SelectRefusal;
use super::statement::UserStatement;
use super::{UserSelect, comparisons, exact_sum, null_keys};
use crate::error::EngineError;
use crate::snapshot::Snapshot;
use parquote_catalogue::operation::{Market, Table, nearest, shown};
use parquote_functions::context::CATALOGUE;

/// Engine rules that are disabled for user-written SELECTs: `FilterPushdown` moves a filter below an outer join by column names,
/// `PushdownSort` removes a sort that a window depends on.
const MISTAKEN: [&str; 3] = ["FilterPushdown", "LimitedDistinctAggregation", "PushdownSort"];

/// A market's table that a SELECT names.
type NamedTable = (Market, String);

/// Checks that the tables of a statement exist and may be read.
///
/// # Errors
/// The first table that fails.
pub(super) fn check(
    statement: &UserStatement,
    snapshot: &Snapshot,
    asked: &UserSelect<'_>,
) -> Result<(), SelectRefusal> {
    let catalogue = snapshot.engine().catalogue();
    let mut seen = BTreeSet::new();
    for relation in &statement.relations {
        let (market, name) = named(relation, asked.market)?;
        let Some(table) = catalogue.table(market, &name) else {
            let is_own = relation.0.len() == 1 && statement.named.contains(&name);
            if is_own {
                continue;
            }
            return Err(unknown(snapshot, market, &name));
        };
        if !seen.insert((market, name.clone())) {
            continue;
        }
        (asked.may_read)(market, &name).map_err(|message| SelectRefusal::Closed { message })?;
        if let Some(lacks) = lacking(snapshot, market, table)? {
            return Err(SelectRefusal::Engine(lacks));
        }
    }
    Ok(())
}

/// Returns the market and the name of a written table.
pub(super) fn named(relation: &ObjectName, market: Market) -> Result<NamedTable, SelectRefusal> {
    let parts: Vec<String> =
        relation.0.iter().filter_map(ObjectNamePart::as_ident).map(|part: &Ident| plain(part)).collect();
    let of = |schema: &str, table: &String| {
        let market = schema.parse::<Market>().ok();
        market.map(|market| (market, table.clone()))
    };
    let found = match parts.as_slice() {
        [table] if relation.0.len() == 1 => Some((market, table.clone())),
        [schema, table] if relation.0.len() == 2 => of(schema, table),
        [catalogue, schema, table] if catalogue == CATALOGUE => of(schema, table),
        _ => None,
    };
    found.ok_or_else(|| SelectRefusal::Table {
        name: shown(&relation.to_string()),
        hint: "; a table is named as `stocks`, `india.stocks` or `us.stocks`".to_owned(),
    })
}

/// Returns the error for an unknown table, with the one that was probably meant.
fn unknown(snapshot: &Snapshot, market: Market, name: &str) -> SelectRefusal {
    let catalogue = snapshot.engine().catalogue();
    let other = Market::ALL.into_iter().find(|other| catalogue.table(*other, name).is_some());
    let names = catalogue.tables_in(market).map(|table| table.name.as_str());
    let hint = match (other, nearest(name, names)) {
        (Some(other), _) => format!("; {other} has it: `{other}.{name}`"),
        (None, Some(near)) => format!("; did you mean `{near}`?"),
        (None, None) => String::new(),
    };
    SelectRefusal::Table { name: shown(&format!("{market}.{name}")), hint }
}

/// Returns an error if a table has no rows in this snapshot, because its set lacks it or a table that it is made of.
fn lacking(snapshot: &Snapshot, market: Market, table: &Table) -> Result<Option<EngineError>, EngineError> {
    let Some(of_market) = snapshot.market(market) else {
        return Ok(Some(snapshot.lacks(market, Vec::new())));
    };
    let missing = of_market.data.tables.missing_behind(snapshot.engine().catalogue(), table)?;
    Ok((!missing.is_empty()).then(|| snapshot.lacks(market, missing)))
}

/// Builds a state in which names mean the tables of all markets, and those without a schema the tables of this one; `None` if the snapshot
/// lacks the market.
pub(super) fn state(snapshot: &Snapshot, market: Market) -> Option<SessionState> {
    let home = &snapshot.market(market)?.data.tables;
    let catalogue = MemoryCatalogProvider::new();
    for of in Market::ALL {
        let tables = snapshot.market(of).map(|market| &market.data.tables);
        let schema = tables.and_then(|tables| tables.context.catalog(CATALOGUE)?.schema(of.word()));
        if let Some(schema) = schema {
            // An in-memory catalogue accepts every schema.
            let _ = catalogue.register_schema(of.word(), schema);
        }
    }
    let list = MemoryCatalogProviderList::new();
    list.register_catalog(CATALOGUE.to_owned(), Arc::new(catalogue));
    let existing = (*home.state).clone();
    let mut config = existing.config().clone().with_create_default_catalog_and_schema(false);
    config.options_mut().optimizer.join_reordering = false;
    let builder = SessionStateBuilder::new_from_existing(existing);
    let mut builder = builder.with_config(config).with_catalog_list(Arc::new(list));
    if let Some(optimizer) = builder.physical_optimizers() {
        optimizer.rules.retain(|rule| !MISTAKEN.contains(&rule.name()));
    }
    builder.optimizer().iter_mut().for_each(null_keys::told_apart);
    builder.optimizer().iter_mut().for_each(comparisons::put_before);
    if let Some(analyzer) = builder.analyzer() {
        analyzer.add_function_rewrite(Arc::new(Exactness));
        analyzer.rules.insert(0, Arc::new(Membership));
    }
    let mut state = builder.build();
    // It replaces the engine's, which cannot fail.
    let _ = state.register_udaf(Arc::new(exact_sum::function()));
    Some(state)
}
