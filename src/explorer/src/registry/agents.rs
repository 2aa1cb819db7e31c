//! Teams of agents: presets and committees, started, watched, read and cancelled; and the keys of language models that they need.

use crate::spec::{ActionSpec, Ask, Given, MenuGroup, PageSpec, PartSpec, TableSpec, View};

const MARKET: (&str, Given) = ("market", Given::Market);

const PRESETS: &[(&str, &str)] =
    &[("presets", "Presets and runs"), ("presets/start", "Start a run"), ("models", "Keys of models")];
const COMMITTEE: &[(&str, &str)] = &[
    ("committee", "Committee"),
    ("committee/scan", "Quick scan"),
    ("committee/risk", "Risk"),
    ("models", "Keys of models"),
];

/// What can be cancelled.
const RUNNING: Option<(&str, &str)> = Some(("status", "running"));

/// A form about a key of a language model.
const fn model_key(
    operation: &'static str,
    label: &'static str,
    preset: &'static [(&'static str, &'static str)],
) -> View {
    View::Action(ActionSpec { operation, label, known: &[], preset, only: None, then: "models" })
}

/// An operation of both markets, which is told the market.
const fn both(ask: Ask) -> (Option<Ask>, Option<Ask>) {
    (Some(ask), Some(ask))
}

const fn part(id: &'static str, title: &'static str, ask: Ask, views: &'static [View]) -> PartSpec {
    let (india, us) = both(ask);
    PartSpec { id, title, india, us, views }
}

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "presets",
        title: "Presets",
        lead: "Teams of agents that answer a question with the operations of this server, under your own key of a language model.",
        menu: Some(MenuGroup::Agents),
        tabs: PRESETS,
        parts: &[
            part(
                "catalog",
                "Teams",
                Ask::of("presets/catalog", &[MARKET]),
                &[View::Rows(TableSpec::within(
                    "presets",
                    &["preset", "runtime", "agent_count", "max_cost_usd", "label", "words"],
                ))],
            ),
            part(
                "runs",
                "Your runs",
                Ask::of("presets/list", &[MARKET]),
                &[View::Rows(
                    TableSpec::within(
                        "runs",
                        &["vibe_run_id", "preset", "goal", "status", "created_at", "finished_at"],
                    )
                    .leading(&[("vibe_run_id", "presets/run?vibe_run_id={vibe_run_id}")]),
                )],
            ),
        ],
    },
    PageSpec {
        path: "presets/start",
        title: "Start a run",
        lead: "What a run will take, then the question.",
        menu: None,
        tabs: PRESETS,
        parts: &[part(
            "estimate",
            "",
            Ask::of(
                "presets/estimate",
                &[MARKET, ("preset", Given::Query("preset")), ("provider", Given::Query("provider"))],
            ),
            &[
                View::Controls,
                View::Facts(&[
                    "agents",
                    "runtime",
                    "max_tokens",
                    "max_cost_usd",
                    "provider",
                    "model",
                    "has_key",
                    "runs_left",
                ]),
                View::Action(ActionSpec {
                    operation: "presets/start",
                    label: "Start",
                    known: &["preset"],
                    preset: &[],
                    only: None,
                    then: "presets/run?vibe_run_id={vibe_run_id}",
                }),
            ],
        )],
    },
    PageSpec {
        path: "presets/run",
        title: "Run",
        lead: "How far a run is, and its report.",
        menu: None,
        tabs: PRESETS,
        parts: &[part(
            "run",
            "",
            Ask::open("presets/poll", &[MARKET]),
            &[
                View::Onward(&[("Ask again", "presets/run?vibe_run_id={vibe_run_id}")]),
                View::Facts(&[]),
                View::Action(ActionSpec {
                    operation: "presets/cancel",
                    label: "Cancel this run",
                    known: &["vibe_run_id"],
                    preset: &[],
                    only: RUNNING,
                    then: "presets/run?vibe_run_id={vibe_run_id}",
                }),
            ],
        )],
    },
    PageSpec {
        path: "committee",
        title: "Committee",
        lead: "Analysts with three views of a stock, and a chair who decides.",
        menu: Some(MenuGroup::Agents),
        tabs: COMMITTEE,
        parts: &[
            part(
                "runs",
                "Your committees",
                Ask::of("committee/list", &[MARKET]),
                &[View::Rows(
                    TableSpec::within(
                        "runs",
                        &["job_id", "symbol", "status", "verdict", "created_at", "finished_at"],
                    )
                    .leading(&[("job_id", "committee/run?job_id={job_id}")]),
                )],
            ),
            part(
                "estimate",
                "Start one",
                Ask::of("committee/estimate", &[MARKET, ("provider", Given::Query("provider"))]),
                &[
                    View::Facts(&[
                        "agents",
                        "runtime",
                        "max_tokens",
                        "max_cost_usd",
                        "provider",
                        "model",
                        "has_key",
                        "runs_left",
                    ]),
                    View::Action(ActionSpec {
                        operation: "committee/start",
                        label: "Start",
                        known: &[],
                        preset: &[],
                        only: None,
                        then: "committee/run?job_id={job_id}",
                    }),
                ],
            ),
        ],
    },
    PageSpec {
        path: "committee/run",
        title: "Committee at work",
        lead: "How far it is, and its report once it is done.",
        menu: None,
        tabs: COMMITTEE,
        parts: &[
            part(
                "report",
                "Report",
                Ask::of("committee/report", &[MARKET, ("job_id", Given::Query("job_id"))]),
                &[View::Verdict],
            ),
            part(
                "run",
                "",
                Ask::open("committee/poll", &[MARKET, ("job_id", Given::Query("job_id"))]),
                &[
                    View::Onward(&[("Ask again", "committee/run?job_id={job_id}")]),
                    View::Facts(&[]),
                    View::Action(ActionSpec {
                        operation: "committee/cancel",
                        label: "Cancel this committee",
                        known: &["job_id"],
                        preset: &[],
                        only: RUNNING,
                        then: "committee/run?job_id={job_id}",
                    }),
                ],
            ),
        ],
    },
    PageSpec {
        path: "committee/scan",
        title: "Quick scan",
        lead: "What the gates of the three views say of stocks, without any language model and free of charge.",
        menu: None,
        tabs: COMMITTEE,
        parts: &[part(
            "scan",
            "",
            Ask::open("committee/fast-scan", &[MARKET]),
            &[View::Controls, View::Rows(TableSpec::within("scans", &[]))],
        )],
    },
    PageSpec {
        path: "committee/risk",
        title: "Risk of a portfolio",
        lead: "What a portfolio of these stocks risks, and weights for them by a method of risk allocation. Write symbols with commas between them.",
        menu: None,
        tabs: COMMITTEE,
        parts: &[
            part(
                "risk",
                "Risk",
                Ask::of(
                    "committee/risk-audit/compute",
                    &[
                        MARKET,
                        ("symbols", Given::Query("symbols")),
                        ("weights", Given::Query("weights")),
                        ("lookback", Given::Query("lookback")),
                    ],
                ),
                &[View::Controls, View::Facts(&[])],
            ),
            part(
                "weights",
                "Weights that spread the risk",
                Ask::of(
                    "committee/risk-audit/allocate",
                    &[
                        MARKET,
                        ("symbols", Given::Query("symbols")),
                        ("method", Given::Query("method")),
                        ("max_weight", Given::Query("max_weight")),
                        ("lookback", Given::Query("lookback")),
                    ],
                ),
                &[View::Controls, View::Rows(TableSpec::within("weights", &[]))],
            ),
        ],
    },
    PageSpec {
        path: "models",
        title: "Keys of models",
        lead: "Your keys of providers of language models, which pay for runs. They are encrypted here and shown to nobody again.",
        menu: Some(MenuGroup::Agents),
        tabs: &[],
        parts: &[part(
            "keys",
            "",
            Ask::of("account/byo-keys", &[]),
            &[
                View::Rows(TableSpec::within(
                    "keys",
                    &["provider", "key", "preferred", "model", "saved_at", "tested_at", "test_result"],
                )),
                model_key("account/byo-key/save", "Save this key", &[("test_and_save", "true")]),
                model_key("account/byo-key/test", "Test the key", &[]),
                model_key("account/byo-key/set-preferred", "Prefer the key", &[]),
                model_key("account/byo-key/remove", "Remove the key", &[]),
            ],
        )],
    },
];
