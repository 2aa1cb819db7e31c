//! Other versions of a period: the parent's standalone results, and a second filing.
//!
//! Both are computed quarter by quarter, so that four quarters add up to their year in every version.

use super::{CompanyStatements, Income, Money, Period, RestatedYear, years};

impl CompanyStatements {
    /// Returns the second version of a period: a part of other expenses is netted against revenue.
    pub(crate) fn restate(&self, period: &Period, restated: &RestatedYear) -> Period {
        let income = self.by_quarter(period, |income| {
            let part = self.round_to_quanta(restated.part * income.other_expenses.max(0) as f64);
            Income { revenue: income.revenue - part, other_expenses: income.other_expenses - part, ..*income }
        });
        Period { income, filed: restated.filed, ..period.clone() }
    }

    /// Returns the parent's income: a fraction of the group's.
    pub(crate) fn parent(&self, period: &Period, part: f64) -> Period {
        let scaled = |amount: Money| self.round_to_quanta(amount as f64 * part);
        let income = self.by_quarter(period, |group| Income {
            revenue: scaled(group.revenue),
            other_income: scaled(group.other_income),
            cost_of_goods: scaled(group.cost_of_goods),
            employee_cost: scaled(group.employee_cost),
            other_expenses: scaled(group.other_expenses),
            depreciation: scaled(group.depreciation),
            interest: scaled(group.interest),
            exceptional_items: scaled(group.exceptional_items),
            provisions: scaled(group.provisions),
            tax: scaled(group.tax),
            minority_profit: 0,
        });
        Period { income, ..period.clone() }
    }

    /// Maps the income of a period; the income of a year is mapped quarter by quarter.
    fn by_quarter(&self, period: &Period, map_income: impl Fn(&Income) -> Income) -> Income {
        if period.quarter.is_some() {
            return map_income(&period.income);
        }
        let quarters = self.quarters.iter().filter(|quarter| quarter.fiscal_year == period.fiscal_year);
        quarters
            .map(|quarter| map_income(&quarter.income))
            .fold(Income::default(), |sum, it| years::add_incomes(sum, &it))
    }

    /// Rounds an amount to a multiple of the quantum.
    fn round_to_quanta(&self, amount: f64) -> Money {
        (amount / self.quantum as f64).round() as Money * self.quantum
    }
}
