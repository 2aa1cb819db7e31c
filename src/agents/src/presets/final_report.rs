//! The final report of a preset run, and its editor's structured answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{
    NoteFinding, ResearchNote, RunEvidence, StructuredAnswer, UnsupportedNumber, checked_texts,
    findings_schema, texts_schema,
};
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
    /// Risks to the answer.
    pub risks: Vec<String>,
    /// Overall direction.
    pub stance: Stance,
    /// Symbols of the stocks that it would buy at the last close, the best first.
    pub picks: Vec<String>,
    /// Names that are no picks: those beyond the twentieth, and names that are no symbols of the market.
    pub picks_left_out: Vec<String>,
    /// Notes of the agents.
    pub agents: Vec<AgentNote>,
    /// Numbers without support by a tool; they are struck from the texts.
    pub unsupported_numbers: Vec<UnsupportedNumber>,
    /// Name of the model that wrote it.
    pub model: String,
    /// Name of the model's provider.
    pub provider: String,
}

/// Note of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentNote {
    /// Name of the agent.
    pub name: String,
    /// Role of the agent.
    pub role: String,
    /// The note.
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
    #[serde(default)]
    picks: Vec<Option<String>>,
}

impl Edition {
    /// Returns the symbols of the picks, each once, and what is left out: those beyond the most that a report may have, then texts that
    /// cannot be symbols, whose numbers the evidence checks.
    pub(super) fn picks(
        &self,
        market: Market,
        evidence: &RunEvidence,
        struck: &mut Vec<UnsupportedNumber>,
    ) -> (Vec<String>, Vec<String>) {
        /// Maximum number of picks of a report.
        const MOST_PICKS: usize = 20;
        let (mut picks, mut texts): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for pick in self.picks.iter().flatten().filter(|pick| !pick.trim().is_empty()) {
            let symbol = plain_symbol(pick, market);
            if !can_be_symbol(&symbol) {
                texts.push(pick.clone());
            } else if !picks.contains(&symbol) {
                picks.push(symbol);
            }
        }
        let mut left_out = picks.split_off(picks.len().min(MOST_PICKS));
        left_out.extend(checked_texts(&texts, evidence, "picks_left_out", struck));
        (picks, left_out)
    }
}

/// Returns true if a text has the form of a symbol: a letter, and no character that symbols lack.
fn can_be_symbol(text: &str) -> bool {
    /// Length of the longest symbol, with room.
    const LONGEST_SYMBOL: usize = 20;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"&-._".contains(&byte);
    text.len() <= LONGEST_SYMBOL
        && text.bytes().all(fits)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns a symbol without the exchange that others write before or after it: `NSE:X`, `X.NS`.
fn plain_symbol(pick: &str, market: Market) -> String {
    let symbol = pick.trim().to_ascii_uppercase();
    let symbol = symbol.rsplit(':').next().unwrap_or_default().trim().trim_start_matches('$');
    let suffixes: &[&str] = if market == Market::India { &[".NS", ".BO"] } else { &[] };
    suffixes.iter().find_map(|suffix| symbol.strip_suffix(suffix)).unwrap_or(symbol).to_owned()
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
                "picks": texts_schema("Symbols of the stocks that the report would buy at the last close, the best first; empty if it would buy none."),
            },
            "required": ["summary", "findings", "risks", "stance", "picks"],
            "additionalProperties": false,
        })
    }
}
