//! Typical figures of each sector: margins, assets, days of inventory and receivables, debt, growth, multiples, seasons.
//!
//! They are round figures in the range of real sectors, not those of a single company.

use super::BusinessKind;
use crate::taxonomy::IndustryClass;
use parquote_catalogue::operation::Market;

/// The usual figures of a sector. Ratios are fractions; days are per year.
#[derive(Debug, Clone, Copy)]
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
    /// Multi-year swing of the margin, relative to it.
    pub(super) swing: f64,
    /// Revenue of the quarters that end in March, June, September and December, relative to an average one.
    pub(super) season: [f64; 4],
}

const LEVEL: [f64; 4] = [1.0, 1.0, 1.0, 1.0];

const fn economics(usual: [f64; 11], season: [f64; 4]) -> Economics {
    let [margin, plant, stock_days, debtor_days, creditor_days, debt, growth, multiple, goods, staff, swing] =
        usual;
    Economics {
        margin,
        plant,
        stock_days,
        debtor_days,
        creditor_days,
        debt,
        growth,
        multiple,
        goods,
        staff,
        swing,
        season,
    }
}

impl Economics {
    /// Returns the figures of an industry's sector, or of banks, lenders or insurers.
    pub(super) fn for_industry(market: Market, industry: &IndustryClass, kind: BusinessKind) -> Self {
        let is_india = market == Market::India;
        let growth = if is_india { 0.13 } else { 0.07 };
        let usual = match kind {
            BusinessKind::Company if is_india => return india(industry.sector),
            BusinessKind::Company => return us(industry.sector),
            BusinessKind::Bank => {
                [0.3, 0.0, 0.0, 0.0, 0.0, 0.0, growth, if is_india { 14.0 } else { 12.0 }, 0.0, 0.3, 0.1]
            }
            BusinessKind::Lender => {
                [0.3, 0.0, 0.0, 0.0, 0.0, 0.0, growth, if is_india { 19.0 } else { 11.0 }, 0.0, 0.2, 0.1]
            }
            // Premiums do not cover claims and cost; the investments of claim reserves earn the rest.
            BusinessKind::Insurer => {
                [-0.05, 0.03, 0.0, 10.0, 15.0, 0.0, growth, if is_india { 30.0 } else { 13.0 }, 0.0, 0.1, 0.3]
            }
        };
        economics(usual, LEVEL)
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

fn india(sector: &str) -> Economics {
    let year_end = [1.18, 0.90, 0.94, 0.98];
    let (usual, season) = match sector {
        "Automobile and Auto Components" => {
            ([0.13, 0.35, 35.0, 40.0, 55.0, 0.30, 0.12, 28.0, 0.72, 0.12, 0.12], [1.05, 0.95, 1.0, 1.0])
        }
        "Capital Goods" => ([0.14, 0.30, 70.0, 80.0, 70.0, 0.25, 0.15, 36.0, 0.66, 0.14, 0.12], year_end),
        "Chemicals" => ([0.17, 0.55, 65.0, 65.0, 60.0, 0.30, 0.12, 30.0, 0.62, 0.12, 0.20], LEVEL),
        "Construction" => ([0.12, 0.25, 30.0, 90.0, 80.0, 0.45, 0.13, 20.0, 0.68, 0.12, 0.15], year_end),
        "Construction Materials" => {
            ([0.18, 0.90, 35.0, 20.0, 45.0, 0.35, 0.10, 28.0, 0.50, 0.10, 0.20], [1.12, 1.03, 0.88, 0.97])
        }
        "Consumer Durables" => {
            ([0.12, 0.25, 70.0, 35.0, 55.0, 0.20, 0.14, 42.0, 0.68, 0.12, 0.10], [1.06, 1.06, 0.88, 1.0])
        }
        "Consumer Services" => {
            ([0.17, 0.70, 30.0, 15.0, 40.0, 0.35, 0.14, 38.0, 0.45, 0.22, 0.20], [1.0, 0.95, 0.95, 1.10])
        }
        "Fast Moving Consumer Goods" => {
            ([0.16, 0.35, 45.0, 20.0, 55.0, 0.12, 0.10, 40.0, 0.62, 0.12, 0.07], LEVEL)
        }
        "Financial Services" => ([0.45, 0.10, 0.0, 45.0, 30.0, 0.10, 0.15, 26.0, 0.10, 0.55, 0.20], LEVEL),
        "Forest Materials" => ([0.14, 0.90, 50.0, 30.0, 35.0, 0.40, 0.08, 12.0, 0.60, 0.12, 0.25], LEVEL),
        "Healthcare" => ([0.21, 0.55, 80.0, 75.0, 60.0, 0.18, 0.13, 33.0, 0.45, 0.24, 0.10], LEVEL),
        "Information Technology" => {
            ([0.19, 0.12, 2.0, 70.0, 25.0, 0.05, 0.13, 27.0, 0.10, 0.72, 0.08], [1.01, 0.98, 1.0, 1.01])
        }
        "Media Entertainment & Publication" => {
            ([0.18, 0.35, 15.0, 65.0, 55.0, 0.20, 0.07, 21.0, 0.40, 0.20, 0.25], [0.97, 0.97, 1.0, 1.06])
        }
        "Metals & Mining" => ([0.18, 0.80, 60.0, 25.0, 45.0, 0.40, 0.09, 13.0, 0.62, 0.08, 0.30], LEVEL),
        "Oil Gas & Consumable Fuels" => {
            ([0.14, 0.60, 30.0, 25.0, 35.0, 0.35, 0.08, 12.0, 0.75, 0.05, 0.25], LEVEL)
        }
        "Power" => {
            ([0.34, 2.20, 15.0, 60.0, 40.0, 0.60, 0.09, 19.0, 0.60, 0.07, 0.08], [0.98, 1.05, 1.02, 0.95])
        }
        "Realty" => ([0.27, 0.15, 220.0, 40.0, 60.0, 0.30, 0.14, 30.0, 0.60, 0.12, 0.20], year_end),
        "Services" => ([0.15, 0.60, 10.0, 60.0, 45.0, 0.35, 0.12, 24.0, 0.50, 0.22, 0.15], LEVEL),
        "Telecommunication" => ([0.31, 1.20, 8.0, 40.0, 80.0, 0.45, 0.10, 26.0, 0.45, 0.12, 0.15], LEVEL),
        "Textiles" => ([0.13, 0.55, 80.0, 45.0, 45.0, 0.40, 0.08, 18.0, 0.64, 0.13, 0.20], LEVEL),
        "Utilities" => ([0.25, 1.00, 15.0, 80.0, 45.0, 0.40, 0.10, 25.0, 0.50, 0.20, 0.12], LEVEL),
        _ => ([0.15, 0.50, 45.0, 45.0, 50.0, 0.30, 0.10, 24.0, 0.60, 0.14, 0.15], LEVEL),
    };
    economics(usual, season)
}

fn us(sector: &str) -> Economics {
    let (usual, season) = match sector {
        "Basic Materials" => ([0.20, 0.80, 55.0, 45.0, 45.0, 0.30, 0.06, 17.0, 0.65, 0.12, 0.22], LEVEL),
        "Consumer Discretionary" => {
            ([0.15, 0.45, 55.0, 20.0, 45.0, 0.35, 0.07, 21.0, 0.62, 0.18, 0.14], [0.93, 0.98, 0.98, 1.11])
        }
        "Consumer Staples" => ([0.15, 0.35, 45.0, 30.0, 45.0, 0.35, 0.04, 22.0, 0.65, 0.14, 0.07], LEVEL),
        "Energy" => ([0.35, 1.40, 10.0, 40.0, 50.0, 0.30, 0.05, 11.0, 0.50, 0.12, 0.30], LEVEL),
        "Finance" => ([0.34, 0.10, 0.0, 60.0, 30.0, 0.20, 0.08, 17.0, 0.10, 0.60, 0.15], LEVEL),
        "Health Care" => ([0.21, 0.30, 70.0, 60.0, 50.0, 0.25, 0.10, 25.0, 0.40, 0.28, 0.12], LEVEL),
        "Industrials" => {
            ([0.16, 0.35, 65.0, 55.0, 50.0, 0.30, 0.06, 22.0, 0.62, 0.20, 0.12], [0.96, 1.02, 1.0, 1.02])
        }
        "Real Estate" => ([0.56, 4.20, 0.0, 20.0, 30.0, 0.42, 0.06, 32.0, 0.40, 0.20, 0.08], LEVEL),
        "Technology" => {
            ([0.24, 0.18, 30.0, 65.0, 40.0, 0.15, 0.13, 31.0, 0.30, 0.45, 0.12], [0.97, 0.98, 1.0, 1.05])
        }
        "Telecommunications" => ([0.26, 0.60, 25.0, 50.0, 50.0, 0.40, 0.03, 15.0, 0.45, 0.20, 0.12], LEVEL),
        "Utilities" => {
            ([0.38, 2.60, 20.0, 45.0, 45.0, 0.50, 0.04, 18.0, 0.50, 0.15, 0.07], [1.08, 0.90, 1.02, 1.0])
        }
        _ => ([0.15, 0.50, 45.0, 45.0, 50.0, 0.30, 0.06, 20.0, 0.60, 0.14, 0.15], LEVEL),
    };
    economics(usual, season)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy;

    #[test]
    fn the_four_seasons_make_a_year_and_costs_are_parts_of_all() {
        for market in Market::ALL {
            for industry in taxonomy::industries(market) {
                let usual = Economics::for_industry(market, industry, BusinessKind::Company);
                assert!((usual.season.iter().sum::<f64>() - 4.0).abs() < 1e-9, "{}", industry.name);
                assert!(usual.goods + usual.staff < 0.95, "{}", industry.name);
                assert!(usual.margin > 0.1 && usual.margin < 0.6, "{}", industry.name);
            }
        }
    }
}
