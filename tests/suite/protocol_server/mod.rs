//! A local server that speaks the protocols of language-model providers, by a script: real HTTP, no model.
//!
//! Each provider has a path of its own ([`ProtocolServer::url`]). A request is taken apart by the rules of its protocol and
//! given to the script as an [`ParsedRequest`]; what the script returns, a [`Scripted`], is written by the same rules, or breaks them
//! on purpose. A request that breaks the rules itself never reaches the script: it is refused as the provider would, and
//! [`ProtocolServer::requests`] has the reason. Every request is kept.

mod asked;
mod chat;
mod gemini;
mod messages;
mod scripted;
mod server;

pub(crate) use asked::{ParsedRequest, Spoken};
pub(crate) use scripted::Scripted;
pub(crate) use server::ProtocolServer;
