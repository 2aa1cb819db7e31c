//! The Model Context Protocol: the operations as tools, for programs that language models drive.
//! It has no rules about keys, tiers or params: a tool is called on the same path as a route.
//!
//! Two revisions of the protocol are served on one URL, 2025-11-25 (with what came before it) and 2026-07-28; the SDK tells
//! them apart. Nothing is remembered between requests, but which charts were paid for of late. What the SDK leaves undone is done in `endpoint` and `protocol`, and
//! the SDK is named nowhere else in the project.
//!
//! Reading order: its settings (`settings`), how a request comes in (`endpoint`, `message`, `stdio`), who answers
//! it (`handler`, `protocol`, around it `guarded`), then the tools (`toolset`, `view`, `tools`, `tool_schema`), a call of one (`calling`, `arguments`,
//! `answer`, `detail`, `twin_names`, `refused`, `person_page`), the one tool that draws what others tell (`chart`, `chart_call`, `chart_figures`, `paid_drawings`) and the page that shows it
//! in a chat (`chart_app`), the three tools that find others (`tool_search`, `discover`), those that answer questions (`chat`), and what stands beside the tools.

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
mod prompt_scripts;
mod prompts;
mod resources;

pub use chat::ChatTools;
pub use endpoint::{Endpoint, PATHS};
pub use handler::LaterService;
pub use local::Local;
pub use refused::refusal;
pub use settings::McpSettings;
pub use stdio::{StdioError, stdio};
