//! A company in one screen: what it does, its price, where it stands among its peers, its last quarters, holders and events.
//!
//! A part that a key does not reach, or that a company does not have, is left out: a bank has figures of banks, others have none.

use super::chart::CHART;
use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, GistSpec, Given, PageSpec, PartSpec, PeriodsSpec, Placement, TableSpec, View};

const SCORES: &[&str] = &[
    "overall_score",
    "financial_health",
    "growth_prospects",
    "competitive_position",
    "management_quality",
    "valuation",
];

/// The ratios that are looked at first, those of lenders behind those of others.
const RATIOS: &[&str] = &[
    "pe",
    "pb",
    "ev_ebitda",
    "roce",
    "roe",
    "opm_pct",
    "de",
    "revenue_growth_1y",
    "pat_growth_1y",
    "revenue_cagr_5y",
    "fcf_yield",
    "dividend_yield",
    "roa",
    "gnpa_pct",
    "tier1_pct",
    "cost_of_funds",
];

/// What the newest quarters of India and the US are called, growth under each figure.
const QUARTERS: &[&str] = &[
    "sales_cr",
    "revenue",
    "sales_growth",
    "ebitda_cr",
    "ebitda",
    "ebitda_growth",
    "opm_pct",
    "pat_cr",
    "netinc",
    "pat_growth",
    "eps_diluted",
    "epsdil",
];

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}",
    "",
    &[
        HEAD,
        ABOUT,
        CHART,
        BESIDE,
        BANK,
        QUARTERS_PART,
        HOLDERS,
        PEERS,
        CALL,
        SCORECARD,
        EVENTS,
        MOMENTUM,
        INDICES,
    ],
);

const ABOUT: PartSpec = PartSpec {
    id: "about",
    title: "What it does",
    india: Some(Ask::of("company/ai-profile", &[SYMBOL])),
    us: Some(Ask::of("us/company/ai-profile", &[SYMBOL])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Gist(GistSpec {
            columns: &["text"],
            within: Some("sections"),
            more: ("The whole profile", "company/{symbol}/report"),
        }),
    ],
};

const BESIDE: PartSpec = PartSpec {
    id: "beside",
    title: "Beside the sector",
    india: Some(Ask::of("explore/sector-ratios", &[SYMBOL])),
    us: Some(Ask::of("us/explore/sector-ratios", &[SYMBOL])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Beside(RATIOS),
        View::Onward(&[("All ratios", "company/{symbol}/ratios")]),
    ],
};

const BANK: PartSpec = PartSpec {
    id: "bank",
    title: "As a bank or lender",
    india: Some(Ask::of("company/banking-kpis", &[SYMBOL])),
    us: None,
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Newest(&[
            "nim_pct",
            "casa_pct",
            "gnpa_pct",
            "nnpa_pct",
            "pcr_pct",
            "credit_growth_pct",
            "deposit_growth_pct",
            "credit_deposit_pct",
            "cost_to_income_pct",
            "capital_adequacy_pct",
            "advances_cr",
            "nii_cr",
        ]),
    ],
};

const QUARTERS_PART: PartSpec = PartSpec {
    id: "quarters",
    title: "Eight quarters",
    india: Some(Ask::of("explore/statements", &[SYMBOL, ("period", Given::Fixed("quarterly"))])),
    us: Some(Ask::of(
        "us/explore/statements",
        &[SYMBOL, ("period_type", Given::Fixed("quarterly")), ("periods", Given::Fixed("12"))],
    )),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        // Eight quarters and their sum.
        View::Periods(PeriodsSpec { heading: "period", most: 9, sections: &[("", QUARTERS)] }),
        View::Onward(&[("All statements", "company/{symbol}/financials")]),
    ],
};

const HOLDERS: PartSpec = PartSpec {
    id: "holders",
    title: "Shareholding",
    india: Some(Ask::of("company/shareholding", &[SYMBOL, ("periods", Given::Fixed("5"))])),
    us: None,
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Periods(PeriodsSpec {
            heading: "quarter",
            most: 5,
            sections: &[(
                "",
                &[
                    "promoter_pct",
                    "fii_pct",
                    "fii_change",
                    "dii_pct",
                    "dii_change",
                    "mutual_fund_pct",
                    "non_institution_pct",
                ],
            )],
        }),
        View::Onward(&[("Holders, insiders, deals", "company/{symbol}/ownership")]),
    ],
};

const PEERS: PartSpec = PartSpec {
    id: "peers",
    title: "Peers nearest in size",
    india: Some(Ask::of("explore/peers", &[SYMBOL])),
    us: Some(Ask::of("us/explore/peers", &[SYMBOL])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Rows(TableSpec::of(&[
            "symbol",
            "company_name",
            "rs_rating",
            "market_cap_cr",
            "market_cap_b",
            "pe",
            "roe",
            "opm_pct",
            "revenue_growth_1y",
            "overall_score",
        ])),
        View::Compared,
    ],
};

const EVENTS: PartSpec = PartSpec {
    id: "events",
    title: "What happened",
    india: Some(Ask::of(
        "chat/events",
        &[
            ("symbols", Given::Symbol),
            ("days", Given::Fixed("400")),
            ("upcoming", Given::Fixed("true")),
            ("limit", Given::Fixed("16")),
        ],
    )),
    us: Some(Ask::of(
        "us/chat/events",
        &[
            ("symbols", Given::Symbol),
            ("days", Given::Fixed("400")),
            ("upcoming", Given::Fixed("true")),
            ("limit", Given::Fixed("16")),
        ],
    )),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Events,
        View::Onward(&[("Orders, actions and filings", "company/{symbol}/events")]),
    ],
};

const CALL: PartSpec = PartSpec {
    id: "call",
    title: "The last call",
    india: Some(Ask::of("company/ai-summary", &[SYMBOL])),
    us: Some(Ask::of("us/company/ai-summary", &[SYMBOL])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Narrow),
        View::Gist(GistSpec {
            columns: &["headline_verdict", "management_outlook"],
            within: None,
            more: ("The call of {quarter}", "company/{symbol}/calls"),
        }),
    ],
};

const MOMENTUM: PartSpec = PartSpec {
    id: "momentum",
    title: "Momentum",
    india: Some(Ask::of("company/momentum", &[SYMBOL])),
    us: Some(Ask::of("us/company/momentum", &[SYMBOL])),
    views: &[
        View::Stands(Placement::Narrow),
        View::Figures(&[
            "rs_rank",
            "rs_trend_30d",
            "rsi_14",
            "rvol_20",
            "brs",
            "scan_count",
            "ema_alignment",
            "vcp_pivot",
            "vcp_pivot_distance",
        ]),
        View::Checks(&[
            "above_sma_150_200",
            "sma_150_above_200",
            "sma_200_rising",
            "sma_50_above_150_200",
            "above_sma_50",
            "above_low_30",
            "near_high_25",
            "rs_70",
        ]),
        View::Onward(&[
            ("Why in stage 2 or not", "scans?scan_type=stage2&explain={symbol}"),
            ("Why a contraction pattern or not", "scans?scan_type=vcp&explain={symbol}"),
            ("Why on high volume or not", "scans?scan_type=highVol&explain={symbol}"),
            ("Why ready to break out or not", "scans?scan_type=brs&explain={symbol}"),
        ]),
    ],
};

const SCORECARD: PartSpec = PartSpec {
    id: "scorecard",
    title: "Scorecard",
    india: Some(Ask::of("company/scorecard", &[SYMBOL])),
    us: Some(Ask::of("us/company/scorecard", &[SYMBOL])),
    views: &[
        View::Stands(Placement::Narrow),
        View::Scores(SCORES),
        View::Facts(&["overall_rank", "sector_rank", "peer_group", "period", "unscored_because"]),
    ],
};

const INDICES: PartSpec = PartSpec {
    id: "indices",
    title: "In these indices",
    india: Some(Ask::of("explore/indices", &[SYMBOL])),
    us: Some(Ask::of("us/explore/indices", &[SYMBOL])),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::EachOnward("{index_name}", "indices?index={index_name}"),
    ],
};
