//! The client in a build without the feature `providers`: every request to a model fails with the name of the missing feature.

use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;

use super::client_settings::ClientSettings;
use super::declaration::Provider;
use super::key::ProviderKey;
use super::model::{KeyTest, LanguageModel, ModelRequest, ProviderError, Reply};

/// Builds models whose requests fail.
#[derive(Debug, Clone)]
pub struct Client;

/// An error that never occurs.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BuildError(Infallible);

impl Client {
    /// Never fails.
    pub const fn new(_: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self)
    }

    /// Never fails.
    pub const fn with_settings(&self, _: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self)
    }

    /// Returns a model of a provider by its name, or the provider's default model for `None`; its requests fail.
    pub fn model(&self, provider: &Provider, _: &ProviderKey, model: Option<&str>) -> Arc<dyn LanguageModel> {
        Arc::new(AbsentModel {
            provider: provider.name.clone(),
            model: model.unwrap_or(&provider.model).to_owned(),
        })
    }

    /// Fails with [`ProviderError::NotBuilt`].
    pub async fn verify(&self, _: &Provider, _: &ProviderKey) -> Result<KeyTest, ProviderError> {
        Err(ProviderError::NotBuilt)
    }
}

/// A model whose requests fail.
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
