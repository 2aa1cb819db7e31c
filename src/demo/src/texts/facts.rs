//! The facts about a quarter that texts may state: figures of the statements, and their wording.
//!
//! No text has other figures, and nothing here is random, so that words and numbers cannot disagree.

use chrono::{Datelike, NaiveDate};

use super::text_writer::TextWriter;
use crate::share_split::ShareSplit;
use crate::statements::{BusinessKind, CompanyStatements, Period};
use crate::world::{Listing, World};
use parquote_catalogue::digits;
use parquote_catalogue::operation::Market;

/// The figures of one quarter of one company. Money is in INR crore or USD million, ratios in percent.
#[derive(Debug, Clone)]
pub(super) struct QuarterFacts {
    pub(super) market: Market,
    pub(super) period_end: NaiveDate,
    /// The filing date of the results.
    pub(super) filing_date: NaiveDate,
    pub(super) revenue: f64,
    /// Change from the same quarter of the previous year; `None` without one.
    pub(super) revenue_growth: Option<f64>,
    pub(super) profit: f64,
    /// Growth of profit; `None` also if one of the profits is a loss.
    pub(super) profit_growth: Option<f64>,
    /// Earnings per share, in rupees or dollars.
    pub(super) eps: f64,
    /// True for a bank, lender or insurer.
    pub(super) is_financial: bool,
    /// EBITDA over revenue; `None` for banks and lenders, and if it is not positive.
    pub(super) margin: Option<f64>,
    /// Change from the previous year, in percentage points.
    pub(super) margin_change: Option<f64>,
    /// Debt over equity; `None` for banks, lenders and insurers, and if no balance sheet is published.
    pub(super) leverage: Option<f64>,
    /// Deviation of profit from expectations, in standard deviations.
    pub(super) surprise: f64,
}

/// The trend of a quarter: revenue and profit against the previous year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuarterTrend {
    /// No previous year to compare with.
    Unmeasured,
    /// Profit is 0 or negative.
    Loss,
    /// Revenue up by a tenth or more, and profit up.
    Strong,
    /// Revenue and profit up or flat.
    Steady,
    /// Revenue up or flat, profit down.
    Costly,
    /// Revenue down, profit up or flat.
    Lean,
    /// Revenue and profit down.
    Weak,
}

/// Changes below this, in percent or points, are rounded to zero.
const FLAT_BELOW: f64 = 0.05;

impl QuarterFacts {
    /// Returns the quarters of a company whose results were filed by the last session, oldest first.
    pub(super) fn for_company(world: &World, listing: &Listing) -> Vec<Self> {
        let statements = &listing.statements;
        let last = world.last_date();
        let filed = statements.filed_quarters().iter();
        filed
            .filter(|quarter| !quarter.is_missing && quarter.filed <= last && quarter.income.revenue > 0)
            .map(|quarter| {
                let basis = basis_of_filing(world, listing, quarter);
                Self::of_quarter(world.market, statements, quarter, basis)
            })
            .collect()
    }

    /// Collects the facts of a quarter; `basis` is the factor for per-share figures.
    fn of_quarter(market: Market, statements: &CompanyStatements, quarter: &Period, basis: f64) -> Self {
        /// Amounts are in hundredths of the texts' unit.
        const HUNDREDTHS: f64 = 100.0;
        let kind = statements.kind;
        // Growth is not measured against a quarter that was not filed.
        let is_on_file =
            |period: &&Period| !period.is_missing && statements.filed_quarters().contains(period);
        let before = statements.year_before(quarter).filter(is_on_file);
        let (revenue_growth, profit_growth) = before.map_or((None, None), |_| statements.growth(quarter));
        let profit = quarter.income.pat() as f64 / HUNDREDTHS;
        // A negative margin is left out: the loss is stated instead.
        let margin = |quarter: &Period| quarter.operating_margin_pct(kind).filter(|margin| *margin > 0.0);
        // Balance sheets are published quarterly in the US, half-yearly in India.
        let has_balance = market == Market::Us || quarter.end.month() % 6 == 3;
        let equity = quarter.balance.equity();
        Self {
            market,
            period_end: quarter.end,
            filing_date: quarter.filed,
            revenue: quarter.income.revenue as f64 / HUNDREDTHS,
            revenue_growth,
            profit,
            profit_growth: profit_growth.filter(|_| profit > 0.0),
            eps: quarter.eps(market) * basis,
            is_financial: kind != BusinessKind::Company,
            margin: margin(quarter),
            margin_change: margin(quarter).zip(before.and_then(margin)).map(|(now, then)| now - then),
            leverage: (has_balance && kind == BusinessKind::Company && equity > 0)
                .then(|| quarter.balance.total_debt() as f64 / equity as f64),
            surprise: quarter.surprise,
        }
    }

    /// Returns the trend of the quarter.
    pub(super) fn trend(&self) -> QuarterTrend {
        const STRONG_GROWTH: f64 = 10.0;
        match (self.revenue_growth, self.profit_growth) {
            _ if self.profit <= 0.0 => QuarterTrend::Loss,
            (Some(revenue), Some(profit)) if revenue >= STRONG_GROWTH && profit >= FLAT_BELOW => {
                QuarterTrend::Strong
            }
            (Some(revenue), Some(profit)) if revenue > -FLAT_BELOW && profit > -FLAT_BELOW => {
                QuarterTrend::Steady
            }
            (Some(revenue), Some(_)) if revenue > -FLAT_BELOW => QuarterTrend::Costly,
            (Some(_), Some(profit)) if profit > -FLAT_BELOW => QuarterTrend::Lean,
            (Some(_), Some(_)) => QuarterTrend::Weak,
            _ => QuarterTrend::Unmeasured,
        }
    }

    /// Returns the units of money and of per-share figures.
    pub(super) const fn units(&self) -> (&'static str, &'static str) {
        match self.market {
            Market::India => ("INR crore", "INR"),
            Market::Us => ("USD million", "USD"),
        }
    }

    /// Returns the label of the quarter, such as `Jun 2026`.
    pub(super) fn quarter(&self) -> String {
        self.period_end.format("%b %Y").to_string()
    }

    /// Sets these figures as words of placeholders.
    pub(super) fn put_into(&self, writer: &mut TextWriter) {
        writer.set("quarter", self.quarter());
        let year_ago = self.period_end.with_day(1).and_then(|day| day.with_year(day.year() - 1));
        writer.set("year_ago", year_ago.unwrap_or_default().format("%b %Y").to_string());
        writer.set("announced", self.filing_date.format("%-d %B %Y").to_string());
        writer.set("revenue", format_money(self.market, self.revenue));
        writer.set("profit", format_money(self.market, self.profit));
        writer.set("loss", format_money(self.market, -self.profit));
        if let Some(growth) = self.revenue_growth {
            writer.set("revenue_move", change_words(growth));
            writer.set("growth", format_percent(growth.abs()));
        }
        if let Some(growth) = self.profit_growth {
            writer.set("profit_move", change_words(growth));
        }
        if let Some(margin) = self.margin {
            writer.set("margin", format_percent(margin));
        }
        if let Some(change) = self.margin_change {
            writer.set("margin_points", format!("{:.1}", round_figure(change.abs())));
        }
        if let Some(leverage) = self.leverage {
            writer.set("leverage", format_multiple(leverage));
        }
    }
}

/// Returns the factor for per-share figures of splits and bonuses between a quarter's end and its filing.
fn basis_of_filing(world: &World, listing: &Listing, quarter: &Period) -> f64 {
    let actions = listing.history.actions.iter();
    let since = actions.filter(|action| {
        let ex_date = world.calendar.date(action.session);
        quarter.end < ex_date && ex_date <= quarter.filed
    });
    since.map(ShareSplit::factor).product()
}

/// Describes a change: `grew 12.3 %`, `fell 0.4 %`, `was flat`.
fn change_words(growth: f64) -> String {
    match growth {
        growth if growth.abs() < FLAT_BELOW => "was flat".to_owned(),
        growth if growth > 0.0 => format!("grew {}", format_percent(growth)),
        growth => format!("fell {}", format_percent(-growth)),
    }
}

/// Formats a multiple with two decimals.
pub(super) fn format_multiple(value: f64) -> String {
    format!("{value:.2}")
}

fn format_percent(value: f64) -> String {
    format!("{:.1} %", round_figure(value))
}

/// Rounds to one decimal, half away from zero like the server's answers.
fn round_figure(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Formats an amount: `INR 12,345 crore`, `USD 3,456 million`; amounts below 100 with one decimal.
pub(super) fn format_money(market: Market, amount: f64) -> String {
    let (sign, amount) = (if amount < 0.0 { "-" } else { "" }, amount.abs());
    let digits = if amount < 100.0 {
        format!("{:.1}", round_figure(amount))
    } else {
        digits::group_digits(&format!("{:.0}", amount.round()), market.digit_groups())
    };
    match market {
        Market::India => format!("{sign}INR {digits} crore"),
        Market::Us => format!("{sign}USD {digits} million"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_their_market_writes_them() {
        assert_eq!(format_money(Market::India, 1_234_567.0), "INR 12,34,567 crore");
        assert_eq!(format_money(Market::India, 12_345.4), "INR 12,345 crore");
        assert_eq!(format_money(Market::Us, 1_234_567.0), "USD 1,234,567 million");
        assert_eq!(format_money(Market::Us, -7.25), "-USD 7.3 million");
        assert_eq!(format_money(Market::Us, 999.6), "USD 1,000 million");
    }

    #[test]
    fn moves_are_named_by_their_sign() {
        assert_eq!(
            [change_words(12.34), change_words(-0.44), change_words(0.04)],
            ["grew 12.3 %", "fell 0.4 %", "was flat"]
        );
    }
}
