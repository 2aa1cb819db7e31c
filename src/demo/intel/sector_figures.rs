//! The figures of a company's sector by quarter, in step with its revenue.

use chrono::NaiveDate;

use super::filed;
use super::sector_words::{self, Course, Figure};
use crate::demo::draw::{Draw, Purpose};
use crate::demo::statements::{Kind, Period};
use crate::demo::world::{Listing, World};

/// Quarters that are told, the newest ones.
const QUARTERS: usize = 8;
/// Lakhs in a crore.
const LAKHS: f64 = 100.0;

/// A figure of a quarter.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) end: NaiveDate,
    pub(super) filed: NaiveDate,
    pub(super) figure: &'static Figure,
    pub(super) value: f64,
}

/// The figures of a company, by quarter.
pub(super) fn figures(world: &World, listing: &Listing) -> Vec<Told> {
    let statements = &listing.statements;
    let figures = match statements.kind {
        Kind::Bank | Kind::Lender => sector_words::OF_LENDERS,
        Kind::Insurer => sector_words::OF_INSURERS,
        Kind::Company => sector_words::of(listing.company.industry.sector),
    };
    let mut draw = Draw::new(world.seed, world.market, Purpose::SectorFigures, listing.company.place);
    // What a company sells is dearer or cheaper than its rivals' goods; a share has a level that it stays near.
    let own: Vec<(f64, f64)> =
        figures.iter().map(|_| ((0.35 * draw.normal()).exp(), draw.uniform())).collect();
    let mut told = Vec::new();
    for quarter in filed(world, listing, QUARTERS) {
        let revenue = quarter.income.revenue as f64 / LAKHS;
        let year = year_to(&statements.quarters, quarter) / LAKHS;
        for (figure, (size, level)) in figures.iter().zip(&own) {
            let noise = draw.normal();
            let value = match figure.course {
                Course::Sold(each) => revenue * each * size * (1.0 + 0.02 * noise),
                Course::Standing(each) => (year * each * size * (1.0 + 0.01 * noise)).round(),
                Course::Share(low, high) => (low + (high - low) * (level + 0.06 * noise)).clamp(low, high),
            };
            told.push(Told { end: quarter.end, filed: quarter.filed, figure, value });
        }
    }
    told
}

/// Revenue of the four quarters that end with this one, in lakhs; of a young company four times the quarter's.
fn year_to(quarters: &[Period], last: &Period) -> f64 {
    let end = quarters.iter().position(|quarter| quarter.end == last.end).map_or(0, |place| place + 1);
    let year = end.checked_sub(4).and_then(|start| quarters.get(start..end));
    let sum = year.map(|year| year.iter().map(|quarter| quarter.income.revenue).sum::<i64>());
    sum.unwrap_or(4 * last.income.revenue) as f64
}
