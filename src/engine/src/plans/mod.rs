//! Runs calls: a SELECT as a template with slots, a plan from a pool, an answer from the cache.

// The SELECT.
pub(crate) mod slot;
pub(crate) mod template;
pub(crate) mod prepared_select;

// Its plans.
pub(crate) mod recent_latency;
mod plan_pool;
pub(crate) mod plan_pools;

// The operation and the call.
pub(crate) mod market_data;
pub(crate) mod prepared_operation;
pub(crate) mod chosen_columns;
pub(crate) mod drawing;
pub(crate) mod prepared_call;
