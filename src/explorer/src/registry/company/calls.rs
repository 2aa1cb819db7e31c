//! What the management of a company said, and how.

use super::head::{HEAD, SYMBOL, tab};
use crate::spec::{Ask, PageSpec, PartSpec, Placement, TableSpec, View};

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

pub(super) const PAGE: PageSpec = tab(
    "company/{symbol}/calls",
    "Calls",
    &[
        HEAD,
        PartSpec {
            id: "tone",
            title: "Tone of the management",
            india: Some(Ask::of("company/management-tone", &[SYMBOL])),
            us: Some(Ask::of("us/company/management-tone", &[SYMBOL])),
            views: &[
                View::Figures(&["quarter", "tone_score", "tone", "tone_change", "tone_trend", "confidence"]),
                View::Rows(TableSpec::within(
                    "tone_trajectory",
                    &["quarter", "call_date", "tone_score", "tone", "tone_change"],
                )),
                View::Rows(TableSpec::within("phrase_drift", &[])),
            ],
        },
        PartSpec {
            id: "guidance",
            title: "Guidance, call by call",
            india: Some(Ask::of("company/guidance-tone", &[SYMBOL])),
            us: None,
            views: &[
                View::Stands(Placement::WhereKnown),
                View::Rows(TableSpec::of(&[
                    "quarter",
                    "call_date",
                    "guidance_change",
                    "guidance",
                    "tone_score",
                    "tone",
                    "tone_trend",
                    "confidence",
                ])),
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
);
