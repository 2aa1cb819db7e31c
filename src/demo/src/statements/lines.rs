//! Converts a reporting period to line items: statement, line, value, unit.
//!
//! Lines that do not apply to a kind of company are left out, as are lines that are always zero (no minority, nothing exceptional).

use super::{BusinessKind, Money, Period};
use parquote_catalogue::operation::Market;

/// A value with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ReportedValue {
    /// Hundredths of a crore of rupees or of a million dollars.
    Money(Money),
    /// Rupees or dollars, in hundredths.
    PerShare(i64),
    Shares(u64),
    /// Hundredths of a percent.
    Percent(i64),
}

/// One line of a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReportedLine {
    /// One of `income`, `balance` and `cashflow`.
    pub(crate) statement: &'static str,
    pub(crate) name: &'static str,
    pub(crate) value: ReportedValue,
}

/// Returns the lines of all three statements.
pub(crate) fn all_lines(market: Market, kind: BusinessKind, period: &Period) -> Vec<ReportedLine> {
    let mut lines = income_lines(market, kind, period);
    lines.extend(balance_lines(market, kind, period));
    lines.extend(cash_flow_lines(period));
    lines
}

fn reported_lines(statement: &'static str, values: Vec<(&'static str, ReportedValue)>) -> Vec<ReportedLine> {
    values.into_iter().map(|(name, value)| ReportedLine { statement, name, value }).collect()
}

/// Returns the lines of the income statement, including those per share.
pub(crate) fn income_lines(market: Market, kind: BusinessKind, period: &Period) -> Vec<ReportedLine> {
    let income = &period.income;
    let money = ReportedValue::Money;
    let per_share = |amount: f64| ReportedValue::PerShare((amount * 100.0).round() as i64);
    let mut lines = vec![("revenue", money(income.revenue)), ("other_income", money(income.other_income))];
    match kind {
        BusinessKind::Company => {
            lines.push(("cost_of_goods", money(income.cost_of_goods)));
            lines.push(("gross_profit", money(income.gross_profit())));
        }
        BusinessKind::Bank | BusinessKind::Lender => {
            lines.push(("interest_earned", money(income.revenue)));
            lines.push(("interest_expended", money(income.interest)));
            lines.push(("net_interest_income", money(income.net_interest_income())));
            lines.push(("provisions", money(income.provisions)));
        }
        BusinessKind::Insurer => {}
    }
    lines.push(("employee_cost", money(income.employee_cost)));
    lines.push(("other_expenses", money(income.other_expenses)));
    if matches!(kind, BusinessKind::Company | BusinessKind::Insurer) {
        lines.push(("ebitda", money(income.ebitda())));
        lines.push(("ebit", money(income.ebit())));
    }
    lines.push(("depreciation", money(income.depreciation)));
    lines.push(("interest", money(income.interest)));
    if income.exceptional_items != 0 {
        lines.push(("exceptional_items", money(income.exceptional_items)));
    }
    lines.push(("profit_before_tax", money(income.profit_before_tax())));
    lines.push(("tax", money(income.tax)));
    lines.push(("pat", money(income.pat())));
    lines.push(("eps_basic", per_share(period.eps(market))));
    lines.push(("eps_diluted", per_share(period.eps_diluted(market))));
    lines.push(("shares_diluted", ReportedValue::Shares(period.stock.diluted)));
    if period.stock.dividend_per_share > 0.0 {
        lines.push(("dividend_per_share", per_share(period.stock.dividend_per_share)));
    }
    reported_lines("income", lines)
}

/// Returns the lines of the balance sheet.
pub(crate) fn balance_lines(market: Market, kind: BusinessKind, period: &Period) -> Vec<ReportedLine> {
    let balance = &period.balance;
    let money = ReportedValue::Money;
    let mut lines = vec![("cash", money(balance.cash)), ("investments", money(balance.investments))];
    if matches!(kind, BusinessKind::Company | BusinessKind::Insurer) {
        lines.push(("receivables", money(balance.receivables)));
        lines.push(("inventories", money(balance.inventories)));
        lines.push(("current_assets", money(balance.current_assets())));
        lines.push(("payables", money(balance.payables)));
        lines.push(("current_liabilities", money(balance.current_liabilities())));
    } else {
        lines.push(("advances", money(balance.advances)));
        lines.push(("deposits", money(balance.deposits)));
        lines.push(("gross_npa", money(balance.gross_npa)));
        lines.push(("net_npa", money(balance.net_npa)));
        let percent = (balance.tier1_pct * 100.0).round() as i64;
        lines.push(("tier1_pct", ReportedValue::Percent(percent)));
    }
    lines.push(("fixed_assets", money(balance.fixed_assets)));
    lines.push(("intangibles", money(balance.intangibles)));
    lines.push(("total_assets", money(balance.total_assets())));
    lines.push(("short_term_debt", money(balance.short_term_debt)));
    lines.push(("long_term_debt", money(balance.long_term_debt)));
    lines.push(("total_debt", money(balance.total_debt())));
    lines.push(("total_liabilities", money(balance.total_liabilities())));
    lines.push(("minority_interest", money(balance.minority_interest)));
    match market {
        Market::India => {
            lines.push(("share_capital", money(balance.face_capital)));
            lines.push(("reserves", money(balance.equity() - balance.face_capital)));
        }
        Market::Us => lines.push(("share_capital", money(balance.paid_in))),
    }
    lines.push(("retained_earnings", money(balance.retained_earnings)));
    lines.push(("equity", money(balance.equity())));
    lines.push(("shares_outstanding", ReportedValue::Shares(period.stock.outstanding)));
    let is_absent = |line: &str, value: &ReportedValue| {
        *value == ReportedValue::Money(0)
            && matches!(line, "minority_interest" | "intangibles" | "inventories" | "deposits")
    };
    lines.retain(|(line, value)| !is_absent(line, value));
    reported_lines("balance", lines)
}

/// Returns the lines of the cash flow statement.
pub(crate) fn cash_flow_lines(period: &Period) -> Vec<ReportedLine> {
    let flows = &period.flows;
    let money = ReportedValue::Money;
    reported_lines(
        "cashflow",
        vec![
            ("cfo", money(flows.cfo)),
            ("capex", money(flows.capex)),
            ("cfi", money(flows.cfi)),
            ("cff", money(flows.cff)),
            ("dividends_paid", money(flows.dividends_paid)),
            ("net_cash_flow", money(flows.net())),
        ],
    )
}

impl ReportedValue {
    /// Formats the value; trailing zeros of the decimals are left out.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Money(value) | Self::PerShare(value) | Self::Percent(value) => two_decimals(value),
            Self::Shares(value) => value.to_string(),
        }
    }

    /// Returns the unit's name in files.
    pub(crate) const fn unit(self, market: Market) -> &'static str {
        match (self, market) {
            (Self::Money(_), Market::India) => "INR crore",
            (Self::Money(_), Market::Us) => "USD million",
            (Self::PerShare(_), _) => "per share",
            (Self::Shares(_), _) => "shares",
            (Self::Percent(_), _) => "pct",
        }
    }
}

fn two_decimals(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let (whole, rest) = (value.unsigned_abs() / 100, value.unsigned_abs() % 100);
    match rest {
        0 => format!("{sign}{whole}"),
        rest if rest % 10 == 0 => format!("{sign}{whole}.{}", rest / 10),
        rest => format!("{sign}{whole}.{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_the_decimals_they_need() {
        let text = |value| ReportedValue::Money(value).text();
        assert_eq!([text(12_345), text(-50), text(700), text(-3)], ["123.45", "-0.5", "7", "-0.03"]);
    }
}
