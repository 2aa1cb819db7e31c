//! Builds the context of a run from its specification: the tools on the set that the run began with, and the model under its owner's API
//! key.

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

/// Owner, tier, model and set of a run; saved in the run's specification together with its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunOrigin {
    /// Owner, whose key pays.
    pub owner: String,
    /// Tier for the calls of tools.
    pub tier: String,
    /// Provider.
    pub provider: String,
    /// Model.
    pub model: String,
    /// Id of the set that all tools read.
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

#[async_trait]
impl RunContexts for OwnerContexts {
    async fn open(&self, spec: &Json, market: Market) -> Result<RunContext, WorkError> {
        let begun = RunOrigin::deserialize(spec)
            .map_err(|error| failed_work(format!("the run cannot be read: {error}")))?;
        let tier: Tier = begun.tier.parse().map_err(failed_work)?;
        let (_, key) = self
            .keys
            .choose(&begun.owner, Some(&begun.provider))
            .await
            .map_err(|error| failed_work(error.to_string()))?;
        let unknown = || failed_work(format!("the provider {} is no longer configured", begun.provider));
        let provider = Arc::clone(self.providers.get(&begun.provider).ok_or_else(unknown)?);
        let pinned = self.runners.runner(market, Some(&begun.set), tier).await.map_err(failed_work)?;
        let as_of = pinned.as_of.ok_or_else(|| failed_work(format!("there is no data of {market}")))?;
        let model = self.client.model(&provider, &key, Some(&begun.model));
        Ok(RunContext {
            runner: pinned.runner,
            model: Arc::new(RetryingModel { model, retries: self.retries }),
            price: reply_pricing(provider, begun.model),
            market,
            as_of,
            snapshot: pinned.set,
        })
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

/// Prices replies by the model that replied, else by the requested model: providers extend the names of their models in replies.
fn reply_pricing(provider: Arc<Provider>, requested: String) -> ReplyPricing {
    Arc::new(move |replied: &str, usage: Usage| {
        let price = provider.price(replied).or_else(|| provider.price(&requested));
        price.map_or(0, |price| (price.cost_usd(usage) * 1e6).round() as u64)
    })
}

fn failed_work(words: impl Into<String>) -> WorkError {
    WorkError::Failed(words.into())
}
