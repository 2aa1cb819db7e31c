//! A SELECT that a caller wrote, over the tables of both markets of one snapshot.
//!
//! It is held against lists before it is planned: one SELECT, tables that are declared, functions and forms of expressions that can neither
//! read files nor clocks. Then it is planned and run within limits: rows, bytes, the memory of a pool, and time where it waits. What no
//! check of a text can bound - what planning makes of it, what one batch holds - is bounded by the child process that runs
//! it (`select_process`). The caller of this room decides on the limits and on which tables may be read; this room knows no tiers.
//!
//! Reading order: `names`, `forms`, `distinct`, `statement` and `cast_names` (what may be written), `scope` (the tables that names mean),
//! `bound` (values of `$1`), `arithmetic`, `exact_sum`, `patterns`, `exactness`, `correlated`, `multisets`, `null_keys`, `comparisons`, `sliding` and `membership` (what the engine
//! would compute wrongly or not at all, rewritten), `refusal` (what a caller is told), `idle_plans` and `own_states` (what is kept) and the
//! run itself (`run`).

mod names;
mod forms;
mod distinct;
mod statement;
mod cast_names;

mod scope;

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
mod own_states;
mod run;

use std::time::Duration;

pub use self::bound::BoundValue;
pub(crate) use self::own_states::OwnStates;
pub use self::refusal::SelectRefusal;
use parquote_catalogue::operation::{AnswerFormat, Market};

/// The most values that are bound.
pub const MOST_VALUES: usize = 100;

/// A SELECT with what belongs to it.
#[derive(Clone, Copy)]
pub struct OwnSelect<'a> {
    /// The text.
    pub sql: &'a str,
    /// The values of `$1`, `$2` and so on.
    pub values: &'a [BoundValue],
    /// The market that table names without a schema mean, and whose calendar `as_of()` reads.
    pub market: Market,
    /// Rows to pass over.
    pub offset: usize,
    /// Rows to answer.
    pub limit: usize,
    /// How the rows are written.
    pub format: AnswerFormat,
    /// Whether a table may be read; if not, why.
    pub may_read: &'a (dyn Fn(Market, &str) -> Result<(), String> + Send + Sync),
}

/// The tables that a text names, with their markets; none of a text that cannot be parsed. Names of common table expressions are among
/// them.
pub fn named_tables(sql: &str, market: Market) -> Vec<(Market, String)> {
    let Ok(statement) = statement::OwnStatement::parse(sql) else { return Vec::new() };
    statement.relations.iter().filter_map(|relation| scope::named(relation, market).ok()).collect()
}

/// What one run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectLimits {
    /// How long it may run.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: usize,
    /// Bytes of its answer as it is written.
    pub answer: usize,
}
