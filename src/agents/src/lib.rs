//! Agents: a language model with a task, a few read-only tools, and a structured answer.
//!
//! A [`job`] survives a kill, a [`provider`] offers language models; neither knows the other, nor an operation. What is between them
//! stands here. [`presets`] and the [`committee`] are what agents do together. They reach operations through a [`Runner`], which
//! `call` implements.
//!
//! [`RunContext`] is what a run works with, [`Agent`] who works. [`AgentRun`] calls the model so that every reply is recorded
//! and none is paid twice. [`research()`] is the tool loop, [`ask_for`] the answer that ends it. What tools return is text
//! between marks made by [`data`]: never instructions. The [`EvidenceLedger`] checks the numbers of a report.
//!
//! Nothing a model writes has an effect but calls of the tools of its own list.

// What agents stand on.
pub mod job;
pub mod provider;
mod runner;

// One agent.
mod agent;
mod answer;
mod run_context;
mod excerpt;
mod instructions;
mod marks;
mod note;
mod numbers;
mod research;
mod agent_run;

// What agents do together.
pub mod committee;
pub mod presets;

pub use agent::{Agent, MarketTools};
pub use agent_run::{AgentRun, Run};
pub use answer::{StructuredAnswer, ask_for, bounded};
pub use excerpt::{Excerpt, excerpt};
pub use instructions::{opening, system};
pub use marks::data;
pub use note::{NoteFinding, ResearchNote, checked_findings, checked_texts, findings_schema, texts_schema};
pub use numbers::{CitedFigure, EvidenceLedger, FigureKind, STRUCK, SeenFigure, Unsupported};
pub use research::{Research, research};
pub use run_context::{Limit, ReplyPricing, RunContext, RunContexts};
pub use runner::Runner;

#[cfg(test)]
mod on_postgres;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod tests;
