//! All handlers, by the names that operation files use.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquote_catalogue::operation::{Access, Catalogue};

use super::handler::Handler;
use super::runners::Runners;
use super::screen_ledgers::ScreenLedgers;
use super::screen_recorder::ScreenRecorder;
use super::tried_backtests::TriedBacktests;
use super::usage::AccountUsage;
use super::watchlists::SavedItemStore;
use super::{
    backtest, caller_select, drawings, fast_scan, lists, notes, risk_audit, screen_by_words, screen_words,
};

/// Name after `run:` of the only operation without a handler, which adapters answer.
const HEALTH: &str = "status";

/// All handlers, each by its name after `run:`.
#[derive(Default)]
pub struct Handlers {
    by_name: BTreeMap<&'static str, Arc<dyn Handler>>,
    /// Store of the owners' lists and other items; `None` if it is not configured.
    lists: Option<SavedItemStore>,
    /// The screener that runs saved screens.
    screens: screen_words::ScreenWords,
}

impl Handlers {
    /// Returns the handlers that need only the snapshot.
    pub fn for_snapshot() -> Self {
        Self::default()
            .with("backtest", backtest::BacktestOperation::default())
            .with("fast_scan", fast_scan::FastScanOperation)
            .with("own_select", caller_select::UserSelectOperation::default())
            .with("risk_audit", risk_audit::RiskAudit)
            .with("risk_allocate", risk_audit::RiskAllocation)
            .with("natural_language", screen_by_words::ScreenByWords::default())
            .with("screen_words", screen_words::ScreenWords::default())
    }

    /// Adds a handler, which replaces a handler of the same name.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, handler: impl Handler + 'static) -> Self {
        self.by_name.insert(name, Arc::new(handler));
        self
    }

    /// Adds the handler that answers with the usage of keys.
    #[must_use]
    pub fn with_account_usage(self, usage: AccountUsage) -> Self {
        self.with("account_usage", usage)
    }

    /// Adds the operations on the owners' lists, screens, drawings and notes, and counts their back-tests.
    #[must_use]
    pub fn with_lists(self, lists: SavedItemStore) -> Self {
        // Saved screens run on the tables that the screener caches.
        let screens = screen_words::ScreenWords::default();
        let handlers = self
            .with("screen_words", screens.clone())
            .with("screen_ledger", ScreenLedgers::new(lists.clone()));
        let handlers = lists::LIST_OPERATIONS.into_iter().fold(handlers, |handlers, (name, verb)| {
            let (lists, screens) = (lists.clone(), screens.clone());
            handlers.with(name, lists::ListOperation { lists, screens, verb })
        });
        let handlers = drawings::DRAWING_OPERATIONS.into_iter().fold(handlers, |handlers, (name, verb)| {
            handlers.with(name, drawings::DrawingOperation { items: lists.clone(), verb })
        });
        let tried = TriedBacktests(lists.clone());
        let handlers = handlers
            .with("backtest", backtest::BacktestOperation::with_counts(tried.clone()))
            .with("backtest_tried", tried);
        let handlers = notes::NOTE_OPERATIONS.into_iter().fold(handlers, |handlers, (name, verb)| {
            handlers.with(name, notes::NoteOperation { items: lists.clone(), verb })
        });
        Self { lists: Some(lists), screens, ..handlers }
    }

    /// Returns the recorder of the owners' screens, if lists are configured.
    pub fn screen_recorder(&self, runners: Arc<dyn Runners>) -> Option<ScreenRecorder> {
        let lists = self.lists.clone()?;
        Some(ScreenRecorder { lists, screens: self.screens.clone(), runners })
    }

    /// Returns the store of the owners' lists and other items; `None` if it is not configured.
    pub const fn lists(&self) -> Option<&SavedItemStore> {
        self.lists.as_ref()
    }

    /// Returns the handler of a name; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Handler>> {
        self.by_name.get(name)
    }

    /// Returns the operations of a catalogue whose handler is missing, each as (file, handler name). Public operations are skipped, as the
    /// adapters answer them.
    pub fn missing_handlers<'a>(&self, catalogue: &'a Catalogue) -> Vec<(&'a str, &'a str)> {
        let called = catalogue.operations().iter().filter(|operation| operation.access != Access::Public);
        let named = called
            .filter_map(|operation| operation.run.as_deref().map(|name| (operation.file.as_str(), name)));
        named.filter(|(_, name)| *name != HEALTH && self.get(name).is_none()).collect()
    }
}
