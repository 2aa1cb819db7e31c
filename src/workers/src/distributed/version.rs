//! What code a program is: workers of another one are refused.

use parquote_catalogue::operation::Catalogue;
use parquote_derive::rules_of;

/// The query engine's version.
const ENGINE: &str = datafusion::DATAFUSION_VERSION;

/// The code, declarations and query engine that decide the rows of tables, in a short text that people can compare.
pub(super) fn of(catalogue: &Catalogue) -> String {
    let rules = rules_of(catalogue);
    format!("figures {}, DataFusion {ENGINE}", rules.get(..16).unwrap_or(&rules))
}
