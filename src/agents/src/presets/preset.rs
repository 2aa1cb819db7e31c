//! A preset: its agents, their order, its runtime and its budget.

use serde::{Deserialize, Serialize};

use crate::{Agent, Limit};
use parquote_catalogue::operation::Market;

/// A team of agents.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Its name, that of its file.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// What it is for.
    pub words: String,
    /// How long a run takes, in words.
    pub runtime: String,
    /// How long a run takes, in seconds, from and to.
    pub runtime_s: [u32; 2],
    /// The markets that it works in.
    pub markets: Vec<Market>,
    /// What a run may spend.
    pub budget: PresetBudget,
    /// What a run uses, by experience.
    pub expected_tokens: TokenRange,
    /// The agents; the last one writes the report.
    pub agents: Vec<Agent>,
    /// Who can work at the same time, by place in `agents`; the last group is the editor alone.
    pub waves: Vec<Vec<usize>>,
    /// A hash of the file: a run continues with the instructions that it began with, or fails.
    pub fingerprint: String,
}

/// The spending limit of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetBudget {
    /// Tokens, sent and received.
    pub max_tokens: u64,
    /// US dollars.
    pub max_cost_usd: f64,
}

/// Tokens from and to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRange {
    /// Those sent.
    pub input: [u64; 2],
    /// Those received.
    pub output: [u64; 2],
}

impl Preset {
    /// The tools that the team names and that there are not in their market, each in words; empty when all is well.
    pub fn check(&self, is_known: impl Fn(Market, &str) -> bool) -> Vec<String> {
        let mut faults = Vec::new();
        for agent in &self.agents {
            for market in Market::ALL {
                let unknown = agent.tools.of(market).iter().filter(|tool| !is_known(market, tool));
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

    /// The agent that writes the report.
    pub fn editor(&self) -> Option<&Agent> {
        self.agents.last()
    }

    /// The budget as a limit of a run.
    pub fn limit(&self) -> Limit {
        Limit { tokens: self.budget.max_tokens, cost_microusd: self.budget.cost_microusd() }
    }
}

impl PresetBudget {
    /// The cost in millionths of a dollar.
    pub fn cost_microusd(&self) -> u64 {
        (self.max_cost_usd * 1e6).round() as u64
    }
}
