//! Typical figures of each sector: margins, assets, days of inventory and receivables, debt, growth, multiples, seasons.
//!
//! The figures are the rows of `economics.csv`: round figures in the range of real sectors, not those of a single company. The premiums of
//! insurers do not cover their cost; the investments of their claim reserves earn the rest.

use std::sync::LazyLock;

use super::BusinessKind;
use crate::taxonomy::IndustryClass;
use parquote_catalogue::operation::Market;

/// The usual figures of a sector. Ratios are fractions; days are per year.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Economics {
    /// EBITDA before other income, over revenue.
    pub(super) margin: f64,
    /// Property, plant and equipment, over annual revenue.
    pub(super) plant: f64,
    /// Inventory in days of revenue.
    pub(super) stock_days: f64,
    /// Receivables in days of revenue.
    pub(super) debtor_days: f64,
    /// Payables in days of cost.
    pub(super) creditor_days: f64,
    /// Debt over plant and working capital.
    pub(super) debt: f64,
    /// Annual revenue growth.
    pub(super) growth: f64,
    /// Price over earnings.
    pub(super) multiple: f64,
    /// Goods and material, over all cost.
    pub(super) goods: f64,
    /// Employee cost, over all cost.
    pub(super) staff: f64,
    /// Multi-year swing of the margin, as a part of the margin.
    pub(super) swing: f64,
    /// Revenue of the quarters that end in March, June, September and December, relative to an average one.
    pub(super) seasonal_factors: [f64; 4],
}

static ECONOMICS: LazyLock<Vec<(&str, &str, Economics)>> =
    LazyLock::new(|| include_str!("economics.csv").lines().skip(1).filter_map(parse).collect());

impl Economics {
    /// Returns the figures of an industry's sector, or of banks, lenders or insurers.
    pub(super) fn for_industry(market: Market, industry: &IndustryClass, kind: BusinessKind) -> Self {
        let sector = match kind {
            BusinessKind::Company => industry.sector,
            BusinessKind::Bank => "banks",
            BusinessKind::Lender => "lenders",
            BusinessKind::Insurer => "insurers",
        };
        let find = |sector: &str| ECONOMICS.iter().find(|row| row.0 == market.word() && row.1 == sector);
        find(sector).or_else(|| find("other sectors")).map(|row| row.2).unwrap_or_default()
    }

    /// Returns the annual depreciation rate of plant, lower for plant-heavy sectors, whose plant lasts longer.
    pub(super) fn depreciation(&self) -> f64 {
        0.10 / (1.0 + 0.6 * self.plant)
    }

    /// Returns inventory and receivables less payables, over annual revenue.
    pub(super) fn working_capital(&self) -> f64 {
        (self.stock_days + self.debtor_days - self.creditor_days * (1.0 - self.margin)) / 365.0
    }
}

/// Returns the kind of books of an industry.
pub(super) fn kind(industry: &IndustryClass) -> BusinessKind {
    match industry.name {
        "Banks" | "Major Banks" => BusinessKind::Bank,
        "Finance" | "Finance: Consumer Services" => BusinessKind::Lender,
        "Insurance" | "Life Insurance" | "Property-Casualty Insurers" => BusinessKind::Insurer,
        _ => BusinessKind::Company,
    }
}

/// Returns true for industries whose companies often have hardly any sales: drug development.
pub(super) fn is_research(industry: &IndustryClass) -> bool {
    industry.name.starts_with("Biotechnology")
}

/// Reads the market, the sector and the figures of a row of `economics.csv`.
fn parse(row: &'static str) -> Option<(&'static str, &'static str, Economics)> {
    let mut cells = row.split(';');
    let (market, sector) = (cells.next()?, cells.next()?);
    let mut figure = || -> Option<f64> { cells.next()?.parse().ok() };
    // The fields have the order of the columns.
    let usual = Economics {
        margin: figure()?,
        plant: figure()?,
        stock_days: figure()?,
        debtor_days: figure()?,
        creditor_days: figure()?,
        debt: figure()?,
        growth: figure()?,
        multiple: figure()?,
        goods: figure()?,
        staff: figure()?,
        swing: figure()?,
        seasonal_factors: [figure()?, figure()?, figure()?, figure()?],
    };
    cells.next().is_none().then_some((market, sector, usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy;

    #[test]
    fn every_row_has_the_figures_of_one_sector() {
        let economics =
            |market, kind| Economics::for_industry(market, &taxonomy::industries(market)[0], kind);
        assert_eq!(ECONOMICS.len(), include_str!("economics.csv").lines().count() - 1);
        let lender = economics(Market::Us, BusinessKind::Lender);
        assert!((lender.multiple - 11.0).abs() < 1e-9 && (lender.growth - 0.07).abs() < 1e-9, "{lender:?}");
        let insurer = economics(Market::India, BusinessKind::Insurer);
        assert!((insurer.margin + 0.05).abs() < 1e-9 && (insurer.swing - 0.3).abs() < 1e-9, "{insurer:?}");
    }

    #[test]
    fn the_four_seasons_make_a_year_and_costs_are_parts_of_all() {
        for market in Market::ALL {
            for industry in taxonomy::industries(market) {
                let usual = Economics::for_industry(market, industry, BusinessKind::Company);
                assert!((usual.seasonal_factors.iter().sum::<f64>() - 4.0).abs() < 1e-9, "{}", industry.name);
                assert!(usual.goods + usual.staff < 0.95, "{}", industry.name);
                assert!(usual.margin > 0.1 && usual.margin < 0.6, "{}", industry.name);
            }
        }
    }
}
