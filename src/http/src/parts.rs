//! Parts of a request as they are read, for tools that read requests as this server does.

use axum::http::HeaderMap;

use super::{accept, query};
use parquote_catalogue::operation::AnswerFormat;

/// The pairs of a query string, decoded, without that of the key.
///
/// # Errors
/// What the first pair is that cannot be decoded, in words that hold no key.
pub fn query_pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    let pairs = query::arguments(text).map_err(|bad| query::text_for_log(&bad.to_string()).into_owned())?;
    Ok(pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
}

/// The format that the lines of `Accept` like best.
pub fn preferred_format(headers: &HeaderMap) -> AnswerFormat {
    accept::preferred(headers)
}
