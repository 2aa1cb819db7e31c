//! How a job is started: its specification, its budget, its run limit, and its id.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::work::Spent;

/// A job to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// What kind of work it is; the workers that know this kind take it.
    pub kind: String,
    /// The form of the id it gets.
    pub id_form: IdForm,
    /// Whose it is.
    pub owner: String,
    /// The key that starts it, where there is one: its limit is used. All callers without a key share one limit.
    pub key_id: Option<i64>,
    /// What is to be done.
    pub spec: Json,
    /// The most that it may spend.
    pub budget: Budget,
}

/// The form of an id. Both come from the system's randomness, so that nobody finds a job by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// 32 hexadecimal digits.
    Hex,
    /// A positive integer below 2^53, which every client's numbers hold exactly, in decimal digits.
    Number,
}

/// The most that a job may spend; `None` is without bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens sent and received.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_microusd: Option<u64>,
}

/// So many runs of a kind within so many seconds, counted back from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimit {
    /// The most runs.
    pub runs: u32,
    /// The seconds.
    pub window_s: i64,
}

/// What is left of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Runs that may still be started.
    pub runs: u32,
    /// Seconds until the next is possible, if none is left; `None` also where there will never be one.
    pub next_in_s: Option<i64>,
}

impl IdForm {
    /// A new id.
    pub(super) fn draw(self) -> Result<String, getrandom::Error> {
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
    /// Says what of the budget is exceeded; nothing while spending stays within it.
    pub(super) fn exceeded(&self, spent: Spent) -> Option<String> {
        let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
        if let Some(most) = self.tokens.filter(|most| tokens > *most) {
            return Some(format!("{tokens} tokens were used of {most}"));
        }
        let most = self.cost_microusd.filter(|most| spent.cost_microusd > *most)?;
        Some(format!("{} were spent of {}", dollars(spent.cost_microusd), dollars(most)))
    }
}

/// Millionths of a dollar as dollars and cents, to the hundredth of a cent.
fn dollars(microusd: u64) -> String {
    format!("US$ {}.{:04}", microusd / 1_000_000, microusd % 1_000_000 / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_form_and_do_not_repeat() {
        let hex: Vec<String> = (0..100).map(|_| IdForm::Hex.draw().unwrap()).collect();
        assert!(hex.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
        let numbers: Vec<u64> = (0..100).map(|_| IdForm::Number.draw().unwrap().parse().unwrap()).collect();
        assert!(numbers.iter().all(|id| (1..9_007_199_254_740_992).contains(id)));
        // Of 100 numbers below 2^53, all below 2^46 would have a chance of 128^-100.
        assert!(numbers.iter().any(|id| *id > 1 << 46));
        let distinct: std::collections::HashSet<_> = hex.iter().collect();
        assert_eq!(distinct.len(), 100);
    }

    #[test]
    fn a_budget_is_exceeded_by_more_and_not_by_as_much() {
        let budget = Budget { tokens: Some(100), cost_microusd: Some(2_500_000) };
        let spent =
            |input_tokens, output_tokens, cost_microusd| Spent { input_tokens, output_tokens, cost_microusd };
        assert_eq!(budget.exceeded(spent(60, 40, 2_500_000)), None);
        assert_eq!(budget.exceeded(spent(60, 41, 0)).unwrap(), "101 tokens were used of 100");
        assert_eq!(budget.exceeded(spent(0, 0, 2_500_100)).unwrap(), "US$ 2.5001 were spent of US$ 2.5000");
        assert_eq!(Budget::default().exceeded(spent(u64::MAX, u64::MAX, u64::MAX)), None);
    }
}
