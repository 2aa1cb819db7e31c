//! Presets: teams of agents as data, and their run from a goal to a report.
//!
//! A team is one file under `queries/presets`; a file of the operator's adds one or replaces the one of its name.

mod error;
mod order;
mod preset;
mod preset_file;
mod catalogue;
mod final_report;
mod run;

pub use catalogue::Presets;
pub use error::PresetError;
pub use final_report::{AgentNote, FinalReport, Stance};
pub use preset::{Budget, Preset, TokenRange};
pub use run::{PresetSpec, PresetWork};

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod tests;
