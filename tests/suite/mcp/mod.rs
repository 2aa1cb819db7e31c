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

/// The tool that draws, and its page.
mod charts;

/// The cases of REST through the tools.
mod same_as_rest;

/// Invalid messages.
mod protocol;

/// Prompts, resources, completion.
mod beside;

/// Standard input and output.
mod stdio;
