//! The tools, over the MCP endpoint of a real server and over standard input and output of the real binary. The official
//! clients are in `tests/clients`.
//!
//! Reading order: the caller ([`client`]), then the tests.

/// A caller of the endpoint in either revision.
mod client;

/// What is listed, held against files of it.
mod list;

/// Calls of tools, their answers and refusals.
mod calls;

/// The tools that answer questions.
mod chat;

/// The tool that draws, and its page.
mod charts;

/// The cases of REST through the tools.
mod same_as_rest;

/// Messages that are not as they should be.
mod protocol;

/// Prompts, resources, completion.
mod beside;

/// Standard input and output.
mod stdio;
