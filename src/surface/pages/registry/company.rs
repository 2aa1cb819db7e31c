//! A company: what matters on one page, everything else on pages beside it, so that none asks more than it shows.

use crate::surface::pages::spec::{Ask, ChoiceSpec, DrawnSpec, Given, PageSpec, PartSpec, TableSpec, View};

const SYMBOL: (&str, Given) = ("symbol", Given::Symbol);

const TABS: &[(&str, &str)] = &[
    ("company/{symbol}", "Overview"),
    ("company/{symbol}/financials", "Financials"),
    ("company/{symbol}/ratios", "Ratios"),
    ("company/{symbol}/ownership", "Ownership"),
    ("company/{symbol}/events", "Events"),
    ("company/{symbol}/calls", "Calls"),
];

/// What every page of a company begins with.
const HEAD: PartSpec = PartSpec {
    id: "figures",
    title: "",
    india: Some(Ask::of("company/profile", &[SYMBOL])),
    us: Some(Ask::of("us/company/profile", &[SYMBOL])),
    views: &[
        View::Onward(&[
            ("{sector}", "screener?sector={sector}"),
            ("Compare with others", "compare?symbols={symbol}"),
        ]),
        View::Figures(&[
            "price_cmp",
            "change_pct",
            "market_cap_cr",
            "market_cap_b",
            "pe",
            "roce",
            "roe",
            "de",
            "rs_rating",
            "stage",
            "overall_score",
        ]),
    ],
};

const RANGE: ChoiceSpec = ChoiceSpec {
    name: "range",
    label: "Range",
    default: "1Y",
    words: &[("3M", "3m"), ("6M", "6m"), ("1Y", "1y"), ("2Y", "2y"), ("5Y", "5y")],
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

const SCORES: &[&str] = &[
    "overall_score",
    "financial_health",
    "growth_prospects",
    "competitive_position",
    "management_quality",
    "valuation",
];

const CALL: &[&str] = &[
    "headline_verdict",
    "key_positives",
    "key_risks",
    "management_outlook",
    "tone_read",
    "top_messages",
    "dodged_topics",
    "tone_shifts",
    "outlook",
    "investor_lens",
];

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "company/{symbol}",
        title: "",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
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
    },
    PageSpec {
        path: "company/{symbol}/financials",
        title: "Financials",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
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
    },
    PageSpec {
        path: "company/{symbol}/ratios",
        title: "Ratios",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
            HEAD,
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
                id: "earnings",
                title: "Earnings consistency",
                india: Some(Ask::of("company/ecs", &[SYMBOL])),
                us: Some(Ask::of("us/company/ecs", &[SYMBOL])),
                views: &[View::Facts(&[])],
            },
        ],
    },
    PageSpec {
        path: "company/{symbol}/ownership",
        title: "Ownership",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
            HEAD,
            PartSpec {
                id: "shareholding",
                title: "Shareholding",
                india: Some(Ask::of("company/shareholding", &[SYMBOL, ("periods", Given::Fixed("12"))])),
                us: None,
                views: &[
                    View::Drawn(DrawnSpec { leads: "", table: &["quarter", "promoter_pct", "public_pct"] }),
                    View::SideBySide {
                        heading: "quarter",
                        columns: &[
                            "promoter_pct",
                            "public_pct",
                            "fii_pct",
                            "dii_pct",
                            "mutual_fund_pct",
                            "insurer_pct",
                            "government_pct",
                            "non_institution_pct",
                        ],
                    },
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
                    "style",
                    "report_date",
                    "shares",
                    "value_usd",
                    "portfolio_pct",
                    "portfolio_rank",
                    "shares_change_pct",
                    "position_change",
                ]))],
            },
            PartSpec {
                id: "insiders",
                title: "Insiders, last year",
                india: Some(Ask::of("company/insider-trades", &[SYMBOL, ("days", Given::Fixed("365"))])),
                us: Some(Ask::of("us/company/insider-trades", &[SYMBOL, ("days", Given::Fixed("365"))])),
                views: &[View::Rows(TableSpec::of(&[
                    "filed_on",
                    "person",
                    "category",
                    "officer_title",
                    "side",
                    "transaction_type",
                    "shares",
                    "price",
                    "value_cr",
                    "value_usd",
                    "held_after",
                ]))],
            },
        ],
    },
    PageSpec {
        path: "company/{symbol}/events",
        title: "Events",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
            HEAD,
            PartSpec {
                id: "orders",
                title: "Orders and contracts",
                india: Some(Ask::of("company/order-wins", &[SYMBOL, ("limit", Given::Fixed("25"))])),
                us: Some(Ask::of("us/company/order-wins", &[SYMBOL, ("days", Given::Fixed("365"))])),
                views: &[View::Rows(TableSpec::of(&[
                    "filed_on",
                    "contract_type",
                    "title",
                    "client",
                    "geography",
                    "value_cr",
                    "value_usd_m",
                    "revenue_share_pct",
                    "execution_months",
                    "confidence",
                ]))],
            },
            PartSpec {
                id: "actions",
                title: "Corporate actions",
                india: Some(Ask::of(
                    "company/corporate-actions",
                    &[SYMBOL, ("limit", Given::Fixed("20")), ("upcoming", Given::Fixed("true"))],
                )),
                us: None,
                views: &[View::Rows(TableSpec::of(&[]))],
            },
            PartSpec {
                id: "filings",
                title: "Filings",
                india: None,
                us: Some(Ask::of(
                    "us/feeds/sec",
                    &[SYMBOL, ("form_type", Given::Fixed("all")), ("days", Given::Fixed("90"))],
                )),
                views: &[View::Rows(TableSpec::of(&[
                    "filed_on",
                    "form",
                    "title",
                    "items",
                    "report_date",
                    "url",
                ]))],
            },
        ],
    },
    PageSpec {
        path: "company/{symbol}/calls",
        title: "Calls",
        lead: "",
        menu: None,
        tabs: TABS,
        parts: &[
            HEAD,
            PartSpec {
                id: "tone",
                title: "Tone of the management",
                india: Some(Ask::of("company/management-tone", &[SYMBOL])),
                us: Some(Ask::of("us/company/management-tone", &[SYMBOL])),
                views: &[
                    View::Figures(&[
                        "quarter",
                        "tone_score",
                        "tone",
                        "tone_change",
                        "tone_trend",
                        "confidence",
                    ]),
                    View::Rows(TableSpec::within(
                        "tone_trajectory",
                        &["quarter", "call_date", "tone_score", "tone", "tone_change"],
                    )),
                    View::Rows(TableSpec::within("phrase_drift", &[])),
                ],
            },
            PartSpec {
                id: "decoder",
                title: "The last call",
                india: Some(Ask::of("company/concall-decoder", &[SYMBOL])),
                us: Some(Ask::of("us/company/concall-decoder", &[SYMBOL])),
                views: &[View::Prose(CALL), View::Rows(TableSpec::within("key_numbers", &[]))],
            },
            PartSpec {
                id: "summary",
                title: "The last quarter",
                india: Some(Ask::of("company/ai-summary", &[SYMBOL])),
                us: Some(Ask::of("us/company/ai-summary", &[SYMBOL])),
                views: &[View::Prose(CALL)],
            },
        ],
    },
];
