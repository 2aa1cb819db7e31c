//! Language-model providers behind one trait, and the callers' provider keys, encrypted at rest.
//!
//! A provider is declared by one file under `queries/providers`. The crate `rig` writes requests and parses replies in a provider's
//! protocol; transport, limits and errors are ours. Keys are never passed to rig, and never appear in an error, a log or a reply. Requests
//! need the feature `providers`.

mod model;

// Declarations of providers.
mod declaration;
mod providers;

// Keys of callers.
mod key;
mod keys;
mod vault;

// Requests to models.
#[cfg_attr(not(feature = "providers"), expect(dead_code, reason = "used by the client"))]
mod breaker;
#[cfg(feature = "providers")]
mod client;
#[cfg(not(feature = "providers"))]
#[path = "no_client.rs"]
mod client;
mod client_settings;
#[cfg(feature = "providers")]
mod dialect;
#[cfg(feature = "providers")]
mod fault;
mod json_text;
#[cfg(feature = "providers")]
mod reply;
#[cfg(feature = "providers")]
mod request;
pub mod retry;
#[cfg_attr(not(feature = "providers"), expect(dead_code, reason = "used by the client"))]
mod scrub;
#[cfg(feature = "providers")]
mod transport;

pub use breaker::BreakerSettings;
pub use client::{BuildError, Client, KeyTest};
pub use client_settings::ClientSettings;
pub use declaration::{Protocol, Provider, TokenPrice};
pub use json_text::{fitted, objects};
pub use key::{KeyForm, ProviderKey};
pub use keys::{KEYS_PAGE, KeysError, ProviderKeys, SavedKey};
pub use model::{
    AnswerSchema, LanguageModel, Message, ModelRequest, ProviderError, Reply, ToolCall, ToolSpec, Usage,
};
pub use providers::{Providers, ProvidersError};
pub use vault::{MasterKey, VaultError};
