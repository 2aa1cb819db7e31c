//! Builds the handlers of operations that store state for callers, from the server's settings and its state file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use super::recording::record_screens;
use super::write;
use crate::access::unix_seconds;
use crate::agents::job::{Jobs, Settings, StateJobStore, Workers};
use crate::agents::presets::Presets;
use crate::agents::provider::retry::RetryPolicy;
use crate::agents::provider::{
    BreakerSettings, Client, ClientSettings, HAS_CLIENT, LanguageModel, MasterKey, ProviderKey, ProviderKeys,
    Providers,
};
use crate::call::{PublicTiers, QueryThreads, ToolRunners};
use crate::config::{Models, StateFile};
use crate::handlers::{
    Account, AccountUsage, Handlers, RowWriter, Runners, SavedItemStore, StatefulHandlers, StatefulParts,
};
use crate::operation::Catalogue;
use crate::refresh::Snapshots;
use crate::state::{StateLocation, Store};
use parquote_catalogue::features::missing_feature;

/// The model that the server pays for.
type ServiceModel = Arc<dyn LanguageModel>;

/// Time limit of a request to a provider that tests a key; it is less than that of a call.
const PROBE_TIMEOUT: Duration = Duration::from_secs(8);

/// The handlers, and the workers, which run jobs until they are dropped.
pub(super) struct AssembledHandlers {
    pub handlers: Arc<Handlers>,
    pub workers: Workers,
    pub jobs: Jobs,
}

/// Declarations and the master key, checked before data is loaded, so that a mistake in them fails the start at once.
pub(super) struct PreparedHandlers {
    catalogue: Arc<Catalogue>,
    providers: Arc<Providers>,
    presets: Arc<Presets>,
    keys: ProviderKeys,
    service_model: Option<Arc<dyn LanguageModel>>,
    state: StateLocation,
    jobs: Settings,
    breaker: BreakerSettings,
    workers: usize,
    rows: Option<Arc<dyn RowWriter>>,
}

impl PreparedHandlers {
    /// Reads the declarations and opens the stores of keys and runs. `raw` is the folder of raw files, if the settings have one.
    pub(super) fn new(
        catalogue: Arc<Catalogue>,
        state: &StateFile,
        models: &Models,
        raw: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let (providers, service_model) = language_models(&catalogue, models)?;
        let presets =
            Presets::parse(catalogue.declarations("presets/")).context("the presets are not sound")?;
        check_tools(&presets, &catalogue)?;
        let store = Store::open(&state.state)?;
        let master = master_key(models, &state.state)?;
        let keys = ProviderKeys::new(store, master, Arc::clone(&providers), Arc::new(unix_seconds));
        let rows = raw.and_then(|raw| write::row_writer(&catalogue, &providers, raw));
        Ok(Self {
            catalogue,
            providers,
            presets: Arc::new(presets),
            keys,
            service_model,
            state: state.state.clone(),
            jobs: Settings { time_factor: models.run_time_factor, ..Settings::default() },
            breaker: breaker(models),
            workers: models.run_workers,
            rows,
        })
    }

    /// Returns a factory of the handlers that work without data.
    pub(super) fn before_data(&self) -> impl Fn() -> anyhow::Result<Handlers> + Send + Sync + use<> {
        let (keys, providers) = (self.keys.clone(), Arc::clone(&self.providers));
        let (presets, state) = (Arc::clone(&self.presets), self.state.clone());
        move || {
            let account = Account::new(keys.clone(), Arc::clone(&providers), Client::new(prober())?);
            let usage = AccountUsage::new(Store::open(&state)?, Arc::new(unix_seconds));
            Ok(Handlers::without_data(&account, &presets).with_account_usage(usage))
        }
    }

    /// Starts the workers on the served snapshots.
    pub(super) fn start(
        self,
        snapshots: Arc<Snapshots>,
        threads: Option<&Arc<QueryThreads>>,
        public: &PublicTiers,
    ) -> anyhow::Result<AssembledHandlers> {
        let jobs = Jobs::new(Arc::new(StateJobStore::open(&self.state)?), Arc::new(unix_seconds), self.jobs);
        let (catalogue, served) = (self.catalogue, Arc::clone(&snapshots));
        let tools = ToolRunners::new(Arc::clone(&catalogue), snapshots, threads.cloned());
        let tools: Arc<dyn Runners> = Arc::new(tools.with_public_tiers(public.clone()));
        let client_settings = ClientSettings { breaker: self.breaker, ..ClientSettings::default() };
        let client = Client::new(client_settings)?;
        let lists = SavedItemStore::new(Store::open(&self.state)?, Arc::new(unix_seconds));
        let StatefulHandlers { handlers, works } = StatefulHandlers::new(StatefulParts {
            catalogue: Arc::clone(&catalogue),
            providers: self.providers,
            keys: self.keys,
            prober: client.with_settings(prober())?,
            client,
            presets: self.presets,
            jobs: jobs.clone(),
            ledgers: lists.clone(),
            runners: Arc::clone(&tools),
            retries: RetryPolicy::default(),
            service_model: self.service_model,
            rows: self.rows,
        });
        let usage = AccountUsage::new(Store::open(&self.state)?, Arc::new(unix_seconds));
        let handlers = handlers.with_account_usage(usage).with_lists(lists);
        let unknown = handlers.missing_handlers(&catalogue);
        let unknown: Vec<String> = unknown
            .iter()
            .map(|(file, name)| format!("{file}: there is no function `{name}` to run"))
            .collect();
        ensure!(unknown.is_empty(), "the query files are not sound:\n  {}", unknown.join("\n  "));
        if let Some(recorder) = handlers.screen_recorder(tools) {
            tokio::spawn(record_screens(recorder, served));
        }
        let workers = jobs.serve(works, self.workers);
        Ok(AssembledHandlers { handlers: Arc::new(handlers), workers, jobs })
    }
}

/// Returns the time limits of a key test.
fn prober() -> ClientSettings {
    ClientSettings { connect: PROBE_TIMEOUT / 2, request: PROBE_TIMEOUT, ..ClientSettings::default() }
}

fn breaker(models: &Models) -> BreakerSettings {
    let pause = Duration::from_secs(models.provider_pause_s);
    BreakerSettings { failures: models.provider_failures, pause, ..BreakerSettings::DEFAULT_SETTINGS }
}

/// Checks that the tools of all presets exist; a preset with an unknown tool could only fail.
fn check_tools(presets: &Presets, catalogue: &Catalogue) -> anyhow::Result<()> {
    let is_known = |market, tool: &str| {
        let mut offered = catalogue.operations().iter().filter(|operation| operation.answers_from_select());
        offered.any(|operation| operation.market == market && operation.tool.as_deref() == Some(tool))
    };
    let faults: Vec<String> = presets.iter().flat_map(|preset| preset.check(is_known)).collect();
    ensure!(faults.is_empty(), "the presets are not sound:\n  {}", faults.join("\n  "));
    Ok(())
}

/// Returns the user-supplied master key, or that of its file, which is created if it is missing.
pub(super) fn master_key(models: &Models, state: &StateLocation) -> anyhow::Result<MasterKey> {
    if let Some(text) = &models.master_key {
        return MasterKey::from_text(text.reveal()).context("PARQUOTE_MASTER_KEY cannot be used");
    }
    Ok(MasterKey::from_file(&master_key_file(models, state))?)
}

/// Returns the path of the master key: by default next to the state file.
pub(super) fn master_key_file(models: &Models, state: &StateLocation) -> PathBuf {
    models.master_key_file.clone().unwrap_or_else(|| state.with_extension("master-key"))
}

/// Reads the providers, and creates the model that reads the sentences of screens, if there is one.
pub(super) fn language_models(
    catalogue: &Catalogue,
    models: &Models,
) -> anyhow::Result<(Arc<Providers>, Option<ServiceModel>)> {
    let providers = Providers::parse(catalogue.declarations("providers/"))
        .and_then(|declared| declared.with_overrides(&models.provider_url, &models.provider_model))
        .context("the providers of language models are not sound")?;
    let service_model = service_model(models, &providers)?;
    Ok((Arc::new(providers), service_model))
}

fn service_model(models: &Models, providers: &Providers) -> anyhow::Result<Option<Arc<dyn LanguageModel>>> {
    let (Some(name), Some(key)) = (&models.service_provider, &models.service_key) else { return Ok(None) };
    let provider = providers
        .get(name)
        .with_context(|| format!("--service-provider: `{name}` is not one of {}", providers.names()))?;
    ensure!(HAS_CLIENT, "{}", missing_feature("--service-provider", "agents"));
    let key: ProviderKey = key.reveal().parse().context("PARQUOTE_SERVICE_KEY cannot be used")?;
    let settings =
        ClientSettings { request: PROBE_TIMEOUT, breaker: breaker(models), ..ClientSettings::default() };
    Ok(Some(Client::new(settings)?.model(provider, &key, None)))
}
