//! What analysts or language models wrote of a company as a whole: its profile in sections, and in the US the full report with a stance.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, PageSpec, PartSpec, Placement, TableSpec, View};

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/report",
    "Report",
    &[
        HEAD,
        PartSpec {
            id: "stance",
            title: "Full report",
            india: None,
            us: Some(Ask::of("us/company/full-report", &[SYMBOL])),
            views: &[
                View::Figures(&["stance", "overall_score", "rs_rating", "stage", "quarter"]),
                View::Facts(&["stance_missing", "written_by", "generated_on"]),
                View::Prose(&[
                    "headline",
                    "executive_summary",
                    "business_overview",
                    "financial_review",
                    "market_position",
                    "management_view",
                    "catalysts",
                    "key_risks",
                    "conclusion",
                ]),
            ],
        },
        PartSpec {
            id: "profile",
            title: "The company in ten sections",
            india: Some(Ask::of("company/ai-profile", &[SYMBOL])),
            us: Some(Ask::of("us/company/ai-profile", &[SYMBOL])),
            views: &[
                View::Facts(&["quarter", "written_by", "generated_on"]),
                View::Rows(TableSpec::within("sections", &["section", "text"])),
            ],
        },
        PartSpec {
            id: "group",
            title: "Its group",
            india: Some(Ask::of("company/conglomerate", &[SYMBOL])),
            us: None,
            views: &[
                View::Stands(Placement::WhereKnown),
                View::Facts(&[
                    "group_name",
                    "group_role",
                    "group_member_count",
                    "group_market_cap_cr",
                    "group_avg_rs_rating",
                ]),
                View::Rows(TableSpec::within(
                    "members",
                    &[
                        "symbol",
                        "company_name",
                        "market_cap_cr",
                        "group_share_pct",
                        "price_cmp",
                        "change_pct",
                        "rs_rating",
                        "stage",
                        "sector",
                    ],
                )),
            ],
        },
    ],
);
