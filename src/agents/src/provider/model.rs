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
    /// The JSON schema of the answer; `None` for any text.
    pub schema: Option<AnswerSchema>,
    /// Maximum number of tokens of the reply.
    pub max_output_tokens: u32,
    /// Sampling temperature; 0 for the most likely tokens.
    pub temperature: f64,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A user's message.
    User {
        /// Text of the message.
        text: String,
    },
    /// A reply of the model.
    Assistant {
        /// The text; may be empty if there are calls.
        text: String,
        /// The tool calls.
        calls: Vec<ToolCall>,
    },
    /// A tool's answer.
    Tool {
        /// Id of the answered call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// The answer of the tool.
        text: String,
    },
}

/// The result of a key test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTest {
    /// Name of the model that replied.
    pub model: String,
    /// The text of the reply, shortened; empty if a reasoning model returned only thoughts.
    pub text: String,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name of the tool, matching `[a-z0-9_]+`.
    pub name: String,
    /// Description in one sentence.
    pub words: String,
    /// JSON schema of the arguments, an object.
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
    /// Name of the schema, matching `[a-z0-9_]+`.
    pub name: String,
    /// The JSON schema, an object.
    pub schema: Json,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Text of the reply; may be empty if there are calls.
    pub text: String,
    /// The requested tool calls, in order.
    pub calls: Vec<ToolCall>,
    /// Tokens of the request and of this reply.
    pub usage: Usage,
    /// Name of the model that replied, according to the provider.
    pub model: String,
    /// True if the reply was cut at its maximum length.
    pub cut: bool,
}

/// Numbers of tokens of a request and its reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of tokens of the request.
    pub input_tokens: u64,
    /// Number of tokens of the reply, including thoughts.
    pub output_tokens: u64,
}

/// Reason why a provider gave no reply. No variant contains a key; texts of providers in it are shortened and cleaned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// 401, 403: the key does not work.
    #[error("{provider} refuses the key: {message}")]
    KeyRefused {
        /// Name of the provider.
        provider: String,
        /// The provider's message, shortened.
        message: String,
    },
    /// Another 4xx: a retry cannot succeed.
    #[error("{provider} refuses the request ({status}): {message}")]
    Refused {
        /// Name of the provider.
        provider: String,
        /// The HTTP status; 200 for a declined answer.
        status: u16,
        /// The provider's message, shortened.
        message: String,
        /// Billed tokens.
        usage: Usage,
    },
    /// 429: too many requests, or an exhausted quota.
    #[error("{provider} has no capacity now: {message}")]
    Limited {
        /// Name of the provider.
        provider: String,
        /// Wait that the provider requests; `None` if it requests none.
        after: Option<Duration>,
        /// The provider's message, shortened.
        message: String,
    },
    /// 5xx or 408: the provider failed.
    #[error("{provider} fails ({status}): {message}")]
    Failing {
        /// Name of the provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// Wait that the provider requests; `None` if it requests none.
        after: Option<Duration>,
        /// The provider's message, shortened.
        message: String,
    },
    /// No connection.
    #[error("{provider} cannot be reached: {message}")]
    Unreachable {
        /// Name of the provider.
        provider: String,
        /// The cause, without the URL's query.
        message: String,
    },
    /// No reply in time.
    #[error("{provider} did not reply within {} s", .after.as_secs())]
    Silent {
        /// Name of the provider.
        provider: String,
        /// Time that was waited.
        after: Duration,
    },
    /// The connection closed within a reply.
    #[error("{0} cut its reply short")]
    Cut(String),
    /// An unreadable reply: not JSON, not of the protocol, or too long.
    #[error("{provider} sent a reply that cannot be read: {message}")]
    Garbage {
        /// Name of the provider.
        provider: String,
        /// The fault, in words.
        message: String,
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
        /// The failures, in words of this program.
        what: String,
        /// Time until requests are sent again.
        after: Duration,
    },
    /// This build lacks the feature for requests to models.
    #[error("{}", missing_feature("asking a language model", "agents"))]
    NotBuilt,
}

impl ProviderError {
    /// Returns true if the same request may succeed in a retry.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Limited { .. }
                | Self::Failing { .. }
                | Self::Unreachable { .. }
                | Self::Silent { .. }
                | Self::Cut(_)
        )
    }

    /// Returns the tokens that the provider bills for an unusable reply.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Refused { usage, .. } | Self::Garbage { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// Returns the error with these billed tokens, if its variant has any.
    #[cfg(feature = "providers")]
    pub(super) fn with_billed_usage(mut self, counted: Usage) -> Self {
        if let Self::Refused { usage, .. } | Self::Garbage { usage, .. } = &mut self {
            *usage = counted;
        }
        self
    }

    /// Returns the wait that the provider requests; `None` if it requests none.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Limited { after, .. } | Self::Failing { after, .. } => *after,
            _ => None,
        }
    }
}
