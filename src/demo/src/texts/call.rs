//! `call_decoders` and `call_numbers`: the analysis of an earnings call - tone, messages, avoided topics.
//!
//! Key numbers come from the statements; every figure in the words is a key number or a tone score.

use super::facts::{QuarterFacts, QuarterTrend};
use super::summary;
use super::text_writer::TextWriter;

/// The analysis of one call.
#[derive(Debug)]
pub(super) struct CallAnalysis {
    pub(super) tone_read: String,
    pub(super) top_messages: Vec<String>,
    pub(super) dodged_topics: Vec<String>,
    pub(super) tone_shifts: Vec<String>,
    pub(super) numbers: Vec<QuotedNumber>,
    pub(super) outlook: String,
    pub(super) investor_lens: String,
}

/// A figure quoted on the call.
#[derive(Debug)]
pub(super) struct QuotedNumber {
    pub(super) metric: &'static str,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    /// Change over the previous year, in percent; `None` for margins.
    pub(super) change_pct: Option<f64>,
    /// Change over the previous year, in percentage points, for margins.
    pub(super) change_points: Option<f64>,
}

/// Analyses the call of a quarter; `before` is the previous quarter with its tone score.
pub(super) fn decode_call(
    facts: &QuarterFacts,
    score: i64,
    before: Option<(&QuarterFacts, i64)>,
    writer: &mut TextWriter,
) -> CallAnalysis {
    if let Some((before, before_score)) = before {
        writer.set("quarter_before", before.quarter());
        writer.set("score_before", before_score.to_string());
    }
    writer.set("score", score.to_string());
    CallAnalysis {
        tone_read: tone_sentence(score, writer),
        top_messages: top_messages(facts, writer),
        dodged_topics: dodged_topics(facts, writer),
        tone_shifts: tone_shifts(score, before.map(|(_, score)| score), writer),
        numbers: numbers(facts),
        outlook: summary::outlook(score, writer),
        investor_lens: investor_lens(facts, writer),
    }
}

fn tone_sentence(score: i64, writer: &mut TextWriter) -> String {
    writer.fill_one(match score {
        75.. => &[
            "Confident throughout; management answered with figures and stayed on {segment}.",
            "Upbeat: short answers, many figures, and plans for {segment}.",
        ],
        60..75 => &[
            "Positive, with plain answers on {segment} and less on {headwind}.",
            "Assured without boasting; {driver} came up again and again.",
        ],
        40..60 => &[
            "Even: management neither promised nor warned.",
            "Neutral and dry, with long answers on {inputs}.",
            "Balanced; questions on {segment} got more time than the figures.",
        ],
        _ => &[
            "Guarded: answers on {headwind} were short, and plans were put off.",
            "Defensive, with much about what lies outside management's hands.",
        ],
    })
}

fn top_messages(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let mut sentences = vec![
        "Growth is to come from {driver}.",
        "Customers stay because of {edge}.",
        "The larger part of new spending goes to {segment}.",
        "The cost of {inputs} is watched week by week.",
        "{Second_segment} should find its level within the year.",
    ];
    vec![summary::headline(facts, writer), writer.fill_once(&mut sentences), writer.fill_once(&mut sentences)]
}

fn dodged_topics(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let mut topics = vec![
        "How long {headwind} will last",
        "How new spending is split between {segment} and {second_segment}",
        "Prices in {segment}",
        "What a rival's offer means for {second_segment}",
    ];
    if facts.margin_change.is_some_and(|change| change < 0.0) {
        topics = vec![
            "When operating margin will be back at the level of {year_ago}",
            "How much of the cost of {inputs} can be passed on",
        ];
    } else if matches!(facts.trend(), QuarterTrend::Loss) {
        topics = vec!["When the company will break even", "How long the cash will last at this pace"];
    } else if facts.revenue_growth.is_some_and(|growth| growth > 0.0) {
        topics.push("How much of the growth came from prices");
    }
    let count = if writer.draw().chance(0.5) { 2 } else { 1 };
    (0..count).map(|_| writer.fill_once(&mut topics)).collect()
}

fn tone_shifts(score: i64, before: Option<i64>, writer: &mut TextWriter) -> Vec<String> {
    let Some(before) = before else { return Vec::new() };
    let mut shifts = vec![writer.fill_one(match score - before {
        4.. => &[
            "More confident than in {quarter_before}: the tone score rose from {score_before} to {score}.",
            "Warmer on {segment} than a quarter ago; the tone score is {score} after {score_before}.",
        ],
        ..=-4 => &[
            "More guarded than in {quarter_before}: the tone score fell from {score_before} to {score}.",
            "Cooler on {segment} than a quarter ago; the tone score is {score} after {score_before}.",
        ],
        _ => &["Little has changed since {quarter_before}: the tone score is {score} after {score_before}."],
    })];
    if writer.draw().chance(0.4) {
        shifts.push(writer.fill_one(&[
            "{Headwind}: named earlier in the call than before.",
            "{Second_segment}: no longer called a growth business.",
            "{Driver}: from hope to plan.",
        ]));
    }
    shifts
}

fn numbers(facts: &QuarterFacts) -> Vec<QuotedNumber> {
    let (money, per_share) = facts.units();
    let number = |metric, value, unit| QuotedNumber {
        metric,
        value: round_figure(value),
        unit,
        change_pct: None,
        change_points: None,
    };
    let mut numbers = vec![
        QuotedNumber {
            change_pct: facts.revenue_growth.map(round_figure),
            ..number("revenue", facts.revenue, money)
        },
        QuotedNumber {
            change_pct: facts.profit_growth.map(round_figure),
            ..number("profit after tax", facts.profit, money)
        },
        number("earnings per share", facts.eps, per_share),
    ];
    if let Some(margin) = facts.margin {
        numbers.push(QuotedNumber {
            change_points: facts.margin_change.map(round_figure),
            ..number("operating margin", margin, "percent")
        });
    }
    numbers
}

/// Rounds a figure to two decimals, as in texts.
fn round_figure(figure: f64) -> f64 {
    (figure * 100.0).round() / 100.0
}

fn investor_lens(facts: &QuarterFacts, writer: &mut TextWriter) -> String {
    let mut sentences = vec![
        "The question is whether {driver} can outweigh {headwind}.",
        "Results hang on {segment}; the next quarter will show for how long.",
        "Compare what was said on {segment} with the next segment figures.",
        "What was avoided matters as much as what was told.",
    ];
    let first = writer.fill_once(&mut sentences);
    if facts.margin.is_some() && writer.draw().chance(0.6) {
        let second = writer.fill_one(&[
            "Operating margin of {margin} is the figure to hold the next call against.",
            "Take operating margin, now {margin}, as the test.",
        ]);
        return format!("{first} {second}");
    }
    format!("{first} {}", writer.fill_once(&mut sentences))
}
