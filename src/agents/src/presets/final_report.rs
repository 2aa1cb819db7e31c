//! The final report of a preset run, and the structured answer that its editor gives.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{NoteFinding, ResearchNote, StructuredAnswer, Unsupported, findings_schema, texts_schema};
use parquote_catalogue::operation::Market;

/// The report of a preset run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinalReport {
    /// The team.
    pub preset: String,
    /// What the caller wanted to know.
    pub goal: String,
    /// The market.
    pub market: Market,
    /// The last session in the data.
    pub as_of: chrono::NaiveDate,
    /// The answer to the goal.
    pub summary: String,
    /// What it rests on.
    pub findings: Vec<NoteFinding>,
    /// What could go wrong.
    pub risks: Vec<String>,
    /// Where it comes down.
    pub stance: Stance,
    /// What each agent found.
    pub agents: Vec<AgentNote>,
    /// Numbers that no tool gave; they were struck.
    pub unsupported_numbers: Vec<Unsupported>,
    /// The model that wrote it.
    pub model: String,
    /// Its provider.
    pub provider: String,
}

/// What an agent found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentNote {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Its note.
    pub note: ResearchNote,
}

/// Where a report comes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// More speaks for it.
    Bullish,
    /// Neither.
    Neutral,
    /// More speaks against it.
    Bearish,
    /// Strong points on both sides.
    Mixed,
}

/// The structured answer of an editor.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Edition {
    pub(super) summary: String,
    pub(super) findings: Vec<NoteFinding>,
    #[serde(default)]
    pub(super) risks: Vec<String>,
    pub(super) stance: Stance,
}

impl StructuredAnswer for Edition {
    const NAME: &'static str = "report";

    fn schema() -> Json {
        json!({
            "type": "object",
            "properties": {
                "summary": {"type": "string", "description": "The answer to the goal, in one to three paragraphs."},
                "findings": findings_schema(),
                "risks": texts_schema("What could go wrong."),
                "stance": {"type": "string", "enum": ["bullish", "neutral", "bearish", "mixed"]},
            },
            "required": ["summary", "findings", "risks", "stance"],
            "additionalProperties": false,
        })
    }
}
