//! The Model Context Protocol: the operations as tools, for programs that language models drive.
//! It has no rules about keys, tiers or params: a tool is called on the same path as a route.
//!
//! Two revisions of the protocol are served on one URL, 2025-11-25 (with what came before it) and 2026-07-28; the SDK tells
//! them apart. Nothing is remembered between requests. What the SDK leaves undone is done in `endpoint` and `handler`, and
//! the SDK is named nowhere else in the project.
//!
//! Reading order: what the door is told (`settings`), how a request comes in (`endpoint`, `message`, `stdio`), who answers
//! it (`handler`, around it `guarded`), then the tools (`toolset`, `view`, `tools`, `tool_schema`), a call of one (`calling`, `arguments`,
//! `answer`, `refused`), the three tools that find others (`discover`), and what stands beside the tools.

mod settings;

mod endpoint;
mod message;
mod stdio;

mod guarded;
mod handler;
mod slip;

mod toolset;
mod view;

mod tool_schema;
mod tools;

mod answer;
mod calling;
mod refused;

mod discover;

mod completion;
mod instructions;
mod prompts;
mod resources;

pub use endpoint::{Endpoint, PATHS};
pub use refused::refusal;
pub use settings::McpSettings;
pub use stdio::{Local, StdioError, stdio};
