//! Evaluates the lenses for one symbol: gates, votes and agreement, without a model.

use serde::{Deserialize, Serialize};

use super::facts::StockFacts;
use super::gate::GateResult;
use super::lenses::{LENSES, Lens};
use parquote_catalogue::operation::Market;

/// Percentage of passed gates from which a lens votes WATCH.
const WATCH_FROM_PCT: usize = 60;

/// The result of a fast scan of one symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FastScanResult {
    /// The symbol.
    pub symbol: String,
    /// Vote of the majority of lenses; WATCH on a split.
    pub committee_signal: Vote,
    /// Percentage of the voting lenses with this vote, not rounded; `None` with fewer than two votes.
    pub agreement_score: Option<f64>,
    /// Results of the lenses.
    pub lenses: Vec<LensResult>,
}

/// The result of one lens on one symbol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LensResult {
    /// Name of the lens.
    pub name: String,
    /// Vote of the lens.
    pub vote: Vote,
    /// Number of passed gates.
    pub passed: usize,
    /// Number of gates that are counted.
    pub of: usize,
    /// Number of gates whose figure and threshold are known.
    pub gates_known: usize,
    /// Names of the gates that are not counted because the market has no row of their table.
    pub not_counted: Vec<String>,
    /// Results of the gates.
    pub gates: Vec<GateResult>,
}

parquote_catalogue::word_enum! {
    /// A vote, ordered from best to worst.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum Vote {
        /// All gates pass.
        Buy = "BUY",
        /// At least 60 % of the gates pass.
        Watch = "WATCH",
        /// Fewer than 60 % of the gates pass.
        Avoid = "AVOID",
        /// No vote: fewer than half of the gates are known.
        InsufficientData = "INSUFFICIENT_DATA",
    }
    fn word "Returns the vote as displayed.";
}

/// Evaluates all lenses for a symbol.
pub fn evaluate(facts: &StockFacts, market: Market) -> FastScanResult {
    let lenses: Vec<LensResult> = LENSES.iter().map(|lens| lens.evaluate(facts, market)).collect();
    let votes: Vec<Vote> = lenses.iter().map(|lens| lens.vote).collect();
    let (committee_signal, agreement_score) = majority(&votes);
    FastScanResult { symbol: facts.symbol.clone(), committee_signal, agreement_score, lenses }
}

/// Returns the majority vote and its percentage; WATCH on a split. `InsufficientData` is not counted, and a single vote is not a majority.
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
    /// Evaluates the lens for a symbol.
    pub fn evaluate(&self, facts: &StockFacts, market: Market) -> LensResult {
        let gates: Vec<GateResult> = self.gates(market).iter().map(|gate| gate.evaluate(facts)).collect();
        let left_out = self.gates(market).iter().filter(|gate| !gate.is_counted(facts));
        let not_counted: Vec<String> = left_out.map(|gate| gate.name.to_owned()).collect();
        let (passed, of) = (gates.iter().filter(|gate| gate.pass).count(), gates.len() - not_counted.len());
        let gates_known = gates.iter().filter(|gate| gate.is_known()).count();
        let vote = match passed {
            _ if 2 * gates_known < of => Vote::InsufficientData,
            _ if passed == of => Vote::Buy,
            _ if 100 * passed >= WATCH_FROM_PCT * of => Vote::Watch,
            _ => Vote::Avoid,
        };
        LensResult { name: self.name.to_owned(), vote, passed, of, gates_known, not_counted, gates }
    }
}
