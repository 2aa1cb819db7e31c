//! The HTTP client shared by all models: one connection pool, one set of limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use rig_core::completion::CompletionResponse;
use rig_core::error::ProviderError as RigError;
use rig_core::providers::anthropic::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::providers::openai::wire::{DEEPSEEK, GROQ, OPENAI, OPENROUTER};

use super::breaker::{Breakers, PauseRefusal};
use super::client_settings::ClientSettings;
use super::declaration::{Protocol, Provider, checked_model};
use super::dialect::{self, RequestForm};
use super::fault::Faults;
use super::key::ProviderKey;
use super::model::{KeyTest, LanguageModel, Message, ModelRequest, ProviderError, Reply, Usage};
use super::transport::{Exchange, build_http_client};
use super::{reply, request};

/// Output limit of a key test, in tokens: the smallest that every provider accepts.
const VERIFY_TOKENS: u32 = 16;
/// Placeholder key for rig; the transport removes it.
const NO_KEY: &str = "none";
/// Maximum number of models whose unusual request form is cached.
const MOST_FORMS: usize = 1_024;

/// Builds models of any provider. Clones share circuit breakers and cached request forms.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    settings: ClientSettings,
    breakers: Arc<Breakers>,
    /// Request forms by provider and model.
    forms: Arc<Mutex<HashMap<(String, String), RequestForm>>>,
}

/// The HTTP client of providers cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("no client for providers can be made; look at the system's certificates and at HTTPS_PROXY")]
pub struct BuildError(#[source] reqwest::Error);

impl Client {
    /// Builds a client. Proxies are taken from the standard environment variables.
    ///
    /// # Errors
    /// The system has no trusted certificates, or a proxy variable is not a URL.
    pub fn new(settings: ClientSettings) -> Result<Self, BuildError> {
        let breakers = Breakers::new(settings.breaker);
        let http = build_http_client(settings.connect).map_err(BuildError)?;
        Ok(Self { http, settings, breakers, forms: Arc::default() })
    }

    /// Builds a client with other limits that shares circuit breakers and request forms with this one.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_settings(&self, settings: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self { http: build_http_client(settings.connect).map_err(BuildError)?, settings, ..self.clone() })
    }

    /// Returns a model of a provider by its name, or the provider's default model for `None`.
    pub fn model(
        &self,
        provider: &Provider,
        key: &ProviderKey,
        model: Option<&str>,
    ) -> Arc<dyn LanguageModel> {
        Arc::new(self.requested_model(provider, key, model))
    }

    /// Tests a key by the smallest billed request: no other request reliably requires both key and model. The test is also sent during
    /// pauses, because a person waits for the result; if it passes, the pauses end.
    ///
    /// # Errors
    /// The reason why the key or the provider does not work.
    pub async fn verify(&self, provider: &Provider, key: &ProviderKey) -> Result<KeyTest, ProviderError> {
        let model = self.requested_model(provider, key, None);
        let turn = ModelRequest {
            system: String::new(),
            messages: vec![Message::User { text: "Reply with the word OK.".to_owned() }],
            tools: Vec::new(),
            schema: None,
            max_output_tokens: VERIFY_TOKENS,
            temperature: 0.0,
        };
        let reply = model.request_with_fallback(&turn).await?;
        self.breakers.close(&provider.name, key);
        Ok(KeyTest { model: reply.model, text: super::scrub::clean_line(&reply.text, key) })
    }

    fn requested_model(&self, provider: &Provider, key: &ProviderKey, model: Option<&str>) -> ProviderModel {
        ProviderModel {
            client: self.clone(),
            protocol: provider.protocol,
            name: provider.name.clone(),
            base_url: provider.base_url.clone(),
            model: model.unwrap_or(&provider.model).to_owned(),
            faults: Faults { provider: provider.label.clone(), key: key.clone() },
        }
    }
}

/// A model of a provider, with the key that pays for its replies.
struct ProviderModel {
    client: Client,
    protocol: Protocol,
    name: String,
    base_url: String,
    model: String,
    faults: Faults,
}

#[async_trait]
impl LanguageModel for ProviderModel {
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        let Client { breakers, settings, .. } = &self.client;
        let key = &self.faults.key;
        let admission = breakers.wait_for_admission(&self.name, key, settings.request, &Instant::now).await;
        let paused_error = |PauseRefusal { what, after, .. }| ProviderError::Paused {
            provider: self.faults.provider.clone(),
            what,
            after,
        };
        let pass = admission.map_err(paused_error)?;
        let result = self.request_with_fallback(turn).await;
        pass.record_result(result.as_ref().err(), Instant::now());
        result
    }

    fn identity(&self) -> (&str, &str) {
        (&self.name, &self.model)
    }
}

impl ProviderModel {
    /// Requests a reply, regardless of pauses. If a model refuses the form expected from its name, the request is retried in another form.
    async fn request_with_fallback(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        let model = (self.name.clone(), self.model.clone());
        let cached = self.forms().get(&model).copied();
        let expected = RequestForm::expected_form(self.protocol, &self.model);
        let (mut form, mut first_error) = (cached.unwrap_or(expected), None);
        loop {
            let result = self.send_request(turn, form).await;
            let next = match &result {
                Err(ProviderError::Refused { status: 400 | 422, message, .. }) => {
                    form.retry_form(self.protocol, message)
                }
                _ => None,
            };
            let Some(next) = next else {
                let mut forms = self.forms();
                if result.is_ok() && form != cached.unwrap_or(expected) && forms.len() < MOST_FORMS {
                    forms.insert(model, form);
                }
                return result
                    .map_err(|error| first_error.filter(|_| dialect::names_cap(&error)).unwrap_or(error));
            };
            form = next;
            first_error = first_error.or(result.err());
        }
    }

    fn forms(&self) -> MutexGuard<'_, HashMap<(String, String), RequestForm>> {
        self.client.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send_request(&self, turn: &ModelRequest, form: RequestForm) -> Result<Reply, ProviderError> {
        // In some protocols the name is part of the path, and callers may choose the name.
        let request = checked_model("model", &self.model)
            .and_then(|model| request::from_turn(self.protocol, &model, turn, form.with_temperature))
            .map_err(|what| self.invalid_request(&what))?;
        let Client { http, settings, .. } = &self.client;
        let exchange = Exchange::new(http.clone(), *settings, self.protocol, form, self.faults.clone());
        match self.send(request, exchange.clone()).await {
            Ok(response) => reply::from_response(&response, turn, &self.model, &self.faults),
            Err(error) => Err(exchange.exchange_fault().unwrap_or_else(|| self.unreadable_reply(&error))),
        }
        .map_err(|error| error.with_billed_usage(exchange.usage()))
    }

    /// Has rig write the request, send it through the exchange, and parse the reply.
    async fn send(
        &self,
        request: rig_core::completion::CompletionRequest,
        exchange: Exchange,
    ) -> Result<CompletionResponse, RigError> {
        let (url, model) = (self.base_url.as_str(), self.model.as_str());
        let dialect = match self.protocol {
            Protocol::Anthropic => {
                let config = AnthropicConfig::new(NO_KEY).with_base_url(url);
                return config.connect(exchange).completion(model).call(request).await;
            }
            Protocol::Gemini => {
                let config = GeminiConfig::new(NO_KEY).with_base_url(url);
                return config.connect(exchange).completion(model).call(request).await;
            }
            Protocol::OpenAi => &OPENAI,
            Protocol::DeepSeek => &DEEPSEEK,
            Protocol::Groq => &GROQ,
            Protocol::OpenRouter => &OPENROUTER,
        };
        let config = OpenAIConfig::with_key(dialect, NO_KEY).with_base_url(url);
        config.connect(exchange).chat(model).call(request).await
    }

    /// Returns the error if rig cannot write the request or parse the reply of a successful exchange.
    fn unreadable_reply(&self, error: &RigError) -> ProviderError {
        match error {
            RigError::Request(what) => self.invalid_request(&what.to_string()),
            RigError::UnsupportedOption(what) => self.invalid_request(&what.to_string()),
            RigError::Truncated => self.faults.unreadable_reply("JSON that is not of its protocol"),
            other => self.faults.unreadable_reply(&other.to_string()),
        }
    }

    /// Returns the error for a request that the protocol cannot express.
    fn invalid_request(&self, what: &str) -> ProviderError {
        let message = super::scrub::clean_line(&format!("not sent: {what}"), &self.faults.key);
        ProviderError::Refused {
            provider: self.faults.provider.clone(),
            status: 400,
            message,
            usage: Usage::default(),
        }
    }
}
