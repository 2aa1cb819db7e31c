//! The statements of a company, period beside period, and the figures that its sector goes by.

use super::head::{HEAD, SYMBOL, tab};
use crate::surface::pages::spec::{Ask, ChoiceSpec, DrawnSpec, Given, PageSpec, PartSpec, TableSpec, View};

const LENGTH: ChoiceSpec = ChoiceSpec {
    name: "period",
    label: "Length of the periods",
    default: "quarterly",
    words: &[("quarterly", "quarterly"), ("annual", "annual")],
};

const STATEMENT: ChoiceSpec = ChoiceSpec {
    name: "statement",
    label: "Statement",
    default: "income",
    words: &[("income", "income"), ("balance", "balance"), ("cashflow", "cashflow")],
};

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/financials",
    "Financials",
    &[
        HEAD,
        PartSpec {
            id: "statements",
            title: "Statements",
            india: Some(Ask::of("company/financials", &[SYMBOL, ("period", Given::Chosen(&LENGTH))])),
            us: None,
            views: &[
                View::Choices(&LENGTH),
                View::Drawn(DrawnSpec { leads: "", table: &["period", "sales_cr", "pat_cr"] }),
                View::SideBySide { heading: "period", columns: &[] },
            ],
        },
        PartSpec {
            id: "us-statements",
            title: "Statements",
            india: None,
            us: Some(Ask::of(
                "us/company/financials",
                &[
                    SYMBOL,
                    ("period_type", Given::Chosen(&LENGTH)),
                    ("statement", Given::Chosen(&STATEMENT)),
                    ("periods", Given::Fixed("8")),
                ],
            )),
            views: &[
                View::Choices(&LENGTH),
                View::Choices(&STATEMENT),
                View::Drawn(DrawnSpec {
                    leads: "",
                    table: &["period", "revenue", "netinc", "assets", "equity", "ncfo", "fcf"],
                }),
                View::SideBySide { heading: "period", columns: &[] },
            ],
        },
        PartSpec {
            id: "kpis",
            title: "Figures of the sector",
            india: Some(Ask::of("company/sector-kpis", &[SYMBOL])),
            us: None,
            views: &[View::Rows(TableSpec::of(&[
                "kpi_name",
                "quarter",
                "kpi_value",
                "kpi_unit",
                "kpi_change_yoy",
                "kpi_growth_yoy_pct",
            ]))],
        },
    ],
);
