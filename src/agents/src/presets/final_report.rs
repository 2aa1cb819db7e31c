//! The final report of a preset run, and its editor's structured answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{NoteFinding, ResearchNote, StructuredAnswer, UnsupportedNumber, findings_schema, texts_schema};
use parquote_catalogue::operation::Market;

/// The report of a preset run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinalReport {
    /// Name of the preset.
    pub preset: String,
    /// The caller's goal.
    pub goal: String,
    /// The market.
    pub market: Market,
    /// The last session in the data.
    pub as_of: chrono::NaiveDate,
    /// The answer to the goal.
    pub summary: String,
    /// Findings that support it.
    pub findings: Vec<NoteFinding>,
    /// Risks.
    pub risks: Vec<String>,
    /// Overall direction.
    pub stance: Stance,
    /// Notes of the agents.
    pub agents: Vec<AgentNote>,
    /// Numbers without support by a tool; they are struck from the texts.
    pub unsupported_numbers: Vec<UnsupportedNumber>,
    /// The model that wrote it.
    pub model: String,
    /// Name of its provider.
    pub provider: String,
}

/// Note of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentNote {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Its note.
    pub note: ResearchNote,
}

/// Overall direction of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Mostly positive.
    Bullish,
    /// Neither positive nor negative.
    Neutral,
    /// Mostly negative.
    Bearish,
    /// Strong points on both sides.
    Mixed,
}

/// The editor's structured answer.
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
