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
#[cfg(feature = "providers")]
mod reply;
#[cfg(feature = "providers")]
mod request;
pub mod retry;
#[cfg_attr(not(feature = "providers"), expect(dead_code, reason = "used by the client"))]
mod scrub;
#[cfg(feature = "providers")]
mod transport;

/// True if this build can send requests to language models.
pub const HAS_CLIENT: bool = cfg!(feature = "providers");

pub use breaker::BreakerSettings;
pub use client::{BuildError, Client};
pub use client_settings::ClientSettings;
pub use declaration::{Protocol, Provider, TokenPrice};
pub use key::{InvalidProviderKey, ProviderKey};
pub use keys::{KEYS_PAGE, KeysError, ProviderKeys, SavedKey};
pub use model::{
    AnswerSchema, KeyTest, LanguageModel, Message, ModelRequest, ProviderError, Reply, ToolCall, ToolSpec,
    Usage,
};
pub use parquote_evidence::{fit_to_schema, objects_in_order};
pub use providers::{Providers, ProvidersError};
pub use vault::{MasterKey, VaultError};
