//! Operations as the tools of agents: on one pinned snapshot, under the tier of the user who started the agents, and free of charge, since
//! the run is paid.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};

use super::{CallOptions, Caller, PublicTiers, QueryThreads, Service};
use parquote_agents::Runner;
use parquote_agents::provider::ToolSpec;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{
    Access, Catalogue, Effect, Market, Offer, Operation, Tier, argument_text,
};
use parquote_engine::Snapshot;
use parquote_handlers::{PinnedRunner, Runners};
use parquote_refresh::{FoundSet, Snapshots};
use parquote_set::Reference;

/// Factory of runners over a service's data.
pub struct ToolRunners {
    catalogue: Arc<Catalogue>,
    snapshots: Arc<Snapshots>,
    /// Threads that queries use in turn. All runs together count as one owner, so that they leave room for others.
    threads: Option<Arc<QueryThreads>>,
    public: PublicTiers,
}

/// Calls operations as tools, on one snapshot.
struct ToolRunner {
    /// Service over one snapshot, without access control.
    service: Service,
    caller: Caller,
}

impl ToolRunners {
    /// Builds the factory over snapshots that are replaced. Queries run on these threads, or on the threads of the agents if there are
    /// none.
    pub fn new(
        catalogue: Arc<Catalogue>,
        snapshots: Arc<Snapshots>,
        threads: Option<Arc<QueryThreads>>,
    ) -> Self {
        Self { catalogue, snapshots, threads, public: PublicTiers::default() }
    }

    /// Returns the factory with owners of these tiers as the public.
    #[must_use]
    pub fn with_public_tiers(self, public: PublicTiers) -> Self {
        Self { public, ..self }
    }
}

#[async_trait]
impl Runners for ToolRunners {
    async fn runner(&self, market: Market, set: Option<&str>, tier: Tier) -> Result<PinnedRunner, String> {
        let audience = self.public.audience_of(tier);
        self.snapshots.check_seen(audience, market).map_err(|withheld| withheld.to_string())?;
        let current = self.snapshots.snapshot_for(audience);
        let id_of = |snapshot: &Snapshot| {
            snapshot.market(market).map(|market| market.name().id.to_string()).unwrap_or_default()
        };
        let snapshot = match set.filter(|set| *set != id_of(&current)) {
            None => current,
            Some(set) => {
                let gone = || format!("the data of the run, set {set} of {market}, is no longer retained");
                let reference = Reference::parse(set).ok_or_else(gone)?;
                match self.snapshots.find(audience, market, &reference).map_err(|_| gone())? {
                    FoundSet::Open(snapshot) => snapshot,
                    FoundSet::Available(set) => {
                        self.snapshots.open(audience, &set).await.map_err(|_| gone())?
                    }
                }
            }
        };
        let (set, as_of) = (id_of(&snapshot), snapshot.as_of(market));
        let snapshots = Arc::new(Snapshots::from_snapshot(Snapshot::clone(&snapshot)));
        let service = Service {
            threads: self.threads.clone(),
            ..Service::with_snapshots(Arc::clone(&self.catalogue), snapshots)
        };
        let caller = Caller { tier, key: None };
        let runner = Arc::new(ToolRunner { service, caller });
        Ok(PinnedRunner { runner, set, as_of, snapshot })
    }
}

impl ToolRunner {
    /// Returns true if an agent may call an operation: it only reads, and the tier reaches it.
    fn may_call(&self, operation: &Operation) -> bool {
        let is_allowed = matches!(operation.access, Access::From(needed) if self.caller.tier.reaches(needed));
        is_allowed && operation.answers_from_select() && operation.effect == Effect::Reads
    }

    async fn data(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, ClientError> {
        let mut offered = self.service.catalogue().operations().iter().filter(|one| self.may_call(one));
        let operation = offered.find(|operation| operation.tool.as_deref() == Some(tool));
        let operation = operation.ok_or_else(|| {
            ClientError::new(
                parquote_catalogue::error::ErrorKind::NotFound,
                format!("there is no tool `{tool}` here"),
            )
        })?;
        let metered = self.service.enter(operation, &self.caller).await?;
        let non_null = arguments.iter().filter(|(_, value)| !value.is_null());
        let pairs: Vec<(&str, String)> =
            non_null.map(|(name, value)| (name.as_str(), argument_text(value))).collect();
        let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
        let call = self.service.admit_tool(&metered, pairs, CallOptions::new(Offer::ENVELOPED)).await?;
        self.service.run(&call).await?.parse_body(tool)
    }
}

#[async_trait]
impl Runner for ToolRunner {
    fn tools(&self, market: Market, names: &[String]) -> Vec<ToolSpec> {
        let all = self.service.catalogue().operations();
        let operations = names
            .iter()
            .filter_map(|name| all.iter().find(|operation| operation.tool.as_deref() == Some(name.as_str())));
        let offered = operations.filter(|operation| operation.market == market && self.may_call(operation));
        offered.filter_map(|operation| tool_spec(operation)).collect()
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Json>) -> Result<Json, String> {
        self.data(tool, arguments).await.map_err(|refused| refused.message)
    }
}

/// Returns the description of an operation for a model.
fn tool_spec(operation: &Operation) -> Option<ToolSpec> {
    let params = operation.params.iter().filter(|param| !param.rest_only);
    let required: Vec<&str> =
        params.clone().filter(|param| param.is_required()).map(|param| param.name.as_str()).collect();
    let properties: Map<String, Json> = params
        .map(|param| (param.name.clone(), param.schema_for_models(&param.full_description())))
        .collect();
    let parameters = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    Some(ToolSpec { name: operation.tool.clone()?, words: operation.title.clone(), parameters })
}
