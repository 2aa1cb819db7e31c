//! Generates a company's statements from its traits, shares and prices.
//!
//! The size is determined last: books are simulated at an estimated size, and up to twice again at a corrected size, so that the last four
//! quarters earn what today's market cap implies.

use super::character::Traits;
use super::fiscal::QuarterNumber;
use super::inputs::StatementInputs;
use super::path::Path;
use super::plan::{Plan, Quarterly};
use super::shares::{self, ShareCount};
use super::span::{PriceFacts, StatementSpan};
use super::surprise::LogCloses;
use super::{BusinessKind, CompanyStatements, Money, Period, RestatedYear, Stock, Story, unit, years};
use super::{company_books, lender_books};
use crate::draw::{Draw, Purpose};
use crate::events;
use parquote_catalogue::operation::Market;

/// Number of fiscal years whose quarters are filed.
const YEARS_OF_QUARTERS: i32 = 4;

impl CompanyStatements {
    /// Generates the statements that a company filed by the last session, while it was listed.
    pub(crate) fn generate(inputs: &StatementInputs<'_>) -> Self {
        let StatementInputs { seed, company, calendar, .. } = *inputs;
        let mut draw = Draw::new(seed, company.market, Purpose::Statements, company.ordinal);
        let mut dividend_draw = Draw::new(seed, company.market, Purpose::Events, company.ordinal);
        let (pays, dividends) = events::dividends(
            calendar.dates().len(),
            inputs.listing_period,
            inputs.history,
            &mut dividend_draw,
        );
        let traits = Traits::draw(company, pays, &mut draw);
        let mut filings = Draw::new(seed, company.market, Purpose::Filings, company.ordinal);
        let span = StatementSpan::new(inputs, &traits, &mut filings);
        let closes = LogCloses::from_history(company, inputs.history, inputs.factors);
        let surprise =
            span.filing_dates.iter().map(|filed| closes.surprise(calendar, *filed, &mut draw)).collect();
        let path = Path::draw(&traits, span.first, surprise, (calendar, &closes), &mut draw);
        let counts = shares::counts(
            (span.first, span.filing_dates.len()),
            traits.story,
            calendar,
            (inputs.listing_period, inputs.history),
            &mut draw,
        );
        let facts = PriceFacts::new(inputs, &span, &dividends, company.market);
        let sized = SizeInputs { inputs, traits: &traits, path: &path, counts: &counts, facts: &facts };
        let (quantum, books) = sized.simulate(&draw);
        let quarters = quarters_of(&span, &traits, &path, &counts, (&facts, company.market), books);
        assemble(inputs, &traits, &span, quarters, (&counts, quantum), &mut filings)
    }
}

/// Inputs for finding a company's size.
struct SizeInputs<'a> {
    inputs: &'a StatementInputs<'a>,
    traits: &'a Traits,
    path: &'a Path,
    counts: &'a [ShareCount],
    facts: &'a PriceFacts,
}

impl SizeInputs<'_> {
    /// Simulates books at the size that matches market cap and multiple; returns them with their quantum.
    fn simulate(&self, draw: &Draw) -> (Money, Vec<Quarterly>) {
        let SizeInputs { inputs, traits, .. } = self;
        let history = inputs.history;
        let close = history.bars.last().map_or(history.reference, |bar| bar.close);
        let cap = history.shares as f64 * f64::from(close) / 100.0 / unit(inputs.company.market);
        let has_earnings = !matches!(traits.story, Story::LossMaking | Story::Distressed);
        let is_sized_by_sales = matches!(traits.kind, BusinessKind::Company | BusinessKind::Insurer);
        // Usual annual earnings, over a quarter's revenue or over loans.
        let earnings = if is_sized_by_sales { 4.0 * 0.06 } else { 0.018 };
        let mut scale = match (has_earnings, is_sized_by_sales) {
            (false, true) => cap / traits.multiple / 4.0,
            (true, _) => cap / traits.multiple / earnings,
            (false, false) => cap * traits.leverage,
        };
        let mut books = self.simulate_at(scale, cap, draw);
        for _ in 0..2 {
            let pat: Money = books.1.iter().rev().take(4).map(|quarter| quarter.income.pat()).sum();
            let revenue: Money = books.1.iter().rev().take(4).map(|quarter| quarter.income.revenue).sum();
            // Weak years do not inflate a company: earnings are at least a fiftieth of revenue.
            let earned = (pat as f64).max(0.02 * revenue as f64);
            if has_earnings && earned > 0.0 && books.1.len() >= 4 {
                scale *= (cap / traits.multiple / earned).clamp(0.05, 20.0);
                books = self.simulate_at(scale, cap, draw);
            }
        }
        books
    }

    /// Simulates books at a size; `scale` is the revenue of an average quarter, or the loans of a lender.
    fn simulate_at(&self, scale: f64, cap: f64, draw: &Draw) -> (Money, Vec<Quarterly>) {
        let traits = self.traits;
        let is_lender = matches!(traits.kind, BusinessKind::Bank | BusinessKind::Lender);
        let revenue = if is_lender { scale * 0.025 } else { scale };
        let plan = Plan {
            market: self.inputs.company.market,
            traits,
            path: self.path,
            quantum: quantum_for(revenue),
            scale,
            counts: self.counts,
            dividends: &self.facts.dividends,
            face_values: &self.facts.face_values,
            begins_year: &self.facts.begins_year,
            market_value: cap / scale,
            offer: self.facts.offer,
        };
        let mut draw = draw.clone();
        let books = if is_lender {
            lender_books::simulate(&plan, &mut draw)
        } else {
            company_books::simulate(&plan, &mut draw)
        };
        (plan.quantum, books)
    }
}

/// Returns a power of ten such that a quarter's revenue is some ten thousand quanta: large companies report in larger units.
fn quantum_for(revenue: f64) -> Money {
    let digits = (revenue / 5_000.0).max(1.0).log10().floor();
    10_i64.pow(digits as u32)
}

/// Combines books, dates and shares into quarters.
fn quarters_of(
    span: &StatementSpan,
    traits: &Traits,
    path: &Path,
    counts: &[ShareCount],
    (facts, market): (&PriceFacts, Market),
    books: Vec<Quarterly>,
) -> Vec<Period> {
    let mut periods = Vec::with_capacity(books.len());
    let inputs = span.filing_dates.iter().zip(counts).zip(&path.surprise).zip(&facts.paid);
    for (index, ((((filed, count), surprise), paid), books)) in inputs.zip(books).enumerate() {
        let quarter = span.quarter(index);
        let (fiscal_year, number) = quarter.fiscal(traits.year_end_month);
        let options = 1.0 + traits.options * (0.5 + 0.5 * (index as f64 * 0.31).sin());
        let outstanding = count.outstanding;
        let dividend = books.flows.dividends_paid as f64 * unit(market) / outstanding.max(1) as f64;
        periods.push(Period {
            fiscal_year,
            quarter: Some(number),
            end: quarter.end(),
            filed: *filed,
            is_missing: false,
            surprise: *surprise,
            income: books.income,
            balance: books.balance,
            flows: books.flows,
            stock: Stock {
                outstanding,
                weighted: outstanding,
                diluted: (outstanding as f64 * options) as u64,
                issued: count.issued,
                dividend_per_share: if *paid > 0.0 { *paid } else { (dividend * 100.0).round() / 100.0 },
            },
        });
    }
    periods
}

/// Adds the years, the first filed quarter, missing quarters, and a restated year.
fn assemble(
    inputs: &StatementInputs<'_>,
    traits: &Traits,
    span: &StatementSpan,
    mut quarters: Vec<Period>,
    (counts, quantum): (&[ShareCount], Money),
    draw: &mut Draw,
) -> CompanyStatements {
    let splits: Vec<f64> = counts.iter().map(|count| count.split).collect();
    let years = years::full_years(&quarters, &splits);
    let full = years.last().map_or(i32::MIN, |year| year.fiscal_year);
    let listing_period = inputs.listing_period;
    // A new listing files quarters from its listing on, with year-before comparatives.
    let is_new = listing_period.listed.start > 0;
    let first_quarter = is_new.then(|| QuarterNumber::from_date(listing_period.listing_date).plus(-5));
    let is_filed = |index: usize, quarter: &Period| {
        quarter.fiscal_year > full.saturating_sub(YEARS_OF_QUARTERS)
            && first_quarter.is_none_or(|first| span.quarter(index) >= first)
    };
    let first_filed = quarters.iter().enumerate().position(|(index, quarter)| is_filed(index, quarter));
    let first_filed = first_filed.unwrap_or(quarters.len());
    let misses_some = draw.chance(0.06);
    for quarter in &mut quarters {
        let is_missed = draw.chance(0.12);
        quarter.is_missing = misses_some && is_missed && quarter.quarter != Some(4);
    }
    let restated = draw_restatement(traits, &years, draw);
    CompanyStatements {
        kind: traits.kind,
        story: traits.story,
        is_group: traits.is_group,
        parent_part: traits.parent_part,
        restated,
        quantum,
        quarters,
        first_filed,
        years,
    }
}

/// Draws a year that is filed again with the next one; `None` for most companies.
fn draw_restatement(traits: &Traits, years: &[Period], draw: &mut Draw) -> Option<RestatedYear> {
    let happens = traits.kind == BusinessKind::Company && draw.chance(0.07);
    let (back, part) = (1 + draw.below(3), draw.between(0.01, 0.05));
    let first = years.len().checked_sub(back + 1)?;
    let (year, next) = (years.get(first)?, years.get(first + 1)?);
    let restated = RestatedYear { fiscal_year: year.fiscal_year, filed: next.filed, part };
    (happens && next.filed > year.filed).then_some(restated)
}
