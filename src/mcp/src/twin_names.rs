//! Names that differ between the markets' tools for the same thing. Either is accepted, as models expect; no list and no schema contains
//! the other.

use std::borrow::Cow;

use parquote_catalogue::operation::Operation;

/// Parameter names with the same meaning.
const PARAMS: [(&str, &str); 5] = [
    ("q", "query"),
    ("min_matches", "min_scans"),
    ("index", "index_name"),
    ("period", "quarter"),
    ("limit", "periods"),
];

/// Returns the parameter that an argument means: the one of that name, or else the other market's name.
pub(super) fn param<'a>(operation: &Operation, given: &'a str) -> &'a str {
    if operation.param(given).is_some() {
        return given;
    }
    let other = PARAMS.iter().find_map(|&(one, other)| match given {
        name if name == one => Some(other),
        name if name == other => Some(one),
        _ => None,
    });
    other.filter(|name| operation.param(name).is_some_and(|param| !param.rest_only)).unwrap_or(given)
}

/// Returns the possible names of a tool, the given one first: some US tools have `get` in their name, others do not.
pub(super) fn tools(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let without = name.strip_prefix("us_get_").map(|rest| Cow::Owned(format!("us_{rest}")));
    let with = name.strip_prefix("us_").map(|rest| Cow::Owned(format!("us_get_{rest}")));
    let indian = name.strip_prefix("get_").map(Cow::Borrowed);
    [Some(Cow::Borrowed(name)), without, with, indian].into_iter().flatten()
}
