//! Builds the handlers that store state for callers: provider keys, and runs of presets and committees.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

use super::account::{Account, AccountOperation, KeyVerb};
use super::fast_scan::facts_of;
use super::handler_list::Handlers;
use super::owner_contexts::OwnerContexts;
use super::runners::Runners;
use super::runs::{COMMITTEE, PRESET, PresetCatalog, RunKind, RunOperation, RunVerb, Runs};
use super::screen_by_words::ScreenByWords;
use parquote_agents::committee::{CommitteeWork, FactSource, StockFacts};
use parquote_agents::job::{JobHandler, Jobs};
use parquote_agents::presets::{PresetWork, Presets};
use parquote_agents::provider::retry::RetryPolicy;
use parquote_agents::provider::{Client, LanguageModel, ProviderKeys, Providers};
use parquote_catalogue::operation::{Catalogue, Market, Tier};

/// Parts from which these handlers are built.
pub struct StatefulParts {
    /// Catalogue of operations.
    pub catalogue: Arc<Catalogue>,
    /// Providers, as the operator configured them.
    pub providers: Arc<Providers>,
    /// Provider keys that callers saved.
    pub keys: ProviderKeys,
    /// Client of the runs' models.
    pub client: Client,
    /// Client that tests keys with providers, within the time of a call.
    pub prober: Client,
    /// Presets of agents.
    pub presets: Arc<Presets>,
    /// Jobs.
    pub jobs: Jobs,
    /// Source of the agents' tools.
    pub runners: Arc<dyn Runners>,
    /// Number and delay of retries of model requests.
    pub retries: RetryPolicy,
    /// The operator's model, for screens in words.
    pub service_model: Option<Arc<dyn LanguageModel>>,
}

/// Handlers of operations, and of their jobs.
pub struct StatefulHandlers {
    /// All handlers of operations.
    pub handlers: Handlers,
    /// Handlers of the jobs, by kind.
    pub works: HashMap<String, Arc<dyn JobHandler>>,
}

/// Facts of a committee, from the set that its run is pinned to.
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
            runners,
            retries,
            service_model,
        } = parts;
        let contexts = Arc::new(OwnerContexts {
            keys: keys.clone(),
            providers: Arc::clone(&providers),
            client,
            runners: Arc::clone(&runners),
            retries,
        });
        let facts = Arc::new(SnapshotFacts { catalogue, runners: Arc::clone(&runners) });
        let preset_work: Arc<dyn JobHandler> =
            Arc::new(PresetWork::new(Arc::clone(&presets), Arc::clone(&contexts) as Arc<_>));
        let committee_work: Arc<dyn JobHandler> = Arc::new(CommitteeWork::new(contexts, facts));
        let works = HashMap::from([(PRESET.to_owned(), preset_work), (COMMITTEE.to_owned(), committee_work)]);
        let account = Account::new(keys.clone(), Arc::clone(&providers), prober);
        let mut handlers = Handlers::without_data(&account, &presets)
            .with("natural_language", ScreenByWords::new(service_model));
        let runs = Runs { jobs, presets, keys, providers, runners };
        for (name, kind, verb) in RUN_OPERATIONS {
            handlers = handlers.with(name, RunOperation { runs: runs.clone(), kind, verb });
        }
        Self { handlers, works }
    }
}

impl Handlers {
    /// Builds the handlers of tables, and those that work before data is loaded: provider keys and the list of presets.
    pub fn without_data(account: &Account, presets: &Arc<Presets>) -> Self {
        let handlers = Self::of_tables().with("preset_catalog", PresetCatalog(Arc::clone(presets)));
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

const RUN_OPERATIONS: [(&str, RunKind, RunVerb); 11] = [
    ("preset_estimate", RunKind::Preset, RunVerb::Estimate),
    ("preset_start", RunKind::Preset, RunVerb::Start),
    ("preset_poll", RunKind::Preset, RunVerb::Poll),
    ("preset_list", RunKind::Preset, RunVerb::List),
    ("preset_cancel", RunKind::Preset, RunVerb::Cancel),
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
        // Figures are read with the service's rights: the caller's tier was checked when the run was started.
        let pinned = self.runners.runner(market, Some(set), Tier::ApiMax).await?;
        let found = facts_of(&self.catalogue, &pinned.snapshot, market, symbol).await?;
        found.ok_or_else(|| format!("`{symbol}` is not a stock of {market} in the data of the run"))
    }
}
