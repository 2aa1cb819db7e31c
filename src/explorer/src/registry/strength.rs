//! Lists by strength: leaders, changes of the rating, movers, scans, conviction, earnings, scorecards.

use crate::spec::{Ask, MenuGroup, PageSpec, PartSpec, TableSpec, View};

/// The part of a page with one list: a form, and the rows. What the page is about stands first after the company.
const fn list(india: Option<&'static str>, us: Option<&'static str>, views: &'static [View]) -> PartSpec {
    const fn open(operation: Option<&'static str>) -> Option<Ask> {
        match operation {
            Some(operation) => Some(Ask::open(operation, &[])),
            None => None,
        }
    }
    PartSpec { id: "list", title: "", india: open(india), us: open(us), views }
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
        &[list(
            Some("market/momentum"),
            Some("us/market/momentum"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "rs_rating",
                    "rs_trend_30d",
                    "price_cmp",
                    "change_pct",
                    "pct_from_high",
                    "sector",
                    "market_cap_cr",
                    "market_cap_b",
                    "elite",
                ])),
            ],
        )],
    ),
    page(
        "rs-changes",
        "RS changes",
        "Stocks whose rating moved most over the last sessions.",
        &[list(
            Some("explore/rs-changes"),
            Some("us/explore/rs-changes"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "rs_delta",
                    "rs_now",
                    "rs_then",
                    "price_cmp",
                    "sector",
                    "market_cap_cr",
                    "market_cap_b",
                    "session_then",
                ])),
            ],
        )],
    ),
    page(
        "movers",
        "Movers",
        "Stocks that moved most.",
        &[list(
            Some("market/top-movers"),
            Some("us/market/top-movers"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "return_pct",
                    "change_pct",
                    "close",
                    "price_cmp",
                    "turnover_cr",
                    "median_turnover_usd_m",
                    "rs_rating",
                    "market_cap_cr",
                    "market_cap_b",
                    "sector",
                    "session",
                ])),
            ],
        )],
    ),
    page(
        "scans",
        "Scans",
        "Stocks that pass a scan; “why” tells each condition with the stock's figure.",
        &[list(
            Some("market/trader-scan"),
            Some("us/market/trader-scan"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "score",
                    "rs_rating",
                    "price_cmp",
                    "change_pct",
                    "pct_from_high",
                    "rvol_20",
                    "stage",
                    "vcp_pivot",
                    "vcp_pivot_distance",
                    "days_in_scan",
                    "scan_count",
                ])),
            ],
        )],
    ),
    page(
        "conviction",
        "Conviction",
        "Stocks that pass several scans at once.",
        &[list(
            Some("market/conviction"),
            Some("us/market/conviction"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "scan_count",
                    "rs_rating",
                    "change_pct",
                    "price_cmp",
                    "in_stage2",
                    "in_near_high",
                    "in_high_vol",
                    "vcp",
                    "in_brs",
                    "sector",
                ])),
            ],
        )],
    ),
    page(
        "scorecards",
        "Scorecards",
        "Companies by their overall score.",
        &[list(
            Some("company/scorecard"),
            Some("us/company/scorecard"),
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "overall_score",
                    "rs_rating",
                    "financial_health",
                    "growth_prospects",
                    "competitive_position",
                    "management_quality",
                    "valuation",
                    "overall_rank",
                    "sector",
                    "period",
                ])),
            ],
        )],
    ),
    page(
        "earnings",
        "Earnings",
        "Companies by the strength of their last results.",
        &[list(
            Some("market/ecs"),
            None,
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "ecs_score",
                    "announcement_return",
                    "drift_return",
                    "sue",
                    "pat_growth_yoy",
                    "revenue_growth_yoy",
                    "margin_change_yoy",
                    "announced_on",
                    "quarter",
                    "rs_rating",
                ])),
            ],
        )],
    ),
    page(
        "drift",
        "Drift after earnings",
        "Stocks that drift on after strong results.",
        &[list(
            Some("market/pead"),
            None,
            &[
                View::Controls,
                View::Rows(TableSpec::whole(&[
                    "symbol",
                    "company_name",
                    "drift_return",
                    "announcement_return",
                    "days_since",
                    "ecs_score",
                    "sue",
                    "pat_growth_yoy",
                    "revenue_growth_yoy",
                    "announced_on",
                    "price_cmp",
                    "rs_rating",
                ])),
            ],
        )],
    ),
];
