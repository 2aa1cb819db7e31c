//! Evaluates the lenses on one symbol: gates, votes, and how far the lenses agree. No model takes part.

use serde::{Deserialize, Serialize};

use super::facts::StockFacts;
use super::gate::GateResult;
use super::lenses::{LENSES, Lens};
use parquote_catalogue::operation::Market;

/// Percent of its gates at which a lens votes WATCH.
const WATCH_AT: usize = 60;

/// The result of a fast scan of one symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FastScanResult {
    /// The symbol.
    pub symbol: String,
    /// The vote of most lenses.
    pub committee_signal: Vote,
    /// Percent of the lenses with a vote that vote so, at full precision; none with fewer than two votes.
    pub agreement_score: Option<f64>,
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
    /// Gates that are counted.
    pub of: usize,
    /// Gates of which figure and threshold are known.
    pub gates_known: usize,
    /// Gates that are not counted, since the market has no row of their table.
    pub not_counted: Vec<String>,
    /// Each gate.
    pub gates: Vec<GateResult>,
}

/// A vote, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Vote {
    /// All gates pass.
    Buy,
    /// At least 60 % of them do.
    Watch,
    /// Fewer do.
    Avoid,
    /// Fewer than half of the gates are known, so that there is no vote.
    InsufficientData,
}

/// The lenses on a symbol of a market.
pub fn evaluate(facts: &StockFacts, market: Market) -> FastScanResult {
    let lenses: Vec<LensResult> = LENSES.iter().map(|lens| lens.evaluate(facts, market)).collect();
    let votes: Vec<Vote> = lenses.iter().map(|lens| lens.vote).collect();
    let (committee_signal, agreement_score) = majority(&votes);
    FastScanResult { symbol: facts.symbol.clone(), committee_signal, agreement_score, lenses }
}

/// The vote that most cast, and the percent who did; WATCH on a split. What has no vote counts in neither, and a single vote is no
/// majority.
pub(super) fn majority(votes: &[Vote]) -> (Vote, Option<f64>) {
    let cast = votes.iter().filter(|vote| **vote != Vote::InsufficientData).count();
    if cast < 2 {
        return (Vote::InsufficientData, None);
    }
    let count = |vote: Vote| votes.iter().filter(|other| **other == vote).count();
    let counts = [Vote::Buy, Vote::Watch, Vote::Avoid].map(|vote| (vote, count(vote)));
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    let mut leading = counts.iter().filter(|(_, count)| *count == most);
    let vote = match (leading.next(), leading.next()) {
        (Some((vote, _)), None) => *vote,
        _ => Vote::Watch,
    };
    (vote, Some(100.0 * most as f64 / cast as f64))
}

impl Lens {
    /// The lens on a symbol of a market.
    pub fn evaluate(&self, facts: &StockFacts, market: Market) -> LensResult {
        let gates: Vec<GateResult> = self.gates(market).iter().map(|gate| gate.evaluate(facts)).collect();
        let left_out = self.gates(market).iter().filter(|gate| !gate.is_counted(facts));
        let not_counted: Vec<String> = left_out.map(|gate| gate.name.to_owned()).collect();
        let (passed, of) = (gates.iter().filter(|gate| gate.pass).count(), gates.len() - not_counted.len());
        let gates_known = gates.iter().filter(|gate| gate.is_known()).count();
        let vote = match passed {
            _ if 2 * gates_known < of => Vote::InsufficientData,
            _ if passed == of => Vote::Buy,
            _ if 100 * passed >= WATCH_AT * of => Vote::Watch,
            _ => Vote::Avoid,
        };
        LensResult { name: self.name.to_owned(), vote, passed, of, gates_known, not_counted, gates }
    }
}

impl Vote {
    /// The vote as it is shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buy => "BUY",
            Self::Watch => "WATCH",
            Self::Avoid => "AVOID",
            Self::InsufficientData => "INSUFFICIENT_DATA",
        }
    }
}
