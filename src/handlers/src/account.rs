//! Operations on an owner's keys for model providers: list, save, remove, prefer, test.
//!
//! A saved key is never returned. Answers have its masked text, and no message contains it.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use parquote_agents::provider::{
    Client, KeysError, Provider, ProviderError, ProviderKey, ProviderKeys, Providers, SavedKey,
};
use parquote_catalogue::error::{ClientError, ErrorKind};

/// The state that the operations on keys share.
#[derive(Clone)]
pub struct Account {
    keys: ProviderKeys,
    providers: Arc<Providers>,
    /// Client that tests keys with providers. Its time limits are shorter than that of a call.
    prober: Client,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyVerb {
    List,
    Save,
    Remove,
    Prefer,
    Test,
}

/// An operation on keys.
pub(super) struct AccountOperation {
    pub account: Account,
    pub verb: KeyVerb,
}

struct KeyTestResult {
    /// True if the provider accepts the key, false if it refuses the key; `None` if the test shows neither.
    works: Option<bool>,
    message: String,
    model: Option<String>,
}

impl Account {
    /// Builds the state from the saved keys, the providers and the client for key tests.
    pub fn new(keys: ProviderKeys, providers: Arc<Providers>, prober: Client) -> Self {
        Self { keys, providers, prober }
    }

    async fn list(&self, owner: &str) -> Result<Json, ClientError> {
        let saved = self.keys.list(owner).await?;
        let masked_keys: Vec<Json> = saved.iter().map(|key| self.key_json(key)).collect();
        let providers: Vec<&str> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
        Ok(json!({"keys": masked_keys, "count": masked_keys.len(), "providers": providers}))
    }

    fn key_json(&self, key: &SavedKey) -> Json {
        let provider = self.providers.get(&key.provider);
        json!({
            "provider": key.provider,
            "label": provider.map_or(key.provider.as_str(), |provider| provider.label.as_str()),
            "key": key.masked,
            "preferred": key.preferred,
            "model": provider.map(|provider| provider.model.as_str()),
            "saved_at": key.saved_at,
            "tested_at": key.tested_at,
            "test_result": key.test_result,
        })
    }

    async fn save(&self, owner: &str, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let provider = self.provider(call)?;
        let key: ProviderKey = call
            .text("key")
            .unwrap_or_default()
            .parse()
            .map_err(|form| ClientError::from(KeysError::Form(form)))?;
        let test_result = if call.is_set("test_and_save") {
            Some(self.key_test_result(&provider, &key).await)
        } else {
            None
        };
        let is_refused = test_result.as_ref().is_some_and(|test_result| test_result.works == Some(false));
        let preferred = if is_refused {
            false
        } else {
            let saved = self.keys.save(owner, &provider.name, &key).await?;
            if let Some(test_result) = &test_result {
                self.keys.record_test(owner, &provider.name, &key, &test_result.message).await?;
            }
            saved.preferred
        };
        Ok(json!({
            "provider": provider.name,
            "key": key.masked_text(),
            "saved": !is_refused,
            "preferred": preferred,
            "works": test_result.as_ref().and_then(|test_result| test_result.works),
            "test_result": test_result.map(|test_result| test_result.message),
        }))
    }

    async fn remove(&self, owner: &str, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let provider = self.provider(call)?;
        if !self.keys.remove(owner, &provider.name).await? {
            let message = format!("you have saved no key for {}; there is nothing to remove", provider.name);
            return Err(ClientError::new(ErrorKind::NotFound, message));
        }
        let left = self.keys.list(owner).await?;
        let preferred = left.into_iter().find(|key| key.preferred).map(|key| key.provider);
        Ok(json!({"provider": provider.name, "removed": true, "preferred": preferred}))
    }

    async fn set_preferred(&self, owner: &str, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let provider = self.provider(call)?;
        self.keys.set_preferred(owner, &provider.name).await?;
        Ok(json!({"provider": provider.name, "preferred": true}))
    }

    async fn test_key(&self, owner: &str, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let provider = self.provider(call)?;
        let (_, key) = self.keys.choose(owner, Some(&provider.name)).await?;
        let test_result = self.key_test_result(&provider, &key).await;
        self.keys.record_test(owner, &provider.name, &key, &test_result.message).await?;
        Ok(json!({
            "provider": provider.name,
            "key": key.masked_text(),
            "works": test_result.works,
            "test_result": test_result.message,
            "model": test_result.model,
            "tested_at": call.admitted_at.timestamp(),
        }))
    }

    fn provider(&self, call: &HandlerCall<'_>) -> Result<Arc<Provider>, ClientError> {
        let name = self.keys.canonical_name(call.text("provider").unwrap_or_default())?;
        let unknown = || KeysError::UnknownProvider { name: name.clone(), known: self.providers.names() };
        self.providers.get(&name).cloned().ok_or_else(|| ClientError::from(unknown()))
    }

    async fn key_test_result(&self, provider: &Provider, key: &ProviderKey) -> KeyTestResult {
        match self.prober.verify(provider, key).await {
            Ok(verified) => KeyTestResult {
                works: Some(true),
                message: format!("the key works; {} replied", verified.model),
                model: Some(verified.model),
            },
            Err(error) => {
                let refused = matches!(error, ProviderError::KeyRefused { .. });
                KeyTestResult { works: refused.then_some(false), message: error.to_string(), model: None }
            }
        }
    }
}

#[async_trait]
impl Handler for AccountOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let owner = &*call.owner.name;
        let answer = match self.verb {
            KeyVerb::List => self.account.list(owner).await,
            KeyVerb::Save => self.account.save(owner, call).await,
            KeyVerb::Remove => self.account.remove(owner, call).await,
            KeyVerb::Prefer => self.account.set_preferred(owner, call).await,
            KeyVerb::Test => self.account.test_key(owner, call).await,
        };
        Ok(call.ordered(answer?))
    }

    fn needs_data(&self) -> bool {
        false
    }

    fn waits_for_io(&self) -> bool {
        true
    }
}
