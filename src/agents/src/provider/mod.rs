//! Language-model providers behind one trait, and the provider keys of callers, encrypted at rest.
//!
//! A provider is declared by one file under `queries/providers`. The crate `rig` writes requests and parses replies in a
//! provider's protocol; transport, limits and errors are ours. No key is ever passed to rig, and no key leaves through an
//! error, a log or a reply.

mod model;

// Who the providers are.
mod declaration;
mod providers;

// The keys of callers.
mod key;
mod keys;
mod vault;

// How a model is asked.
mod breaker;
mod client;
mod client_settings;
mod dialect;
mod fault;
mod json_text;
mod reply;
mod request;
pub mod retry;
mod scrub;
mod transport;

pub use breaker::BreakerSettings;
pub use client::{BuildError, Client, Verified};
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
