//! The tools, over the MCP endpoint of a real server and over standard input and output of the real binary. The official
//! clients are in `tests/clients`.
//!
//! Reading order: the client ([`client`]), then the tests.

/// A client of the endpoint in both revisions.
mod client;

/// The list of tools, compared with files.
mod list;

/// Calls of tools, their answers and refusals.
mod calls;

/// The chat tools.
mod chat;

/// What the chat tools understand, and what they refuse in words.
mod chat_words;

/// Chat calls that could be answered as another question.
mod other_questions;

/// The two tools of connectors.
mod connector;

/// Text and structured content, each alone.
mod both_halves;

/// Requirements of clients and providers of models for every tool.
mod strict;

/// The tool that draws, and its page.
mod charts;

/// Charts as PNG, with their figures as text.
#[cfg(feature = "png")]
mod chart_figures;

/// The cases of REST through the tools.
mod same_as_rest;

/// Invalid messages.
mod protocol;

/// Prompts, resources, completion.
mod beside;

/// Standard input and output.
mod stdio;
