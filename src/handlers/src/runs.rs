//! Operations on runs of presets, of committees and of those that write rows: estimate, start, poll, report, list, cancel.
//!
//! [`parquote_agents::presets`] and [`parquote_agents::committee`] do the work of a run, and [`parquote_agents::job`] makes it survive a
//! kill. This module answers callers. Every operation names the owner, so that a caller never sees jobs of another owner.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value as Json, json};

use super::fast_scan::split_gate_words;
use super::handler::{Handler, HandlerCall, Owner};
use super::handler::{field, set_field};
use super::owner_contexts::RunOrigin;
use super::rounding::round_fractions;
use super::row_writer::RowWriter;
use super::runners::{PinnedRunner, Runners};
use parquote_agents::committee::{AGENTS, EXPECTED_TOKENS, LIMIT, RUNTIME_S};
use parquote_agents::job::{Budget, CancelResult, IdForm, Job, JobError, JobStatus, Jobs, NewJob, RunLimit};
use parquote_agents::presets::{Preset, Presets, TokenRange};
use parquote_agents::provider::{HAS_CLIENT, Provider, ProviderError, ProviderKeys, Providers};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;

/// Word for the kind of a preset's jobs.
pub const PRESET: &str = "preset";
/// Word for the kind of a committee's jobs.
pub const COMMITTEE: &str = "committee";
/// Kind of the jobs that write rows.
pub(super) const WRITE: &str = "write";
/// Maximum number of presets, and of runs that write rows, that a key may start in 24 hours.
const PRESET_LIMIT: RunLimit = RunLimit { runs: 10, window_s: 86_400 };
/// Maximum number of committees that a key may start in 24 hours.
const COMMITTEE_LIMIT: RunLimit = RunLimit { runs: 5, window_s: 86_400 };
/// Maximum number of runs in a list.
const MOST_LISTED: u32 = 50;

/// The state that the operations on runs share.
#[derive(Clone)]
pub(super) struct Runs {
    pub(super) jobs: Jobs,
    pub(super) presets: Arc<Presets>,
    pub(super) keys: ProviderKeys,
    pub(super) providers: Arc<Providers>,
    pub(super) runners: Arc<dyn Runners>,
    /// Writer of rows; `None` if the server has no folder of raw files.
    pub(super) rows: Option<Arc<dyn RowWriter>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunVerb {
    Estimate,
    Start,
    Write,
    Poll,
    Report,
    List,
    Cancel,
}

/// An operation on runs of one kind.
pub(super) struct RunOperation {
    pub runs: Runs,
    pub kind: RunKind,
    pub verb: RunVerb,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunKind {
    Preset,
    Committee,
}

/// The size of a run, which does not depend on its subject.
struct Scope {
    agents: usize,
    runtime: String,
    expected: TokenRange,
    max_tokens: u64,
    max_cost_usd: f64,
}

#[async_trait]
impl Handler for RunOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let answer = match self.verb {
            RunVerb::Estimate => self.estimate(call).await,
            RunVerb::Start => self.start(call).await,
            RunVerb::Write => self.start_writing(call).await,
            RunVerb::Poll => self.poll(call).await,
            RunVerb::Report => self.report(call).await,
            RunVerb::List => self.list(call).await,
            RunVerb::Cancel => self.cancel(call).await,
        };
        Ok(call.ordered(answer?))
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}

impl RunKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Preset => PRESET,
            Self::Committee => COMMITTEE,
        }
    }

    const fn limit(self) -> RunLimit {
        match self {
            Self::Preset => PRESET_LIMIT,
            Self::Committee => COMMITTEE_LIMIT,
        }
    }

    const fn id_form(self) -> IdForm {
        match self {
            Self::Preset => IdForm::Hex,
            Self::Committee => IdForm::Number,
        }
    }

    /// Returns the name of the field with the id of a run.
    const fn id_field(self) -> &'static str {
        match self {
            Self::Preset => "vibe_run_id",
            Self::Committee => "job_id",
        }
    }

    fn id(self, call: &HandlerCall<'_>) -> String {
        match self {
            Self::Preset => call.text("vibe_run_id").unwrap_or_default().to_owned(),
            Self::Committee => call.int("job_id").unwrap_or_default().to_string(),
        }
    }

    /// Converts an id to JSON. The id of a committee is a number, that of a preset a text.
    fn to_json(self, id: &str) -> Json {
        match self {
            Self::Preset => json!(id),
            Self::Committee => json!(id.parse::<i64>().unwrap_or_default()),
        }
    }
}

impl RunOperation {
    async fn start(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let scope = self.run_scope(call)?;
        let provider = self.run_provider(call).await?;
        let (_, origin) = self.pin(call, &provider, &provider.model).await?;
        let about = match self.kind {
            RunKind::Preset => json!({"preset": call.text("preset"), "goal": call.text("goal")}),
            RunKind::Committee => json!({"symbol": call.text("symbol")}),
        };
        let budget =
            Budget { tokens: Some(scope.max_tokens), cost_microusd: Some((scope.max_cost_usd * 1e6) as u64) };
        let mut answer = self.begin(call, self.kind.word(), about, &origin, budget).await?;
        match self.kind {
            RunKind::Preset => {
                set_field(&mut answer, "preset", json!(call.text("preset")));
                set_field(&mut answer, "agents", json!(scope.agents));
                set_field(&mut answer, "runtime", json!(scope.runtime));
            }
            RunKind::Committee => set_field(&mut answer, "symbol", json!(call.text("symbol"))),
        }
        Ok(answer)
    }

    /// Returns the current data for a new run, and the origin of the run.
    pub(super) async fn pin(
        &self,
        call: &HandlerCall<'_>,
        provider: &Provider,
        model: &str,
    ) -> Result<(PinnedRunner, RunOrigin), ClientError> {
        let owner = &call.owner;
        let pinned = self.runs.runners.runner(call.market, None, owner.tier).await;
        let pinned = pinned.map_err(|words| ClientError::new(ErrorKind::Unavailable, words))?;
        let origin = RunOrigin {
            owner: owner.name.to_string(),
            tier: owner.tier.word().to_owned(),
            provider: provider.name.clone(),
            model: model.to_owned(),
            set: pinned.set.clone(),
        };
        Ok((pinned, origin))
    }

    /// Starts the job of a run, and returns the fields that all runs have in their answer.
    pub(super) async fn begin(
        &self,
        call: &HandlerCall<'_>,
        kind: &str,
        about: Json,
        origin: &RunOrigin,
        budget: Budget,
    ) -> Result<Json, ClientError> {
        let owner = &call.owner;
        let new = NewJob {
            kind: kind.to_owned(),
            id_form: self.kind.id_form(),
            owner: owner.name.to_string(),
            key_id: owner.key,
            spec: run_spec(call.market, about, origin)?,
            budget,
        };
        let job = self.runs.jobs.start(new, owner.key.map(|_| self.kind.limit())).await?;
        Ok(json!({
            self.kind.id_field(): self.kind.to_json(&job.id),
            "status": job.status.word(),
            "provider": origin.provider,
            "model": origin.model,
            "runs_left": self.runs_left(owner, kind).await?,
        }))
    }

    /// Returns the provider of a new run, for which the owner has saved a key. A build that cannot send requests to models refuses the run:
    /// it would only fail, and count towards the limit.
    pub(super) async fn run_provider(&self, call: &HandlerCall<'_>) -> Result<Arc<Provider>, ClientError> {
        let (name, _) = self.runs.keys.choose(&call.owner.name, call.text("provider")).await?;
        if !HAS_CLIENT {
            return Err(ClientError::new(ErrorKind::BadRequest, ProviderError::NotBuilt.to_string()));
        }
        self.provider(&name)
    }

    async fn poll(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let (owner, id) = (&call.owner.name, self.kind.id(call));
        let found = self.runs.jobs.report(owner, self.job_kind(owner, &id).await, &id).await?;
        let job = found.job;
        let mut answer = self.state(&job);
        match self.kind {
            RunKind::Preset => {
                set_field(&mut answer, "preset", field(&job.spec, "preset"));
                set_field(&mut answer, "goal", field(&job.spec, "goal"));
                set_field(&mut answer, "final_report", found.report.unwrap_or_default());
            }
            RunKind::Committee => set_field(&mut answer, "symbol", field(&job.spec, "symbol")),
        }
        Ok(answer)
    }

    /// Builds the answer about the progress of a run.
    fn state(&self, job: &Job) -> Json {
        json!({
            self.kind.id_field(): self.kind.to_json(&job.id),
            "market": field(&job.spec, "market"),
            "status": job.status.word(),
            "step": job.progress.step,
            "agents_done": job.progress.agents_done,
            "agents": job.progress.agents,
            "input_tokens": job.spent.input_tokens,
            "output_tokens": job.spent.output_tokens,
            "cost_usd": self.cost_usd(job),
            "provider": field(&job.spec, "provider"),
            "model": field(&job.spec, "model"),
            "created_at": job.created_at,
            "finished_at": job.finished_at,
            "error": job.error,
        })
    }

    /// Returns the cost of a run in US dollars; `None` if the price of its model is unknown.
    fn cost_usd(&self, job: &Job) -> Option<f64> {
        let provider = self.runs.providers.get(job.spec.get("provider").and_then(Json::as_str)?)?;
        let is_known = job.spent.cost_microusd > 0
            || provider.price(job.spec.get("model").and_then(Json::as_str)?).is_some();
        is_known.then(|| (job.spent.cost_microusd as f64 / 100.0).round() / 10_000.0)
    }

    async fn report(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let id = self.kind.id(call);
        let found = self.runs.jobs.report(&call.owner.name, self.kind.word(), &id).await?;
        let Some(mut report) = found.report else {
            let how = match found.job.status {
                JobStatus::Running => {
                    "is not done yet; ask for its status (check_committee_status) to see how far it is"
                        .to_owned()
                }
                JobStatus::Failed => format!("failed: {}", found.job.error.unwrap_or_default()),
                status => format!("is {status}, and has no report"),
            };
            return Err(ClientError::new(ErrorKind::NotFound, format!("the committee {id} {how}")));
        };
        split_gate_words(&mut report);
        let mut report = round_fractions(&report).map_err(|error| {
            ClientError::from_cause(ErrorKind::Internal, "the report cannot be written", error)
        })?;
        set_field(&mut report, "job_id", self.kind.to_json(&found.job.id));
        Ok(report)
    }

    async fn list(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let mut jobs = self.runs.jobs.list(&call.owner.name, self.kind.word(), MOST_LISTED).await?;
        if self.kind == RunKind::Preset {
            jobs.extend(self.runs.jobs.list(&call.owner.name, WRITE, MOST_LISTED).await?);
            jobs.sort_by_key(|job| Reverse(job.number));
            jobs.truncate(MOST_LISTED as usize);
        }
        let of_market = jobs.iter().filter(|job| field(&job.spec, "market") == call.market.word());
        let mut runs = Vec::new();
        for job in of_market {
            let mut entry = json!({
                self.kind.id_field(): self.kind.to_json(&job.id),
                "status": job.status.word(),
                "created_at": job.created_at,
                "finished_at": job.finished_at,
            });
            match self.kind {
                RunKind::Preset => {
                    set_field(&mut entry, "preset", field(&job.spec, "preset"));
                    set_field(&mut entry, "goal", field(&job.spec, "goal"));
                }
                RunKind::Committee => {
                    set_field(&mut entry, "symbol", field(&job.spec, "symbol"));
                    set_field(&mut entry, "verdict", self.verdict(&call.owner, job).await?);
                }
            }
            runs.push(entry);
        }
        let runs_left = self.runs_left(&call.owner, self.kind.word()).await?;
        Ok(json!({"count": runs.len(), "runs": runs, "runs_left": runs_left}))
    }

    async fn verdict(&self, owner: &Owner, job: &Job) -> Result<Json, ClientError> {
        if job.status != JobStatus::Completed {
            return Ok(Json::Null);
        }
        let found = self.runs.jobs.report(&owner.name, &job.kind, &job.id).await?;
        Ok(found.report.map(|report| field(&report, "verdict")).unwrap_or_default())
    }

    async fn cancel(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let id = self.kind.id(call);
        let owner = &call.owner.name;
        let CancelResult { status, signal } =
            self.runs.jobs.cancel(owner, self.job_kind(owner, &id).await, &id).await?;
        // A run that had already ended has no worker to signal.
        let signal = signal.map_or("unknown", parquote_agents::job::Signal::word);
        Ok(json!({
            self.kind.id_field(): self.kind.to_json(&id),
            "status": status.word(),
            "vps_cancel_status": signal,
        }))
    }

    async fn estimate(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let scope = self.run_scope(call)?;
        let saved = self.runs.keys.list(&call.owner.name).await?;
        let provider = match call.text("provider") {
            Some(name) => Some(self.provider(name)?),
            None => match self.runs.keys.choose(&call.owner.name, None).await {
                Ok((name, _)) => Some(self.provider(&name)?),
                Err(_) => None,
            },
        };
        let price = provider.as_ref().and_then(|provider| provider.price(&provider.model));
        let [low, high] = [0, 1].map(|end: usize| parquote_agents::provider::Usage {
            input_tokens: scope.expected.input.get(end).copied().unwrap_or_default(),
            output_tokens: scope.expected.output.get(end).copied().unwrap_or_default(),
        });
        let cost = |usage| price.map(|price| (price.cost_usd(usage) * 10_000.0).round() / 10_000.0);
        Ok(json!({
            "agents": scope.agents,
            "runtime": scope.runtime,
            "input_tokens_low": low.input_tokens,
            "input_tokens_high": high.input_tokens,
            "output_tokens_low": low.output_tokens,
            "output_tokens_high": high.output_tokens,
            "cost_usd_low": cost(low),
            "cost_usd_high": cost(high),
            "max_tokens": scope.max_tokens,
            "max_cost_usd": scope.max_cost_usd,
            "provider": provider.as_ref().map(|provider| provider.name.as_str()),
            "model": provider.as_ref().map(|provider| provider.model.as_str()),
            "input_usd_per_million": price.map(|price| price.input_usd_per_million),
            "output_usd_per_million": price.map(|price| price.output_usd_per_million),
            "priced_on": price.and(provider.as_ref()).map(|provider| provider.priced_on.to_string()),
            "price_source": price.and(provider.as_ref()).map(|provider| provider.price_source.as_str()),
            "has_key": provider.as_ref().is_some_and(|provider| saved.iter().any(|key| key.provider == provider.name)),
            "runs_left": self.runs_left(&call.owner, self.kind.word()).await?,
        }))
    }

    /// Returns the kind of the job of a run: runs that write rows have the ids of presets.
    async fn job_kind(&self, owner: &str, id: &str) -> &'static str {
        let writes = self.kind == RunKind::Preset && self.runs.jobs.get(owner, WRITE, id).await.is_ok();
        if writes { WRITE } else { self.kind.word() }
    }

    /// Returns the number of runs of a kind left for the key; `None` for callers who are not counted.
    pub(super) async fn runs_left(&self, owner: &Owner, kind: &str) -> Result<Option<u32>, JobError> {
        match owner.key {
            Some(key) => {
                let left = self.runs.jobs.runs_left(Some(key), kind, self.kind.limit()).await?;
                Ok(Some(left.runs))
            }
            None => Ok(None),
        }
    }

    pub(super) fn provider(&self, name: &str) -> Result<Arc<Provider>, ClientError> {
        let name = self.runs.keys.canonical_name(name)?;
        self.runs.providers.get(&name).cloned().ok_or_else(|| {
            let known = self.runs.providers.names();
            ClientError::new(
                ErrorKind::BadRequest,
                format!("`{name}` is not a provider; the providers are {known}"),
            )
        })
    }

    /// Returns the size of the requested run.
    fn run_scope(&self, call: &HandlerCall<'_>) -> Result<Scope, ClientError> {
        match self.kind {
            RunKind::Preset => self.preset(call).map(Scope::from_preset),
            RunKind::Committee => Ok(Scope::of_a_committee()),
        }
    }

    fn preset(&self, call: &HandlerCall<'_>) -> Result<&Preset, ClientError> {
        let name = call.text("preset").unwrap_or_default();
        let presets_in =
            |market: Market| self.runs.presets.iter().filter(move |preset| preset.markets.contains(&market));
        let refuse = |message| Err(ClientError::new(ErrorKind::NotFound, message));
        match self.runs.presets.get(name) {
            Some(preset) if preset.markets.contains(&call.market) => Ok(preset),
            Some(_) => refuse(format!(
                "the preset `{name}` does not work in {}; list_preset_catalog lists those that do",
                call.market
            )),
            None => {
                let names: Vec<&str> = presets_in(call.market).map(|preset| preset.name.as_str()).collect();
                refuse(format!("`{name}` is not a preset; the presets are {}", names.join(", ")))
            }
        }
    }
}

/// Builds the specification of a run: its subject and origin in one object.
fn run_spec(market: Market, about: Json, origin: &RunOrigin) -> Result<Json, ClientError> {
    let origin = serde_json::to_value(origin).map_err(|error| {
        ClientError::from_cause(ErrorKind::Internal, "the run cannot be written down", error)
    })?;
    let mut spec = Map::from_iter([("market".to_owned(), json!(market.word()))]);
    for part in [about, origin] {
        if let Json::Object(fields) = part {
            spec.extend(fields);
        }
    }
    Ok(Json::Object(spec))
}

impl Scope {
    fn from_preset(preset: &Preset) -> Self {
        Self {
            agents: preset.agents.len(),
            runtime: preset.runtime.clone(),
            expected: preset.expected_tokens,
            max_tokens: preset.budget.max_tokens,
            max_cost_usd: preset.budget.max_cost_usd,
        }
    }

    fn of_a_committee() -> Self {
        let [from, to] = RUNTIME_S.map(|seconds| seconds.div_ceil(60));
        Self {
            agents: AGENTS as usize,
            runtime: format!("{from}-{to} min"),
            expected: EXPECTED_TOKENS,
            max_tokens: LIMIT.tokens,
            max_cost_usd: LIMIT.cost_microusd as f64 / 1e6,
        }
    }
}
