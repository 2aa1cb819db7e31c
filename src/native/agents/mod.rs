//! Agents: a language model with a task, a few tools that only read, and an answer of a fixed shape.
//!
//! [`RunContext`] is what a run works with, [`Agent`] who works; [`AgentRun`] asks the model so that every reply is recorded and none
//! is paid twice; [`research()`] is the loop of tools, [`ask_for`] the answer that ends it. What tools give is text between marks
//! made by [`data`]: never instructions. What a report says in numbers is checked by the [`Ledger`].
//!
//! Nothing a model writes has an effect but calls of the tools of its own list.

mod agent;
mod answer;
mod run_context;
mod excerpt;
mod house_rules;
mod marks;
mod note;
mod numbers;
mod research;
mod agent_run;

pub use agent::{Agent, Tools};
pub use agent_run::{AgentRun, Run};
pub use answer::{Answer, ask_for, bounded};
pub use excerpt::{Excerpt, excerpt};
pub use house_rules::{opening, system};
pub use marks::data;
pub use note::{Finding, Note, checked_findings, checked_texts, findings_schema, texts_schema};
pub use numbers::{Cell, Figure, Kind, Ledger, STRUCK, Unsupported};
pub use research::{Research, research};
pub use run_context::{Limit, Price, RunContext, RunContexts};

#[cfg(test)]
pub(in crate::native) mod scripted;
#[cfg(test)]
mod tests;
