//! The 30 index lists of NSE: their official file stems, which name them, and the demo market's membership rules.
//!
//! The rules are simple ones (size, sector, industry), not NSE's methodology. Sizes are those of a full market of at least 800 companies;
//! `membership` scales them for smaller ones.

/// An index list.
#[derive(Debug)]
pub(crate) struct StockIndex {
    /// The official file stem, such as `ind_niftybanklist`.
    pub(crate) stem: &'static str,
    pub(crate) rule: MembershipRule,
}

/// The membership rule of an index.
#[derive(Debug)]
pub(crate) enum MembershipRule {
    /// The companies from one rank by market cap to another, the first excluded: `(100, 250)` is a mid-cap index.
    Ranks(usize, usize),
    /// The largest companies of the broad index within these sectors, at most this number.
    Sectors(&'static [&'static str], usize),
    /// The largest companies of the broad index within these industries, at most this number.
    Industries(&'static [&'static str], usize),
}

const fn index(stem: &'static str, rule: MembershipRule) -> StockIndex {
    StockIndex { stem, rule }
}

use MembershipRule::{Industries, Ranks, Sectors};

/// The lists, broad ones first.
pub(crate) const INDICES: &[StockIndex] = &[
    index("ind_nifty50list", Ranks(0, 50)),
    index("ind_niftynext50list", Ranks(50, 100)),
    index("ind_nifty100list", Ranks(0, 100)),
    index("ind_nifty200list", Ranks(0, 200)),
    index("ind_nifty500list", Ranks(0, 500)),
    index("ind_niftymidcap50list", Ranks(100, 150)),
    index("ind_niftymidcap100list", Ranks(100, 200)),
    index("ind_niftymidcap150list", Ranks(100, 250)),
    index("ind_niftysmallcap50list", Ranks(250, 300)),
    index("ind_niftysmallcap100list", Ranks(250, 350)),
    index("ind_niftysmallcap250list", Ranks(250, 500)),
    index("ind_niftylargemidcap250list", Ranks(0, 250)),
    index("ind_niftymidsmallcap400list", Ranks(100, 500)),
    index("ind_niftymicrocap250_list", Ranks(500, 750)),
    index("ind_niftytotalmarket_list", Ranks(0, 750)),
    index("ind_niftyautolist", Sectors(&["Automobile and Auto Components"], 15)),
    index("ind_niftybanklist", Industries(&["Banks"], 12)),
    index("ind_niftyfinancelist", Sectors(&["Financial Services"], 20)),
    index("ind_niftyfmcglist", Sectors(&["Fast Moving Consumer Goods"], 15)),
    index("ind_niftyhealthcarelist", Sectors(&["Healthcare"], 20)),
    index("ind_niftyitlist", Sectors(&["Information Technology"], 10)),
    index("ind_niftymedialist", Sectors(&["Media Entertainment & Publication"], 10)),
    index("ind_niftymetallist", Sectors(&["Metals & Mining"], 15)),
    index("ind_niftypharmalist", Industries(&["Pharmaceuticals & Biotechnology"], 20)),
    index("ind_niftyrealtylist", Sectors(&["Realty"], 10)),
    index("ind_niftyconsumerdurableslist", Sectors(&["Consumer Durables"], 15)),
    index("ind_niftyoilgaslist", Sectors(&["Oil Gas & Consumable Fuels"], 15)),
    index("ind_niftyenergylist", Sectors(&["Oil Gas & Consumable Fuels", "Power"], 40)),
    index("ind_niftyinfralist", Sectors(INFRASTRUCTURE, 30)),
    index("ind_niftyconsumptionlist", Sectors(CONSUMPTION, 30)),
];

const INFRASTRUCTURE: &[&str] =
    &["Construction", "Construction Materials", "Power", "Telecommunication", "Services", "Utilities"];
const CONSUMPTION: &[&str] = &[
    "Fast Moving Consumer Goods",
    "Consumer Durables",
    "Consumer Services",
    "Automobile and Auto Components",
];
