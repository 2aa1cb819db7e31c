//! The paths that are not those of operations. What lies there is not known here.

use crate::operation::Market;

/// The path below which everything lies.
pub(super) const ROOT: &str = "/v1";
/// Where the manual page lies.
pub(super) const DOCS: &str = "/v1/docs";
/// Where the OpenAPI document lies.
pub(super) const OPENAPI: &str = "/v1/openapi.json";

/// Whether a path is one of the explorer: those of a market lie below its word.
pub(super) fn is_of_explorer(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    first.parse::<Market>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lie_below_their_market() {
        assert!(is_of_explorer("/india") && is_of_explorer("/us/company/M%26M") && is_of_explorer("/india/nothing"));
        assert!(!is_of_explorer("/v1/companies") && !is_of_explorer("/indian") && !is_of_explorer("/"));
    }
}
