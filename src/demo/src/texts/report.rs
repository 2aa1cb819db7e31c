//! `full_reports`: one long text on a US company, by sections.
//!
//! It gives no advice to buy or sell: the stance in its row is derived from scores that are not in the text.

use super::facts::{QuarterFacts, QuarterTrend};
use super::profile;
use super::summary;
use super::voice::Voice;

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

/// Writes the report after the last of these quarters; the voice has the words of the company and that quarter.
pub(super) fn write_report(
    quarters: &[QuarterFacts],
    scores: &[i64],
    voice: &mut Voice,
) -> Option<FullReport> {
    let last = quarters.last()?;
    // It rewords the sections of the profile.
    let [business, moat, management, drivers, _, health, field, recent, thesis, cases] =
        profile::write_profile(quarters, scores, voice)?;
    Some(FullReport {
        headline: summary::headline(last, voice),
        summary: format!("{drivers} {thesis}"),
        business: format!("{business} {field}"),
        financials: format!("{recent} {} {health}", course_text(last, voice)),
        position: moat,
        management,
        catalysts: catalysts(voice),
        risks: summary::risks(last, voice),
        conclusion: format!("{cases} {}", voice.say(&CLOSING)),
    })
}

const CLOSING: [&str; 3] = [
    "What decides between the two is {segment}.",
    "The next results will favour one of the two.",
    "Which of them comes closer can be read from {segment} first.",
];

fn course_text(last: &QuarterFacts, voice: &mut Voice) -> String {
    voice.say(match last.course() {
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

fn catalysts(voice: &mut Voice) -> Vec<String> {
    let mut sentences = vec![
        "Results of the coming quarter, for {segment}",
        "Signs of {driver}",
        "New contracts in {second_segment}",
        "Lower cost of {inputs}",
        "News on {third_segment}",
    ];
    (0..3).map(|_| voice.fill_once(&mut sentences)).collect()
}
