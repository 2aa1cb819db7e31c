//! Simulates the books of companies and insurers, quarter by quarter.
//!
//! Every balance follows from the previous one and the quarter's flows, in whole multiples of one quantum, so that identities hold exactly,
//! without rounding differences.

use super::character::Traits;
use super::plan::{Plan, Quarterly};
use super::{Balance, BusinessKind, Flows, Income, Money, Story};
use crate::draw::Draw;

/// Simulates all quarters of a plan.
pub(super) fn simulate(plan: &Plan<'_>, draw: &mut Draw) -> Vec<Quarterly> {
    let mut books = CompanyBooks::open(plan, draw);
    (0..plan.quarters()).map(|index| books.quarter(index, draw)).collect()
}

/// The state of the books between two quarters.
struct CompanyBooks<'a> {
    plan: &'a Plan<'a>,
    traits: &'a Traits,
    balance: Balance,
}

impl<'a> CompanyBooks<'a> {
    /// Opens the books with usual assets and usual debt; equity is the difference.
    fn open(plan: &'a Plan<'a>, draw: &mut Draw) -> Self {
        let traits = plan.traits;
        let year = plan.year_of_revenue(0);
        let mut books = Self { plan, traits, balance: Balance::default() };
        books.balance = books.working_capital(0, plan.revenue(0), books.cost(0));
        let is_insurer = traits.kind == BusinessKind::Insurer;
        let invested = if is_insurer { 1.15 * traits.leverage } else { draw.between(0.0, 0.2) };
        let cash_burn = (-traits.margin).max(0.0);
        let has_goodwill = draw.chance(0.3);
        let goodwill = draw.between(0.02, 0.15);
        let balance = &mut books.balance;
        balance.cash = plan.round_to_quanta((0.08 + 1.2 * cash_burn) * year);
        balance.investments = plan.round_to_quanta(invested * year);
        balance.fixed_assets = plan.round_to_quanta(traits.usual.plant * year);
        balance.intangibles = if has_goodwill { plan.round_to_quanta(goodwill * year) } else { 0 };
        let debt = plan.round_to_quanta(target_debt(traits, balance));
        set_debt(balance, debt, plan);
        let equity = balance.total_assets() - balance.total_liabilities();
        // Owners add cash until equity is at least a tenth of the assets.
        let missing = plan.round_to_quanta((0.12 * balance.total_assets() as f64 - equity as f64).max(0.0));
        balance.cash += missing;
        let equity = equity + missing;
        balance.minority_interest = plan.round_to_quanta(traits.minority * equity as f64);
        let retained_earnings = if cash_burn > 0.0 { -2.0 * cash_burn * year } else { 0.6 * equity as f64 };
        balance.retained_earnings = plan.round_to_quanta(retained_earnings);
        balance.paid_in = equity - balance.minority_interest - balance.retained_earnings;
        books
    }

    fn cost(&self, index: usize) -> f64 {
        self.plan.revenue(index) * (1.0 - self.plan.path.margin(index))
    }

    /// Returns the working capital at a quarter's end, such as inventories, receivables and payables; all other items are 0.
    fn working_capital(&self, index: usize, revenue: f64, cost: f64) -> Balance {
        let (plan, usual) = (self.plan, &self.traits.usual);
        let year = plan.year_of_revenue(index);
        let days = |amount: f64, days: f64| plan.round_to_quanta(4.0 * amount * days / 365.0);
        let liabilities_over_revenue =
            if self.traits.kind == BusinessKind::Insurer { self.traits.leverage } else { 0.10 };
        Balance {
            receivables: days(revenue, usual.debtor_days),
            inventories: days(year / 4.0, usual.stock_days),
            other_current_assets: plan.round_to_quanta(0.06 * year),
            payables: days(cost, usual.creditor_days),
            other_liabilities: plan.round_to_quanta(liabilities_over_revenue * year),
            ..Balance::default()
        }
    }

    fn quarter(&mut self, index: usize, draw: &mut Draw) -> Quarterly {
        let income = self.income(index, draw);
        let before = self.balance;
        let plan = self.plan;
        let mut after = self.working_capital(index, income.revenue as f64, self.cost(index));
        let mut flows = Flows {
            capex: self.capex(index, income.depreciation),
            dividends_paid: plan.dividend(index, &before),
            capital_raised: plan.share_issue_proceeds(index),
            ..Flows::default()
        };
        flows.cfo = income.net_profit() + income.depreciation - (net_working(&after) - net_working(&before));
        after.fixed_assets = before.fixed_assets + flows.capex - income.depreciation;
        after.intangibles = before.intangibles;
        after.investments = before.investments;
        after.minority_interest = before.minority_interest + income.minority_profit;
        after.retained_earnings = before.retained_earnings + income.pat() - flows.dividends_paid;
        let debt = before.total_debt() + self.debt_change(&before, &after);
        set_debt(&mut after, debt, plan);
        after.cash = before.cash + flows.cfo - flows.capex + flows.capital_raised - flows.dividends_paid
            + debt
            - before.total_debt();
        self.level_cash(index, &mut after, &mut flows);
        after.paid_in = before.paid_in + flows.capital_raised;
        flows.cfi = -flows.capex - (after.investments - before.investments);
        flows.cff = after.total_debt() - before.total_debt() + flows.capital_raised - flows.dividends_paid;
        after.face_capital = plan.face_capital(index);
        self.balance = after;
        Quarterly { income, balance: after, flows }
    }

    fn income(&self, index: usize, draw: &mut Draw) -> Income {
        let (plan, traits, before) = (self.plan, self.traits, &self.balance);
        let revenue = plan.round_to_quanta(plan.revenue(index)).max(plan.quantum);
        let cost = plan.round_to_quanta(self.cost(index)).max(plan.quantum);
        let goods = plan.round_to_quanta(cost as f64 * traits.usual.goods * (0.02 * draw.normal()).exp());
        let staff = plan.round_to_quanta(cost as f64 * traits.usual.staff * (0.02 * draw.normal()).exp());
        let is_bad = traits.story == Story::Distressed;
        let (happens, size) = (draw.chance(if is_bad { 0.08 } else { 0.015 }), 0.05 * draw.normal());
        let size = if is_bad { -size.abs() } else { size };
        let mut income = Income {
            revenue,
            other_income: plan
                .round_to_quanta((before.cash + before.investments) as f64 * plan.money_yield() / 4.0),
            cost_of_goods: goods,
            employee_cost: staff,
            other_expenses: cost - goods - staff,
            depreciation: plan
                .round_to_quanta(before.fixed_assets as f64 * traits.usual.depreciation() / 4.0),
            interest: plan.round_to_quanta(before.total_debt() as f64 * traits.interest / 4.0),
            exceptional_items: if happens { plan.round_to_quanta(size * revenue as f64) } else { 0 },
            ..Income::default()
        };
        let rate = traits.tax * draw.between(0.92, 1.08);
        income.tax = plan.round_to_quanta(income.profit_before_tax().max(0) as f64 * rate);
        income.minority_profit = plan.round_to_quanta(income.net_profit() as f64 * traits.minority);
        income
    }

    /// Returns the capex: depreciation and a quarter of the gap to the plant that next year needs, at least a third of depreciation.
    fn capex(&self, index: usize, depreciation: Money) -> Money {
        let target =
            self.traits.usual.plant * self.plan.year_of_revenue(index) * (1.0 + 0.5 * self.traits.growth);
        let replacement = depreciation as f64;
        let missing = target - self.balance.fixed_assets as f64;
        self.plan.round_to_quanta((replacement + 0.25 * missing).max(0.35 * replacement))
    }

    /// Returns the change of debt: a fifth of the difference to the usual debt. Distressed companies repay nothing.
    fn debt_change(&self, before: &Balance, after: &Balance) -> Money {
        let missing = 0.2 * (target_debt(self.traits, after) - before.total_debt() as f64);
        let least = if self.traits.story == Story::Distressed { 0.0 } else { -(before.total_debt() as f64) };
        self.plan.round_to_quanta(missing.max(least))
    }

    /// Keeps cash between a floor and a ceiling: buys or sells investments, then borrows; loss makers raise capital instead.
    fn level_cash(&self, index: usize, after: &mut Balance, flows: &mut Flows) {
        let plan = self.plan;
        let year = plan.year_of_revenue(index);
        let cash_burn = (-plan.path.margin(index)).max(0.0) * year;
        let (floor, usual) = (
            plan.round_to_quanta(0.04 * year + 0.4 * cash_burn),
            plan.round_to_quanta(0.07 * year + 1.2 * cash_burn),
        );
        if after.cash < floor {
            let sold = (usual - after.cash).min(after.investments);
            after.investments -= sold;
            after.cash += sold;
            let missing = if after.cash < floor { usual - after.cash } else { 0 };
            if self.traits.story == Story::LossMaking {
                flows.capital_raised += missing;
            } else {
                set_debt(after, after.total_debt() + missing, plan);
            }
            after.cash += missing;
        } else if after.cash > plan.round_to_quanta(0.12 * year + 1.6 * cash_burn) {
            let spare = after.cash - usual;
            after.investments += spare;
            after.cash -= spare;
        }
    }
}

fn net_working(balance: &Balance) -> Money {
    balance.receivables + balance.inventories + balance.other_current_assets
        - balance.payables
        - balance.other_liabilities
}

fn target_debt(traits: &Traits, balance: &Balance) -> f64 {
    if traits.kind == BusinessKind::Insurer {
        return 0.0;
    }
    let working = balance.inventories + balance.receivables - balance.payables;
    traits.leverage * (balance.fixed_assets + working.max(0)) as f64
}

/// Sets the debt; about a third is due within a year.
pub(super) fn set_debt(balance: &mut Balance, debt: Money, plan: &Plan<'_>) {
    balance.short_term_debt = plan.round_to_quanta(debt as f64 * 0.35).clamp(0, debt.max(0));
    balance.long_term_debt = debt - balance.short_term_debt;
}
