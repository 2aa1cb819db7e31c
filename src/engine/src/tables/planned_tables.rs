//! Tables that SQL makes: views, each planned once per process, and the check of a plan against the declared columns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::datasource::ViewTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{EmptyRelation, Expr, LogicalPlan, LogicalPlanBuilder};
use quick_cache::sync::Cache;

use super::parsed_plan::ParsedPlan;
use super::tables_read::tables_of;
use crate::error::EngineError;
use crate::storage::served_table::ServedTable;
use parquote_catalogue::operation::{Catalogue, Market, Table};
use parquote_functions::arrow_types::{arrow_type, column_type, table_schema};
use parquote_functions::context::register;

/// Key of a parsed view: the scope of its tables, its name.
type ViewKey = (Arc<str>, String);

/// Registers views, each after the views that it reads; each is parsed once per process.
pub(super) async fn register_views(
    context: &SessionContext,
    (catalogue, market, scope): (&Catalogue, Market, &Arc<str>),
    loaded: &BTreeMap<String, Arc<ServedTable>>,
) -> Result<(), EngineError> {
    /// Maximum number of cached views, several times the number that there are.
    const MOST_VIEWS: usize = 512;
    static CACHE: LazyLock<Cache<ViewKey, Arc<ParsedPlan>>> = LazyLock::new(|| Cache::new(MOST_VIEWS));
    let mut pending: Vec<&Table> = catalogue.tables_in(market).filter(|table| table.is_view()).collect();
    while !pending.is_empty() {
        let names: BTreeSet<&str> = pending.iter().map(|table| table.name.as_str()).collect();
        let state = context.state();
        let (mut ready, mut later) = (Vec::new(), Vec::new());
        for table in &pending {
            let sources =
                tables_of(&state, table.sql().unwrap_or_default()).map_err(|e| plan_error(table, e))?;
            let must_wait = sources.iter().any(|name| names.contains(name.as_str()));
            if must_wait { later.push(*table) } else { ready.push(*table) }
        }
        if let (true, Some(table)) = (ready.is_empty(), later.first()) {
            let message = "this view reads itself, directly or through other views".to_owned();
            return Err(EngineError::Rule { file: table.file.clone(), line: table.line, message });
        }
        for table in ready {
            let key = (Arc::clone(scope), table.name.clone());
            let plan = if let Some(parsed) = CACHE.get(&key) {
                parsed.bind_to_tables(&state, loaded)?
            } else {
                let plan = plan_table(context, table, market).await?;
                CACHE.insert(key, Arc::new(ParsedPlan::from_plan(plan.clone())?));
                plan
            };
            let view = ViewTable::new(plan, table.sql().map(str::to_owned));
            register(context, &table.name, Arc::new(view))?;
        }
        pending = later;
    }
    Ok(())
}

/// Plans the SQL of a table and checks its columns against the declaration. The plan has the columns of this market.
pub(crate) async fn plan_table(
    context: &SessionContext,
    table: &Table,
    market: Market,
) -> Result<LogicalPlan, EngineError> {
    let sql = table.sql().unwrap_or_default();
    let plan = context.state().create_logical_plan(sql).await.map_err(|error| plan_error(table, error))?;
    let rule = |message| EngineError::Rule { file: table.file.clone(), line: table.line, message };
    for column in table.columns_in(market) {
        let field = plan.schema().field_with_unqualified_name(&column.name).map_err(|_| {
            rule(format!("the declared column `{}` is not among those of the SQL", column.name))
        })?;
        if column_type(field.data_type()) != Some(column.ty) && *field.data_type() != DataType::Null {
            return Err(rule(format!(
                "the column `{}` is declared {} ({}), the SQL makes it {}",
                column.name,
                column.ty.word(),
                arrow_type(column.ty),
                field.data_type()
            )));
        }
    }
    let declared = |name: &str| table.columns.iter().any(|column| column.name == name);
    if let Some(extra) = plan.schema().fields().iter().find(|field| !declared(field.name())) {
        return Err(rule(format!("the SQL yields `{}`, which is not declared", extra.name())));
    }
    let is_in_market = |name: &str| table.columns_in(market).any(|column| column.name == name);
    let columns = plan.schema().columns();
    if columns.iter().all(|column| is_in_market(&column.name)) {
        return Ok(plan);
    }
    let columns = columns.into_iter().filter(|column| is_in_market(&column.name)).map(Expr::Column);
    let plan = LogicalPlanBuilder::from(plan).project(columns).and_then(LogicalPlanBuilder::build);
    plan.map_err(|error| plan_error(table, error))
}

fn plan_error(table: &Table, source: DataFusionError) -> EngineError {
    EngineError::Plan { file: table.file.clone(), line: table.line, source: Box::new(source) }
}

/// Builds an empty table that folds away during planning.
pub(super) fn empty_view(table: &Table, market: Market) -> Result<ViewTable, DataFusionError> {
    let schema = Arc::new(DFSchema::try_from(table_schema(table, market))?);
    Ok(ViewTable::new(LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema }), None))
}
