//! The chart of a company, with what can be asked of it: span, bars, scale, lines.

use super::head::SYMBOL;
use crate::spec::{Ask, ChoiceSpec, DrawnSpec, Given, PartSpec, Placement, SwitchSpec, View};

const RANGE: ChoiceSpec = ChoiceSpec {
    name: "range",
    label: "Range",
    default: "1Y",
    words: &[("3M", "3m"), ("6M", "6m"), ("1Y", "1y"), ("2Y", "2y"), ("5Y", "5y")],
};

const BARS: ChoiceSpec = ChoiceSpec {
    name: "bars",
    label: "Bars",
    default: "Daily",
    words: &[("Daily", "daily"), ("Weekly", "weekly")],
};

const SCALE: ChoiceSpec = ChoiceSpec {
    name: "scale",
    label: "Scale of prices",
    default: "Linear",
    words: &[("Linear", "linear"), ("Log", "log")],
};

const LINES: &[SwitchSpec] = &[
    SwitchSpec { name: "mean_10", label: "EMA 10", is_on: false },
    SwitchSpec { name: "mean_21", label: "EMA 21", is_on: false },
    SwitchSpec { name: "mean_50", label: "50 days", is_on: true },
    SwitchSpec { name: "mean_200", label: "200 days", is_on: true },
];

const ASKED: &[(&str, Given)] = &[
    SYMBOL,
    ("range", Given::Chosen(&RANGE)),
    ("from", Given::Query("from")),
    ("to", Given::Query("to")),
    ("bars", Given::Chosen(&BARS)),
    ("scale", Given::Chosen(&SCALE)),
    ("mean_10", Given::Query("mean_10")),
    ("mean_21", Given::Query("mean_21")),
    ("mean_50", Given::Query("mean_50")),
    ("mean_200", Given::Query("mean_200")),
];

pub(super) const CHART: PartSpec = PartSpec {
    id: "chart",
    title: "Price",
    india: Some(Ask::of("explore/chart", ASKED)),
    us: Some(Ask::of("us/explore/chart", ASKED)),
    views: &[
        View::Stands(Placement::Wide),
        View::Spans(&RANGE),
        View::Choices(&BARS),
        View::Choices(&SCALE),
        View::Switches(LINES),
        View::Drawn(DrawnSpec {
            leads: "",
            table: &[
                "session",
                "open",
                "high",
                "low",
                "close",
                "change_pct",
                "volume",
                "rs_line",
                "results_words",
                "dividend",
                "split_words",
            ],
        }),
    ],
};
