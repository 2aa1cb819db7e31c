//! Agents: a language model with a task, a few read-only tools, and a structured answer.
//!
//! A [`job`] survives a kill, a [`provider`] offers language models; neither knows the other, nor any operation. The other modules connect
//! them; [`presets`] and the [`committee`] are teams of agents. They reach operations through a [`Runner`], which `call` implements.
//!
//! [`RunContext`] is the environment of a run, [`Agent`] a member of it. [`AgentRun`] calls the model and records every reply, so that none
//! is paid twice. [`research()`] is the tool loop, [`ask_for`] the answer that ends it. Tool results are text between marks made by
//! [`mark_as_data`], never instructions. The [`RunEvidence`] checks the numbers of a report.
//!
//! Model output has no effect except calls of the agent's listed tools.

// Foundations.
pub mod job;
pub mod provider;
mod runner;

// A single agent.
mod agent;
mod answer;
mod run_context;
mod excerpt;
mod instructions;
mod note;
mod research;
mod agent_run;

// Teams of agents.
pub mod committee;
pub mod presets;

pub use agent::{Agent, MarketTools};
pub use agent_run::{AgentRun, Run};
pub use answer::{StructuredAnswer, ask_for, truncate};
pub use excerpt::{Excerpt, excerpt};
pub use instructions::{first_message, system};
pub use note::{NoteFinding, ResearchNote, checked_findings, checked_texts, findings_schema, texts_schema};
pub use parquote_evidence::{
    CitedFigure, FigureKind, RunEvidence, STRUCK, SeenFigure, UnsupportedNumber, mark_as_data,
};
pub use research::{Research, research};
pub use run_context::{Limit, ReplyPricing, RunContext, RunContexts};
pub use runner::Runner;

#[cfg(test)]
mod on_postgres;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod tests;
