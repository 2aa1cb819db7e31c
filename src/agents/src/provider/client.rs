//! The HTTP client that all models share: one connection pool, one set of limits.

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

use super::breaker::{Breakers, Paused};
use super::client_settings::ClientSettings;
use super::declaration::{Protocol, Provider, checked_model};
use super::dialect::{self, RequestForm};
use super::fault::Faults;
use super::key::ProviderKey;
use super::model::{LanguageModel, Message, ModelRequest, ProviderError, Reply, Usage};
use super::transport::{Exchange, http};
use super::{reply, request};

/// The fewest tokens that every provider grants.
const VERIFY_TOKENS: u32 = 16;
/// What rig has in the place of a key; the transport takes it out again.
const NO_KEY: &str = "none";
/// So many models are remembered with a form that is not what their names say.
const FORMS: usize = 1_024;

/// Makes models of any provider. Clones share what is paused, and which form of requests a model takes.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    settings: ClientSettings,
    breakers: Arc<Breakers>,
    /// By provider and model.
    forms: Arc<Mutex<HashMap<(String, String), RequestForm>>>,
}

/// The HTTP client cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("no client for providers can be made; look at the system's certificates and at HTTPS_PROXY")]
pub struct BuildError(#[source] reqwest::Error);

/// The result of a key test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The model that replied.
    pub model: String,
    /// What it said, shortened; a model that thinks may have said nothing yet.
    pub said: String,
}

impl Client {
    /// A client with these limits. Proxies are those of the environment's standard variables.
    ///
    /// # Errors
    /// Where the system has no certificates to trust, or names a proxy that is no URL.
    pub fn new(settings: ClientSettings) -> Result<Self, BuildError> {
        let breakers = Breakers::new(settings.breaker);
        let http = http(settings.connect).map_err(BuildError)?;
        Ok(Self { http, settings, breakers, forms: Arc::default() })
    }

    /// A client with other limits of time that shares the rest: what it learns of a key holds for both.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn within(&self, settings: ClientSettings) -> Result<Self, BuildError> {
        Ok(Self { http: http(settings.connect).map_err(BuildError)?, settings, ..self.clone() })
    }

    /// A model of a provider, the provider's own choice where none is named.
    pub fn model(
        &self,
        provider: &Provider,
        key: &ProviderKey,
        model: Option<&str>,
    ) -> Arc<dyn LanguageModel> {
        Arc::new(self.asked(provider, key, model))
    }

    /// Tests a key by the smallest request that costs something: nothing else is certain to need the key and the model. It is sent also
    /// where others are paused, since a person wants to know; where it passes, the pauses end.
    ///
    /// # Errors
    /// Why the key or the provider does not work.
    pub async fn verify(&self, provider: &Provider, key: &ProviderKey) -> Result<Verified, ProviderError> {
        let asked = self.asked(provider, key, None);
        let turn = ModelRequest {
            system: String::new(),
            messages: vec![Message::User { text: "Reply with the word OK.".to_owned() }],
            tools: Vec::new(),
            schema: None,
            max_output_tokens: VERIFY_TOKENS,
            temperature: 0.0,
        };
        let reply = asked.replied(&turn).await?;
        self.breakers.close(&provider.name, key);
        Ok(Verified { model: reply.model, said: super::scrub::words(&reply.text, key) })
    }

    fn asked(&self, provider: &Provider, key: &ProviderKey, model: Option<&str>) -> AskedModel {
        AskedModel {
            client: self.clone(),
            protocol: provider.protocol,
            name: provider.name.clone(),
            base_url: provider.base_url.clone(),
            model: model.unwrap_or(&provider.model).to_owned(),
            faults: Faults { provider: provider.label.clone(), key: key.clone() },
        }
    }
}

/// A model with the key that pays for it.
struct AskedModel {
    client: Client,
    protocol: Protocol,
    name: String,
    base_url: String,
    model: String,
    faults: Faults,
}

#[async_trait]
impl LanguageModel for AskedModel {
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        let Client { breakers, settings, .. } = &self.client;
        let sender = (self.name.as_str(), &self.faults.key);
        let admitted = breakers.admitted(sender, settings.request, &Instant::now).await;
        let paused = |Paused { what, after, .. }| ProviderError::Paused {
            provider: self.faults.provider.clone(),
            what,
            after,
        };
        let pass = admitted.map_err(paused)?;
        let replied = self.replied(turn).await;
        pass.ended(replied.as_ref().err(), Instant::now());
        replied
    }

    fn identity(&self) -> (&str, &str) {
        (&self.name, &self.model)
    }
}

impl AskedModel {
    /// Asks for a reply, whatever became of requests before. A model that is newer than what is known of it, or that has a name of its
    /// operator, is asked in another form where it refuses this one.
    async fn replied(&self, turn: &ModelRequest) -> Result<Reply, ProviderError> {
        let model = (self.name.clone(), self.model.clone());
        let known = self.forms().get(&model).copied();
        let usual = RequestForm::usual(self.protocol, &self.model);
        let (mut form, mut first) = (known.unwrap_or(usual), None);
        loop {
            let answered = self.ask(turn, form).await;
            let next = match &answered {
                Err(ProviderError::Refused { status: 400 | 422, said, .. }) => {
                    form.other(self.protocol, said)
                }
                _ => None,
            };
            let Some(next) = next else {
                let mut forms = self.forms();
                if answered.is_ok() && form != known.unwrap_or(usual) && forms.len() < FORMS {
                    forms.insert(model, form);
                }
                return answered
                    .map_err(|error| first.filter(|_| dialect::names_cap(&error)).unwrap_or(error));
            };
            form = next;
            first = first.or(answered.err());
        }
    }

    fn forms(&self) -> MutexGuard<'_, HashMap<(String, String), RequestForm>> {
        self.client.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, turn: &ModelRequest, form: RequestForm) -> Result<Reply, ProviderError> {
        // With some protocols the name becomes a part of the path, and callers may name a model.
        let request = checked_model("model", &self.model)
            .and_then(|model| request::of(self.protocol, &model, turn, form.with_temperature))
            .map_err(|what| self.invalid_request(&what))?;
        let Client { http, settings, .. } = &self.client;
        let exchange = Exchange::new(http.clone(), *settings, self.protocol, form, self.faults.clone());
        match self.send(request, exchange.clone()).await {
            Ok(response) => reply::of(&response, turn, &self.model, &self.faults),
            Err(error) => Err(exchange.fault().unwrap_or_else(|| self.unread(&error))),
        }
        .map_err(|error| error.billed(exchange.usage()))
    }

    /// Has rig write the request, send it through the exchange, and read the reply.
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

    /// The exchange went well, and rig cannot read what came, or could not write what was to go.
    fn unread(&self, error: &RigError) -> ProviderError {
        match error {
            RigError::Request(what) => self.invalid_request(&what.to_string()),
            RigError::UnsupportedOption(what) => self.invalid_request(&what.to_string()),
            RigError::Truncated => self.faults.unreadable_reply("JSON that is not of its protocol"),
            other => self.faults.unreadable_reply(&other.to_string()),
        }
    }

    /// A request that is invalid before it is sent: the protocol cannot express it.
    fn invalid_request(&self, what: &str) -> ProviderError {
        let said = super::scrub::words(&format!("not sent: {what}"), &self.faults.key);
        ProviderError::Refused {
            provider: self.faults.provider.clone(),
            status: 400,
            said,
            usage: Usage::default(),
        }
    }
}
