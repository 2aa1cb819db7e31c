//! A SELECT that a caller wrote, over the tables of both markets of one snapshot.
//!
//! It is held against lists before it is planned: one SELECT, tables that are declared, functions and forms of expressions that can neither
//! read files nor make much from little. Then it runs within limits: rows, bytes, memory of a pool of its own, and time, which its plan
//! reads at every batch. Whoever calls decides on the limits and on which tables may be read; this room knows no tiers.
//!
//! Reading order: `names`, `forms`, `distinct`, `statement` and `cast_names` (what may be written), `scope` (the tables that names mean),
//! `bound` (values of `$1`), `arithmetic`, `exact_sum`, `patterns`, `exactness`, `correlated`, `multisets` and `membership` (what the engine
//! would compute wrongly or not at all, written anew), `turns` (how a plan is interrupted), `refusal` (what a caller is told), `idle_plans`
//! and `own_states` (what is kept), the run itself (`run`), and what is told of a SELECT that is not run (`shape`).

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
mod membership;

mod turns;

mod refusal;

mod idle_plans;
mod own_states;
mod run;
mod shape;

use std::time::Duration;

pub use self::bound::BoundValue;
pub(super) use self::own_states::OwnStates;
pub use self::refusal::SelectRefusal;
pub(crate) use self::shape::MOST_VALUES;
pub use self::shape::SelectShape;
pub(crate) use self::statement::{LONGEST, measured};
use crate::operation::{AnswerFormat, Market};

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

/// What one run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectLimits {
    /// How long it may run.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: usize,
    /// Bytes of its rows.
    pub answer: usize,
}
