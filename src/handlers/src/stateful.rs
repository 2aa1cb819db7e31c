//! Builds the handlers that store items of callers: provider keys, and runs of presets and committees and of those that write rows.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::account::{Account, AccountOperation, KeyVerb};
use super::fast_scan::facts_of;
use super::handler_list::Handlers;
use super::owner_contexts::OwnerContexts;
use super::preset_catalog::PresetCatalog;
use super::row_writer::RowWriter;
use super::run_ledger::RecordedRuns;
use super::runners::Runners;
use super::runs::{COMMITTEE, PRESET, RunKind, RunOperation, RunVerb, Runs, WRITE};
use super::screen_by_words::ScreenByWords;
use super::watchlists::SavedItemStore;
use super::write_runs::WriteWork;
use parquote_agents::committee::{CommitteeWork, FactSource, StockFacts};
use parquote_agents::job::{JobHandler, Jobs};
use parquote_agents::presets::{PresetWork, Presets};
use parquote_agents::provider::retry::RetryPolicy;
use parquote_agents::provider::{Client, LanguageModel, ProviderKeys, Providers};
use parquote_catalogue::operation::{Catalogue, Market, Tier};

/// The parts from which these handlers are built.
pub struct StatefulParts {
    /// The catalogue of operations.
    pub catalogue: Arc<Catalogue>,
    /// The providers that the operator has configured.
    pub providers: Arc<Providers>,
    /// The store of the provider keys that callers have saved.
    pub keys: ProviderKeys,
    /// Client that calls models in runs.
    pub client: Client,
    /// Client that tests keys with providers within the time limit of a call.
    pub prober: Client,
    /// The presets of agents.
    pub presets: Arc<Presets>,
    /// The store and the workers of jobs.
    pub jobs: Jobs,
    /// Store of the ledgers of committees.
    pub ledgers: SavedItemStore,
    /// Source of the agents' tools.
    pub runners: Arc<dyn Runners>,
    /// Number and delay of retries of model requests.
    pub retries: RetryPolicy,
    /// The operator's model, which parses screens in sentences; `None` to use only the grammar.
    pub service_model: Option<Arc<dyn LanguageModel>>,
    /// Writer of rows; `None` if the server has no folder of raw files. A server without one leaves such runs to others on its state.
    pub rows: Option<Arc<dyn RowWriter>>,
}

/// The handlers of operations and of their jobs.
pub struct StatefulHandlers {
    /// All handlers of operations.
    pub handlers: Handlers,
    /// The handlers of jobs, by kind of job.
    pub works: HashMap<String, Arc<dyn JobHandler>>,
}

/// The source of a committee's facts, which reads the set of its run.
struct SnapshotFacts {
    catalogue: Arc<Catalogue>,
    runners: Arc<dyn Runners>,
}

impl StatefulHandlers {
    /// Builds the handlers from their parts.
    pub fn new(parts: StatefulParts) -> Self {
        let StatefulParts {
            catalogue,
            providers,
            keys,
            client,
            prober,
            presets,
            jobs,
            ledgers,
            runners,
            retries,
            service_model,
            rows,
        } = parts;
        let contexts = Arc::new(OwnerContexts {
            keys: keys.clone(),
            providers: Arc::clone(&providers),
            client,
            runners: Arc::clone(&runners),
            retries,
        });
        let facts = Arc::new(SnapshotFacts { catalogue, runners: Arc::clone(&runners) });
        let recorded = |work: Arc<dyn JobHandler>| -> Arc<dyn JobHandler> {
            let (providers, runners) = (Arc::clone(&providers), Arc::clone(&runners));
            Arc::new(RecordedRuns { work, ledgers: ledgers.clone(), providers, runners })
        };
        let preset_work =
            recorded(Arc::new(PresetWork::new(Arc::clone(&presets), Arc::clone(&contexts) as Arc<_>)));
        let committee_work = recorded(Arc::new(CommitteeWork::new(Arc::clone(&contexts) as Arc<_>, facts)));
        let mut works =
            HashMap::from([(PRESET.to_owned(), preset_work), (COMMITTEE.to_owned(), committee_work)]);
        if let Some(rows) = rows.clone() {
            works.insert(WRITE.to_owned(), Arc::new(WriteWork { contexts, rows }));
        }
        let account = Account::new(keys.clone(), Arc::clone(&providers), prober);
        let mut handlers = Handlers::without_data(&account, &presets)
            .with("natural_language", ScreenByWords::new(service_model));
        let runs = Runs { jobs, presets, keys, providers, runners, rows };
        for (name, kind, verb) in RUN_OPERATIONS {
            handlers = handlers.with(name, RunOperation { runs: runs.clone(), kind, verb });
        }
        Self { handlers, works }
    }
}

impl Handlers {
    /// Builds the handlers that need only the snapshot, and those that answer before data is loaded: of provider keys and of the list of
    /// presets.
    pub fn without_data(account: &Account, presets: &Arc<Presets>) -> Self {
        let handlers = Self::for_snapshot().with("preset_catalog", PresetCatalog(Arc::clone(presets)));
        KEY_OPERATIONS.into_iter().fold(handlers, |handlers, (name, verb)| {
            handlers.with(name, AccountOperation { account: account.clone(), verb })
        })
    }
}

const KEY_OPERATIONS: [(&str, KeyVerb); 5] = [
    ("byo_keys", KeyVerb::List),
    ("byo_key_save", KeyVerb::Save),
    ("byo_key_remove", KeyVerb::Remove),
    ("byo_key_set_preferred", KeyVerb::Prefer),
    ("byo_key_test", KeyVerb::Test),
];

const RUN_OPERATIONS: [(&str, RunKind, RunVerb); 12] = [
    ("preset_estimate", RunKind::Preset, RunVerb::Estimate),
    ("preset_start", RunKind::Preset, RunVerb::Start),
    ("preset_poll", RunKind::Preset, RunVerb::Poll),
    ("preset_list", RunKind::Preset, RunVerb::List),
    ("preset_cancel", RunKind::Preset, RunVerb::Cancel),
    ("write_start", RunKind::Preset, RunVerb::Write),
    ("committee_estimate", RunKind::Committee, RunVerb::Estimate),
    ("committee_start", RunKind::Committee, RunVerb::Start),
    ("committee_poll", RunKind::Committee, RunVerb::Poll),
    ("committee_report", RunKind::Committee, RunVerb::Report),
    ("committee_list", RunKind::Committee, RunVerb::List),
    ("committee_cancel", RunKind::Committee, RunVerb::Cancel),
];

#[async_trait]
impl FactSource for SnapshotFacts {
    async fn facts(&self, set: &str, symbol: &str, market: Market) -> Result<StockFacts, String> {
        // Figures are read with the highest tier, as the caller's tier was checked when the run was started.
        let pinned = self.runners.runner(market, Some(set), Tier::ApiMax).await?;
        let found = facts_of(&self.catalogue, &pinned.snapshot, market, symbol).await?;
        found.ok_or_else(|| format!("`{symbol}` is not a stock of {market} in the data of the run"))
    }
}
