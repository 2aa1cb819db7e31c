//! A preset: its agents, their order, its runtime and its budget.

use serde::{Deserialize, Serialize};

use crate::{Agent, Limit};
use parquote_catalogue::operation::Market;

/// A preset.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Name of the preset and of its file.
    pub name: String,
    /// Display name.
    pub label: String,
    /// Purpose of the preset, in one sentence.
    pub words: String,
    /// Expected duration of a run, in words.
    pub runtime: String,
    /// Expected duration of a run in seconds, minimum and maximum.
    pub runtime_s: [u32; 2],
    /// Markets it supports.
    pub markets: Vec<Market>,
    /// Spending limit of a run.
    pub budget: PresetBudget,
    /// Expected token use of a run, from experience.
    pub expected_tokens: TokenRange,
    /// The agents; the last one writes the report.
    pub agents: Vec<Agent>,
    /// Groups of agents that can work concurrently, as indices into `agents`; the last group is the editor alone.
    pub waves: Vec<Vec<usize>>,
    /// A hash of the file. A run continues with the instructions with which it began, or fails.
    pub fingerprint: String,
}

/// The spending limit of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetBudget {
    /// Maximum number of tokens, sent and received.
    pub max_tokens: u64,
    /// Maximum cost, in US dollars.
    pub max_cost_usd: f64,
}

/// Ranges of token counts, minimum and maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRange {
    /// Tokens sent.
    pub input: [u64; 2],
    /// Tokens received.
    pub output: [u64; 2],
}

impl Preset {
    /// Returns a message for each tool that is missing in its market; empty if all exist.
    pub fn check(&self, is_known: impl Fn(Market, &str) -> bool) -> Vec<String> {
        let mut faults = Vec::new();
        for agent in &self.agents {
            for market in Market::ALL {
                let unknown = agent.tools.for_market(market).iter().filter(|tool| !is_known(market, tool));
                faults.extend(unknown.map(|tool| {
                    format!(
                        "the agent `{}` of the preset `{}` names the tool `{tool}` for {market}; there is none of this name that reads this market",
                        agent.name, self.name
                    )
                }));
            }
        }
        faults
    }

    /// Returns the agent that writes the report.
    pub fn editor(&self) -> Option<&Agent> {
        self.agents.last()
    }

    /// Returns the budget as a limit of a run.
    pub fn limit(&self) -> Limit {
        Limit { tokens: self.budget.max_tokens, cost_microusd: self.budget.cost_microusd() }
    }
}

impl PresetBudget {
    /// Returns the cost limit in millionths of a dollar.
    pub fn cost_microusd(&self) -> u64 {
        (self.max_cost_usd * 1e6).round() as u64
    }
}
