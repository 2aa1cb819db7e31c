//! Structured answers of the committee's members.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::fast_scan::Vote;
use super::report::ResearchStance;
use crate::{NoteFinding, StructuredAnswer, findings_schema, texts_schema};

/// An analyst's vote with its argument and figures.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Opinion {
    pub(super) vote: Vote,
    pub(super) argument: String,
    #[serde(default)]
    pub(super) findings: Vec<NoteFinding>,
    #[serde(default)]
    pub(super) risks: Vec<String>,
}

/// The answer of one analyst to the other analysts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Rejoinder {
    pub(super) vote: Vote,
    pub(super) argument: String,
}

/// The chair's decision.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Ruling {
    pub(super) verdict: Vote,
    #[serde(default)]
    pub(super) departs_because: Option<String>,
    pub(super) research_stance: ResearchStance,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) risks: Vec<String>,
}

impl StructuredAnswer for Opinion {
    const NAME: &'static str = "opinion";

    fn schema() -> Json {
        object_schema(&[
            ("vote", vote_schema()),
            ("argument", text_schema("Why, in at most two paragraphs.")),
            ("findings", findings_schema()),
            ("risks", texts_schema("What could prove the vote wrong.")),
        ])
    }
}

impl StructuredAnswer for Rejoinder {
    const NAME: &'static str = "rejoinder";

    fn schema() -> Json {
        object_schema(&[
            ("vote", vote_schema()),
            ("argument", text_schema("The answer to the others, in one paragraph.")),
        ])
    }
}

impl StructuredAnswer for Ruling {
    const NAME: &'static str = "ruling";

    fn schema() -> Json {
        let stances = ResearchStance::ALL.map(ResearchStance::word);
        object_schema(&[
            ("verdict", vote_schema()),
            (
                "departs_because",
                text_schema("Why the verdict is not the signal of the gates; empty where it is."),
            ),
            ("research_stance", json!({"type": "string", "enum": stances})),
            ("summary", text_schema("The ruling in one to three paragraphs.")),
            ("risks", texts_schema("What could prove the verdict wrong.")),
        ])
    }
}

impl Ruling {
    /// Returns the stated reason why the verdict differs from the signal, or an empty text.
    pub(super) fn reason(&self) -> &str {
        self.departs_because.as_deref().unwrap_or_default().trim()
    }

    /// Checks that the ruling is consistent with the signal.
    ///
    /// # Errors
    /// The inconsistency.
    pub(super) fn check(&self, signal: Vote) -> Result<(), String> {
        let (verdict, stance) = (self.verdict.word(), self.research_stance.word());
        if self.summary.trim().is_empty() {
            return Err("the summary is empty".to_owned());
        }
        if self.verdict != signal && self.reason().is_empty() {
            return Err(format!(
                "the verdict {verdict} is not the signal {} of the gates, and departs_because is empty: state the \
                 reason, or rule with the gates",
                signal.word()
            ));
        }
        if !self.research_stance.fits(self.verdict) {
            return Err(format!("the research stance {stance} does not fit the verdict {verdict}"));
        }
        Ok(())
    }
}

fn object_schema(fields: &[(&str, Json)]) -> Json {
    let properties: serde_json::Map<String, Json> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn vote_schema() -> Json {
    json!({"type": "string", "enum": ["BUY", "WATCH", "AVOID"]})
}

fn text_schema(words: &str) -> Json {
    json!({"type": "string", "description": words})
}
