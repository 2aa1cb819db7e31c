//! The statements of a company, period beside period, and the figures that its sector goes by.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{
    Ask, ChoiceSpec, DrawnSpec, Given, PageSpec, PartSpec, PeriodsSpec, Placement, TableSpec, View,
};

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

/// The sections of the statements; a figure that has another name in the US stands under both.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "Profit and loss",
        &[
            "sales_cr",
            "revenue",
            "sales_growth",
            "net_interest_income_cr",
            "cor",
            "gp",
            "ebitda_cr",
            "ebitda",
            "ebitda_growth",
            "opm_pct",
            "other_income_cr",
            "depreciation_cr",
            "depamor",
            "ebit",
            "interest_cr",
            "intexp",
            "provisions_cr",
            "profit_before_tax_cr",
            "ebt",
            "tax_cr",
            "taxexp",
            "pat_cr",
            "netinc",
            "pat_growth",
            "eps_diluted",
            "epsdil",
            "eps_growth",
            "dividend_per_share",
            "dps",
        ],
    ),
    (
        "Balance sheet",
        &[
            "share_capital_cr",
            "reserves_cr",
            "retearn",
            "equity_cr",
            "equity",
            "minority_interest",
            "total_debt_cr",
            "debt",
            "debtc",
            "debtnc",
            "current_liabilities_cr",
            "liabilitiesc",
            "payables",
            "total_liabilities_cr",
            "liabilities",
            "fixed_assets_cr",
            "ppnenet",
            "intangibles",
            "investments_cr",
            "investments",
            "inventories_cr",
            "inventory",
            "receivables_cr",
            "receivables",
            "cash_cr",
            "cashneq",
            "current_assets_cr",
            "assetsc",
            "total_assets_cr",
            "assets",
            "shares_outstanding",
        ],
    ),
    (
        "Cash flow",
        &[
            "cfo_cr",
            "ncfo",
            "capex_cr",
            "capex",
            "fcf_cr",
            "fcf",
            "cfi_cr",
            "ncfi",
            "cff_cr",
            "ncff",
            "ncfdiv",
            "net_cash_flow_cr",
            "ncf",
        ],
    ),
];

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/financials",
    "Financials",
    &[
        HEAD,
        PartSpec {
            id: "drawn",
            title: "Sales and profit",
            india: Some(Ask::of("company/financials", &[SYMBOL, ("period", Given::Chosen(&LENGTH))])),
            us: None,
            views: &[
                View::Choices(&LENGTH),
                View::Drawn(DrawnSpec { leads: "", table: &["period", "sales_cr", "pat_cr"] }),
            ],
        },
        PartSpec {
            id: "us-drawn",
            title: "In a picture",
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
            ],
        },
        PartSpec {
            id: "statements",
            title: "Statements",
            india: Some(Ask::of("explore/statements", &[SYMBOL, ("period", Given::Chosen(&LENGTH))])),
            us: Some(Ask::of(
                "us/explore/statements",
                &[SYMBOL, ("period_type", Given::Chosen(&LENGTH)), ("periods", Given::Fixed("12"))],
            )),
            views: &[View::Periods(PeriodsSpec { heading: "period", most: 13, sections: SECTIONS })],
        },
        PartSpec {
            id: "kpis",
            title: "Figures of the sector",
            india: Some(Ask::of("company/sector-kpis", &[SYMBOL])),
            us: None,
            views: &[
                View::Stands(Placement::WhereKnown),
                View::Rows(TableSpec::of(&[
                    "kpi_name",
                    "quarter",
                    "kpi_value",
                    "kpi_unit",
                    "kpi_change_yoy",
                    "kpi_growth_yoy_pct",
                ])),
            ],
        },
    ],
);
