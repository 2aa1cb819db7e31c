//! Lists by strength: leaders, changes of the rating, movers, scans, conviction, earnings, scorecards.

use crate::surface::pages::spec::{Ask, MenuGroup, PageSpec, PartSpec, TableSpec, View};

const LIST: &[View] = &[
    View::Controls,
    View::Around(&["scan_label", "last_updated", "is_stale", "as_of"]),
    View::Rows(TableSpec::whole(&[])),
];

/// A page with one list: a form, and the rows.
const fn list(india: Option<&'static str>, us: Option<&'static str>) -> PartSpec {
    const fn open(operation: Option<&'static str>) -> Option<Ask> {
        match operation {
            Some(operation) => Some(Ask::open(operation, &[])),
            None => None,
        }
    }
    PartSpec { id: "list", title: "", india: open(india), us: open(us), views: LIST }
}

const fn page(
    path: &'static str,
    title: &'static str,
    lead: &'static str,
    parts: &'static [PartSpec],
) -> PageSpec {
    PageSpec { path, title, lead, menu: Some(MenuGroup::Strength), tabs: &[], parts }
}

pub(super) const PAGES: &[PageSpec] = &[
    page(
        "leaders",
        "Leaders",
        "The strongest stocks by relative-strength rating.",
        &[list(Some("market/momentum"), Some("us/market/momentum"))],
    ),
    page(
        "rs-changes",
        "RS changes",
        "Stocks whose rating moved most over the last sessions.",
        &[list(Some("explore/rs-changes"), Some("us/explore/rs-changes"))],
    ),
    page(
        "movers",
        "Movers",
        "Stocks that moved most.",
        &[list(Some("market/top-movers"), Some("us/market/top-movers"))],
    ),
    page(
        "scans",
        "Scans",
        "Stocks that pass a scan; `why` tells each condition with the stock's figure.",
        &[list(Some("market/trader-scan"), Some("us/market/trader-scan"))],
    ),
    page(
        "conviction",
        "Conviction",
        "Stocks that pass several scans at once.",
        &[list(Some("market/conviction"), Some("us/market/conviction"))],
    ),
    page(
        "scorecards",
        "Scorecards",
        "Companies by their overall score.",
        &[list(Some("company/scorecard"), Some("us/company/scorecard"))],
    ),
    page(
        "earnings",
        "Earnings",
        "Companies by the strength of their last results.",
        &[list(Some("market/ecs"), None)],
    ),
    page(
        "drift",
        "Drift after earnings",
        "Stocks that drift on after strong results.",
        &[list(Some("market/pead"), None)],
    ),
];
