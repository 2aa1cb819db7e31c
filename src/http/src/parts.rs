//! Parsers of parts of a request, for tools that read requests as this server does.

use axum::http::HeaderMap;

use super::{accept, query};
use parquote_catalogue::operation::AnswerFormat;

/// Decodes the pairs of a query string, except the pair of the key.
///
/// # Errors
/// A message about the first pair that cannot be decoded; it contains no key.
pub fn query_pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    let pairs = query::arguments(text).map_err(|bad| query::redact_text(&bad.to_string()).into_owned())?;
    Ok(pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
}

/// Returns the format that the lines of `Accept` prefer.
pub fn preferred_format(headers: &HeaderMap) -> AnswerFormat {
    accept::preferred(headers)
}
