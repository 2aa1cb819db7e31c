//! A company's financial statements: quarters and years of income, balance sheet and cash flow.
//!
//! All other figures about a company's business are read from them: `CompanyStatements` is part of a `world::Listing`, is drawn after the
//! prices and never changes them. Surprises follow the returns around the announcements, and today's earnings follow from today's market
//! cap and a multiple usual in the sector.
//!
//! Money is whole numbers of hundredths: of a crore of rupees in India (lakhs), of a million dollars in the US. So identities hold exactly:
//! assets = liabilities + equity + minority in every period, cash, plant and retained earnings roll from one period to the next, and four
//! quarters add up to their year.

/// Usual figures of each sector.
mod economics;

/// Quarters, years, filing dates.
mod fiscal;

/// Stories and traits of companies.
mod character;

/// Share counts and new issues of each quarter.
mod shares;

/// Returns around announcements.
mod surprise;

/// Revenue and margins, quarter by quarter.
mod path;

/// Books of companies and insurers.
mod company_books;

/// Books of banks and lenders.
mod lender_books;

/// Years, from their quarters.
mod years;

/// Standalone results and second filings.
mod versions;

/// The covered quarters, and facts from prices.
mod span;

/// Inputs of statements.
mod inputs;

/// Inputs of books.
mod plan;

/// Generation of a company's statements.
mod generate;

/// A period as the lines of a file.
pub(crate) mod lines;

use chrono::NaiveDate;

pub(crate) use self::inputs::StatementInputs;

use parquote_catalogue::operation::Market;

/// An amount: hundredths of a crore of rupees in India, of a million dollars in the US.
pub(crate) type Money = i64;

/// The kind of books of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BusinessKind {
    /// A company that makes or sells something.
    Company,
    /// A company that takes deposits and lends.
    Bank,
    /// A company that borrows and lends.
    Lender,
    /// A company that insures.
    Insurer,
}

/// The course of a company's business in the last ten years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Story {
    /// Growth as in the sector.
    Steady,
    /// Growth that is 12 to 28 percentage points above the sector's.
    Growing,
    /// Recovery from losses some years ago.
    Turnaround,
    /// Losses by intention, to grow.
    LossMaking,
    /// Losses and high debt.
    Distressed,
}

/// All statements of a company.
#[derive(Debug, Clone)]
pub(crate) struct CompanyStatements {
    pub(crate) kind: BusinessKind,
    pub(crate) story: Story,
    /// True if the figures are the consolidated ones of a group, false if they are standalone.
    pub(crate) is_group: bool,
    /// The parent's fraction of the group's revenue, if it files standalone results too.
    pub(crate) parent_part: Option<f64>,
    /// The fiscal year that was filed a second time, with some revenue and cost netted; profit, balance sheet and cash flow are the same in
    /// both versions.
    pub(crate) restated: Option<RestatedYear>,
    /// The unit of which all amounts are multiples.
    pub(crate) quantum: Money,
    /// Quarters, oldest first, without a gap. Each is filed as a quarter, or only as a part of its year.
    pub(crate) quarters: Vec<Period>,
    /// Index of the first quarter that was filed as a quarter; older ones are reported only in their years.
    pub(crate) first_filed: usize,
    /// Full fiscal years, oldest first; the last quarter of each is in `quarters`.
    pub(crate) years: Vec<Period>,
}

/// A year that was filed again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestatedYear {
    pub(crate) fiscal_year: i32,
    /// The date of the second filing.
    pub(crate) filed: NaiveDate,
    /// The fraction of other expenses that the second version nets against revenue.
    pub(crate) part: f64,
}

/// One quarter or year.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Period {
    /// The fiscal year, named by the year in which it ends: 2026 for the year to March 2026.
    pub(crate) fiscal_year: i32,
    /// The fiscal quarter, 1..=4; `None` for a year.
    pub(crate) quarter: Option<u8>,
    pub(crate) end: NaiveDate,
    /// The filing date, a session; for periods before the listing, the listing date.
    pub(crate) filed: NaiveDate,
    /// True if the filing is missing, as happens with small companies.
    pub(crate) is_missing: bool,
    /// Deviation of the result from expectations, in standard deviations, within -2.5..2.5; 0 for a year.
    pub(crate) surprise: f64,
    pub(crate) income: Income,
    pub(crate) balance: Balance,
    pub(crate) flows: Flows,
    pub(crate) stock: Stock,
}

/// An income statement. `revenue` of a bank or lender is the interest earned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "`other_income` is the statement's own word")]
pub(crate) struct Income {
    pub(crate) revenue: Money,
    pub(crate) other_income: Money,
    /// Goods and material; 0 for banks, lenders and insurers.
    pub(crate) cost_of_goods: Money,
    pub(crate) employee_cost: Money,
    /// All other operating cost; of an insurer also claims.
    pub(crate) other_expenses: Money,
    pub(crate) depreciation: Money,
    /// Interest paid; a bank or lender also pays it on deposits.
    pub(crate) interest: Money,
    /// Positive for gains, negative for losses.
    pub(crate) exceptional_items: Money,
    /// Provisions for bad loans, of banks and lenders.
    pub(crate) provisions: Money,
    pub(crate) tax: Money,
    /// Profit due to minority owners.
    pub(crate) minority_profit: Money,
}

impl Income {
    /// Returns revenue less operating cost, before depreciation, other income and interest.
    pub(crate) fn ebitda(&self) -> Money {
        self.revenue - self.cost_of_goods - self.employee_cost - self.other_expenses
    }

    /// Returns EBITDA less depreciation.
    pub(crate) fn ebit(&self) -> Money {
        self.ebitda() - self.depreciation
    }

    /// Returns revenue less goods and material.
    pub(crate) fn gross_profit(&self) -> Money {
        self.revenue - self.cost_of_goods
    }

    /// Returns interest earned less interest paid, of a bank or lender.
    pub(crate) fn net_interest_income(&self) -> Money {
        self.revenue - self.interest
    }

    pub(crate) fn profit_before_tax(&self) -> Money {
        self.ebit() + self.other_income - self.interest + self.exceptional_items - self.provisions
    }

    /// Returns profit after tax, including the minority's.
    pub(crate) fn net_profit(&self) -> Money {
        self.profit_before_tax() - self.tax
    }

    /// Returns profit after tax due to the parent's owners.
    pub(crate) fn pat(&self) -> Money {
        self.net_profit() - self.minority_profit
    }
}

/// A balance sheet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Balance {
    pub(crate) cash: Money,
    pub(crate) investments: Money,
    pub(crate) receivables: Money,
    pub(crate) inventories: Money,
    pub(crate) other_current_assets: Money,
    pub(crate) fixed_assets: Money,
    pub(crate) intangibles: Money,
    /// Loans, of banks and lenders.
    pub(crate) advances: Money,
    pub(crate) payables: Money,
    pub(crate) other_liabilities: Money,
    /// Deposits, of banks.
    pub(crate) deposits: Money,
    pub(crate) short_term_debt: Money,
    pub(crate) long_term_debt: Money,
    pub(crate) minority_interest: Money,
    /// Total capital paid in by owners.
    pub(crate) paid_in: Money,
    pub(crate) retained_earnings: Money,
    /// The part of `paid_in` that is face value.
    pub(crate) face_capital: Money,
    pub(crate) gross_npa: Money,
    pub(crate) net_npa: Money,
    /// Tier 1 ratio in percent; 0 except for banks and lenders.
    pub(crate) tier1_pct: f64,
}

impl Balance {
    /// Returns the current assets, such as cash, inventories and receivables.
    pub(crate) fn current_assets(&self) -> Money {
        self.cash + self.receivables + self.inventories + self.other_current_assets
    }

    pub(crate) fn total_assets(&self) -> Money {
        self.current_assets() + self.investments + self.fixed_assets + self.intangibles + self.advances
    }

    /// Returns payables, other dues and debt due within a year.
    pub(crate) fn current_liabilities(&self) -> Money {
        self.payables + self.other_liabilities + self.short_term_debt
    }

    /// Returns short-term and long-term debt.
    pub(crate) fn total_debt(&self) -> Money {
        self.short_term_debt + self.long_term_debt
    }

    /// Returns all liabilities, excluding equity and minority.
    pub(crate) fn total_liabilities(&self) -> Money {
        self.payables + self.other_liabilities + self.deposits + self.total_debt()
    }

    /// Returns the equity of the parent's owners.
    pub(crate) fn equity(&self) -> Money {
        self.paid_in + self.retained_earnings
    }
}

/// Cash flows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flows {
    pub(crate) cfo: Money,
    /// Money spent on plant.
    pub(crate) capex: Money,
    pub(crate) cfi: Money,
    pub(crate) cff: Money,
    pub(crate) dividends_paid: Money,
    /// Capital paid in by owners, for issued or future shares.
    pub(crate) capital_raised: Money,
}

impl Flows {
    /// Returns the change of cash.
    pub(crate) fn net(&self) -> Money {
        self.cfo + self.cfi + self.cff
    }
}

/// Share counts as of the period's end, before later splits and bonuses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Stock {
    pub(crate) outstanding: u64,
    /// Mean number of shares over the period.
    pub(crate) weighted: u64,
    /// Mean number of shares over the period, including options.
    pub(crate) diluted: u64,
    /// Shares issued in the period.
    pub(crate) issued: u64,
    /// Dividend in rupees or dollars.
    pub(crate) dividend_per_share: f64,
}

impl CompanyStatements {
    /// Returns the quarters that were filed as quarters, including missing ones.
    pub(crate) fn filed_quarters(&self) -> &[Period] {
        self.quarters.get(self.first_filed..).unwrap_or_default()
    }

    /// Returns the quarter that ends on a day; `None` if no quarter does.
    pub(crate) fn quarter_ending(&self, end: NaiveDate) -> Option<&Period> {
        self.quarters.iter().find(|quarter| quarter.end == end)
    }

    /// Returns the revenue of the last four quarters filed by a day; `None` if there are fewer.
    pub(crate) fn revenue_filed_by(&self, day: NaiveDate) -> Option<Money> {
        let revenues: Vec<Money> = self
            .quarters
            .iter()
            .filter(|quarter| quarter.filed <= day)
            .map(|quarter| quarter.income.revenue)
            .collect();
        Some(revenues.get(revenues.len().checked_sub(4)?..)?.iter().sum())
    }

    /// Returns the same quarter of the previous fiscal year; `None` if it is not covered.
    pub(crate) fn year_before(&self, quarter: &Period) -> Option<&Period> {
        let key = (quarter.fiscal_year - 1, quarter.quarter);
        self.quarters.iter().find(|it| (it.fiscal_year, it.quarter) == key)
    }

    /// Returns the growth of revenue and profit over the same quarter of the previous year, in percent; `None` if the base is not positive.
    pub(crate) fn growth(&self, quarter: &Period) -> (Option<f64>, Option<f64>) {
        let before = self.year_before(quarter);
        let growth_pct = |figure: fn(&Income) -> Money| {
            let base = before.map(|before| figure(&before.income)).filter(|base| *base > 0)?;
            Some(100.0 * (figure(&quarter.income) as f64 / base as f64 - 1.0))
        };
        (growth_pct(|income| income.revenue), growth_pct(Income::pat))
    }
}

impl Period {
    /// Returns EBITDA before other income, in percent of revenue; `None` for banks and lenders, and without revenue.
    pub(crate) fn operating_margin_pct(&self, kind: BusinessKind) -> Option<f64> {
        let is_defined =
            matches!(kind, BusinessKind::Company | BusinessKind::Insurer) && self.income.revenue > 0;
        is_defined.then(|| 100.0 * self.income.ebitda() as f64 / self.income.revenue as f64)
    }

    /// Returns earnings per share, in rupees or dollars.
    pub(crate) fn eps(&self, market: Market) -> f64 {
        self.income.pat() as f64 * unit(market) / self.stock.weighted.max(1) as f64
    }

    /// Returns earnings per share as `eps`, but over the diluted shares.
    pub(crate) fn eps_diluted(&self, market: Market) -> f64 {
        self.income.pat() as f64 * unit(market) / self.stock.diluted.max(1) as f64
    }
}

/// Returns the rupees or dollars in one unit of [`Money`].
pub(crate) const fn unit(market: Market) -> f64 {
    match market {
        Market::India => 1e5,
        Market::Us => 1e4,
    }
}
