//! An agent: its name, its task, and the tools that it may use.

use serde::Deserialize;

use parquote_catalogue::operation::Market;

/// A language model with a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Name of the agent, unique within the run, matching `[a-z0-9_]+`.
    pub name: String,
    /// Role of the agent, in a few words.
    pub role: String,
    /// Instructions for the task.
    pub prompt: String,
    /// The tools that it may call.
    pub tools: MarketTools,
    /// Names of the agents whose findings it reads.
    pub after: Vec<String>,
    /// Maximum number of replies in which it may call tools.
    pub max_turns: u32,
}

/// Names of tools by market.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketTools {
    /// Names of the tools for India.
    #[serde(default)]
    pub india: Vec<String>,
    /// Names of the tools for the US.
    #[serde(default)]
    pub us: Vec<String>,
}

impl MarketTools {
    /// Returns the tools of a market.
    pub fn for_market(&self, market: Market) -> &[String] {
        match market {
            Market::India => &self.india,
            Market::Us => &self.us,
        }
    }
}
