//! The start of a job: its specification, budget, run limit and id.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::work::ProviderUsage;

/// A job to start.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Kind of work: workers for this kind take it.
    pub kind: String,
    /// Form of the job's id.
    pub id_form: IdForm,
    /// Name of the job's owner.
    pub owner: String,
    /// Number of the key that starts the job, whose limit applies. All callers without a key, `None`, share one limit.
    pub key_id: Option<i64>,
    /// Specification of the work.
    pub spec: Json,
    /// Spending limit of the job.
    pub budget: Budget,
}

/// Form of an id. Both forms are random, so that ids cannot be enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// 32 hexadecimal digits.
    Hex,
    /// A decimal positive integer below 2^53, which every client's numbers hold exactly.
    Number,
}

/// Spending limit of a job; `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Maximum number of tokens, sent and received.
    pub tokens: Option<u64>,
    /// Maximum cost, in millionths of a US dollar.
    pub cost_microusd: Option<u64>,
}

/// The runs left within a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunsLeft {
    /// Number of runs left.
    pub runs: u32,
    /// Seconds until the next run is possible; `None` if runs are left, or if none will ever be possible.
    pub next_in_s: Option<i64>,
}

impl IdForm {
    /// Draws a random id.
    pub(super) fn draw_id(self) -> Result<String, getrandom::Error> {
        Ok(match self {
            Self::Hex => {
                let mut bytes = [0; 16];
                getrandom::fill(&mut bytes)?;
                format!("{:032x}", u128::from_be_bytes(bytes))
            }
            Self::Number => {
                let mut bytes = [0; 8];
                getrandom::fill(&mut bytes)?;
                (u64::from_be_bytes(bytes) >> 11).max(1).to_string()
            }
        })
    }
}

impl Budget {
    /// Returns a message for the exceeded limit; `None` within the budget.
    pub(super) fn exceeded_message(&self, spent: ProviderUsage) -> Option<String> {
        let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
        if let Some(most) = self.tokens.filter(|most| tokens > *most) {
            return Some(format!("{tokens} tokens were used of {most}"));
        }
        let most = self.cost_microusd.filter(|most| spent.cost_microusd > *most)?;
        Some(format!("{} were spent of {}", format_dollars(spent.cost_microusd), format_dollars(most)))
    }
}

/// Formats millionths of a dollar as dollars, to the hundredth of a cent.
fn format_dollars(microusd: u64) -> String {
    format!("US$ {}.{:04}", microusd / 1_000_000, microusd % 1_000_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_form_and_do_not_repeat() {
        let hex: Vec<String> = (0..100).map(|_| IdForm::Hex.draw_id().unwrap()).collect();
        assert!(hex.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
        let numbers: Vec<u64> =
            (0..100).map(|_| IdForm::Number.draw_id().unwrap().parse().unwrap()).collect();
        assert!(numbers.iter().all(|id| (1..9_007_199_254_740_992).contains(id)));
        // All of 100 random numbers below 2^53 are below 2^46 with probability 128^-100.
        assert!(numbers.iter().any(|id| *id > 1 << 46));
        let distinct: std::collections::HashSet<_> = hex.iter().collect();
        assert_eq!(distinct.len(), 100);
    }

    #[test]
    fn a_budget_is_exceeded_by_more_and_not_by_as_much() {
        let budget = Budget { tokens: Some(100), cost_microusd: Some(2_500_000) };
        let spent = |input_tokens, output_tokens, cost_microusd| ProviderUsage {
            input_tokens,
            output_tokens,
            cost_microusd,
        };
        assert_eq!(budget.exceeded_message(spent(60, 40, 2_500_000)), None);
        assert_eq!(budget.exceeded_message(spent(60, 41, 0)).unwrap(), "101 tokens were used of 100");
        assert_eq!(
            budget.exceeded_message(spent(0, 0, 2_500_100)).unwrap(),
            "US$ 2.5001 were spent of US$ 2.5000"
        );
        assert_eq!(Budget::default().exceeded_message(spent(u64::MAX, u64::MAX, u64::MAX)), None);
    }
}
