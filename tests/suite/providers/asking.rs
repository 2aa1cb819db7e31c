//! Requests and clients that the provider tests share.

use std::sync::Arc;
use std::time::Duration;

use parquote::agents::provider::{
    BreakerSettings, Client, ClientSettings, LanguageModel, Message, ModelRequest, Provider, ProviderError,
    ProviderKey, Providers, Reply, ToolSpec,
};
use serde_json::json;

use crate::protocol_server::{ParsedRequest, ProtocolServer, Scripted, Spoken};

/// The key of all tests; it looks like no provider's key, so that only its exact value can remove it from a text.
pub(crate) const KEY: &str = "Zq7.Wm3/Kx9.Pv5/Rt2.Yb8/Nc4";

const FILES: [(&str, &str); 6] = [
    ("anthropic.toml", include_str!("../../../queries/providers/anthropic.toml")),
    ("deepseek.toml", include_str!("../../../queries/providers/deepseek.toml")),
    ("gemini.toml", include_str!("../../../queries/providers/gemini.toml")),
    ("groq.toml", include_str!("../../../queries/providers/groq.toml")),
    ("openai.toml", include_str!("../../../queries/providers/openai.toml")),
    ("openrouter.toml", include_str!("../../../queries/providers/openrouter.toml")),
];

/// Limits that a provider which replies does not reach, even on a busy machine.
pub(crate) const SETTINGS: ClientSettings = ClientSettings {
    connect: Duration::from_secs(30),
    request: Duration::from_secs(30),
    idle: Duration::from_secs(30),
    reply_bytes: 1024 * 1024,
    breaker: BreakerSettings::DEFAULT_SETTINGS,
};

/// Limits short enough to wait for.
pub(crate) const BRIEF: ClientSettings =
    ClientSettings { request: Duration::from_millis(1_500), idle: Duration::from_millis(400), ..SETTINGS };

pub(crate) fn key() -> ProviderKey {
    KEY.parse().unwrap()
}

/// Returns a provider at an address.
pub(crate) fn provider_at(spoken: Spoken, url: &str) -> Arc<Provider> {
    let providers = Providers::parse(FILES.into_iter()).unwrap();
    let urls = [(spoken.name().to_owned(), url.to_owned())];
    let providers = providers.with_overrides(&urls, &[]).unwrap();
    Arc::clone(providers.get(spoken.name()).unwrap())
}

/// Returns a model of a provider whose address is the server.
pub(crate) fn model_of(
    server: &ProtocolServer,
    spoken: Spoken,
    model: Option<&str>,
) -> Arc<dyn LanguageModel> {
    let provider = provider_at(spoken, &server.url(spoken));
    Client::new(SETTINGS).unwrap().model(&provider, &key(), model)
}

/// Sends a request to a provider with one scripted reply, within brief limits if it is a reply that does not end.
pub(crate) async fn ask(spoken: Spoken, scripted: Scripted) -> Result<Reply, ProviderError> {
    let is_endless = matches!(scripted, Scripted::Silence | Scripted::Stall);
    ask_within(if is_endless { BRIEF } else { SETTINGS }, spoken, scripted).await
}

/// Sends a request to a provider with one scripted reply, within these limits.
pub(crate) async fn ask_within(
    limits: ClientSettings,
    spoken: Spoken,
    scripted: Scripted,
) -> Result<Reply, ProviderError> {
    let server = ProtocolServer::start(move |_: &ParsedRequest| scripted.clone()).await;
    let model = Client::new(limits).unwrap().model(&provider_at(spoken, &server.url(spoken)), &key(), None);
    let reply = model.reply(&turn("hello")).await;
    let wrong = server.requests().into_iter().find_map(|asked| asked.wrong);
    assert_eq!(wrong, None, "{spoken:?}");
    reply
}

/// Returns a plain turn.
pub(crate) fn turn(text: &str) -> ModelRequest {
    ModelRequest {
        system: "Be brief.".to_owned(),
        messages: vec![Message::User { text: text.to_owned() }],
        tools: Vec::new(),
        schema: None,
        max_output_tokens: 300,
        temperature: 0.25,
    }
}

/// Returns two tools.
pub(crate) fn tools() -> Vec<ToolSpec> {
    ["get_price", "get_news"]
        .map(|name| ToolSpec {
            name: name.to_owned(),
            words: format!("Runs {name}."),
            parameters: json!({
                "type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"],
            }),
        })
        .to_vec()
}
