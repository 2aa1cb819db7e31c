//! `management_tones` and `call_phrases`: the tone of management on each quarter's call, and its phrases.
//!
//! The score follows growth, margins and surprise, with some noise.

use super::facts::QuarterFacts;
use super::text_writer::TextWriter;
use crate::draw::Draw;

/// The tone of a call.
#[derive(Debug)]
pub(super) struct Tone {
    /// Tone score, 0 to 100: positive from 60, negative below 40.
    pub(super) score: i64,
    /// Confidence in the score: `high`, `medium` or `low`.
    pub(super) confidence: &'static str,
    /// The phrases used, with their number of mentions.
    pub(super) phrases: Vec<(&'static str, u32)>,
}

/// Phrases of confidence; those of caution and neutral ones follow.
const CONFIDENT_PHRASES: [&str; 10] = [
    "strong demand", "record order book", "margin expansion", "market share gains", "capacity expansion",
    "cash generation", "new products", "pricing power", "ahead of plan", "healthy pipeline",
];
const CAUTIOUS_PHRASES: [&str; 10] = [
    "input costs", "competitive intensity", "soft demand", "one-off items", "project delays",
    "inventory correction", "cautious stance", "near-term headwinds", "deferred spending", "under review",
];
const NEUTRAL_PHRASES: [&str; 4] = ["working capital", "capital allocation", "execution", "long term"];

/// Draws a tone: `company` decides the phrases, which stay the same, and `quarter` the noise of the call.
pub(super) fn draw_tone(facts: &QuarterFacts, company: &mut Draw, quarter: &mut Draw) -> Tone {
    let score = score(facts, quarter);
    Tone {
        score,
        confidence: quarter
            .weighted(&[("high", 0.55), ("medium", 0.35), ("low", 0.1)], |it| it.1)
            .map_or("medium", |it| it.0),
        phrases: draw_phrases(score, company, quarter),
    }
}

fn score(facts: &QuarterFacts, draw: &mut Draw) -> i64 {
    let growth = 0.7 * facts.revenue_growth.unwrap_or(0.0).clamp(-25.0, 25.0);
    let profit = 0.15 * facts.profit_growth.unwrap_or(0.0).clamp(-60.0, 60.0);
    let margin = 1.5 * facts.margin_change.unwrap_or(0.0).clamp(-4.0, 4.0);
    let surprise = 4.0 * facts.surprise.clamp(-2.5, 2.5);
    let loss = if facts.profit <= 0.0 { -12.0 } else { 0.0 };
    (50.0 + growth + profit + margin + surprise + loss + 4.0 * draw.normal()).round().clamp(5.0, 96.0) as i64
}

/// Draws mentions of about eight phrases; the higher the score, the more often confident ones.
fn draw_phrases(score: i64, company: &mut Draw, quarter: &mut Draw) -> Vec<(&'static str, u32)> {
    let bright = score as f64 / 50.0;
    let groups = [
        (&CONFIDENT_PHRASES[..], 4, bright),
        (&CAUTIOUS_PHRASES[..], 3, 2.0 - bright),
        (&NEUTRAL_PHRASES[..], 2, 1.0),
    ];
    let mut counted = Vec::new();
    for (phrases, count, weight) in groups {
        let start = company.below(phrases.len());
        for phrase in phrases.iter().cycle().skip(start).take(count) {
            let mentions = (weight * quarter.between(0.0, 5.0)).round() as u32;
            if mentions > 0 {
                counted.push((*phrase, mentions));
            }
        }
    }
    counted
}

impl Tone {
    /// Returns the three most frequent phrases.
    pub(super) fn themes(&self) -> Vec<&'static str> {
        let mut phrases = self.phrases.clone();
        phrases.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        phrases.into_iter().take(3).map(|(phrase, _)| phrase).collect()
    }
}

/// Describes how tone and figures fit together; `before` is the score of the previous call.
pub(super) fn combination_text(
    facts: &QuarterFacts,
    score: i64,
    before: Option<i64>,
    writer: &mut TextWriter,
) -> String {
    let grows = facts.revenue_growth.map(|growth| growth >= 0.0);
    let first = writer.fill_one(match (score, grows) {
        (60.., Some(true)) => &[
            "Words and figures agree: the call was confident and {income} {revenue_move}.",
            "Confidence has figures behind it, as {income} {revenue_move}.",
        ],
        (60.., Some(false)) => {
            &["Words run ahead of figures: the call was confident although {income} {revenue_move}."]
        }
        (..40, Some(true)) => {
            &["Management sounds more careful than its figures, since {income} {revenue_move}."]
        }
        (..40, Some(false)) => &[
            "Words and figures agree: the call was guarded and {income} {revenue_move}.",
            "The caution has figures behind it, as {income} {revenue_move}.",
        ],
        _ => &[
            "The call gave little away beyond {income} of {revenue}.",
            "An even call, on {income} of {revenue}.",
        ],
    });
    let second = before.map(|before| {
        writer.fill_one(match score - before {
            8.. => &[
                "The tone has brightened since the call before.",
                "Management sounds surer than a quarter ago.",
            ],
            ..=-8 => &[
                "The tone has darkened since the call before.",
                "Management sounds less sure than a quarter ago.",
            ],
            _ => {
                &["The tone has hardly moved since the call before.", "It sounded much like the call before."]
            }
        })
    });
    let third = writer.fill_one(&[
        "Watch {driver} in {segment}.",
        "The next call should show whether {driver} can outweigh {headwind}.",
        "What to listen for next is {headwind}.",
    ]);
    [Some(first), second, Some(third)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
