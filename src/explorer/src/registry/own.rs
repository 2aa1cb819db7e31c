//! What a reader keeps: lists of stocks and saved screens.

use crate::spec::{ActionSpec, Ask, Given, MenuGroup, PageSpec, PartSpec, QueryUse, TableSpec, View};

const MARKET: (&str, Given) = ("market", Given::Market);
const LIST: (&str, Given) = ("list", Given::Query("list"));
const SINCE: (&str, Given) = ("since", Given::Query("since"));

/// The columns of a list.
const WATCHED: &[&str] = &[
    "symbol",
    "company_name",
    "price_cmp",
    "change_pct",
    "rs_rating",
    "rs_change",
    "stage",
    "pct_from_high",
    "scan_names",
    "results_on",
    "results_due",
    "sector",
];

/// The columns of what changed.
const CHANGED: &[&str] = &[
    "symbol",
    "company_name",
    "change_date",
    "change_kind",
    "change_words",
    "change_side",
    "value",
    "value_m",
    "who",
];

/// A form about lists or screens. Pages of all kinds have such forms and send them to the page of lists.
const fn change(operation: &'static str, then: &'static str) -> ActionSpec {
    ActionSpec { operation, label: "", known: &[], only: None, preset: &[], then }
}

const CHANGES: &[ActionSpec] = &[
    change("lists/set", "list?list={name}"),
    change("lists/add", "list?list={name}"),
    change("lists/remove", "list?list={name}"),
    change("lists/delete", "lists"),
    ActionSpec { label: "Address of the list", ..change("lists/share", "lists") },
    change("screens/save", "lists"),
    change("screens/remove", "lists"),
];

const fn of_list(
    operation: &'static str,
    query: QueryUse,
    arguments: &'static [(&'static str, Given)],
) -> Ask {
    Ask { operation, arguments, query, each: None }
}

pub(super) const PAGES: &[PageSpec] = &[
    PageSpec {
        path: "lists",
        title: "My lists",
        lead: "Lists of stocks and saved screens. All keys of an owner see the same ones.",
        menu: Some(MenuGroup::Find),
        tabs: &[],
        parts: &[
            PartSpec {
                id: "lists",
                title: "Lists",
                india: Some(Ask::of("lists/list", &[MARKET])),
                us: Some(Ask::of("lists/list", &[MARKET])),
                views: &[View::OwnLists(CHANGES)],
            },
            PartSpec {
                id: "screens",
                title: "Saved screens",
                india: Some(Ask::of("screens/list", &[MARKET])),
                us: Some(Ask::of("screens/list", &[MARKET])),
                views: &[View::OwnScreens],
            },
        ],
    },
    PageSpec {
        path: "list",
        title: "A list",
        lead: "",
        menu: None,
        tabs: &[],
        parts: &[
            PartSpec {
                id: "rows",
                title: "",
                india: Some(of_list("lists/get", QueryUse::Rest, &[LIST])),
                us: Some(of_list("us/lists/get", QueryUse::Rest, &[LIST])),
                views: &[View::OwnList, View::Rows(TableSpec::whole(WATCHED))],
            },
            PartSpec {
                id: "changes",
                title: "What changed",
                india: Some(of_list("lists/changes", QueryUse::Nothing, &[LIST, SINCE])),
                us: Some(of_list("us/lists/changes", QueryUse::Nothing, &[LIST, SINCE])),
                views: &[View::Controls, View::Rows(TableSpec::of(CHANGED))],
            },
        ],
    },
];
