//! A local server that speaks the protocols of language-model providers, by a script: real HTTP, no model.
//!
//! Each provider has its own path ([`ProtocolServer::url`]). A request is parsed by the rules of its protocol and
//! passed to the script as a [`ParsedRequest`]; the script's result, a [`Scripted`], is written by the same rules, or breaks them
//! on purpose. A request that breaks the rules never reaches the script: it is refused as the provider would, and
//! [`ProtocolServer::requests`] has the reason. Every request is recorded.

mod asked;
mod chat;
mod gemini;
mod messages;
mod scripted;
mod server;

pub(crate) use asked::{ParsedRequest, Spoken};
pub(crate) use scripted::Scripted;
pub(crate) use server::ProtocolServer;
