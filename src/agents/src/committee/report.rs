//! The report of a committee run.

use serde::{Deserialize, Serialize};

use super::fast_scan::Vote;
use super::gate::GateResult;
use crate::Unsupported;
use parquote_catalogue::operation::Market;

/// The report of a committee.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommitteeReport {
    /// The symbol.
    pub symbol: String,
    /// Its market.
    pub market: Market,
    /// The last session in the data.
    pub as_of: chrono::NaiveDate,
    /// The chair's verdict.
    pub verdict: Vote,
    /// The signal of the gates, which no model has touched.
    pub committee_signal: Vote,
    /// Why the verdict is not the signal; null where it is.
    pub departs_because: Option<String>,
    /// Percent of the analysts whose final vote is that of most, with one decimal.
    pub agreement_score: f64,
    /// What research should do with it.
    pub research_stance: ResearchStance,
    /// The chair's words.
    pub summary: String,
    /// Each lens.
    pub lenses: Vec<LensReport>,
    /// The lenses that do not vote as most do.
    pub dissent: Vec<Dissent>,
    /// What could prove the verdict wrong.
    pub risks: Vec<String>,
    /// Numbers that no tool and no gate gave; they were struck.
    pub unsupported_numbers: Vec<Unsupported>,
    /// The model.
    pub model: String,
    /// Its provider.
    pub provider: String,
}

/// A lens in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LensReport {
    /// The lens.
    pub name: String,
    /// Its analyst's final vote.
    pub vote: Vote,
    /// The vote of its gates.
    pub gate_vote: Vote,
    /// Why: the argument for the final vote.
    pub argument: String,
    /// The gates.
    pub gates: Vec<GateResult>,
}

/// A lens that does not vote as most do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dissent {
    /// The lens.
    pub lens: String,
    /// Its analyst's final vote.
    pub vote: Vote,
    /// Its answer to the others.
    pub argument: String,
}

/// What research should do with a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResearchStance {
    /// The case is made.
    Accumulate,
    /// The case is made once something named has happened.
    AccumulateOnConfirmation,
    /// Nothing to do but to look again.
    Monitor,
    /// The case weakens.
    Reduce,
    /// There is none.
    Avoid,
}

impl ResearchStance {
    /// All of them, from the best to the worst.
    pub const ALL: [Self; 5] =
        [Self::Accumulate, Self::AccumulateOnConfirmation, Self::Monitor, Self::Reduce, Self::Avoid];

    /// The stance as it is shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accumulate => "accumulate",
            Self::AccumulateOnConfirmation => "accumulate-on-confirmation",
            Self::Monitor => "monitor",
            Self::Reduce => "reduce",
            Self::Avoid => "avoid",
        }
    }

    /// Whether it goes with a verdict.
    pub const fn fits(self, verdict: Vote) -> bool {
        matches!(
            (verdict, self),
            (Vote::Buy, Self::Accumulate | Self::AccumulateOnConfirmation)
                | (Vote::Watch, Self::AccumulateOnConfirmation | Self::Monitor | Self::Reduce)
                | (Vote::Avoid, Self::Reduce | Self::Avoid)
        )
    }
}
