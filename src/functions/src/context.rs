//! The DataFusion context of one market: configuration, functions, tables.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::context::{SessionContext, SessionState};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::SessionConfig;

use crate::{
    Calendar, CarriedCell, calendar_functions, has_words, market_function, newest_lines, prices_function,
    search_rank,
};
use parquote_catalogue::operation::Market;

/// Name of the catalogue with the schemas of markets.
pub const CATALOGUE: &str = "parquote";

/// Creates a context in which plain table names mean the market's tables.
///
/// One partition and no dynamic filters: plans are reused, and a scan with the threshold of the last run would be wrong.
pub fn market_context(market: Market, calendar: &Calendar) -> SessionContext {
    let mut config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(8192)
        .with_default_catalog_and_schema(CATALOGUE, market.word())
        .with_create_default_catalog_and_schema(true)
        .with_information_schema(false);
    let options = &mut config.options_mut().optimizer;
    options.enable_dynamic_filter_pushdown = false;
    options.enable_topk_dynamic_filter_pushdown = false;
    options.enable_join_dynamic_filter_pushdown = false;
    options.enable_aggregate_dynamic_filter_pushdown = false;
    let state: SessionState = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let context = SessionContext::new_with_state(state);
    for function in calendar_functions(calendar).into_iter().chain(crate::clocks::refused_functions()) {
        context.register_udf(function);
    }
    context.register_udf(market_function(market));
    context.register_udf(prices_function(true));
    context.register_udf(search_rank());
    context.register_udf(has_words());
    context.register_udf(CarriedCell::default().function());
    context.register_udaf(newest_lines());
    for function in crate::window::indicators() {
        context.register_udwf(function.as_ref().clone());
    }
    context
}

/// Builds the `TaskContext` for plans of this session, under the limits of `runtime`. The map of higher-order functions is empty, because
/// no query uses them.
pub fn task_of(state: &SessionState, runtime: Arc<RuntimeEnv>) -> TaskContext {
    TaskContext::new(
        None,
        state.session_id().to_owned(),
        state.config().clone(),
        state.scalar_functions().clone(),
        HashMap::new(),
        state.aggregate_functions().clone(),
        state.window_functions().clone(),
        runtime,
    )
}

/// Registers a table under a name without a catalogue and schema.
pub fn register(context: &SessionContext, name: &str, table: Arc<dyn TableProvider>) -> Result<()> {
    context.register_table(name, table).map(drop)
}
