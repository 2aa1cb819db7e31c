//! The operating figures that each sector reports: wording and usual sizes only.

/// The formula of a sector figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum FigureModel {
    /// Units per crore of the quarter's revenue.
    Sold(f64),
    /// Units per crore of four quarters' revenue, for stocks such as shops.
    Standing(f64),
    /// A percentage between two bounds.
    Share(f64, f64),
    /// As `Sold`, but at least the orders that the company announced in the quarter.
    Ordered(f64),
    /// An order book: initially as `Standing`, then the previous one plus the quarter's orders less its revenue. It must follow the figure
    /// of orders.
    Book(f64),
}

/// An operating figure of a sector.
#[derive(Debug)]
pub(super) struct SectorFigure {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) course: FigureModel,
}

const fn figure(
    code: &'static str,
    name: &'static str,
    unit: &'static str,
    course: FigureModel,
) -> SectorFigure {
    SectorFigure { code, name, unit, course }
}

use FigureModel::{Book, Ordered, Share, Sold, Standing};

const UTILISATION: SectorFigure =
    figure("capacity_utilisation", "Capacity utilisation", "%", Share(62.0, 94.0));
const ORDER_BOOK: SectorFigure = figure("order_book", "Order book", "INR crore", Book(1.8));
const ORDER_INFLOW: SectorFigure = figure("order_inflow", "Order inflow", "INR crore", Ordered(1.1));

/// Figures by sector.
const BY_SECTOR: &[(&str, &[SectorFigure])] = &[
    (
        "Automobile and Auto Components",
        &[
            figure("units_sold", "Units sold", "thousand", Sold(0.12)),
            figure("exports_share", "Exports, of sales", "%", Share(8.0, 35.0)),
            UTILISATION,
        ],
    ),
    ("Capital Goods", &[ORDER_INFLOW, ORDER_BOOK, UTILISATION]),
    ("Chemicals", &[figure("volume", "Volume sold", "thousand tonnes", Sold(0.07)), UTILISATION]),
    ("Construction", &[ORDER_INFLOW, ORDER_BOOK]),
    (
        "Construction Materials",
        &[figure("cement_volume", "Cement sold", "million tonnes", Sold(0.0018)), UTILISATION],
    ),
    (
        "Consumer Durables",
        &[
            figure("units_sold", "Units sold", "thousand", Sold(0.6)),
            figure("outlets", "Outlets", "outlets", Standing(0.05)),
        ],
    ),
    (
        "Consumer Services",
        &[
            figure("stores", "Stores, hotels or centres", "outlets", Standing(0.04)),
            figure("same_store_growth", "Growth of outlets older than a year", "%", Share(-4.0, 16.0)),
        ],
    ),
    (
        "Fast Moving Consumer Goods",
        &[
            figure("volume_growth", "Growth of volume", "%", Share(-3.0, 12.0)),
            figure("rural_share", "Rural areas, of sales", "%", Share(28.0, 42.0)),
            figure("outlets_reached", "Shops reached", "thousand", Standing(0.3)),
        ],
    ),
    (
        "Financial Services",
        &[
            figure("active_clients", "Active clients", "thousand", Standing(1.4)),
            figure("digital_share", "Business begun online", "%", Share(35.0, 88.0)),
        ],
    ),
    ("Forest Materials", &[figure("paper_volume", "Paper sold", "thousand tonnes", Sold(0.11)), UTILISATION]),
    (
        "Healthcare",
        &[
            figure("domestic_growth", "Growth of sales in India", "%", Share(3.0, 16.0)),
            figure("research_share", "Research, of sales", "%", Share(2.0, 9.0)),
        ],
    ),
    (
        "Information Technology",
        &[
            figure("headcount", "Employees", "people", Standing(24.0)),
            figure("attrition", "Employees who left within a year", "%", Share(11.0, 24.0)),
            figure("deal_wins", "Value of deals won", "INR crore", Ordered(1.2)),
        ],
    ),
    (
        "Media Entertainment & Publication",
        &[
            figure("viewership_share", "Share of viewers", "%", Share(4.0, 22.0)),
            figure("subscribers", "Subscribers", "thousand", Standing(3.5)),
        ],
    ),
    (
        "Metals & Mining",
        &[
            figure("metal_volume", "Metal or ore sold", "thousand tonnes", Sold(0.16)),
            figure("ebitda_per_tonne", "EBITDA a tonne", "INR thousand", Share(4.0, 16.0)),
            UTILISATION,
        ],
    ),
    (
        "Oil Gas & Consumable Fuels",
        &[figure("throughput", "Volume sold or refined", "thousand tonnes", Sold(0.18)), UTILISATION],
    ),
    (
        "Power",
        &[
            figure("generation", "Power generated or moved", "million units", Sold(1.9)),
            figure("plant_load_factor", "Plant load factor", "%", Share(22.0, 78.0)),
            figure("capacity", "Capacity", "MW", Standing(1.1)),
        ],
    ),
    (
        "Realty",
        &[
            figure("presales", "Sales booked", "INR crore", Sold(1.3)),
            figure("area_sold", "Area sold", "million sq ft", Sold(0.0011)),
            figure("collections", "Collections", "INR crore", Sold(1.05)),
        ],
    ),
    ("Services", &[figure("volume_handled", "Volume handled", "thousand tonnes", Sold(2.1)), UTILISATION]),
    (
        "Telecommunication",
        &[
            figure("subscribers", "Subscribers", "thousand", Standing(9.0)),
            figure("churn", "Customers lost in a month", "%", Share(1.2, 3.4)),
        ],
    ),
    ("Textiles", &[figure("yarn_volume", "Yarn or cloth sold", "tonnes", Sold(48.0)), UTILISATION]),
    (
        "Utilities",
        &[figure("volume_treated", "Volume treated", "million litres", Sold(55.0)), ORDER_INFLOW, ORDER_BOOK],
    ),
];

/// Returns the figures of a sector; a few common ones for an unlisted sector.
pub(super) fn figures_for_sector(sector: &str) -> &'static [SectorFigure] {
    BY_SECTOR.iter().find(|(name, _)| *name == sector).map_or(COMMON, |(_, figures)| figures)
}

const COMMON: &[SectorFigure] = &[UTILISATION, ORDER_INFLOW, ORDER_BOOK];

/// The figures of banks and lenders.
pub(super) const OF_LENDERS: &[SectorFigure] = &[
    figure("branches", "Branches", "branches", Standing(0.06)),
    figure("digital_share", "Business begun online", "%", Share(35.0, 88.0)),
];

/// The figures of insurers.
pub(super) const OF_INSURERS: &[SectorFigure] = &[
    figure("persistency_13m", "Policies kept after 13 months", "%", Share(74.0, 89.0)),
    figure("solvency", "Solvency margin", "%", Share(165.0, 260.0)),
];
