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
use super::names::normalize_name;
use super::refusal::SelectRefusal;
use super::statement::UserStatement;
use super::{UserSelect, comparisons, exact_sum, listing, null_keys};
use crate::error::EngineError;
use crate::snapshot::Snapshot;
use parquote_catalogue::operation::{Market, Table, tables_near, truncate_for_message};
use parquote_functions::context::CATALOGUE;

/// Engine rules that are disabled for user-written SELECTs: `FilterPushdown` moves a filter below an outer join by column names,
/// `PushdownSort` removes a sort that a window depends on.
const DISABLED_RULES: [&str; 3] = ["FilterPushdown", "LimitedDistinctAggregation", "PushdownSort"];

/// A market's table that a SELECT names.
pub(super) type NamedTable = (Market, String);

/// Checks that the tables of a statement exist and may be read.
///
/// # Errors
/// The first table that fails.
pub(super) fn check(
    statement: &UserStatement,
    snapshot: &Snapshot,
    user_select: &UserSelect<'_>,
) -> Result<(), SelectRefusal> {
    let catalogue = snapshot.engine().catalogue();
    let mut seen = BTreeSet::new();
    for relation in statement.relations.iter().filter(|relation| !listing::is_list(relation)) {
        let (market, name) = resolve_table(relation, user_select.market)?;
        let Some(table) = catalogue.table(market, &name) else {
            let is_table_expression = relation.0.len() == 1 && statement.table_expressions.contains(&name);
            if is_table_expression {
                continue;
            }
            return Err(unknown_table(snapshot, market, &name));
        };
        if !seen.insert((market, name.clone())) {
            continue;
        }
        (user_select.may_read)(market, &name).map_err(SelectRefusal::TableForbidden)?;
        if let Some(error) = missing_table_error(snapshot, market, table)? {
            return Err(SelectRefusal::Engine(error));
        }
    }
    Ok(())
}

/// Returns the market and the name of a table as a SELECT names it.
pub(super) fn resolve_table(relation: &ObjectName, market: Market) -> Result<NamedTable, SelectRefusal> {
    let parts: Vec<String> = relation
        .0
        .iter()
        .filter_map(ObjectNamePart::as_ident)
        .map(|part: &Ident| normalize_name(part))
        .collect();
    let table = table_from_parts(&parts, market).filter(|_| parts.len() == relation.0.len());
    table.ok_or_else(|| invalid_name_refusal(&relation.to_string()))
}

/// Returns the market and the name of a table whose name is written in these parts; `None` if it is not the name of a table.
pub(super) fn table_from_parts(parts: &[String], market: Market) -> Option<NamedTable> {
    let in_schema = |schema: &str, table: &String| {
        let market = schema.parse::<Market>().ok();
        market.map(|market| (market, table.clone()))
    };
    match parts {
        [table] => Some((market, table.clone())),
        [schema, table] => in_schema(schema, table),
        [catalogue, schema, table] if catalogue == CATALOGUE => in_schema(schema, table),
        _ => None,
    }
}

/// Returns the error for a name that no table can have.
pub(super) fn invalid_name_refusal(name: &str) -> SelectRefusal {
    SelectRefusal::Table {
        name: truncate_for_message(name),
        hint: "; a table is named as `stocks`, `india.stocks` or `us.stocks`; SHOW TABLES lists them"
            .to_owned(),
    }
}

/// Returns the error for an unknown table. It suggests tables of the set, and names columns of the first of these.
pub(super) fn unknown_table(snapshot: &Snapshot, market: Market, name: &str) -> SelectRefusal {
    /// Maximum number of columns in the message.
    const MOST_COLUMNS: usize = 12;
    /// Maximum number of tables in the message.
    const MOST_TABLES: usize = 4;
    let served = |market| listing::served_tables(snapshot, market).unwrap_or_default();
    let other = Market::ALL.into_iter().find(|other| served(*other).iter().any(|table| table.name == name));
    let near = tables_near(name, &served(market));
    let mut hint = match (other, near.first()) {
        (Some(other), _) => format!("; {other} has it: `{other}.{name}`"),
        (None, Some(table)) => {
            let columns: Vec<&str> = table.columns_in(market).map(|column| column.name.as_str()).collect();
            let more = if columns.len() > MOST_COLUMNS { ", ..." } else { "" };
            let columns = columns.iter().take(MOST_COLUMNS).copied().collect::<Vec<_>>().join(", ");
            let others = near.iter().take(MOST_TABLES).skip(1).map(|table| format!("`{}`", table.name));
            let others = others.collect::<Vec<_>>().join(", ");
            let others = if others.is_empty() { others } else { format!("; near it are {others} too") };
            format!("; did you mean `{}`? It has {columns}{more}{others}", table.name)
        }
        (None, None) => String::new(),
    };
    hint.push_str("; SHOW TABLES lists all");
    SelectRefusal::Table { name: truncate_for_message(&format!("{market}.{name}")), hint }
}

/// Returns an error if a table has no rows in this snapshot, because its set lacks it or a table that it is made of.
fn missing_table_error(
    snapshot: &Snapshot,
    market: Market,
    table: &Table,
) -> Result<Option<EngineError>, EngineError> {
    let Some(market_snapshot) = snapshot.market(market) else {
        return Ok(Some(snapshot.missing_tables_error(market, Vec::new())));
    };
    let missing = market_snapshot.data.tables.missing_inputs(snapshot.engine().catalogue(), table)?;
    Ok((!missing.is_empty()).then(|| snapshot.missing_tables_error(market, missing)))
}

/// Builds a state in which names mean the tables of all markets; a name without a schema means a table of `market`; `None` if the snapshot
/// lacks the market.
pub(super) fn state(snapshot: &Snapshot, market: Market) -> Option<SessionState> {
    let home = &snapshot.market(market)?.data.tables;
    let catalogue = MemoryCatalogProvider::new();
    for each in Market::ALL {
        let tables = snapshot.market(each).map(|market| &market.data.tables);
        let schema = tables.and_then(|tables| tables.context.catalog(CATALOGUE)?.schema(each.word()));
        if let Some(schema) = schema {
            // An in-memory catalogue accepts every schema.
            let _ = catalogue.register_schema(each.word(), schema);
        }
    }
    if let Ok((name, lists)) = listing::schema() {
        let _ = catalogue.register_schema(name, lists);
    }
    let list = MemoryCatalogProviderList::new();
    list.register_catalog(CATALOGUE.to_owned(), Arc::new(catalogue));
    let existing = (*home.state).clone();
    let mut config = existing.config().clone().with_create_default_catalog_and_schema(false);
    config.options_mut().optimizer.join_reordering = false;
    let builder = SessionStateBuilder::new_from_existing(existing);
    let mut builder = builder.with_config(config).with_catalog_list(Arc::new(list));
    if let Some(optimizer) = builder.physical_optimizers() {
        optimizer.rules.retain(|rule| !DISABLED_RULES.contains(&rule.name()));
    }
    builder.optimizer().iter_mut().for_each(null_keys::keep_nulls_apart);
    builder.optimizer().iter_mut().for_each(comparisons::insert_rule);
    if let Some(analyzer) = builder.analyzer() {
        analyzer.add_function_rewrite(Arc::new(Exactness));
        analyzer.rules.insert(0, Arc::new(Membership));
    }
    let mut state = builder.build();
    // This replaces the engine's `sum`; it cannot fail.
    let _ = state.register_udaf(Arc::new(exact_sum::function()));
    Some(state)
}
