//! Who holds a company, and who bought and sold its shares.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, DrawnSpec, Given, PageSpec, PartSpec, PeriodsSpec, TableSpec, View};

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/ownership",
    "Ownership",
    &[
        HEAD,
        PartSpec {
            id: "shareholding",
            title: "Shareholding",
            india: Some(Ask::of("company/shareholding", &[SYMBOL, ("periods", Given::Fixed("12"))])),
            us: None,
            views: &[
                View::Drawn(DrawnSpec { leads: "", table: &["quarter", "fii_pct", "dii_pct"] }),
                View::Periods(PeriodsSpec {
                    heading: "quarter",
                    most: 12,
                    sections: &[(
                        "",
                        &[
                            "promoter_pct",
                            "promoter_change",
                            "public_pct",
                            "fii_pct",
                            "fii_change",
                            "dii_pct",
                            "dii_change",
                            "mutual_fund_pct",
                            "insurer_pct",
                            "government_pct",
                            "non_institution_pct",
                        ],
                    )],
                }),
            ],
        },
        PartSpec {
            id: "pledges",
            title: "Pledges",
            india: Some(Ask::of("company/pledge-history", &[SYMBOL])),
            us: None,
            views: &[View::Rows(TableSpec::of(&[
                "quarter",
                "promoter_pct",
                "pledge_pct",
                "pledged_of_total_pct",
                "pledge_change",
                "filed_on",
            ]))],
        },
        PartSpec {
            id: "investors",
            title: "Large investors",
            india: None,
            us: Some(Ask::of("us/company/13f-holdings", &[SYMBOL])),
            views: &[View::Rows(TableSpec::of(&[
                "investor",
                "value_usd",
                "shares",
                "portfolio_pct",
                "shares_change_pct",
                "position_change",
                "portfolio_rank",
                "style",
                "report_date",
            ]))],
        },
        PartSpec {
            id: "insiders",
            title: "Insiders, last year",
            india: Some(Ask::of("company/insider-trades", &[SYMBOL, ("days", Given::Fixed("365"))])),
            us: Some(Ask::of("us/company/insider-trades", &[SYMBOL, ("days", Given::Fixed("365"))])),
            views: &[View::Rows(TableSpec::of(&[
                "filed_on",
                "side",
                "value_cr",
                "value_usd",
                "shares",
                "price",
                "person",
                "category",
                "officer_title",
                "transaction_type",
                "held_after",
            ]))],
        },
        PartSpec {
            id: "deals",
            title: "Bulk and block deals, last two years",
            india: Some(Ask::of(
                "explore/company-deals",
                &[SYMBOL, ("days", Given::Fixed("731")), ("limit", Given::Fixed("50"))],
            )),
            us: None,
            views: &[View::Rows(TableSpec::of(&[
                "deal_date",
                "side",
                "value_cr",
                "quantity",
                "price",
                "client",
                "deal_type",
                "pct_of_volume",
                "pct_of_company",
                "price_to_close_pct",
            ]))],
        },
    ],
);
