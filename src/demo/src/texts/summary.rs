//! `ai_summaries`: a quarter as a one-line verdict, positives, risks, and management's expectations.
//!
//! The choice of sentences follows from the figures; only their wording is random.

use super::facts::{QuarterFacts, QuarterTrend};
use super::text_writer::TextWriter;

/// A summary of one quarter.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) headline: String,
    pub(super) positives: Vec<String>,
    pub(super) risks: Vec<String>,
    pub(super) outlook: String,
}

/// Number of positives, and of risks.
const MOST_POINTS: usize = 3;
/// Minimum growth in percent that a sentence mentions.
const NOTABLE_GROWTH: f64 = 4.0;
/// Least fall of revenue, in percent, that a sentence mentions: a smaller one is rounded to zero.
const NOTABLE_FALL: f64 = 0.05;
/// Minimum change of margin in percentage points that a sentence mentions.
const NOTABLE_MARGIN: f64 = 0.3;

/// Summarizes a quarter; `writer` has the words of the company and of the quarter.
pub(super) fn summarize(facts: &QuarterFacts, tone_score: i64, writer: &mut TextWriter) -> Summary {
    Summary {
        headline: headline(facts, writer),
        positives: positives(facts, writer),
        risks: risks(facts, writer),
        outlook: outlook(tone_score, writer),
    }
}

/// Returns one sentence on the quarter as a whole.
pub(super) fn headline(facts: &QuarterFacts, writer: &mut TextWriter) -> String {
    writer.fill_one(match facts.trend() {
        QuarterTrend::Unmeasured => &[
            "{Income} came to {revenue} and profit after tax to {profit}.",
            "{short} earned {profit} after tax on {income} of {revenue}.",
        ],
        QuarterTrend::Loss => &[
            "The quarter ended with a loss of {loss} on {income} of {revenue}.",
            "{short} lost {loss} in the quarter, on {income} of {revenue}.",
            "In the red: {income} of {revenue} left a loss of {loss}.",
        ],
        QuarterTrend::Strong => &[
            "A strong quarter: {income} {revenue_move} and profit after tax {profit_move}.",
            "Growth with profit: {income} {revenue_move} to {revenue}, and profit after tax {profit_move}.",
            "{short} outran its own last year: {income} {revenue_move}, profit after tax {profit_move}.",
            "Demand for {products} showed: {income} {revenue_move} to {revenue}.",
        ],
        QuarterTrend::Steady => &[
            "A steady quarter: {income} {revenue_move} and profit after tax {profit_move}.",
            "More of the same: {income} {revenue_move} to {revenue}, profit after tax {profit_move}.",
            "{short} kept its pace, with {income} of {revenue} and profit after tax of {profit}.",
        ],
        QuarterTrend::Costly => &[
            "A mixed quarter: {income} {revenue_move}, but profit after tax {profit_move}.",
            "More business, less profit: {income} {revenue_move} while profit after tax {profit_move}.",
            "Costs took the growth: {income} {revenue_move}, profit after tax {profit_move}.",
        ],
        QuarterTrend::Lean => &[
            "Less business, better profit: {income} {revenue_move} while profit after tax {profit_move}.",
            "Costs made up for it: {income} {revenue_move}, yet profit after tax {profit_move}.",
        ],
        QuarterTrend::Weak => &[
            "A weak quarter: {income} {revenue_move} and profit after tax {profit_move}.",
            "Both lines fell: {income} {revenue_move}, profit after tax {profit_move}.",
            "{short} lost ground: {income} {revenue_move} to {revenue}, and profit after tax {profit_move}.",
        ],
    })
}

/// Returns the positives: figures first, then management's points.
pub(super) fn positives(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let points = measured_positives(facts, writer);
    let sentences = vec![
        "Management names {driver} as the main source of growth.",
        "{Customers} keep coming back for {edge}, by management's account.",
        "The company builds on {edge}.",
        "Management sees {driver} continuing in {segment}.",
    ];
    fill_up_points(points, sentences, writer)
}

fn measured_positives(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let mut points = Vec::new();
    if facts.revenue_growth.is_some_and(|growth| growth >= NOTABLE_GROWTH) {
        points.push(writer.fill_one(&[
            "{Income} {revenue_move} on the year to {revenue}, with {segment} in front.",
            "{Products} took {income} to {revenue}, {growth} above {year_ago}.",
            "{Income} {revenue_move} against {year_ago} and reached {revenue}.",
        ]));
    }
    if facts.margin_change.is_some_and(|change| change >= NOTABLE_MARGIN) {
        points.push(writer.fill_one(&[
            "Operating margin widened by {margin_points} points to {margin}.",
            "Costs took less of revenue: operating margin is {margin}, {margin_points} points above the year before.",
            "At {margin}, operating margin stands {margin_points} points higher than a year ago.",
        ]));
    }
    if facts.profit > 0.0 && facts.profit_growth.is_some_and(|growth| growth >= NOTABLE_GROWTH) {
        points.push(writer.fill_one(&[
            "Profit after tax {profit_move} on the year to {profit}.",
            "Profit after tax {profit_move} in a year and reached {profit}.",
        ]));
    }
    if facts.leverage.is_some_and(|leverage| (0.0..0.3).contains(&leverage)) {
        points.push(writer.fill_one(&[
            "Debt of {leverage} times equity leaves room to invest.",
            "The balance sheet is light, with debt at {leverage} times equity.",
        ]));
    }
    points
}

pub(super) fn risks(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let points = measured_risks(facts, writer);
    let sentences = vec![
        "Management warned of {headwind}.",
        "The cost of {inputs} can move results from one quarter to the next.",
        "Results lean on {segment}, where {headwind} would be felt first.",
        "Dependence on {customers} leaves little say over timing.",
    ];
    fill_up_points(points, sentences, writer)
}

fn measured_risks(facts: &QuarterFacts, writer: &mut TextWriter) -> Vec<String> {
    let mut points = Vec::new();
    if facts.profit <= 0.0 {
        points.push(writer.fill_one(&[
            "The quarter closed with a loss of {loss}.",
            "There was no profit to show: the loss was {loss}.",
        ]));
    }
    if facts.revenue_growth.is_some_and(|growth| growth <= -NOTABLE_FALL) {
        points.push(writer.fill_one(&[
            "{Income} {revenue_move} on the year, which management puts down to {headwind}.",
            "{Income} of {revenue} is {growth} below {year_ago}.",
        ]));
    }
    if facts.margin_change.is_some_and(|change| change <= -NOTABLE_MARGIN) {
        points.push(writer.fill_one(&[
            "Operating margin narrowed by {margin_points} points to {margin}.",
            "Dearer {inputs} took {margin_points} points off operating margin, now {margin}.",
        ]));
    }
    if facts.profit > 0.0 && facts.profit_growth.is_some_and(|growth| growth <= -NOTABLE_GROWTH) {
        points.push(writer.fill_one(&["Profit after tax {profit_move} on the year to {profit}."]));
    }
    if facts.leverage.is_some_and(|leverage| leverage > 1.0) {
        points.push(writer.fill_one(&[
            "Debt of {leverage} times equity makes results sensitive to interest rates.",
            "With debt at {leverage} times equity there is little slack.",
        ]));
    }
    points
}

/// Adds general points to the points from figures until there are [`MOST_POINTS`].
fn fill_up_points(mut points: Vec<String>, mut sentences: Vec<&str>, writer: &mut TextWriter) -> Vec<String> {
    while points.len() < MOST_POINTS {
        points.push(writer.fill_once(&mut sentences));
    }
    points.truncate(MOST_POINTS);
    points
}

/// Returns management's expectations, in the tone of its call.
pub(super) fn outlook(tone_score: i64, writer: &mut TextWriter) -> String {
    writer.fill_one(match tone_score {
        60.. => &[
            "Management expects {driver} to carry the coming quarters and keeps its plans for {segment}.",
            "Management is confident: it sees {driver} ahead and plans to add capacity in {segment}.",
            "The outlook given is bright, resting on {driver} and on {edge}.",
        ],
        40..60 => &[
            "Management expects quarters much like this one, with {driver} set against {headwind}.",
            "Management holds its plans for {segment} and would not be drawn beyond the year.",
            "The outlook given is even: {driver} on one side, {headwind} on the other.",
        ],
        _ => &[
            "Management is cautious because of {headwind} and holds back spending in {segment}.",
            "Management expects no quick turn; it names {headwind} and the cost of {inputs}.",
            "The outlook given is guarded until there is a recovery in {segment}.",
        ],
    })
}
