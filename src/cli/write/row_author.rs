//! The model of a provider as the author of rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use chrono::{NaiveDate, Utc};

use super::ModelArgs;
use crate::agents::provider::retry::{RealTime, RetryPolicy, reply_with_retries};
use crate::agents::provider::{
    AnswerSchema, Client, ClientSettings, LanguageModel, Message, ModelRequest, ProviderError, ProviderKey,
    Providers, TokenPrice, Usage,
};
use crate::operation::Catalogue;
use parquote_write::{Ask, AskError, ModelReply, WriteRequest};

/// Time limit of a request: a model on the user's machine reads a long document first.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(15);
/// Requests for one reply; each may last a quarter of an hour without an answer.
const MOST_REQUESTS: u32 = 2;
/// Key that is sent to a model server of the user, which ignores it.
const NO_KEY: &str = "no-key-needed";

/// A model with its price.
pub(super) struct RowAuthor {
    model: Arc<dyn LanguageModel>,
    price: Option<TokenPrice>,
    /// Number and delay of retries of a request.
    retries: RetryPolicy,
    /// Returns the remedy of an error that ends a run, after a semicolon.
    remedy: fn(&ProviderError) -> &'static str,
    /// The last session of the data.
    as_of: Option<NaiveDate>,
}

impl RowAuthor {
    /// Creates the author with the model that the arguments name. A provider key is needed only if `sends_requests`.
    pub(super) fn open(
        catalogue: &Catalogue,
        args: &ModelArgs,
        sends_requests: bool,
    ) -> anyhow::Result<Self> {
        let providers = Providers::parse(catalogue.declarations("providers/"))
            .and_then(|declared| declared.with_overrides(&args.provider_url, &[]))
            .context("the providers of language models are not sound")?;
        let name = &args.provider;
        let provider = providers
            .get(name)
            .with_context(|| format!("--provider: `{name}` is not one of {}", providers.names()))?;
        let key = match &args.provider_key {
            Some(key) => key.reveal(),
            None if args.is_own_server() || !sends_requests => NO_KEY,
            None => bail!(
                "set PARQUOTE_PROVIDER_KEY to your key of {}, or name your own model server with --provider-url {name}=URL",
                provider.label
            ),
        };
        let key: ProviderKey = key.parse().context("PARQUOTE_PROVIDER_KEY cannot be used")?;
        let settings = ClientSettings { request: REQUEST_TIMEOUT, ..ClientSettings::default() };
        let model = Client::new(settings)?.model(provider, &key, args.model.as_deref());
        let price = provider.price(model.identity().1);
        let retries = RetryPolicy { tries: MOST_REQUESTS, ..RetryPolicy::default() };
        Ok(Self { model, price, retries, remedy, as_of: None })
    }

    /// Returns the author of a run of a server, whose model repeats failed requests itself.
    pub(super) fn of_run(model: Arc<dyn LanguageModel>, price: Option<TokenPrice>) -> Self {
        let retries = RetryPolicy { tries: 1, ..RetryPolicy::default() };
        Self { model, price, retries, remedy: |_| "", as_of: None }
    }

    /// Returns the model with the last session of the data. A row that is written after that session counts as known from it on.
    pub(super) fn with_session(self, as_of: Option<NaiveDate>) -> Self {
        Self { as_of, ..self }
    }

    /// Returns the US dollars for a million tokens of requests and of replies; `None` if unknown.
    pub(super) fn price(&self) -> Option<(f64, f64)> {
        self.price.map(|price| (price.input_usd_per_million, price.output_usd_per_million))
    }

    fn reply(&self, text: String, usage: Usage, began: Instant) -> ModelReply {
        let (provider, model) = self.model.identity();
        let today = Utc::now().date_naive();
        ModelReply {
            provider: provider.to_owned(),
            model: model.to_owned(),
            text,
            cut: false,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: self.price.map(|price| price.cost_usd(usage)),
            seconds: began.elapsed().as_secs_f64(),
            day: self.as_of.map_or(today, |session| session.min(today)),
        }
    }
}

impl Ask for RowAuthor {
    fn identity(&self) -> (&str, &str) {
        self.model.identity()
    }

    async fn ask(&self, request: &WriteRequest) -> Result<ModelReply, AskError> {
        let turn = ModelRequest {
            system: request.system.clone(),
            messages: vec![Message::User { text: request.user.clone() }],
            tools: Vec::new(),
            schema: Some(AnswerSchema { name: request.schema_name.clone(), schema: request.schema.clone() }),
            max_output_tokens: request.output_tokens,
            temperature: 0.0,
        };
        let began = Instant::now();
        match reply_with_retries(&*self.model, &turn, self.retries, &RealTime).await {
            Ok(reply) => Ok(ModelReply { cut: reply.cut, ..self.reply(reply.text, reply.usage, began) }),
            Err(error) if concerns_one_document(&error) => {
                let reply = Box::new(self.reply(String::new(), error.usage(), began));
                Err(AskError::Refused { reason: error.to_string(), reply })
            }
            Err(error) => Err(AskError::Unavailable(format!("{error}{}", (self.remedy)(&error)))),
        }
    }
}

/// Returns the remedy of an error that ends a run, after a semicolon; empty if waiting is the remedy.
const fn remedy(error: &ProviderError) -> &'static str {
    match error {
        ProviderError::KeyRefused { .. } => "; set PARQUOTE_PROVIDER_KEY to a valid key of this provider",
        ProviderError::Refused { status: 404, .. } => {
            "; name a model that it has with --model, and the address of your own server, up to its /v1, with --provider-url"
        }
        ProviderError::Unreachable { .. } => "; start the server, or correct its address in --provider-url",
        _ => "",
    }
}

/// Returns true if another document may get a reply: the fault is not one of the key, the account or the model's name.
const fn concerns_one_document(error: &ProviderError) -> bool {
    match error {
        ProviderError::Refused { status, .. } => !matches!(*status, 402 | 404),
        ProviderError::Garbage { .. } => true,
        _ => false,
    }
}
