//! User-written SELECTs over the tables of both markets of one snapshot.
//!
//! The text is checked against lists before planning: one SELECT, declared tables, functions and forms of expressions that can read neither
//! files nor clocks. Then it is planned and run within limits: rows, bytes, the memory of a pool, and a deadline checked at waits. The
//! child process that runs it (`select_process`) bounds everything that no check of a text can: memory of planning and of one batch. The
//! calling crate sets the limits and the readable tables; this module knows no tiers.
//!
//! Reading order: `names`, `forms`, `distinct`, `statement` and `cast_names` (allowed SQL), `scope` (resolving tables), `listing` (tables
//! as rows), `bound` (values of `$1`), `arithmetic`, `exact_sum`, `patterns`, `exactness`, `correlated`, `multisets`, `null_keys`,
//! `comparisons`, `sliding` and `membership` (rewrites of SQL that the engine computes wrongly or not at all), `refusal` (errors),
//! `idle_plans` and `select_states` (caches) and `run`.

mod names;
mod forms;
mod distinct;
mod statement;
mod cast_names;

mod listing;
mod scope;
mod requested_list;

mod bound;

mod arithmetic;
mod exact_sum;
mod patterns;
mod exactness;
mod correlated;
mod multisets;
mod null_keys;
mod comparisons;
mod sliding;
mod membership;

mod refusal;

mod idle_plans;
mod select_states;
mod run;

use std::time::Duration;

pub use self::bound::BoundValue;
pub use self::refusal::SelectRefusal;
pub(crate) use self::select_states::SelectStates;
use parquote_catalogue::operation::{AnswerFormat, Market};

/// Maximum number of bound values.
pub const MOST_VALUES: usize = 100;

/// A SELECT with its parameters.
#[derive(Clone, Copy)]
pub struct UserSelect<'a> {
    /// The text of the SELECT.
    pub sql: &'a str,
    /// The values of `$1`, `$2` and so on.
    pub values: &'a [BoundValue],
    /// The market of table names without a schema, whose calendar `as_of()` reads.
    pub market: Market,
    /// Number of rows to skip.
    pub offset: usize,
    /// Maximum number of rows to return.
    pub limit: usize,
    /// Format of the rows.
    pub format: AnswerFormat,
    /// Returns the reason as an error if a table may not be read.
    pub may_read: &'a (dyn Fn(Market, &str) -> Result<(), String> + Send + Sync),
}

/// Returns the tables that a text names, with their markets, including names of common table expressions; empty if it cannot be parsed.
pub fn named_tables(sql: &str, market: Market) -> Vec<(Market, String)> {
    let Ok(statement) = statement::UserStatement::parse(sql) else { return Vec::new() };
    statement.relations.iter().filter_map(|relation| scope::resolve_table(relation, market).ok()).collect()
}

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectLimits {
    /// Time limit of planning and running together.
    pub time: Duration,
    /// Bytes of memory, of which the pool of the plan gets three quarters.
    pub memory: usize,
    /// Maximum length of the encoded answer, in bytes.
    pub answer: usize,
}
