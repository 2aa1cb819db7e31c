//! The Model Context Protocol: the operations as tools, for programs driven by language models. It has no rules about keys, tiers or
//! params: a tool is called on the same path as a route.
//!
//! Two revisions of the protocol are served on one URL, 2025-11-25 (with its predecessors) and 2026-07-28; the SDK distinguishes them. No
//! state remains between requests, except which charts were paid for recently. `endpoint` and `protocol` fill the SDK's gaps, and the SDK
//! is named nowhere else in the project.
//!
//! Reading order: settings (`settings`), the request (`endpoint`, `message`, `stdio`), the handler (`handler`, `protocol`, `guarded`), the
//! tools (`toolset`, `view`, `tools`, `tool_schema`), a call (`calling`, `answer`, `detail`, `twin_names`, `refused`, `person_page`), the
//! chart tool (`chart`, `chart_call`, `chart_figures`, `paid_drawings`) and its page (`chart_app`), tool search (`tool_search`,
//! `discover`), the chat tools (`chat`), then prompts and resources.

mod settings;

mod endpoint;
mod local;
mod message;
mod stdio;

mod guarded;
mod handler;
mod protocol;
mod call_outcome;
mod tool_request;

mod toolset;
mod view;

mod tool_schema;
mod tools;

mod chart;
mod chart_app;
mod chart_call;
mod chart_figures;
mod paid_drawings;
mod explorer_link;

mod shortened_data;
mod answer;
mod calling;
mod detail;
mod twin_names;
mod person_page;
mod refused;

mod tool_search;
mod discover;
mod chat;

mod completion;
mod instructions;
mod prompts;
mod resources;

pub use chat::ChatTools;
pub use endpoint::{Endpoint, PATHS};
pub use handler::ServiceReceiver;
pub use local::StdioCaller;
pub use prompts::{PROMPTS_FOLDER, Prompts};
pub use refused::refusal;
pub use settings::McpSettings;
pub use stdio::{StdioError, stdio};
