//! The client in a build without the feature `providers`: every request to a model fails and says which feature is missing.

use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;

use super::client_settings::ClientSettings;
use super::declaration::Provider;
use super::key::ProviderKey;
use super::model::{LanguageModel, ModelRequest, ProviderError, Reply};

/// Makes models that cannot be asked.
#[derive(Debug, Clone)]
pub struct Client;

/// Never happens.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BuildError(Infallible);

/// The result of a key test, of which there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The model that replied.
    pub model: String,
    /// What it said.
    pub said: String,
}

impl Client {
    /// Never fails.
    pub const fn new(_: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self)
    }

    /// Never fails.
    pub const fn within(&self, _: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self)
    }

    /// A model of a provider, the provider's own choice where none is named.
    pub fn model(&self, provider: &Provider, _: &ProviderKey, model: Option<&str>) -> Arc<dyn LanguageModel> {
        Arc::new(AbsentModel {
            provider: provider.name.clone(),
            model: model.unwrap_or(&provider.model).to_owned(),
        })
    }

    /// Returns the error.
    pub async fn verify(&self, _: &Provider, _: &ProviderKey) -> Result<Verified, ProviderError> {
        Err(ProviderError::NotBuilt)
    }
}

/// A model that cannot be asked.
struct AbsentModel {
    provider: String,
    model: String,
}

#[async_trait]
impl LanguageModel for AbsentModel {
    async fn reply(&self, _: &ModelRequest) -> Result<Reply, ProviderError> {
        Err(ProviderError::NotBuilt)
    }

    fn identity(&self) -> (&str, &str) {
        (&self.provider, &self.model)
    }
}
