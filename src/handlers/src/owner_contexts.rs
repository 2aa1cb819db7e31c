//! Builds the context of a run from its specification. The tools read the set with which the run began, and the model is called with the
//! API key of its owner.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::runners::Runners;
use parquote_agents::job::WorkError;
use parquote_agents::provider::retry::{RealTime, RetryPolicy, reply_with_retries};
use parquote_agents::provider::{
    Client, LanguageModel, ModelRequest, Provider, ProviderError, ProviderKeys, Providers, Reply, Usage,
};
use parquote_agents::{ReplyPricing, RunContext, RunContexts};
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;

/// Owner, tier, model and set of a run. The specification of the run has them together with its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunOrigin {
    /// Name of the owner, whose API key pays for the run.
    pub owner: String,
    /// Word of the tier with which tools are called.
    pub tier: String,
    /// Name of the provider.
    pub provider: String,
    /// Name of the requested model.
    pub model: String,
    /// Id of the set that the tools read.
    pub set: String,
}

pub(super) struct OwnerContexts {
    pub(super) keys: ProviderKeys,
    pub(super) providers: Arc<Providers>,
    pub(super) client: Client,
    pub(super) runners: Arc<dyn Runners>,
    pub(super) retries: RetryPolicy,
}

/// A model whose failed requests are retried.
struct RetryingModel {
    model: Arc<dyn LanguageModel>,
    retries: RetryPolicy,
}

impl OwnerContexts {
    /// Builds the context of a run, and returns it with the data of the run.
    pub(super) async fn open_pinned(
        &self,
        spec: &Json,
        market: Market,
    ) -> Result<(Arc<Snapshot>, RunContext), WorkError> {
        let origin = RunOrigin::deserialize(spec)
            .map_err(|error| failed_work(format!("the run cannot be read: {error}")))?;
        let tier: Tier = origin.tier.parse().map_err(failed_work)?;
        let (_, key) = self
            .keys
            .choose(&origin.owner, Some(&origin.provider))
            .await
            .map_err(|error| failed_work(error.to_string()))?;
        let unknown = || failed_work(format!("the provider {} is no longer configured", origin.provider));
        let provider = Arc::clone(self.providers.get(&origin.provider).ok_or_else(unknown)?);
        let pinned = self.runners.runner(market, Some(&origin.set), tier).await.map_err(failed_work)?;
        let as_of = pinned.as_of.ok_or_else(|| failed_work(format!("there is no data of {market}")))?;
        let model = self.client.model(&provider, &key, Some(&origin.model));
        let context = RunContext {
            runner: pinned.runner,
            model: Arc::new(RetryingModel { model, retries: self.retries }),
            price: reply_pricing(provider, origin.model),
            market,
            as_of,
            snapshot: pinned.set,
        };
        Ok((pinned.snapshot, context))
    }
}

#[async_trait]
impl RunContexts for OwnerContexts {
    async fn open(&self, spec: &Json, market: Market) -> Result<RunContext, WorkError> {
        Ok(self.open_pinned(spec, market).await?.1)
    }
}

#[async_trait]
impl LanguageModel for RetryingModel {
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        reply_with_retries(&*self.model, turn, self.retries, &RealTime).await
    }

    fn identity(&self) -> (&str, &str) {
        self.model.identity()
    }
}

/// Returns the function that prices replies, in millionths of a dollar. The price is that of the model in the reply, else of the requested
/// model, as providers extend the names of models in replies.
fn reply_pricing(provider: Arc<Provider>, requested: String) -> ReplyPricing {
    Arc::new(move |replied: &str, usage: Usage| {
        let price = provider.price(replied).or_else(|| provider.price(&requested));
        price.map_or(0, |price| (price.cost_usd(usage) * 1e6).round() as u64)
    })
}

fn failed_work(words: impl Into<String>) -> WorkError {
    WorkError::Failed(words.into())
}
