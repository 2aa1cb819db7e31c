//! Requests to a language model and its replies, the same for every provider.

use std::time::Duration;

use async_trait::async_trait;
use parquote_catalogue::features::missing_feature;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A language model that can be asked.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks for one reply. Dropping the future gives the request up.
    ///
    /// # Errors
    /// Why there is no reply.
    async fn reply(&self, turn: &ModelRequest) -> Result<Reply, ProviderError>;

    /// The provider's name and the model's, such as `openai` and `gpt-5.2`.
    fn identity(&self) -> (&str, &str);
}

/// One request to a model: instructions, conversation, tools and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The instructions that stand above the conversation.
    pub system: String,
    /// The conversation so far; the last message is a user's or a tool's.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The JSON schema of an answer.
    pub schema: Option<AnswerSchema>,
    /// Tokens that the reply may have.
    pub max_output_tokens: u32,
    /// 0 for the most likely words.
    pub temperature: f64,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What is asked.
    User {
        /// The text.
        text: String,
    },
    /// What the model replied.
    Assistant {
        /// Its text; may be empty beside calls.
        text: String,
        /// The tools it called.
        calls: Vec<ToolCall>,
    },
    /// What a tool answered.
    Tool {
        /// The call it answers.
        call_id: String,
        /// The tool.
        name: String,
        /// Its answer.
        text: String,
    },
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name, of `[a-z0-9_]`.
    pub name: String,
    /// What it does, in a sentence.
    pub words: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Json,
}

/// A model's call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that links the answer to this call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Json,
}

/// The JSON schema of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerSchema {
    /// A name for it, of `[a-z0-9_]`.
    pub name: String,
    /// The JSON schema, an object.
    pub schema: Json,
}

/// What a model replied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its text; may be empty beside calls.
    pub text: String,
    /// The tools it calls.
    pub calls: Vec<ToolCall>,
    /// The tokens of this one request.
    pub usage: Usage,
    /// The model that the provider says has replied.
    pub model: String,
    /// Whether the reply was cut at its longest.
    pub cut: bool,
}

/// Tokens that were used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the reply, thoughts among them.
    pub output_tokens: u64,
}

/// Why a provider gave no reply. No variant holds a key, or text of the provider that was not shortened and cleaned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// 401, 403: the key does not work.
    #[error("{provider} refuses the key: {said}")]
    KeyRefused {
        /// The provider.
        provider: String,
        /// What it said, shortened.
        said: String,
    },
    /// Another 4xx: the request will not get better.
    #[error("{provider} refuses the request ({status}): {said}")]
    Refused {
        /// The provider.
        provider: String,
        /// The HTTP status; 200 where it declines to answer.
        status: u16,
        /// What it said, shortened.
        said: String,
        /// What it counts for that.
        usage: Usage,
    },
    /// 429: too many requests, or nothing left of an allowance.
    #[error("{provider} has no capacity now: {said}")]
    Limited {
        /// The provider.
        provider: String,
        /// After how long it asks to be asked again.
        after: Option<Duration>,
        /// What it said, shortened.
        said: String,
    },
    /// 5xx.
    #[error("{provider} fails ({status}): {said}")]
    Failing {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// After how long it asks to be asked again.
        after: Option<Duration>,
        /// What it said, shortened.
        said: String,
    },
    /// No connection.
    #[error("{provider} cannot be reached: {said}")]
    Unreachable {
        /// The provider.
        provider: String,
        /// Why, without the address's query.
        said: String,
    },
    /// No reply in time.
    #[error("{provider} did not reply within {} s", .after.as_secs())]
    Silent {
        /// The provider.
        provider: String,
        /// The time that was waited.
        after: Duration,
    },
    /// The connection ended within a reply.
    #[error("{provider} cut its reply short")]
    Cut {
        /// The provider.
        provider: String,
    },
    /// A reply that cannot be read: not JSON, not of the protocol, too long.
    #[error("{provider} sent a reply that cannot be read: {said}")]
    Garbage {
        /// The provider.
        provider: String,
        /// What is wrong with it.
        said: String,
        /// What the provider counts for it.
        usage: Usage,
    },
    /// Nothing was sent: requests before this one failed.
    #[error(
        "{provider} is not asked now: {what}; it is asked again in {} s, or take another provider until then",
        .after.as_millis().div_ceil(1_000)
    )]
    Paused {
        /// The provider.
        provider: String,
        /// What failed, in words of ours.
        what: String,
        /// After how long requests are sent again.
        after: Duration,
    },
    /// This build cannot ask a model.
    #[error("{}", missing_feature("asking a language model", "agents"))]
    NotBuilt,
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub fn retry(&self) -> bool {
        matches!(
            self,
            Self::Limited { .. }
                | Self::Failing { .. }
                | Self::Unreachable { .. }
                | Self::Silent { .. }
                | Self::Cut { .. }
        )
    }

    /// The tokens that the provider bills though its reply is of no use.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Refused { usage, .. } | Self::Garbage { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// The same error, of a reply for which so many tokens are billed.
    #[cfg(feature = "providers")]
    pub(super) fn billed(mut self, counted: Usage) -> Self {
        if let Self::Refused { usage, .. } | Self::Garbage { usage, .. } = &mut self {
            *usage = counted;
        }
        self
    }

    /// After how long the provider asks to be asked again.
    pub fn after(&self) -> Option<Duration> {
        match self {
            Self::Limited { after, .. } | Self::Failing { after, .. } => *after,
            _ => None,
        }
    }
}
