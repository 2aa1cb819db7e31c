//! The ratios of a company, beside its sector and its peers.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, DrawnSpec, PageSpec, PartSpec, Placement, TableSpec, View};

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/ratios",
    "Ratios",
    &[
        HEAD,
        PartSpec {
            id: "sector",
            title: "Beside the sector",
            india: Some(Ask::of("explore/sector-ratios", &[SYMBOL])),
            us: Some(Ask::of("us/explore/sector-ratios", &[SYMBOL])),
            views: &[
                View::Drawn(DrawnSpec {
                    leads: "",
                    table: &["ratio_name", "sector_percentile", "ratio_place", "peer_count"],
                }),
                View::Rows(TableSpec::of(&[
                    "ratio_name",
                    "ratio_value",
                    "ratio_unit",
                    "sector_lower_quartile",
                    "sector_median",
                    "sector_upper_quartile",
                    "ratio_place",
                    "peer_count",
                    "period",
                ])),
            ],
        },
        PartSpec {
            id: "ratios",
            title: "Ratios",
            india: Some(Ask::of("company/ratios", &[SYMBOL])),
            us: None,
            views: &[View::Facts(&[])],
        },
        PartSpec {
            id: "us-ratios",
            title: "Ratios and where they stand among peers",
            india: None,
            us: Some(Ask::of("us/company/ratios", &[SYMBOL])),
            views: &[View::Rows(TableSpec::of(&[
                "ratio_name",
                "ratio_value",
                "ratio_unit",
                "classification",
                "peer_percentile",
                "peer_count",
                "peer_group",
                "period",
            ]))],
        },
        PartSpec {
            id: "drift",
            title: "Drift after the last results",
            india: Some(Ask::of("company/pead", &[SYMBOL])),
            us: None,
            views: &[
                View::Stands(Placement::WhereKnown),
                View::Facts(&[
                    "quarter",
                    "announced_on",
                    "pead_signal",
                    "pead_missing",
                    "ecs_score",
                    "ecs_rank",
                    "unscored_because",
                    "days_since",
                    "announcement_return",
                    "drift_return",
                    "sue",
                    "pat_growth_yoy",
                    "revenue_growth_yoy",
                    "margin_change_yoy",
                ]),
            ],
        },
        PartSpec {
            id: "earnings",
            title: "Earnings consistency",
            india: Some(Ask::of("company/ecs", &[SYMBOL])),
            us: Some(Ask::of("us/company/ecs", &[SYMBOL])),
            views: &[View::Facts(&[])],
        },
    ],
);
