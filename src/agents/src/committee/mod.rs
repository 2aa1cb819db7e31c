//! The committee: three lenses that judge a company by fixed gates, and a run of agents that argues about the result.
//!
//! [`evaluate`] is arithmetic and needs no model. [`CommitteeWork`] has one analyst argue for each lens, lets the analysts
//! answer each other, and lets a chair decide. The report shows the gates beside the verdict; the verdict never changes them.

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
pub use gate::{LensGate, Op, Threshold};
pub use lenses::{LENSES, Lens};
pub use report::{CommitteeReport, Dissent, LensReport, ResearchStance};
pub use run::{AGENTS, CommitteeSpec, CommitteeWork, EXPECTED_TOKENS, LIMIT, RUNTIME_S};

#[cfg(test)]
mod tests;
