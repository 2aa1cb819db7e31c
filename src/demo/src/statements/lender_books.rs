//! Simulates the books of banks and lenders, quarter by quarter.
//!
//! Loans follow the path; deposits (of a bank) or debt (of a lender) fund the part that equity does not. Revenue is the interest earned.

use super::character::Traits;
use super::company_books::set_debt;
use super::plan::{Plan, Quarterly};
use super::{Balance, BusinessKind, Flows, Income, Story};
use crate::draw::Draw;
use parquote_catalogue::operation::Market;

/// Premises and equipment, over loans.
const PREMISES_OVER_LOANS: f64 = 0.012;

/// Annual rates earned and paid, as fractions.
struct Rates {
    loans: f64,
    investments: f64,
    deposits: f64,
    debt: f64,
    /// Fees, over loans.
    fees: f64,
    /// Operating cost, over net interest and fees.
    cost: f64,
    /// Provisions, over loans.
    provisions: f64,
    /// Bad loans, over all loans.
    bad_loans: f64,
}

impl Rates {
    fn draw(market: Market, traits: &Traits, draw: &mut Draw) -> Self {
        let spread = draw.between(0.92, 1.08);
        let is_bank = traits.kind == BusinessKind::Bank;
        let [loans, investments, deposits, debt, fees, cost, provisions, bad_loans] = match (market, is_bank)
        {
            (Market::India, true) => [0.094, 0.070, 0.051, 0.075, 0.011, 0.49, 0.007, 0.026],
            (Market::India, false) => [0.150, 0.065, 0.0, 0.088, 0.010, 0.38, 0.016, 0.024],
            (Market::Us, true) => [0.060, 0.038, 0.021, 0.048, 0.010, 0.56, 0.004, 0.009],
            (Market::Us, false) => [0.125, 0.040, 0.0, 0.056, 0.010, 0.42, 0.022, 0.030],
        };
        let stress_factor = if traits.story == Story::Distressed { 4.5 } else { draw.between(0.6, 1.5) };
        Self {
            loans: loans * spread,
            investments,
            deposits,
            debt: debt * spread,
            fees,
            cost: cost * draw.between(0.9, 1.1),
            provisions: provisions * stress_factor,
            bad_loans: bad_loans * stress_factor,
        }
    }
}

/// Simulates all quarters of a plan.
pub(super) fn simulate(plan: &Plan<'_>, draw: &mut Draw) -> Vec<Quarterly> {
    let rates = Rates::draw(plan.market, plan.traits, draw);
    let mut books = LenderBooks { plan, bad_loans: rates.bad_loans, rates, balance: Balance::default() };
    let equity = plan.round_to_quanta(plan.loans(0) / plan.traits.leverage);
    let retained = plan.round_to_quanta(0.55 * equity as f64);
    let opening = Balance {
        paid_in: equity - retained,
        retained_earnings: retained,
        fixed_assets: plan.round_to_quanta(PREMISES_OVER_LOANS * plan.loans(0)),
        ..Balance::default()
    };
    books.balance = books.balance_at(0, opening);
    (0..plan.quarters()).map(|index| books.quarter(index, draw)).collect()
}

/// The state of the books between two quarters.
struct LenderBooks<'a> {
    plan: &'a Plan<'a>,
    rates: Rates,
    /// Current bad loans, over all loans.
    bad_loans: f64,
    balance: Balance,
}

impl LenderBooks<'_> {
    /// Builds the balance at a quarter's end: the planned loans and reserves, the equity of `owners`, and deposits or debt for the rest.
    fn balance_at(&self, index: usize, owners: Balance) -> Balance {
        let plan = self.plan;
        let is_bank = plan.traits.kind == BusinessKind::Bank;
        let loans = plan.loans(index);
        let (invested, cash) =
            if is_bank { (0.34 * loans, 0.08 * loans) } else { (0.06 * loans, 0.04 * loans) };
        let mut after = Balance {
            advances: plan.round_to_quanta(loans),
            cash: plan.round_to_quanta(cash),
            investments: plan.round_to_quanta(invested),
            other_liabilities: plan.round_to_quanta(0.03 * loans),
            ..owners
        };
        if is_bank {
            set_debt(&mut after, plan.round_to_quanta(0.11 * loans), plan);
        } else {
            set_debt(&mut after, 0, plan);
        }
        let need = after.total_assets() - after.equity() - after.other_liabilities - after.total_debt();
        // If the equity exceeds the need of the loans, the lender buys securities.
        let least = plan.round_to_quanta(0.3 * loans);
        after.investments += (least - need).max(0);
        let funding = need.max(least);
        if is_bank {
            after.deposits = funding;
        } else {
            set_debt(&mut after, funding, plan);
        }
        after
    }

    fn quarter(&mut self, index: usize, draw: &mut Draw) -> Quarterly {
        let plan = self.plan;
        let before = self.balance;
        let income = self.income(index, draw);
        let mut flows = Flows {
            capex: plan
                .round_to_quanta((PREMISES_OVER_LOANS * plan.loans(index) - before.fixed_assets as f64) * 0.3)
                .max(0)
                + income.depreciation,
            dividends_paid: plan.dividend(index, &before),
            capital_raised: plan.share_issue_proceeds(index),
            ..Flows::default()
        };
        let retained = before.retained_earnings + income.pat() - flows.dividends_paid;
        let equity = before.paid_in + retained + flows.capital_raised;
        // Owners add capital to stay above the regulatory minimum.
        let least = if plan.traits.kind == BusinessKind::Bank { 0.095 } else { 0.15 };
        flows.capital_raised += plan.round_to_quanta((least * plan.loans(index) - equity as f64).max(0.0));
        let mut after = Balance {
            paid_in: before.paid_in + flows.capital_raised,
            retained_earnings: retained,
            fixed_assets: before.fixed_assets + flows.capex - income.depreciation,
            face_capital: plan.face_capital(index),
            ..Balance::default()
        };
        after = self.balance_at(index, after);
        self.set_bad_loans(&mut after, index, draw);
        flows.cfo = income.net_profit() + income.depreciation - (after.advances - before.advances)
            + (after.deposits - before.deposits)
            + (after.other_liabilities - before.other_liabilities);
        flows.cfi = -flows.capex - (after.investments - before.investments);
        flows.cff = after.total_debt() - before.total_debt() + flows.capital_raised - flows.dividends_paid;
        self.balance = after;
        Quarterly { income, balance: after, flows }
    }

    /// Sets gross and net bad loans, and the capital ratio; about a quarter of gross bad loans remains after provisions.
    fn set_bad_loans(&mut self, after: &mut Balance, index: usize, draw: &mut Draw) {
        let plan = self.plan;
        let surprise = plan.path.surprise.get(index).copied().unwrap_or_default();
        self.bad_loans *=
            (0.05 * draw.normal() - 0.04 * surprise - 0.1 * (self.bad_loans / self.rates.bad_loans).ln())
                .exp();
        after.gross_npa = plan.round_to_quanta(self.bad_loans * after.advances as f64);
        after.net_npa = plan.round_to_quanta(0.27 * after.gross_npa as f64);
        let weighted = 0.72 * after.advances.max(1) as f64;
        after.tier1_pct = ((100.0 * after.equity() as f64 / weighted + 1.8) * 100.0).round() / 100.0;
    }

    fn income(&self, index: usize, draw: &mut Draw) -> Income {
        let (plan, rates, before) = (self.plan, &self.rates, &self.balance);
        let quarterly = |amount: i64, rate: f64| amount as f64 * rate / 4.0;
        let surprise = plan.path.surprise.get(index).copied().unwrap_or_default();
        let interest_earned = quarterly(before.advances, rates.loans * (1.0 + 0.006 * surprise))
            + quarterly(before.investments, rates.investments);
        let interest_paid =
            quarterly(before.deposits, rates.deposits) + quarterly(before.total_debt(), rates.debt);
        let fees = quarterly(before.advances, rates.fees);
        let cost = rates.cost * (interest_earned - interest_paid + fees) * (0.02 * draw.normal()).exp();
        let provisions = rates.provisions * (0.12 * draw.normal() - 0.16 * surprise).exp();
        let staff = plan.round_to_quanta(0.55 * cost);
        let depreciation = plan.round_to_quanta(before.fixed_assets as f64 * 0.12 / 4.0);
        let mut income = Income {
            revenue: plan.round_to_quanta(interest_earned).max(plan.quantum),
            other_income: plan.round_to_quanta(fees),
            employee_cost: staff,
            other_expenses: plan.round_to_quanta(cost) - staff - depreciation,
            depreciation,
            interest: plan.round_to_quanta(interest_paid),
            provisions: plan.round_to_quanta(quarterly(before.advances, provisions)),
            ..Income::default()
        };
        let rate = plan.traits.tax * draw.between(0.95, 1.05);
        income.tax = plan.round_to_quanta(income.profit_before_tax().max(0) as f64 * rate);
        income
    }
}
