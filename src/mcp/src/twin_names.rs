//! Names for the same thing that differ between the tools of the two markets. A tool accepts both names, because models confuse them; lists
//! and schemas contain only its declared one.

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

/// Returns the name of the parameter that an argument means: the name of the argument, or else the name of its twin.
pub(super) fn param<'a>(operation: &Operation, argument: &'a str) -> &'a str {
    if operation.param(argument).is_some() {
        return argument;
    }
    let other = PARAMS.iter().find_map(|&(one, other)| match argument {
        name if name == one => Some(other),
        name if name == other => Some(one),
        _ => None,
    });
    other.filter(|name| operation.param(name).is_some_and(|param| !param.rest_only)).unwrap_or(argument)
}

/// Returns the possible names of a tool, `name` first: some US tools have `get` in their name, others do not.
pub(super) fn tools(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let without = name.strip_prefix("us_get_").map(|rest| Cow::Owned(format!("us_{rest}")));
    let with = name.strip_prefix("us_").map(|rest| Cow::Owned(format!("us_get_{rest}")));
    let indian = name.strip_prefix("get_").map(Cow::Borrowed);
    [Some(Cow::Borrowed(name)), without, with, indian].into_iter().flatten()
}
