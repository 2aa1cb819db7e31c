//! Operating figures of a company's sector by quarter, consistent with its revenue.

use chrono::{Datelike, Months, NaiveDate};

use super::orders::{self, OrderWin};
use super::quarters_filed;
use super::sector_words::{FigureModel, SectorFigure, figures_for_sector};
use crate::draw::{Draw, Purpose};
use crate::statements::{BusinessKind, Period};
use crate::world::{Listing, World};

/// Number of the newest quarters that are reported.
const REPORTED_QUARTERS: usize = 8;
const LAKHS_IN_CRORE: f64 = 100.0;

/// A sector figure of one quarter.
#[derive(Debug)]
pub(super) struct QuarterFigure {
    pub(super) end: NaiveDate,
    pub(super) filed: NaiveDate,
    pub(super) figure: &'static SectorFigure,
    pub(super) value: f64,
}

/// Returns the figures of a company, by quarter.
pub(super) fn figures(world: &World, listing: &Listing) -> Vec<QuarterFigure> {
    let statements = &listing.statements;
    let figures = figures_for_sector(match statements.kind {
        BusinessKind::Bank | BusinessKind::Lender => "lenders",
        BusinessKind::Insurer => "insurers",
        BusinessKind::Company => listing.company.industry.sector,
    });
    let mut draw = Draw::new(world.seed, world.market, Purpose::SectorFigures, listing.company.ordinal);
    // Each company has a price level and a share level for each figure.
    let company_factors: Vec<(f64, f64)> =
        figures.iter().map(|_| ((0.35 * draw.normal()).exp(), draw.uniform())).collect();
    let orders = orders::orders(world, listing);
    let mut order_book: Option<f64> = None;
    let mut rows = Vec::new();
    for quarter in quarters_filed(world, listing, REPORTED_QUARTERS) {
        let mut order_inflow = 0.0;
        let revenue = quarter.income.revenue as f64 / LAKHS_IN_CRORE;
        let year = annual_revenue(&statements.quarters, quarter) / LAKHS_IN_CRORE;
        for (figure, (size, level)) in figures.iter().copied().zip(&company_factors) {
            let noise = draw.normal();
            let value = match figure.model {
                FigureModel::Sold(each) => revenue * each * size * (1.0 + 0.02 * noise),
                FigureModel::Standing(each) => (year * each * size * (1.0 + 0.01 * noise)).round(),
                FigureModel::Share(low, high) => {
                    (low + (high - low) * (level + 0.06 * noise)).clamp(low, high)
                }
                FigureModel::Ordered(each) => {
                    order_inflow = (revenue * each * (1.0 + 0.25 * noise).max(0.2))
                        .max(announced_value(&orders, quarter));
                    order_inflow = round_crore(order_inflow);
                    order_inflow
                }
                FigureModel::Book(each) => {
                    let next = order_book
                        .map_or(year * each * size.powf(0.5), |before| before + order_inflow - revenue);
                    *order_book.insert(round_crore(next.max(0.2 * year)))
                }
            };
            rows.push(QuarterFigure { end: quarter.end, filed: quarter.filed, figure, value });
        }
    }
    rows
}

/// Returns the total value of orders announced in a quarter, in crore; undisclosed values count as 0.
fn announced_value(orders: &[OrderWin], quarter: &Period) -> f64 {
    let end = quarter.end;
    let start = end.with_day(1).and_then(|day| day.checked_sub_months(Months::new(2))).unwrap_or(end);
    let within = orders.iter().filter(|order| (start..=end).contains(&order.filed));
    within.filter_map(|order| order.value).sum::<u64>() as f64
}

/// Rounds to two decimals, as in the files, so that the written figures add up.
fn round_crore(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

/// Returns the revenue of the four quarters that end with this quarter, in lakhs; for a young company, four times the revenue of the
/// quarter.
fn annual_revenue(quarters: &[Period], last: &Period) -> f64 {
    let end = quarters.iter().position(|quarter| quarter.end == last.end).map_or(0, |index| index + 1);
    let year = end.checked_sub(4).and_then(|start| quarters.get(start..end));
    let sum = year.map(|year| year.iter().map(|quarter| quarter.income.revenue).sum::<i64>());
    sum.unwrap_or(4 * last.income.revenue) as f64
}
