//! A company's financial statements: quarters and years of income, balance sheet and cash flow.
//!
//! Everything else that speaks of a company's business reads these figures: `CompanyStatements` lies beside the history in a
//! `world::Listing`, is drawn after the prices and never changes them. Surprises follow the returns around the
//! announcements, and today's earnings follow from today's market cap and a multiple usual in the sector.
//!
//! Money is whole numbers of hundredths: of a crore of rupees in India (lakhs), of a million dollars in the US. So
//! identities hold exactly: assets = liabilities + equity + minority in every period, cash, plant and retained earnings
//! roll from one period to the next, and four quarters add up to their year.

/// What is usual in a sector.
mod economics;

/// Quarters, years, days of filing.
mod fiscal;

/// What kind of story a company is.
mod character;

/// Shares in issue, and issues of new ones.
mod shares;

/// Returns around announcements.
mod surprise;

/// Revenue and margins, quarter by quarter.
mod path;

/// Books of companies that make or sell something.
mod company_books;

/// Books of banks, lenders and insurers.
mod lender_books;

/// Years, from their quarters.
mod years;

/// A parent's own results, second filings.
mod versions;

/// Which quarters, and what prices say of them.
mod span;

/// What is known of a company before its statements are drawn.
mod setting;

/// What books are simulated from.
mod plan;

/// From all of these to the statements of one company.
mod generate;

/// A period as the lines of a file.
pub(crate) mod lines;

use chrono::NaiveDate;

pub(crate) use self::setting::Setting;

/// An amount: hundredths of a crore of rupees in India, of a million dollars in the US.
pub(crate) type Money = i64;

/// Which books a company keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BusinessKind {
    /// Makes or sells something.
    Company,
    /// Takes deposits and lends.
    Bank,
    /// Borrows and lends.
    Lender,
    /// Insures.
    Insurer,
}

/// What a company's last ten years were like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Story {
    /// Grows with its sector.
    Steady,
    /// Grows by a quarter a year or more.
    Growing,
    /// Came out of losses some years ago.
    Turnaround,
    /// Spends more than it earns, on purpose.
    LossMaking,
    /// Deep in debt, with losses.
    Distressed,
}

/// All statements of one company.
#[derive(Debug, Clone)]
pub(crate) struct CompanyStatements {
    pub(crate) kind: BusinessKind,
    pub(crate) story: Story,
    /// Whether figures are of a group: consolidated. Otherwise they are of the one company: standalone.
    pub(crate) is_group: bool,
    /// The part of the group's revenue that is the parent's own, where it files standalone results too.
    pub(crate) parent_part: Option<f64>,
    /// The fiscal year that was filed a second time, with some revenue and cost shown net of each other; profit, balance
    /// sheet and cash flow are the same in both versions.
    pub(crate) restated: Option<Restated>,
    /// Amounts are multiples of this.
    pub(crate) quantum: Money,
    /// Quarters, the oldest first, without a gap. All are of a filed year or filed themselves.
    pub(crate) quarters: Vec<Period>,
    /// The first of `quarters` that was filed as a quarter; older ones are known from their years alone.
    pub(crate) first_filed: usize,
    /// Full fiscal years, the oldest first; the last quarter of each is in `quarters`.
    pub(crate) years: Vec<Period>,
}

/// A year that was filed again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Restated {
    pub(crate) fiscal_year: i32,
    /// The day of the second filing.
    pub(crate) filed: NaiveDate,
    /// The part of revenue that the second version no longer shows.
    pub(crate) part: f64,
}

/// One quarter or year.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Period {
    /// The fiscal year, by the year it ends in: 2026 for the year to March 2026.
    pub(crate) fiscal_year: i32,
    /// The fiscal quarter, 1..=4; none for a year.
    pub(crate) quarter: Option<u8>,
    pub(crate) end: NaiveDate,
    /// The day of the filing, a session; for what was before the listing, the day of listing.
    pub(crate) filed: NaiveDate,
    /// Whether the filing cannot be found, as happens to small companies.
    pub(crate) is_missing: bool,
    /// How far the result was above what was expected, in standard deviations; about -2.5..2.5. 0 for a year.
    pub(crate) surprise: f64,
    pub(crate) income: Income,
    pub(crate) balance: Balance,
    pub(crate) flows: Flows,
    pub(crate) stock: Stock,
}

/// An income statement. `revenue` of a bank or lender is the interest it earned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "`other_income` is the statement's own word")]
pub(crate) struct Income {
    pub(crate) revenue: Money,
    pub(crate) other_income: Money,
    /// Goods and material; 0 for banks, lenders and insurers.
    pub(crate) cost_of_goods: Money,
    pub(crate) employee_cost: Money,
    /// All other cost of operations; of an insurer also claims.
    pub(crate) other_expenses: Money,
    pub(crate) depreciation: Money,
    /// Interest paid; of a bank or lender all that it pays for deposits and debt.
    pub(crate) interest: Money,
    /// Gains above zero, losses below.
    pub(crate) exceptional_items: Money,
    /// Of banks and lenders: set aside for bad loans.
    pub(crate) provisions: Money,
    pub(crate) tax: Money,
    /// The part of the profit that belongs to others than the parent's owners.
    pub(crate) minority_profit: Money,
}

impl Income {
    /// Operating profit before depreciation, other income and interest: revenue less cost.
    pub(crate) fn ebitda(&self) -> Money {
        self.revenue - self.cost_of_goods - self.employee_cost - self.other_expenses
    }

    /// EBITDA less depreciation.
    pub(crate) fn ebit(&self) -> Money {
        self.ebitda() - self.depreciation
    }

    /// Revenue less goods and material.
    pub(crate) fn gross_profit(&self) -> Money {
        self.revenue - self.cost_of_goods
    }

    /// Interest earned less interest paid, of a bank or lender.
    pub(crate) fn net_interest_income(&self) -> Money {
        self.revenue - self.interest
    }

    /// Profit before tax.
    pub(crate) fn profit_before_tax(&self) -> Money {
        self.ebit() + self.other_income - self.interest + self.exceptional_items - self.provisions
    }

    /// Profit after tax, of the group with its minority.
    pub(crate) fn net_profit(&self) -> Money {
        self.profit_before_tax() - self.tax
    }

    /// Profit after tax of the parent's owners.
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
    /// Loans given, of banks and lenders.
    pub(crate) advances: Money,
    pub(crate) payables: Money,
    pub(crate) other_liabilities: Money,
    /// Of banks.
    pub(crate) deposits: Money,
    pub(crate) short_term_debt: Money,
    pub(crate) long_term_debt: Money,
    pub(crate) minority_interest: Money,
    /// All that owners ever paid in.
    pub(crate) paid_in: Money,
    pub(crate) retained_earnings: Money,
    /// The part of `paid_in` that is face value.
    pub(crate) face_capital: Money,
    pub(crate) gross_npa: Money,
    pub(crate) net_npa: Money,
    /// In percent; 0 for those that are no banks or lenders.
    pub(crate) tier1_pct: f64,
}

impl Balance {
    /// Cash, stock, debtors and the like.
    pub(crate) fn current_assets(&self) -> Money {
        self.cash + self.receivables + self.inventories + self.other_current_assets
    }

    /// All assets.
    pub(crate) fn total_assets(&self) -> Money {
        self.current_assets() + self.investments + self.fixed_assets + self.intangibles + self.advances
    }

    /// Creditors, other dues and debt of less than a year.
    pub(crate) fn current_liabilities(&self) -> Money {
        self.payables + self.other_liabilities + self.short_term_debt
    }

    /// Short and long.
    pub(crate) fn total_debt(&self) -> Money {
        self.short_term_debt + self.long_term_debt
    }

    /// All that is owed to others than owners.
    pub(crate) fn total_liabilities(&self) -> Money {
        self.payables + self.other_liabilities + self.deposits + self.total_debt()
    }

    /// What belongs to the parent's owners.
    pub(crate) fn equity(&self) -> Money {
        self.paid_in + self.retained_earnings
    }
}

/// Flows of cash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flows {
    pub(crate) cfo: Money,
    /// Spent on plant.
    pub(crate) capex: Money,
    pub(crate) cfi: Money,
    pub(crate) cff: Money,
    pub(crate) dividends_paid: Money,
    /// Paid in by owners, for new shares or towards later ones.
    pub(crate) capital_raised: Money,
}

impl Flows {
    /// The change of cash.
    pub(crate) fn net(&self) -> Money {
        self.cfo + self.cfi + self.cff
    }
}

/// Shares, on the basis of the period's end: splits and bonuses after it are not in it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Stock {
    pub(crate) outstanding: u64,
    /// The mean of the period.
    pub(crate) weighted: u64,
    /// The mean of the period, with options.
    pub(crate) diluted: u64,
    /// New shares sold in the period.
    pub(crate) issued: u64,
    /// Rupees or dollars.
    pub(crate) dividend_per_share: f64,
}

impl CompanyStatements {
    /// The quarters that were filed as quarters, missing ones included.
    pub(crate) fn filed_quarters(&self) -> &[Period] {
        self.quarters.get(self.first_filed..).unwrap_or_default()
    }

    /// The quarter that ends on a day.
    pub(crate) fn quarter_ending(&self, end: NaiveDate) -> Option<&Period> {
        self.quarters.iter().find(|quarter| quarter.end == end)
    }

    /// Revenue of the last four quarters that were filed by a day; none before there are four.
    pub(crate) fn revenue_known(&self, day: NaiveDate) -> Option<Money> {
        let known: Vec<Money> = self
            .quarters
            .iter()
            .filter(|quarter| quarter.filed <= day)
            .map(|quarter| quarter.income.revenue)
            .collect();
        Some(known.get(known.len().checked_sub(4)?..)?.iter().sum())
    }

    /// The same quarter of the year before, by which growth is measured.
    pub(crate) fn year_before(&self, quarter: &Period) -> Option<&Period> {
        let wanted = (quarter.fiscal_year - 1, quarter.quarter);
        self.quarters.iter().find(|it| (it.fiscal_year, it.quarter) == wanted)
    }

    /// Growth of revenue and of profit over the same quarter of the year before, in percent; none from a base that is
    /// not above zero.
    pub(crate) fn growth(&self, quarter: &Period) -> (Option<f64>, Option<f64>) {
        let before = self.year_before(quarter);
        let of = |figure: fn(&Income) -> Money| {
            let base = before.map(|before| figure(&before.income)).filter(|base| *base > 0)?;
            Some(100.0 * (figure(&quarter.income) as f64 / base as f64 - 1.0))
        };
        (of(|income| income.revenue), of(Income::pat))
    }
}

impl Period {
    /// EBITDA before other income, in percent of revenue; none for banks and lenders.
    pub(crate) fn operating_margin_pct(&self, kind: BusinessKind) -> Option<f64> {
        let has_one =
            matches!(kind, BusinessKind::Company | BusinessKind::Insurer) && self.income.revenue > 0;
        has_one.then(|| 100.0 * self.income.ebitda() as f64 / self.income.revenue as f64)
    }

    /// Rupees or dollars a share.
    pub(crate) fn eps(&self, market: parquote_catalogue::operation::Market) -> f64 {
        self.income.pat() as f64 * unit(market) / self.stock.weighted.max(1) as f64
    }

    /// As `eps`, over the diluted shares.
    pub(crate) fn eps_diluted(&self, market: parquote_catalogue::operation::Market) -> f64 {
        self.income.pat() as f64 * unit(market) / self.stock.diluted.max(1) as f64
    }
}

/// Rupees or dollars in one unit of [`Money`].
pub(crate) const fn unit(market: parquote_catalogue::operation::Market) -> f64 {
    match market {
        parquote_catalogue::operation::Market::India => 1e5,
        parquote_catalogue::operation::Market::Us => 1e4,
    }
}
