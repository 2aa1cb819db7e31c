//! The version of a program's code: workers of another version are rejected.

use parquote_catalogue::operation::Catalogue;
use parquote_derive::rules_fingerprint;

const ENGINE: &str = datafusion::DATAFUSION_VERSION;

/// Returns a short, readable text of the code, declarations and query engine that decide the rows of tables.
pub(super) fn rules_version(catalogue: &Catalogue) -> String {
    let rules = rules_fingerprint(catalogue);
    format!("figures {}, DataFusion {ENGINE}", rules.get(..16).unwrap_or(&rules))
}
