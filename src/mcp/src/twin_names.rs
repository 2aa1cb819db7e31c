//! The names by which one market's tools call what the other market's call otherwise. Each is taken for the other, as models expect; no
//! list and no schema names them.

use std::borrow::Cow;

use parquote_catalogue::operation::Operation;

/// Names of parameters that mean the same.
const PARAMS: [(&str, &str); 5] = [
    ("q", "query"),
    ("min_matches", "min_scans"),
    ("index", "index_name"),
    ("period", "quarter"),
    ("limit", "periods"),
];

/// The parameter that an argument means: of its own name, or else of the other market's.
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

/// The names that a tool may have, the one that was said first: some US tools have `get` in theirs, and some have not.
pub(super) fn tools(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let without = name.strip_prefix("us_get_").map(|rest| Cow::Owned(format!("us_{rest}")));
    let with = name.strip_prefix("us_").map(|rest| Cow::Owned(format!("us_get_{rest}")));
    let indian = name.strip_prefix("get_").map(Cow::Borrowed);
    [Some(Cow::Borrowed(name)), without, with, indian].into_iter().flatten()
}
