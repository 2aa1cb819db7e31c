//! What SELECTs of callers over one snapshot have in common: a state for each market, made when it is first asked for, and plans that nobody
//! runs at the moment.

use std::sync::OnceLock;

use datafusion::execution::context::SessionState;

use super::idle_plans::IdlePlans;
use crate::tables::type_erased::TypeErased;
use parquote_catalogue::operation::Market;

/// States and plans.
#[derive(Default)]
pub(crate) struct OwnStates {
    states: [OnceLock<Option<TypeErased<SessionState>>>; Market::ALL.len()],
    pub(super) idle: IdlePlans,
}

impl OwnStates {
    /// The state in which names without a schema mean the tables of a market; `None` where there is none to make.
    pub(super) fn of(
        &self,
        market: Market,
        make: impl FnOnce() -> Option<SessionState>,
    ) -> Option<&SessionState> {
        let (_, kept) = Market::ALL.into_iter().zip(&self.states).find(|(of, _)| *of == market)?;
        kept.get_or_init(|| make().map(TypeErased::new)).as_deref()
    }
}
