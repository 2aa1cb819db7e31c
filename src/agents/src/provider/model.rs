//! Requests to a language model and its replies, independent of the provider.

use std::time::Duration;

use async_trait::async_trait;
use parquote_catalogue::features::missing_feature;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A language model.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Requests one reply. Dropping the future cancels the request.
    ///
    /// # Errors
    /// The reason why there is no reply.
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError>;

    /// Returns the provider's and the model's name, such as `openai` and `gpt-5.2`.
    fn identity(&self) -> (&str, &str);
}

/// One request to a model: instructions, conversation, tools and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// System instructions.
    pub system: String,
    /// The conversation so far; the last message is a user's or a tool's.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The JSON schema of an answer.
    pub schema: Option<AnswerSchema>,
    /// Maximum tokens of the reply.
    pub max_output_tokens: u32,
    /// Sampling temperature; 0 for the most likely words.
    pub temperature: f64,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A user's message.
    User {
        /// The text.
        text: String,
    },
    /// A reply of the model.
    Assistant {
        /// Its text; may be empty if there are calls.
        text: String,
        /// Its tool calls.
        calls: Vec<ToolCall>,
    },
    /// A tool's answer.
    Tool {
        /// Id of the answered call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Its answer.
        text: String,
    },
}

/// The result of a key test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTest {
    /// The model that replied.
    pub model: String,
    /// Its text, shortened; a reasoning model may have returned none yet.
    pub said: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name, matching `[a-z0-9_]+`.
    pub name: String,
    /// Description in one sentence.
    pub words: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Json,
}

/// A model's call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id that links the answer to this call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Json,
}

/// The JSON schema of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSchema {
    /// Its name, matching `[a-z0-9_]+`.
    pub name: String,
    /// The JSON schema, an object.
    pub schema: Json,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its text; may be empty if there are calls.
    pub text: String,
    /// Its tool calls.
    pub calls: Vec<ToolCall>,
    /// Tokens of this request.
    pub usage: Usage,
    /// The model that replied, according to the provider.
    pub model: String,
    /// True if the reply was cut at its maximum length.
    pub cut: bool,
}

/// Used tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the reply, including thoughts.
    pub output_tokens: u64,
}

/// Reason why a provider gave no reply. No variant contains a key, or a provider's text that was not shortened and cleaned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// 401, 403: the key does not work.
    #[error("{provider} refuses the key: {said}")]
    KeyRefused {
        /// Name of the provider.
        provider: String,
        /// Its message, shortened.
        said: String,
    },
    /// Another 4xx: a retry cannot succeed.
    #[error("{provider} refuses the request ({status}): {said}")]
    Refused {
        /// Name of the provider.
        provider: String,
        /// The HTTP status; 200 for a declined answer.
        status: u16,
        /// Its message, shortened.
        said: String,
        /// Billed tokens.
        usage: Usage,
    },
    /// 429: too many requests, or an exhausted quota.
    #[error("{provider} has no capacity now: {said}")]
    Limited {
        /// Name of the provider.
        provider: String,
        /// Wait that it requests.
        after: Option<Duration>,
        /// Its message, shortened.
        said: String,
    },
    /// 5xx.
    #[error("{provider} fails ({status}): {said}")]
    Failing {
        /// Name of the provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// Wait that it requests.
        after: Option<Duration>,
        /// Its message, shortened.
        said: String,
    },
    /// No connection.
    #[error("{provider} cannot be reached: {said}")]
    Unreachable {
        /// Name of the provider.
        provider: String,
        /// The cause, without the URL's query.
        said: String,
    },
    /// No reply in time.
    #[error("{provider} did not reply within {} s", .after.as_secs())]
    Silent {
        /// Name of the provider.
        provider: String,
        /// Time waited.
        after: Duration,
    },
    /// The connection closed within a reply.
    #[error("{0} cut its reply short")]
    Cut(String),
    /// An unreadable reply: not JSON, not of the protocol, or too long.
    #[error("{provider} sent a reply that cannot be read: {said}")]
    Garbage {
        /// Name of the provider.
        provider: String,
        /// The fault, in words.
        said: String,
        /// Billed tokens.
        usage: Usage,
    },
    /// Nothing was sent: earlier requests failed.
    #[error(
        "{provider} gets no requests now: {what}; the pause ends in {} s, or take another provider until then",
        .after.as_millis().div_ceil(1_000)
    )]
    Paused {
        /// Name of the provider.
        provider: String,
        /// The failures, in our words.
        what: String,
        /// Time until requests are sent again.
        after: Duration,
    },
    /// This build lacks the feature for requests to models.
    #[error("{}", missing_feature("asking a language model", "agents"))]
    NotBuilt,
}

impl ProviderError {
    /// Returns true if the same request may succeed later.
    pub fn retry(&self) -> bool {
        matches!(
            self,
            Self::Limited { .. }
                | Self::Failing { .. }
                | Self::Unreachable { .. }
                | Self::Silent { .. }
                | Self::Cut(_)
        )
    }

    /// Returns the tokens that the provider bills for a useless reply.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Refused { usage, .. } | Self::Garbage { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// Returns the error with these billed tokens.
    #[cfg(feature = "providers")]
    pub(super) fn with_billed_usage(mut self, counted: Usage) -> Self {
        if let Self::Refused { usage, .. } | Self::Garbage { usage, .. } = &mut self {
            *usage = counted;
        }
        self
    }

    /// Returns the wait that the provider requests.
    pub fn after(&self) -> Option<Duration> {
        match self {
            Self::Limited { after, .. } | Self::Failing { after, .. } => *after,
            _ => None,
        }
    }
}
