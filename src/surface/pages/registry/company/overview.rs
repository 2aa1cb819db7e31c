//! What matters of a company on one page: price, momentum, scores.

use super::head::{HEAD, SYMBOL, tab};
use crate::surface::pages::spec::{Ask, ChoiceSpec, DrawnSpec, Given, PageSpec, PartSpec, View};

const RANGE: ChoiceSpec = ChoiceSpec {
    name: "range",
    label: "Range",
    default: "1Y",
    words: &[("3M", "3m"), ("6M", "6m"), ("1Y", "1y"), ("2Y", "2y"), ("5Y", "5y")],
};

const SCORES: &[&str] = &[
    "overall_score",
    "financial_health",
    "growth_prospects",
    "competitive_position",
    "management_quality",
    "valuation",
];

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}",
    "",
    &[
        HEAD,
        PartSpec {
            id: "chart",
            title: "Price",
            india: Some(Ask::of("explore/chart", &[SYMBOL, ("range", Given::Chosen(&RANGE))])),
            us: Some(Ask::of("us/explore/chart", &[SYMBOL, ("range", Given::Chosen(&RANGE))])),
            views: &[
                View::Choices(&RANGE),
                View::Drawn(DrawnSpec {
                    leads: "",
                    table: &["session", "open", "high", "low", "close", "volume", "rs_line"],
                }),
            ],
        },
        PartSpec {
            id: "momentum",
            title: "Momentum",
            india: Some(Ask::of("company/momentum", &[SYMBOL])),
            us: Some(Ask::of("us/company/momentum", &[SYMBOL])),
            views: &[
                View::Figures(&[
                    "rs_rating",
                    "rs_rank",
                    "rs_trend_30d",
                    "stage",
                    "pct_from_high",
                    "rsi_14",
                    "rvol_20",
                    "brs",
                    "scan_count",
                    "ema_alignment",
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
            ],
        },
        PartSpec {
            id: "scorecard",
            title: "Scorecard",
            india: Some(Ask::of("company/scorecard", &[SYMBOL])),
            us: Some(Ask::of("us/company/scorecard", &[SYMBOL])),
            views: &[
                View::Scores(SCORES),
                View::Facts(&["overall_rank", "sector_rank", "peer_group", "period", "unscored_because"]),
            ],
        },
    ],
);
