//! The operating figures that each sector reports: their names, units and usual sizes.

use std::sync::LazyLock;

/// The formula of a sector figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum FigureModel {
    /// Units per crore of the quarter's revenue.
    Sold(f64),
    /// Units per crore of four quarters' revenue, for stocks such as shops.
    Standing(f64),
    /// A percentage between two bounds.
    Share(f64, f64),
    /// As `Sold`, but at least the value of the orders that the company announced in the quarter.
    Ordered(f64),
    /// An order book: initially as `Standing`, then the previous order book plus the quarter's orders less its revenue. The figure must
    /// come after an `Ordered` one of the same sector.
    Book(f64),
}

/// An operating figure of a sector: a row of `sector_figures.csv`.
#[derive(Debug)]
pub(super) struct SectorFigure {
    sector: &'static str,
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) model: FigureModel,
}

static FIGURES: LazyLock<Vec<SectorFigure>> =
    LazyLock::new(|| include_str!("sector_figures.csv").lines().skip(1).filter_map(parse).collect());

/// Returns the figures of a sector, of `lenders` or of `insurers`; the figures of `other sectors` for a sector that is not listed.
pub(super) fn figures_for_sector(sector: &str) -> Vec<&'static SectorFigure> {
    let figures = |sector: &str| -> Vec<&'static SectorFigure> {
        FIGURES.iter().filter(|figure| figure.sector == sector).collect()
    };
    let listed = figures(sector);
    if listed.is_empty() { figures("other sectors") } else { listed }
}

fn parse(row: &'static str) -> Option<SectorFigure> {
    let mut cells = row.split(';');
    let mut cell = || cells.next();
    let (sector, code, name, unit, model) = (cell()?, cell()?, cell()?, cell()?, cell()?);
    let size = cell()?.parse().ok()?;
    let model = match model {
        "sold" => FigureModel::Sold(size),
        "standing" => FigureModel::Standing(size),
        "share" => FigureModel::Share(size, cell()?.parse().ok()?),
        "ordered" => FigureModel::Ordered(size),
        "book" => FigureModel::Book(size),
        _ => return None,
    };
    Some(SectorFigure { sector, code, name, unit, model })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_figure() {
        assert_eq!(FIGURES.len(), include_str!("sector_figures.csv").lines().count() - 1);
        let codes = |sector| figures_for_sector(sector).iter().map(|figure| figure.code).collect::<Vec<_>>();
        assert_eq!(codes("lenders"), ["branches", "digital_share"]);
        assert_eq!(codes("insurers"), ["persistency_13m", "solvency"]);
        assert_eq!(codes("Mars"), ["capacity_utilisation", "order_inflow", "order_book"]);
    }
}
