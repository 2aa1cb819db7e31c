//! The report of a committee run.

use serde::{Deserialize, Serialize};

use super::fast_scan::Vote;
use super::gate::GateResult;
use crate::UnsupportedNumber;
use parquote_catalogue::operation::Market;

/// The report of a committee.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommitteeReport {
    /// The symbol.
    pub symbol: String,
    /// Market of the symbol.
    pub market: Market,
    /// The last session in the data.
    pub as_of: chrono::NaiveDate,
    /// The chair's verdict.
    pub verdict: Vote,
    /// The signal of the gates, independent of any model.
    pub committee_signal: Vote,
    /// Reason why the verdict differs from the signal; `None` if it does not.
    pub departs_because: Option<String>,
    /// Percentage of analysts whose final vote equals the majority vote, with one decimal.
    pub agreement_score: f64,
    /// The recommendation for research on the company.
    pub research_stance: ResearchStance,
    /// The chair's summary.
    pub summary: String,
    /// Reports of the lenses.
    pub lenses: Vec<LensReport>,
    /// Lenses that vote against the majority.
    pub dissent: Vec<Dissent>,
    /// Reasons that could prove the verdict wrong.
    pub risks: Vec<String>,
    /// Numbers without support by a tool or gate; they are struck from the texts.
    pub unsupported_numbers: Vec<UnsupportedNumber>,
    /// Name of the model.
    pub model: String,
    /// Name of the model's provider.
    pub provider: String,
}

/// A lens in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LensReport {
    /// Name of the lens.
    pub name: String,
    /// Final vote of the lens's analyst.
    pub vote: Vote,
    /// Vote of the lens's gates.
    pub gate_vote: Vote,
    /// Argument for the final vote.
    pub argument: String,
    /// Results of the gates.
    pub gates: Vec<GateResult>,
}

/// A lens that votes against the majority.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dissent {
    /// Name of the lens.
    pub lens: String,
    /// Final vote of the lens's analyst.
    pub vote: Vote,
    /// Reply of this analyst to the other analysts.
    pub argument: String,
}

parquote_catalogue::word_enum! {
    /// A recommendation for research on a company.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ResearchStance {
        /// The case is convincing.
        Accumulate = "accumulate",
        /// The case is convincing once a named event has happened.
        AccumulateOnConfirmation = "accumulate-on-confirmation",
        /// Watch only.
        Monitor = "monitor",
        /// The case weakens.
        Reduce = "reduce",
        /// There is no case.
        Avoid = "avoid",
    }
    const ALL "All stances, from best to worst.";
    fn word "Returns the stance as displayed.";
}

impl ResearchStance {
    /// Returns true if the stance is consistent with a verdict.
    pub const fn fits(self, verdict: Vote) -> bool {
        matches!(
            (verdict, self),
            (Vote::Buy, Self::Accumulate | Self::AccumulateOnConfirmation)
                | (Vote::Watch, Self::AccumulateOnConfirmation | Self::Monitor | Self::Reduce)
                | (Vote::Avoid, Self::Reduce | Self::Avoid)
        )
    }
}
