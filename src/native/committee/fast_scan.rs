//! Evaluates the lenses on one symbol: gates, votes, and how far the lenses agree. No model takes part.

use serde::{Deserialize, Serialize};

use super::facts::StockFacts;
use super::gate::GateResult;
use super::lenses::{LENSES, Lens};
use crate::operation::Market;

/// Percent of its gates at which a lens votes WATCH.
const WATCH_AT: usize = 60;

/// The result of a fast scan of one symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FastScanResult {
    /// The symbol.
    pub symbol: String,
    /// The vote of most lenses.
    pub committee_signal: Vote,
    /// Percent of the lenses that vote so, at full precision.
    pub agreement_score: f64,
    /// Each lens.
    pub lenses: Vec<LensResult>,
}

/// The result of one lens on one symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LensResult {
    /// The lens.
    pub name: String,
    /// How it votes.
    pub vote: Vote,
    /// Gates that pass.
    pub passed: usize,
    /// Gates in all.
    pub of: usize,
    /// Each gate.
    pub gates: Vec<GateResult>,
}

/// A vote, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Vote {
    /// All gates pass.
    Buy,
    /// At least 60 % of them do.
    Watch,
    /// Fewer do.
    Pass,
}

/// The lenses on a symbol of a market.
pub fn evaluate(facts: &StockFacts, market: Market) -> FastScanResult {
    let lenses: Vec<LensResult> = LENSES.iter().map(|lens| lens.evaluate(facts, market)).collect();
    let votes: Vec<Vote> = lenses.iter().map(|lens| lens.vote).collect();
    let (committee_signal, agreement_score) = majority(&votes);
    FastScanResult { symbol: facts.symbol.clone(), committee_signal, agreement_score, lenses }
}

/// The vote that most cast, and the percent who did; WATCH where each of three votes differently.
pub(super) fn majority(votes: &[Vote]) -> (Vote, f64) {
    let count = |vote: Vote| votes.iter().filter(|other| **other == vote).count();
    let counts = [Vote::Buy, Vote::Watch, Vote::Pass].map(|vote| (vote, count(vote)));
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let mut leading = counts.iter().filter(|(_, count)| *count == most);
    let vote = match (leading.next(), leading.next()) {
        (Some((vote, _)), None) => *vote,
        _ => Vote::Watch,
    };
    (vote, 100.0 * most as f64 / votes.len().max(1) as f64)
}

impl Lens {
    /// The lens on a symbol of a market.
    pub fn evaluate(&self, facts: &StockFacts, market: Market) -> LensResult {
        let gates: Vec<GateResult> = self.gates(market).iter().map(|gate| gate.evaluate(facts)).collect();
        let (passed, of) = (gates.iter().filter(|gate| gate.pass).count(), gates.len());
        let vote = match passed {
            _ if passed == of => Vote::Buy,
            _ if 100 * passed >= WATCH_AT * of => Vote::Watch,
            _ => Vote::Pass,
        };
        LensResult { name: self.name.to_owned(), vote, passed, of, gates }
    }
}

impl Vote {
    /// The vote as it is shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buy => "BUY",
            Self::Watch => "WATCH",
            Self::Pass => "PASS",
        }
    }
}
