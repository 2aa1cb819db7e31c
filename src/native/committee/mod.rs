//! The committee: three lenses that judge a company by gates, the same every time, and a run of agents that argues about it.
//!
//! [`evaluate`] is arithmetic and needs no model. [`CommitteeWork`] lets an analyst argue for each lens, lets them answer
//! each other, and lets a chair decide; the gates stand beside the verdict and never change with it.

mod facts;
mod gate;
mod lenses;
mod fast_scan;
mod analysts;
mod answers;
mod report;
mod run;

pub use facts::{Fact, FactSource, Facts};
pub use fast_scan::{FastScan, GateResult, LensResult, Vote, evaluate};
pub use gate::{Gate, Op, Threshold};
pub use lenses::{LENSES, Lens};
pub use report::{CommitteeReport, Dissent, LensReport, ResearchStance};
pub use run::{AGENTS, CommitteeSpec, CommitteeWork, EXPECTED_TOKENS, LIMIT, RUNTIME_S};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod run_tests;
