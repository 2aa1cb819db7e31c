//! Shared state of user-written SELECTs over one snapshot: a session state for each market, made at the first request, and idle plans.

use std::sync::OnceLock;

use datafusion::execution::context::SessionState;

use super::idle_plans::IdlePlans;
use crate::tables::type_erased::TypeErased;
use parquote_catalogue::operation::Market;

#[derive(Default)]
pub(crate) struct SelectStates {
    states: [OnceLock<Option<TypeErased<SessionState>>>; Market::ALL.len()],
    pub(super) idle: IdlePlans,
}

impl SelectStates {
    /// Returns the state in which names without a schema mean the tables of a market; `None` if `make` returns `None`.
    pub(super) fn get_or_make(
        &self,
        market: Market,
        make: impl FnOnce() -> Option<SessionState>,
    ) -> Option<&SessionState> {
        let (_, cached) = Market::ALL.into_iter().zip(&self.states).find(|(key, _)| *key == market)?;
        cached.get_or_init(|| make().map(TypeErased::new)).as_deref()
    }
}
