//! What changed in the reader's own lists since the session before the last.

use crate::spec::{Ask, Given, PartSpec, Placement, TableSpec, View};

const OF_LISTS: &[(&str, Given)] = &[("list", Given::OwnLists), ("limit", Given::Fixed("12"))];

/// What changed in the reader's lists.
pub(super) const OWN_LISTS: PartSpec = PartSpec {
    id: "own-lists",
    title: "What changed in my lists",
    india: Some(Ask::of("lists/changes", OF_LISTS)),
    us: Some(Ask::of("us/lists/changes", OF_LISTS)),
    views: &[
        View::Stands(Placement::WhereKnown),
        View::Stands(Placement::Wide),
        View::Rows(TableSpec::of(&[
            "symbol",
            "change_date",
            "change_kind",
            "change_words",
            "change_side",
            "value",
            "value_m",
        ])),
        View::Onward(&[("All of my lists", "lists")]),
    ],
};
