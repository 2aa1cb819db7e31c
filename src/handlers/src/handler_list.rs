//! All handlers, by the names that operation files use.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquote_catalogue::operation::{Access, Catalogue};

use super::handler::Handler;
use super::tried_backtests::TriedBacktests;
use super::usage::AccountUsage;
use super::watchlists::SavedItemStore;
use super::{
    backtest, caller_select, drawings, fast_scan, lists, notes, risk_audit, screen_by_words, screen_words,
};

/// Name after `run:` of the only operation that has no handler: adapters answer it with a static payload.
const HEALTH: &str = "status";

/// All handlers, by the name after `run:`.
#[derive(Default)]
pub struct Handlers {
    by_name: BTreeMap<&'static str, Arc<dyn Handler>>,
    /// Lists of the callers.
    lists: Option<SavedItemStore>,
}

impl Handlers {
    /// Returns the handlers that need only the snapshot.
    pub fn of_tables() -> Self {
        Self::default()
            .with("backtest", backtest::BacktestOperation::default())
            .with("fast_scan", fast_scan::FastScanOperation)
            .with("own_select", caller_select::UserSelectOperation::default())
            .with("risk_audit", risk_audit::RiskAudit)
            .with("risk_allocate", risk_audit::RiskAllocation)
            .with("natural_language", screen_by_words::ScreenByWords::default())
            .with("screen_words", screen_words::ScreenWords::default())
    }

    /// Adds a handler; replaces one of the same name.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, handler: impl Handler + 'static) -> Self {
        self.by_name.insert(name, Arc::new(handler));
        self
    }

    /// Adds the usage of keys.
    #[must_use]
    pub fn with_account_usage(self, usage: AccountUsage) -> Self {
        self.with("account_usage", usage)
    }

    /// Adds the operations on the owners' lists, screens, drawings and notes, and counts their back-tests.
    #[must_use]
    pub fn with_lists(self, lists: SavedItemStore) -> Self {
        // Saved screens are run on the tables that the screener caches.
        let screens = screen_words::ScreenWords::default();
        let handlers = self.with("screen_words", screens.clone());
        let of_verbs = lists::LIST_OPERATIONS.into_iter().fold(handlers, |handlers, (name, verb)| {
            let (lists, screens) = (lists.clone(), screens.clone());
            handlers.with(name, lists::ListOperation { lists, screens, verb })
        });
        let of_verbs = drawings::DRAWING_OPERATIONS.into_iter().fold(of_verbs, |handlers, (name, verb)| {
            handlers.with(name, drawings::DrawingOperation { items: lists.clone(), verb })
        });
        let tried = TriedBacktests(lists.clone());
        let of_verbs = of_verbs
            .with("backtest", backtest::BacktestOperation::with_counts(tried.clone()))
            .with("backtest_tried", tried);
        let of_verbs = notes::NOTE_OPERATIONS.into_iter().fold(of_verbs, |handlers, (name, verb)| {
            handlers.with(name, notes::NoteOperation { items: lists.clone(), verb })
        });
        Self { lists: Some(lists), ..of_verbs }
    }

    /// Returns the callers' lists, if they are configured.
    pub const fn lists(&self) -> Option<&SavedItemStore> {
        self.lists.as_ref()
    }

    /// Returns the handler of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Handler>> {
        self.by_name.get(name)
    }

    /// Returns the operations of a catalogue whose handler is missing, each as (file, handler name). Public operations are skipped, as the
    /// adapters answer them.
    pub fn unknown<'a>(&self, catalogue: &'a Catalogue) -> Vec<(&'a str, &'a str)> {
        let called = catalogue.operations().iter().filter(|operation| operation.access != Access::Public);
        let named = called
            .filter_map(|operation| operation.run.as_deref().map(|name| (operation.file.as_str(), name)));
        named.filter(|(_, name)| *name != HEALTH && self.get(name).is_none()).collect()
    }
}
