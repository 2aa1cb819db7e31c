//! Allowed names of functions, and of types in casts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use datafusion::sql::sqlparser::ast::Ident;
use parquote_catalogue::operation::read_toml;
use serde::Deserialize;

/// The lists of `names.toml`; empty if they cannot be read, which tests exclude.
pub(super) static NAMES: LazyLock<AllowedNames> =
    LazyLock::new(|| read_toml(include_str!("names.toml")).unwrap_or_default());

/// Names that SELECTs of callers may use.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowedNames {
    scalar: Vec<String>,
    aggregate: Vec<String>,
    window: Vec<String>,
    /// Aggregates that read all rows of a window again for each of its rows.
    pub not_over_windows: Vec<String>,
    /// Functions that allow WITHIN GROUP.
    pub within_group: Vec<String>,
    /// Types in casts.
    pub types: Vec<String>,
    /// Frequently written names that do not exist here, with their substitutes.
    pub instead: BTreeMap<String, String>,
}

impl AllowedNames {
    /// Returns the names of all functions, in named groups.
    pub(super) fn functions(&self) -> [(&'static str, &[String]); 3] {
        [("of one row", &self.scalar), ("of many rows", &self.aggregate), ("over a window", &self.window)]
    }
}

/// Normalizes a name as the planner does: in lower case, unless it is quoted.
pub(super) fn normalize_name(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::Market;
    use parquote_functions::Calendar;
    use parquote_functions::context::market_context;

    #[test]
    fn the_guide_lists_the_functions() {
        let guide = include_str!("../../../../docs/guides/sql.md");
        let (_, rest) = guide.split_once("\n## Functions\n").unwrap();
        for (kind, names) in NAMES.functions() {
            let kind = format!("{}{}:", kind[..1].to_uppercase(), &kind[1..]);
            let (_, listed) = rest.split_once(&kind).unwrap_or_else(|| panic!("no `{kind}`"));
            let (listed, _) = listed.split_once(".\n").unwrap();
            let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
            let mut expected = names.to_vec();
            expected.sort_unstable();
            assert_eq!(listed, expected, "{kind}");
        }
    }

    #[test]
    fn every_function_of_the_list_is_there() {
        let state = market_context(Market::India, &Calendar::default()).state();
        let planned = ["extract"];
        for (kind, names) in NAMES.functions() {
            for name in names.iter().filter(|name| !planned.contains(&name.as_str())) {
                let is_there = state.scalar_functions().contains_key(name)
                    || state.aggregate_functions().contains_key(name)
                    || state.window_functions().contains_key(name);
                assert!(is_there, "{name} {kind}");
            }
        }
    }
}
