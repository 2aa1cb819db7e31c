//! Language-model providers behind one trait, and the keys that callers store for them, sealed at rest.
//!
//! A provider is declared by one file under `queries/providers`. How a request and a reply are written in a provider's
//! protocol is rig's work; how the bytes travel, what limits them and what becomes of errors is ours. No key is ever
//! given to rig, and no key leaves through an error, a log or a reply.

mod model;

// Who the providers are.
mod declaration;
mod providers;

// The keys of callers.
mod key;
mod keys;
mod vault;

// How a model is asked.
mod client;
mod dialect;
mod fault;
mod reply;
mod request;
pub mod retry;
mod scrub;
mod transport;

pub use client::{BuildError, Client, ClientSettings, Verified};
pub use declaration::{Price, Protocol, Provider};
pub use key::{KeyForm, ProviderKey};
pub use keys::{KeysError, ProviderKeys, SavedKey};
pub use model::{
    AnswerSchema, LanguageModel, Message, ProviderError, Reply, ToolCall, ToolSpec, Turn, Usage,
};
pub use providers::{Providers, ProvidersError};
pub use vault::{MasterKey, VaultError};
