//! Operators and rewrites for quick plans: read rows by key, take only the first, fuse several DataFusion nodes into one.

// Shared parts.
pub(crate) mod constant_values;
pub(crate) mod fold_constants;
pub(crate) mod replace_inputs;
pub(crate) mod observed_plan;
pub(crate) mod time_guard;
pub(crate) mod row_expr;
pub(crate) mod row_choice;
pub(crate) mod matched_rows;

// Table rows by key.
pub(crate) mod join_keys;
pub(crate) mod scanned_rows;
pub(crate) mod key_scan;
pub(crate) mod sorted_scan;

// The first rows.
pub(crate) mod top_numbers;
pub(crate) mod top_rows;
pub(crate) mod one_row_first;
pub(crate) mod top_before_join;

// Joins and counts.
pub(crate) mod key_joins;
pub(crate) mod match_count;

// Windows and arrays.
pub(crate) mod ordered_arrays;
pub(crate) mod sliding_windows;
pub(crate) mod whole_windows;

// Small plans without the engine's nodes.
pub(crate) mod lean_rows;
pub(crate) mod lean_join;
pub(crate) mod lean_plan;

// All rewrites, applied to a plan.
pub(crate) mod memory_plan;
