//! Language-model providers behind one trait.

mod model;

pub use model::{
    AnswerSchema, LanguageModel, Message, ProviderError, Reply, ToolCall, ToolSpec, Turn, Usage,
};
