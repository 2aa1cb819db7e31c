//! The note that an agent ends with: findings with their figures, risks, and gaps in the tools' answers.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::answer::{StructuredAnswer, truncate};
use parquote_evidence::{CitedFigure, RunEvidence, UnsupportedNumber};

/// Maximum number of findings of a note; the others are dropped.
const MOST_FINDINGS: usize = 12;
/// Maximum number of figures of a finding; the others are dropped.
const MOST_FIGURES: usize = 8;
/// Maximum number of texts of a list, such as risks; the others are dropped.
const MOST_TEXTS: usize = 8;
/// Maximum characters of one text of a note.
const TEXT_LENGTH: usize = 1_500;

/// An agent's note.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ResearchNote {
    /// Claims with their figures.
    pub findings: Vec<NoteFinding>,
    /// Risks to the findings.
    #[serde(default)]
    pub risks: Vec<String>,
    /// Questions that the tools could not answer.
    #[serde(default)]
    pub open_questions: Vec<String>,
}

/// A claim of an agent, with the figures that support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoteFinding {
    /// The claim in one or two sentences.
    pub claim: String,
    /// Figures that support the claim.
    #[serde(default)]
    pub figures: Vec<CitedFigure>,
}

impl StructuredAnswer for ResearchNote {
    const NAME: &'static str = "note";

    fn schema() -> Json {
        json!({
            "type": "object",
            "properties": {
                "findings": findings_schema(),
                "risks": texts_schema("What could go wrong."),
                "open_questions": texts_schema("What the tools could not answer."),
            },
            "required": ["findings", "risks", "open_questions"],
            "additionalProperties": false,
        })
    }
}

impl ResearchNote {
    /// Returns the note with every text truncated and every number and figure checked against the evidence of the run. Struck numbers are
    /// added to `struck`, with `location` as prefix of their location.
    #[must_use]
    pub fn check_figures(
        &self,
        evidence: &RunEvidence,
        location: &str,
        struck: &mut Vec<UnsupportedNumber>,
    ) -> Self {
        Self {
            findings: checked_findings(&self.findings, evidence, &format!("{location}.findings"), struck),
            risks: checked_texts(&self.risks, evidence, &format!("{location}.risks"), struck),
            open_questions: checked_texts(
                &self.open_questions,
                evidence,
                &format!("{location}.open_questions"),
                struck,
            ),
        }
    }
}

/// Returns the JSON schema of findings.
pub fn findings_schema() -> Json {
    let text = |words: &str| json!({"type": "string", "description": words});
    json!({
        "type": "array",
        "description": "What was found, the most important first; at most twelve.",
        "items": {
            "type": "object",
            "properties": {
                "claim": text("One or two sentences."),
                "figures": {
                    "type": "array",
                    "description": "The figures that the claim rests on, as tools gave them; at most eight.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "operation": text("The tool that gave it."),
                            "symbol": text("The symbol; empty for a figure of the market."),
                            "field": text("The field of the answer."),
                            "value": text("The value as the tool gave it."),
                        },
                        "required": ["operation", "symbol", "field", "value"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["claim", "figures"],
            "additionalProperties": false,
        },
    })
}

/// Returns the JSON schema of a list of texts.
pub fn texts_schema(words: &str) -> Json {
    json!({"type": "array", "description": words, "items": {"type": "string"}})
}

/// Checks findings against the evidence of the run: numbers in claims, and cited figures, which get the values of the tools' answers.
pub fn checked_findings(
    findings: &[NoteFinding],
    evidence: &RunEvidence,
    location: &str,
    struck: &mut Vec<UnsupportedNumber>,
) -> Vec<NoteFinding> {
    let mut results = Vec::new();
    for (n, finding) in findings.iter().take(MOST_FINDINGS).enumerate() {
        let claim = evidence.strike(
            &truncate(&finding.claim, TEXT_LENGTH),
            &format!("{location}[{n}].claim"),
            struck,
        );
        let mut figures = Vec::new();
        for (m, cited) in finding.figures.iter().take(MOST_FIGURES).enumerate() {
            match evidence.find(cited) {
                Some(figure) => figures.push(figure),
                None => struck.push(unsupported_number(cited, format!("{location}[{n}].figures[{m}]"))),
            }
        }
        results.push(NoteFinding { claim, figures });
    }
    results
}

/// Checks texts against the evidence of the run.
pub fn checked_texts(
    texts: &[String],
    evidence: &RunEvidence,
    location: &str,
    struck: &mut Vec<UnsupportedNumber>,
) -> Vec<String> {
    let texts = texts.iter().filter(|text| !text.trim().is_empty()).take(MOST_TEXTS);
    texts
        .enumerate()
        .map(|(n, text)| evidence.strike(&truncate(text, TEXT_LENGTH), &format!("{location}[{n}]"), struck))
        .collect()
}

fn unsupported_number(cited: &CitedFigure, location: String) -> UnsupportedNumber {
    let value = match &cited.value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let parts = [&cited.operation, &cited.symbol, &cited.field].map(|part| truncate(part, 64));
    let number = cited.value.as_f64().or_else(|| value.replace(',', "").parse().ok());
    let number = number.filter(|number: &f64| number.is_finite());
    UnsupportedNumber {
        text: format!("{} = {}", parts.join(" "), truncate(&value, 64)),
        value: number,
        location,
    }
}
