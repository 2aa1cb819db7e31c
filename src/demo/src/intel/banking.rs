//! Loan, deposit and margin figures that banks and lenders report.
//!
//! All figures follow from the books, except for the CASA ratio and new bad loans, which the books do not contain.

use chrono::NaiveDate;

use super::quarters_filed;
use crate::draw::{Draw, Purpose};
use crate::statements::{BusinessKind, Income, Money, Period};
use crate::world::{Listing, World};

/// Number of the newest quarters that are reported.
const REPORTED_QUARTERS: usize = 12;

/// Tier 2 capital in percent of risk-weighted assets.
const TIER_2_PCT: f64 = 2.0;

/// The figures of a quarter: amounts in lakhs, ratios in percent.
#[derive(Debug)]
pub(super) struct Banking {
    pub(super) end: NaiveDate,
    /// Day of filing.
    pub(super) filed: NaiveDate,
    pub(super) is_bank: bool,
    pub(super) advances: Money,
    pub(super) deposits: Option<Money>,
    pub(super) net_interest_income: Money,
    pub(super) margin: Option<f64>,
    pub(super) casa: Option<f64>,
    pub(super) gross_bad: f64,
    pub(super) net_bad: f64,
    pub(super) cover: Option<f64>,
    pub(super) slippage: Option<f64>,
    pub(super) credit_cost: Option<f64>,
    pub(super) credit_growth: Option<f64>,
    pub(super) deposit_growth: Option<f64>,
    pub(super) credit_deposit: Option<f64>,
    pub(super) cost_to_income: Option<f64>,
    pub(super) capital_adequacy: f64,
}

/// Returns the quarters of a bank or lender, oldest first; empty for other companies.
pub(super) fn quarters(world: &World, listing: &Listing) -> Vec<Banking> {
    let statements = &listing.statements;
    if !matches!(statements.kind, BusinessKind::Bank | BusinessKind::Lender) {
        return Vec::new();
    }
    let mut draw = Draw::new(world.seed, world.market, Purpose::Banking, listing.company.ordinal);
    let mut casa = draw.between(22.0, 46.0);
    let periods = quarters_filed(world, listing, REPORTED_QUARTERS).into_iter();
    periods
        .map(|quarter| {
            casa = (casa + 0.6 * draw.normal()).clamp(15.0, 55.0);
            let recovered = draw.between(0.04, 0.10);
            let index = statements.quarters.iter().position(|it| it.end == quarter.end);
            let before =
                index.and_then(|index| index.checked_sub(1)).and_then(|index| statements.quarters.get(index));
            let year_before = statements.year_before(quarter);
            banking(statements.kind, quarter, before, year_before, DrawnFigures { casa, recovered })
        })
        .collect()
}

/// Drawn figures that the books do not contain.
#[derive(Clone, Copy)]
struct DrawnFigures {
    casa: f64,
    /// Fraction of earlier bad loans recovered in the quarter.
    recovered: f64,
}

fn banking(
    kind: BusinessKind,
    quarter: &Period,
    before: Option<&Period>,
    year_before: Option<&Period>,
    drawn: DrawnFigures,
) -> Banking {
    let (books, income) = (&quarter.balance, &quarter.income);
    let is_bank = kind == BusinessKind::Bank;
    let mean = |figure: fn(&Period) -> Money| {
        before.map(|before| (figure(quarter) + figure(before)) as f64 / 2.0).filter(|mean| *mean > 0.0)
    };
    let growth = |figure: fn(&Period) -> Money| {
        let base = year_before.map(figure).filter(|base| *base > 0)?;
        Some(percent_of(figure(quarter) - base, base as f64))
    };
    let nii = income.net_interest_income();
    let coverage = books.gross_npa - books.net_npa;
    Banking {
        end: quarter.end,
        filed: quarter.filed,
        is_bank,
        advances: books.advances,
        deposits: is_bank.then_some(books.deposits),
        net_interest_income: nii,
        margin: mean(|it| it.balance.advances + it.balance.investments).map(|mean| percent_of(4 * nii, mean)),
        casa: is_bank.then_some(drawn.casa),
        gross_bad: percent_of(books.gross_npa, books.advances as f64),
        net_bad: percent_of(books.net_npa, (books.advances - coverage) as f64),
        cover: (books.gross_npa > 0).then(|| percent_of(coverage, books.gross_npa as f64)),
        slippage: before.and_then(|before| slippage_pct(quarter, before, drawn.recovered)),
        credit_cost: mean(|it| it.balance.advances).map(|mean| percent_of(4 * income.provisions, mean)),
        credit_growth: growth(|it| it.balance.advances),
        deposit_growth: if is_bank { growth(|it| it.balance.deposits) } else { None },
        credit_deposit: (is_bank && books.deposits > 0)
            .then(|| percent_of(books.advances, books.deposits as f64)),
        cost_to_income: cost_to_income(income),
        capital_adequacy: books.tier1_pct + TIER_2_PCT,
    }
}

/// Returns the annualized slippage in percent of earlier loans: the growth of bad loans plus recoveries.
fn slippage_pct(quarter: &Period, before: &Period, recovered: f64) -> Option<f64> {
    let (now, then) = (&quarter.balance, &before.balance);
    let grown = (now.gross_npa - then.gross_npa).max(0) as f64;
    (then.advances > 0).then(|| 400.0 * (grown + then.gross_npa as f64 * recovered) / then.advances as f64)
}

fn cost_to_income(income: &Income) -> Option<f64> {
    let all = income.net_interest_income() + income.other_income;
    let cost = income.employee_cost + income.other_expenses + income.depreciation;
    (all > 0).then(|| percent_of(cost, all as f64))
}

fn percent_of(part: Money, whole: f64) -> f64 {
    100.0 * part as f64 / whole.max(1.0)
}
