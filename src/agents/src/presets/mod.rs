//! Presets: teams of agents declared in files, and the run of a team from a goal to a report.
//!
//! A preset is one file under `queries/presets`; a user-supplied file adds one, or replaces the one with the same name.

mod order;
mod preset;
mod preset_file;
mod catalogue;
mod final_report;
mod run;

pub use catalogue::Presets;
pub use final_report::{AgentNote, FinalReport, Stance};
pub use preset::{Preset, PresetBudget, TokenRange};
pub use run::{PresetSpec, PresetWork};

#[cfg(test)]
mod tests;
