//! Management guidance on earnings calls. A call has the same tone score here as in all other files.
//!
//! A sentence has a figure only if the statements support it: growth and margins near those of the quarter.

use chrono::{Datelike, NaiveDate};

use crate::draw::{Draw, Purpose};
use crate::statements::Period;
use crate::texts;
use crate::world::{Listing, World};

/// The guidance of one call.
#[derive(Debug)]
pub(super) struct Guidance {
    pub(super) end: NaiveDate,
    pub(super) call: NaiveDate,
    pub(super) tone_score: i64,
    /// One of `raised`, `maintained`, `lowered` or `none`.
    pub(super) change: &'static str,
    pub(super) statements: Vec<String>,
    pub(super) confidence: &'static str,
}

/// Returns the guidance of a company by call, oldest first; empty for a company without analysed calls.
pub(super) fn calls(world: &World, listing: &Listing) -> Vec<Guidance> {
    let mut draw = Draw::new(world.seed, world.market, Purpose::Guidance, listing.company.ordinal);
    let calls = texts::generate_calls(world, listing).into_iter();
    calls
        .map(|call| {
            let score = call.tone_score();
            let quarter = listing.statements.quarter_ending(call.period_end());
            let change = if draw.chance(0.15) { "none" } else { change_word(score) };
            let statements = match quarter {
                Some(quarter) if change != "none" => draw_sentences(listing, quarter, score, &mut draw),
                _ => Vec::new(),
            };
            let confidence = draw.pick(&["high", "high", "medium", "low"]).copied().unwrap_or("medium");
            Guidance {
                end: call.period_end(),
                call: call.date,
                tone_score: score,
                change,
                statements,
                confidence,
            }
        })
        .collect()
}

const fn change_word(score: i64) -> &'static str {
    match score {
        65.. => "raised",
        40..65 => "maintained",
        _ => "lowered",
    }
}

fn draw_sentences(listing: &Listing, quarter: &Period, score: i64, draw: &mut Draw) -> Vec<String> {
    // For the fiscal year in progress: after a March quarter, the next one.
    let year = quarter.end.year() + i32::from(quarter.end.month() >= 3);
    let mut sentences = Vec::new();
    if let (Some(growth), _) = listing.statements.growth(quarter) {
        let growth_pct = (growth.clamp(-10.0, 30.0) + if score >= 60 { 1.0 } else { -1.0 }).round() as i64;
        sentences.push(format!(
            "Revenue is expected to grow by {growth_pct} to {} % in FY{year}.",
            growth_pct + 2
        ));
    }
    if let Some(margin) = quarter.operating_margin_pct(listing.statements.kind).filter(|margin| *margin > 1.0)
    {
        sentences.push(format!("Operating margin should be about {} %.", margin.round() as i64));
    }
    let outlook: &[&str] = match score {
        60.. => &["Demand is good in all main markets.", "New capacity will be in use within two quarters."],
        40..60 => &["Demand is as it was a quarter ago.", "Spending goes on as planned."],
        _ => &["Demand is weak and plans are under review.", "New spending is put off."],
    };
    sentences.extend(draw.pick(outlook).map(|sentence| (*sentence).to_owned()));
    sentences
}
