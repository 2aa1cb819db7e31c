//! `full_reports`: one long text on a US company, by sections.
//!
//! The text gives no advice to buy or sell: the stance in its row is derived from scores that are not in the text.

use super::facts::{QuarterFacts, QuarterTrend};
use super::profile;
use super::summary;
use super::text_writer::TextWriter;

/// The sections of a report.
#[derive(Debug)]
pub(super) struct FullReport {
    pub(super) headline: String,
    pub(super) summary: String,
    pub(super) business: String,
    pub(super) financials: String,
    pub(super) position: String,
    pub(super) management: String,
    pub(super) catalysts: Vec<String>,
    pub(super) risks: Vec<String>,
    pub(super) conclusion: String,
}

/// Writes the report after the last of these quarters; `writer` has the words of the company and of that quarter.
pub(super) fn write_report(
    quarters: &[QuarterFacts],
    scores: &[i64],
    writer: &mut TextWriter,
) -> Option<FullReport> {
    let last = quarters.last()?;
    // The report recombines the sections of the profile.
    let [business, moat, management, drivers, _, health, field, recent, thesis, cases] =
        profile::write_profile(quarters, scores, writer)?;
    Some(FullReport {
        headline: summary::headline(last, writer),
        summary: format!("{drivers} {thesis}"),
        business: format!("{business} {field}"),
        financials: format!("{recent} {} {health}", trend_text(last, writer)),
        position: moat,
        management,
        catalysts: catalysts(writer),
        risks: summary::risks(last, writer),
        conclusion: format!("{cases} {}", writer.fill_one(&CLOSING)),
    })
}

const CLOSING: [&str; 3] = [
    "What decides between the two is {segment}.",
    "The next results will favour one of the two.",
    "Which of them comes closer can be read from {segment} first.",
];

fn trend_text(last: &QuarterFacts, writer: &mut TextWriter) -> String {
    writer.fill_one(match last.trend() {
        QuarterTrend::Unmeasured => &["There is no year before to compare the quarter with."],
        QuarterTrend::Loss => &["Costs were above {income}."],
        QuarterTrend::Strong | QuarterTrend::Steady => {
            &["Both {income} and profit are above {year_ago}.", "Against {year_ago} both lines are higher."]
        }
        QuarterTrend::Costly => &["Against {year_ago} {income} is higher and profit lower."],
        QuarterTrend::Lean => &["Against {year_ago} {income} is lower and profit higher."],
        QuarterTrend::Weak => &["Against {year_ago} both lines are lower."],
    })
}

fn catalysts(writer: &mut TextWriter) -> Vec<String> {
    let mut sentences = vec![
        "Results of the coming quarter, for {segment}",
        "Signs of {driver}",
        "New contracts in {second_segment}",
        "Lower cost of {inputs}",
        "News on {third_segment}",
    ];
    (0..3).map(|_| writer.fill_once(&mut sentences)).collect()
}
