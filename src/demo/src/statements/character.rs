//! The story of a company, such as growth or distress, and the traits that determine its statements.
//!
//! A company that pays dividends is sound; losses and distress occur among the others.

use super::economics::{self, Economics};
use super::fiscal::FilingDelay;
use super::{BusinessKind, Story};
use crate::company::InventedCompany;
use crate::draw::Draw;
use parquote_catalogue::operation::Market;

/// The traits of a company's business.
#[derive(Debug)]
pub(super) struct Traits {
    pub(super) kind: BusinessKind,
    pub(super) story: Story,
    pub(super) usual: Economics,
    /// Usual annual revenue growth, as a fraction.
    pub(super) growth: f64,
    /// Usual EBITDA margin; negative for a loss maker.
    pub(super) margin: f64,
    /// Market cap over earnings today; over revenue for companies without earnings.
    pub(super) multiple: f64,
    /// Debt over plant and working capital; for banks and lenders, loans over equity.
    pub(super) leverage: f64,
    /// Annual interest rate on debt.
    pub(super) interest: f64,
    /// Tax rate on profit, as a fraction.
    pub(super) tax: f64,
    /// Fraction of the annual profit that is paid out, unless the price model has dividends.
    pub(super) payout: f64,
    /// Fraction of profit due to minority owners.
    pub(super) minority: f64,
    /// Options as a fraction of all shares.
    pub(super) options: f64,
    pub(super) is_group: bool,
    /// The parent's fraction of the group's revenue; `None` if the parent files no standalone results.
    pub(super) parent_part: Option<f64>,
    pub(super) year_end_month: u32,
    pub(super) filing_delay: FilingDelay,
}

impl Traits {
    /// Draws the traits of a company; `pays` is true if it pays dividends in the price model.
    pub(super) fn draw(company: &InventedCompany, pays: bool, draw: &mut Draw) -> Self {
        let market = company.market;
        let kind = economics::kind(company.industry);
        let usual = Economics::for_industry(market, company.industry, kind);
        let is_research = market == Market::Us && economics::is_research(company.industry);
        // Very large companies are never loss makers.
        let is_sound = relative_size(company) > 0.62 || (pays && !(is_research && draw.chance(0.75)));
        let story = pick_story(market, kind, is_sound, is_research, draw);
        let growth = match story {
            Story::Growing => usual.growth + draw.between(0.12, 0.28),
            Story::LossMaking => usual.growth + draw.between(0.0, 0.25),
            Story::Distressed => usual.growth - draw.between(0.10, 0.18),
            Story::Steady | Story::Turnaround => usual.growth + 0.05 * draw.normal().clamp(-2.0, 2.0),
        };
        let leverage = draw_leverage(kind, story, &usual, draw);
        let interest = match market {
            Market::India => 0.088,
            Market::Us => 0.056,
        } * draw.between(0.85, 1.2);
        let is_group = market == Market::Us || draw.chance(0.6);
        let parent_part = draw.between(0.55, 0.95);
        Self {
            kind,
            story,
            usual,
            growth,
            margin: draw_margin(story, &usual, leverage, interest, is_research, draw),
            multiple: draw_multiple(story, &usual, is_research, draw),
            leverage,
            interest,
            tax: if market == Market::India { 0.252 } else { 0.215 },
            payout: if pays { draw.between(0.15, 0.5) } else { 0.0 },
            minority: if is_group && draw.chance(0.18) { draw.between(0.02, 0.12) } else { 0.0 },
            options: draw.between(0.0, 0.02),
            is_group,
            parent_part: (market == Market::India && is_group && draw.chance(0.3)).then_some(parent_part),
            year_end_month: year_end(market, draw),
            filing_delay: FilingDelay::draw(relative_size(company), draw),
        }
    }
}

fn pick_story(
    market: Market,
    kind: BusinessKind,
    is_sound: bool,
    is_research: bool,
    draw: &mut Draw,
) -> Story {
    use Story::{Distressed, Growing, LossMaking, Steady, Turnaround};
    let odds = match (market, kind) {
        _ if is_sound => {
            [(Steady, 0.72), (Growing, 0.22), (Turnaround, 0.06), (LossMaking, 0.0), (Distressed, 0.0)]
        }
        (_, BusinessKind::Company) if is_research => {
            [(Steady, 0.1), (Growing, 0.1), (Turnaround, 0.0), (LossMaking, 0.75), (Distressed, 0.05)]
        }
        (_, BusinessKind::Company) => {
            [(Steady, 0.15), (Growing, 0.25), (Turnaround, 0.15), (LossMaking, 0.25), (Distressed, 0.2)]
        }
        _ => [(Steady, 0.4), (Growing, 0.3), (Turnaround, 0.0), (LossMaking, 0.0), (Distressed, 0.3)],
    };
    draw.weighted(&odds, |it| it.1).map_or(Steady, |it| it.0)
}

fn draw_leverage(kind: BusinessKind, story: Story, usual: &Economics, draw: &mut Draw) -> f64 {
    let spread = draw.between(0.4, 1.5);
    match kind {
        BusinessKind::Bank => draw.between(5.5, 8.5),
        BusinessKind::Lender => draw.between(2.8, 5.0),
        BusinessKind::Insurer => draw.between(1.0, 3.0),
        BusinessKind::Company => match story {
            Story::Distressed => draw.between(0.75, 1.0),
            Story::LossMaking => 0.1 * spread,
            _ => (usual.debt * spread).min(0.7),
        },
    }
}

/// Draws a margin near the sector's that covers depreciation and interest, if the story allows it.
fn draw_margin(
    story: Story,
    usual: &Economics,
    leverage: f64,
    interest: f64,
    is_research: bool,
    draw: &mut Draw,
) -> f64 {
    let margin = usual.margin * (0.22 * draw.normal()).clamp(-0.5, 0.5).exp();
    let depreciation = usual.plant * usual.depreciation();
    let debt = leverage.min(1.0) * (usual.plant + usual.working_capital().max(0.0));
    match story {
        Story::Steady | Story::Growing | Story::Turnaround => {
            margin.max(depreciation + 1.15 * debt * interest + 0.03)
        }
        Story::Distressed => depreciation + debt * interest * draw.between(0.1, 0.7),
        Story::LossMaking if is_research => -draw.between(0.6, 2.5),
        Story::LossMaking => -draw.between(0.03, 0.35),
    }
}

/// Draws the ratio of market cap to earnings, or to revenue for companies without earnings.
fn draw_multiple(story: Story, usual: &Economics, is_research: bool, draw: &mut Draw) -> f64 {
    let spread = (0.28 * draw.normal()).clamp(-0.7, 0.7).exp();
    match story {
        Story::Steady => usual.multiple * spread,
        Story::Growing => usual.multiple * 1.4 * spread,
        Story::Turnaround => usual.multiple * 0.9 * spread,
        Story::LossMaking if is_research => 9.0 * spread,
        Story::LossMaking => 3.5 * spread,
        Story::Distressed => 0.45 * spread,
    }
}

/// Returns the last month of the fiscal year: March in India; in the US mostly December.
fn year_end(market: Market, draw: &mut Draw) -> u32 {
    let months = [(12, 0.8), (9, 0.08), (6, 0.08), (3, 0.04)];
    let drawn = draw.weighted(&months, |it| it.1).map_or(12, |it| it.0);
    if market == Market::India { 3 } else { drawn }
}

/// Returns the size of a company, 0..1, on a logarithmic scale.
fn relative_size(company: &InventedCompany) -> f64 {
    let (least, most) = match company.market {
        Market::India => (100.0_f64, 2.0e6),
        Market::Us => (0.05, 3000.0),
    };
    ((company.target_cap / least).ln() / (most / least).ln()).clamp(0.0, 1.0)
}
