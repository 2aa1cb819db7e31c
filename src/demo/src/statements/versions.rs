//! Other versions of a period: the parent's standalone results, and a second filing.
//!
//! Both are made quarter by quarter, so that four quarters add up to their year in every version.

use super::{CompanyStatements, Income, Money, Period, RestatedYear, years};

impl CompanyStatements {
    /// Returns the second version of a period: a part of other expenses is netted against revenue.
    pub(crate) fn restate(&self, period: &Period, again: &RestatedYear) -> Period {
        let income = self.by_quarter(period, |income| {
            let part = self.round_to_quanta(again.part * income.other_expenses.max(0) as f64);
            Income { revenue: income.revenue - part, other_expenses: income.other_expenses - part, ..*income }
        });
        Period { income, filed: again.filed, ..period.clone() }
    }

    /// Returns the parent's income: a fraction of the group's.
    pub(crate) fn parent(&self, period: &Period, part: f64) -> Period {
        let of = |amount: Money| self.round_to_quanta(amount as f64 * part);
        let income = self.by_quarter(period, |group| Income {
            revenue: of(group.revenue),
            other_income: of(group.other_income),
            cost_of_goods: of(group.cost_of_goods),
            employee_cost: of(group.employee_cost),
            other_expenses: of(group.other_expenses),
            depreciation: of(group.depreciation),
            interest: of(group.interest),
            exceptional_items: of(group.exceptional_items),
            provisions: of(group.provisions),
            tax: of(group.tax),
            minority_profit: 0,
        });
        Period { income, ..period.clone() }
    }

    /// Maps the income of a period, of a year quarter by quarter.
    fn by_quarter(&self, period: &Period, of: impl Fn(&Income) -> Income) -> Income {
        if period.quarter.is_some() {
            return of(&period.income);
        }
        let quarters = self.quarters.iter().filter(|quarter| quarter.fiscal_year == period.fiscal_year);
        quarters
            .map(|quarter| of(&quarter.income))
            .fold(Income::default(), |sum, it| years::add_incomes(sum, &it))
    }

    /// Rounds an amount to a multiple of the quantum.
    fn round_to_quanta(&self, amount: f64) -> Money {
        (amount / self.quantum as f64).round() as Money * self.quantum
    }
}
