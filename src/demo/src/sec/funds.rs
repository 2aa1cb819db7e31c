//! Institutional investors and their portfolios, quarter by quarter.
//!
//! The first portfolio follows the investor's style; after that, shares are bought and sold each quarter. An investor's part of a company
//! is limited, splits multiply holdings, and values are shares times the close at the quarter's end.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};

use super::super::draw::{Draw, Purpose};
use super::super::names;
use super::super::world::{Listing, World};
use super::identity;

/// Number of quarters that are reported.
const REPORTED_QUARTERS: usize = 5;
/// The largest position of an investor is a company's shares divided by this number.
const LARGEST_PART: u64 = 12;

/// An investor's selection of companies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Index,
    Large,
    Small,
    Concentrated,
    Momentum,
    Contrarian,
    Sector(&'static str),
    Hedged,
}

impl Style {
    /// Returns a description of the style.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Index => "Broad index",
            Self::Large => "Large companies, long term",
            Self::Small => "Smaller companies",
            Self::Concentrated => "Concentrated, few positions",
            Self::Momentum => "Momentum",
            Self::Contrarian => "Contrarian value",
            Self::Sector(_) => "Sector specialist",
            Self::Hedged => "Long and short, with options",
        }
    }

    /// Returns the approximate number of companies held.
    const fn companies(self) -> usize {
        match self {
            Self::Index => 110,
            Self::Large | Self::Small => 45,
            Self::Concentrated => 9,
            Self::Momentum | Self::Contrarian => 30,
            Self::Sector(_) => 14,
            Self::Hedged => 25,
        }
    }

    /// Returns a company's weight in the selection.
    fn selection_weight(self, listing: &Listing, session: usize) -> f64 {
        let cap = listing.cap_on(session).unwrap_or_default() as f64 / 1e11;
        let close = |session: usize| listing.history.bar_on(session).map_or(1.0, |bar| f64::from(bar.close));
        let rise = close(session) / close(session.saturating_sub(63)).max(1.0);
        match self {
            Self::Index | Self::Large | Self::Concentrated => cap.sqrt(),
            Self::Small if cap < 20.0 => 1.0,
            Self::Small => 0.01,
            Self::Momentum | Self::Hedged => rise.powi(4) * cap.sqrt().sqrt(),
            Self::Contrarian => rise.powi(-4) * cap.sqrt().sqrt(),
            Self::Sector(sector) if listing.company.industry.sector == sector => cap.sqrt(),
            Self::Sector(_) => 0.001,
        }
    }
}

/// Styles, endings of names, and portfolio sizes in million dollars.
const FUNDS: [(Style, &str, u64); 14] = [
    (Style::Index, "Index Advisors Inc.", 90_000),
    (Style::Index, "Asset Management Group", 60_000),
    (Style::Large, "Capital Research LP", 40_000),
    (Style::Large, "Long Term Partners LP", 25_000),
    (Style::Small, "Small Company Fund Management", 4_000),
    (Style::Small, "Emerging Growth Advisors LLC", 2_500),
    (Style::Concentrated, "Partners Management LP", 9_000),
    (Style::Concentrated, "Holdings Corporation", 30_000),
    (Style::Momentum, "Trend Capital LLC", 6_000),
    (Style::Momentum, "Quantitative Research LP", 12_000),
    (Style::Contrarian, "Value Partners LP", 7_000),
    (Style::Sector("Technology"), "Technology Ventures LLC", 8_000),
    (Style::Sector("Health Care"), "Health Sciences Advisors LP", 5_000),
    (Style::Hedged, "Global Macro Fund LP", 10_000),
];

/// An investor with its reports.
#[derive(Debug)]
pub(super) struct FollowedInvestor {
    pub(super) cik: u64,
    pub(super) name: String,
    pub(super) style: Style,
    /// The reports, oldest first.
    pub(super) reports: Vec<FundReport>,
}

/// Type of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AmendmentType {
    Original,
    Restatement,
    NewHoldings,
}

/// A Form 13F.
#[derive(Debug)]
pub(super) struct FundReport {
    pub(super) kind: AmendmentType,
    pub(super) quarter: NaiveDate,
    pub(super) filed: NaiveDate,
    pub(super) accession: String,
    /// The positions at the quarter's end.
    pub(super) positions: Vec<FundPosition>,
}

/// A position in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FundPosition {
    /// Index in the world's listings.
    pub(super) listing: usize,
    pub(super) shares: u64,
    /// Value in dollars.
    pub(super) value: u64,
    /// `Put` or `Call`; empty for shares.
    pub(super) option: &'static str,
}

pub(super) fn generate_investors(world: &World) -> Vec<FollowedInvestor> {
    (0..)
        .zip(FUNDS)
        .map(|(number, (style, form, millions))| followed_investor(world, number, style, form, millions))
        .collect()
}

fn followed_investor(
    world: &World,
    number: usize,
    style: Style,
    form: &str,
    millions: u64,
) -> FollowedInvestor {
    let mut draw = Draw::new(world.seed, world.market, Purpose::SecFunds, number);
    let cik = identity::investor_cik(number);
    let name = format!("{} {form}", names::draw_name(&mut draw));
    let last = world.last_date();
    let mut portfolio = FundPortfolio { world, style, dollars: millions * 1_000_000, held: BTreeMap::new() };
    let (mut reports, mut session_before) = (Vec::new(), None);
    for quarter in quarter_ends_before(last) {
        let session = world.calendar.dates().partition_point(|date| *date <= quarter).saturating_sub(1);
        portfolio.next_quarter(session, session_before.replace(session), &mut draw);
        let due = quarter.checked_add_days(Days::new(20 + draw.below(26) as u64)).unwrap_or(quarter);
        let filed = world.calendar.dates().iter().copied().find(|date| *date >= due);
        let Some(filed) = filed else { continue };
        let positions = portfolio.positions(session, &mut draw);
        reports.extend(report_as_filed(number, quarter, filed, positions));
    }
    for (index, report) in reports.iter_mut().enumerate() {
        report.accession = identity::accession(cik, report.filed, index + 1);
    }
    reports.retain(|report| report.filed <= last);
    FollowedInvestor { cik, name, style, reports }
}

/// Returns the last quarter ends before a day, oldest first.
fn quarter_ends_before(last: NaiveDate) -> Vec<NaiveDate> {
    let first_of_quarter = last.with_day(1).and_then(|day| day.with_month(last.month0() / 3 * 3 + 1));
    let ends = (0..REPORTED_QUARTERS)
        .rev()
        .filter_map(|back| first_of_quarter?.checked_sub_months(Months::new(3 * back as u32))?.pred_opt());
    ends.collect()
}

/// Returns a report as filed. The third investor first omits a tenth of its holdings and restates, the fifth adds them by an amendment,
/// both in every quarter.
fn report_as_filed(
    number: usize,
    quarter: NaiveDate,
    filed: NaiveDate,
    positions: Vec<FundPosition>,
) -> Vec<FundReport> {
    let report =
        |kind, filed, positions| FundReport { kind, quarter, filed, accession: String::new(), positions };
    let omitted = (positions.len() / 10).max(1);
    let (reported, rest) =
        positions.split_at_checked(positions.len() - omitted.min(positions.len())).unwrap_or_default();
    // Amendments are filed on the same day as the report.
    match number {
        2 => vec![
            report(AmendmentType::Original, filed, reported.to_vec()),
            report(AmendmentType::Restatement, filed, positions.clone()),
        ],
        4 => vec![
            report(AmendmentType::Original, filed, reported.to_vec()),
            report(AmendmentType::NewHoldings, filed, rest.to_vec()),
        ],
        _ => vec![report(AmendmentType::Original, filed, positions)],
    }
}

/// An investor's current holdings.
struct FundPortfolio<'a> {
    world: &'a World,
    style: Style,
    /// Intended value of the portfolio.
    dollars: u64,
    /// Shares by index in the world's listings.
    held: BTreeMap<usize, u64>,
}

impl FundPortfolio<'_> {
    /// Advances the holdings to the end of the next quarter: splits, sales, purchases.
    fn next_quarter(&mut self, session: usize, before: Option<usize>, draw: &mut Draw) {
        for (index, shares) in &mut self.held {
            let Some(listing) = self.world.listings.get(*index) else { continue };
            let shares_before = before.map_or(1, |before| listing.history.shares_on(before)).max(1);
            let shares_now = listing.history.shares_on(session);
            *shares = (u128::from(*shares) * u128::from(shares_now) / u128::from(shares_before)) as u64;
            let most = shares_now / LARGEST_PART;
            *shares = match draw.uniform() {
                roll if roll < 0.06 || !has_traded(listing, session) => 0,
                roll if roll < 0.3 => (*shares as f64 * draw.between(0.5, 0.95)) as u64,
                roll if roll < 0.55 => ((*shares as f64 * draw.between(1.05, 1.5)) as u64).min(most),
                _ => *shares,
            };
        }
        self.held.retain(|_, shares| *shares > 0);
        let target_count = self.style.companies();
        let candidates: Vec<(usize, f64)> = (0..)
            .zip(&self.world.listings)
            .filter(|(index, listing)| !self.held.contains_key(index) && has_traded(listing, session))
            .map(|(index, listing)| (index, self.style.selection_weight(listing, session)))
            .collect();
        self.buy(candidates, target_count, session, draw);
    }

    fn buy(
        &mut self,
        mut candidates: Vec<(usize, f64)>,
        target_count: usize,
        session: usize,
        draw: &mut Draw,
    ) {
        let each = self.dollars as f64 / target_count.max(1) as f64;
        while self.held.len() < target_count && !candidates.is_empty() {
            let Some((index, _)) = draw.weighted(&candidates, |company| company.1).copied() else { return };
            candidates.retain(|company| company.0 != index);
            let Some(listing) = self.world.listings.get(index) else { continue };
            let close = listing.history.bar_on(session).map_or(1, |bar| bar.close).max(1);
            let shares = (each * draw.between(0.4, 1.8) * 100.0 / f64::from(close)) as u64;
            let shares = shares.min(listing.history.shares_on(session) / LARGEST_PART);
            if shares > 0 {
                self.held.insert(index, shares);
            }
        }
    }

    /// Returns the positions of a report; hedged portfolios add options on some of their shares.
    fn positions(&self, session: usize, draw: &mut Draw) -> Vec<FundPosition> {
        let mut positions = Vec::new();
        for (index, shares) in &self.held {
            let bar = self.world.listings.get(*index).and_then(|listing| listing.history.bar_on(session));
            let close = bar.map_or(0, |bar| u128::from(bar.close));
            // Rounded to the dollar, half up.
            let worth = |shares: u64| ((u128::from(shares) * close + 50) / 100) as u64;
            positions.push(FundPosition {
                listing: *index,
                shares: *shares,
                value: worth(*shares),
                option: "",
            });
            if self.style == Style::Hedged && draw.chance(0.3) {
                let (option, shares) = (if draw.chance(0.6) { "Put" } else { "Call" }, *shares / 2);
                positions.push(FundPosition { listing: *index, shares, value: worth(shares), option });
            }
        }
        positions
    }
}

/// Returns true if a company traded in the week up to a session.
fn has_traded(listing: &Listing, session: usize) -> bool {
    listing.history.bar_on(session).is_some_and(|bar| usize::from(bar.session) + 5 > session)
}
