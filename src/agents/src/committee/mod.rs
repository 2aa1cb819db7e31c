//! The committee: three lenses that judge a company by fixed gates, and a run of agents that argue about the result.
//!
//! [`evaluate`] is arithmetic and needs no model. In [`CommitteeWork`], one analyst argues for each lens, the analysts answer each other,
//! and a chair decides. The report shows the gates with the verdict; the verdict never changes them.

mod facts;
mod gate;
mod lenses;
mod fast_scan;
mod analysts;
mod answers;
mod report;
mod run;

pub use facts::{FactSource, FactValue, StockFacts};
pub use fast_scan::{FastScanResult, LensResult, Vote, evaluate};
pub use gate::{GateOperator, LensGate, Threshold};
pub use lenses::{LENSES, Lens};
pub use report::{CommitteeReport, Dissent, LensReport, ResearchStance};
pub use run::{AGENTS, CommitteeSpec, CommitteeWork, EXPECTED_TOKENS, LIMIT, RUNTIME_S};

#[cfg(test)]
mod tests;
