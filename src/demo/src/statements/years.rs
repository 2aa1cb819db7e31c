//! Fiscal years as sums of their four quarters.
//!
//! Flows add up exactly; a year's balance sheet is that of its last quarter. Incomplete years are left out.

use super::{Flows, Income, Period, Stock};

/// Returns the full fiscal years of consecutive quarters; `splits` has the number of shares that one share became in each quarter.
pub(super) fn full_years(quarters: &[Period], splits: &[f64]) -> Vec<Period> {
    let full = quarters.windows(4).zip(splits.windows(4));
    let full = full.filter(|(year, _)| year.first().is_some_and(|first| first.quarter == Some(1)));
    full.filter_map(|(year, splits)| sum_of_quarters(year, splits)).collect()
}

fn sum_of_quarters(quarters: &[Period], splits: &[f64]) -> Option<Period> {
    let last = quarters.last()?;
    let mut year = Period {
        quarter: None,
        surprise: 0.0,
        is_missing: false,
        income: Income::default(),
        flows: Flows::default(),
        ..last.clone()
    };
    for quarter in quarters {
        year.income = add_incomes(year.income, &quarter.income);
        year.flows = Flows {
            cfo: year.flows.cfo + quarter.flows.cfo,
            capex: year.flows.capex + quarter.flows.capex,
            cfi: year.flows.cfi + quarter.flows.cfi,
            cff: year.flows.cff + quarter.flows.cff,
            dividends_paid: year.flows.dividends_paid + quarter.flows.dividends_paid,
            capital_raised: year.flows.capital_raised + quarter.flows.capital_raised,
        };
    }
    year.stock = stock(quarters, splits)?;
    Some(year)
}

/// Adds two incomes line by line.
pub(super) fn add_incomes(a: Income, b: &Income) -> Income {
    Income {
        revenue: a.revenue + b.revenue,
        other_income: a.other_income + b.other_income,
        cost_of_goods: a.cost_of_goods + b.cost_of_goods,
        employee_cost: a.employee_cost + b.employee_cost,
        other_expenses: a.other_expenses + b.other_expenses,
        depreciation: a.depreciation + b.depreciation,
        interest: a.interest + b.interest,
        exceptional_items: a.exceptional_items + b.exceptional_items,
        provisions: a.provisions + b.provisions,
        tax: a.tax + b.tax,
        minority_profit: a.minority_profit + b.minority_profit,
    }
}

/// Returns a year's share counts as of its end: means over the quarters, adjusted for later splits.
fn stock(quarters: &[Period], splits: &[f64]) -> Option<Stock> {
    let mut year = Stock::default();
    let (mut weighted, mut diluted, mut dividend) = (0.0, 0.0, 0.0);
    for (index, quarter) in quarters.iter().enumerate() {
        let later: f64 = splits.iter().skip(index + 1).product();
        weighted += quarter.stock.weighted as f64 * later / 4.0;
        diluted += quarter.stock.diluted as f64 * later / 4.0;
        dividend += quarter.stock.dividend_per_share / later;
        year.issued += quarter.stock.issued;
    }
    year.outstanding = quarters.last()?.stock.outstanding;
    (year.weighted, year.diluted) = (weighted.round() as u64, diluted.round() as u64);
    year.dividend_per_share = (dividend * 100.0).round() / 100.0;
    Some(year)
}
