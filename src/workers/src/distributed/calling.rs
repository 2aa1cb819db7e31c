//! Carries the market and calendar of a plan in request headers: SQL functions depend on both, but plans carry only their names.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue};

use parquote_catalogue::operation::Market;
use parquote_functions::Calendar;
use parquote_functions::context::market_context;

const MARKET: HeaderName = HeaderName::from_static("x-parquote-market");
const SESSIONS: HeaderName = HeaderName::from_static("x-parquote-sessions");

/// Maximum number of bytes of a request's headers. The sessions of a hundred years take a third of it.
pub(super) const MOST_HEADER_BYTES: u32 = 128 * 1024;

/// Builds the headers for plans of a market with these sessions, in days since 1970, ascending.
pub(super) fn plan_headers(market: Market, sessions: &[i32]) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(MARKET, HeaderValue::from_static(market.word()));
    let mut bytes = Vec::new();
    let mut previous = 0;
    for session in sessions {
        // Differences between sessions, as variable-length integers of seven bits a byte.
        let mut days = session.abs_diff(previous);
        while days > 0x7f {
            bytes.push(days as u8 | 0x80);
            days >>= 7;
        }
        bytes.push(days as u8);
        previous = *session;
    }
    let text = URL_SAFE_NO_PAD.encode(bytes);
    headers.insert(SESSIONS, text.parse().map_err(|error| exec_datafusion_err!("{error}"))?);
    Ok(headers)
}

/// Adds the functions of the market named in the request headers; without that header, only the engine's functions are available.
pub(super) fn with_functions(
    builder: SessionStateBuilder,
    headers: &HeaderMap,
) -> Result<SessionStateBuilder> {
    let Some(market) = headers.get(MARKET) else { return Ok(builder) };
    let invalid_header = || exec_datafusion_err!("a request names no market and no sessions that are sound");
    let market: Market =
        market.to_str().ok().and_then(|word| word.parse().ok()).ok_or_else(invalid_header)?;
    let text = headers.get(SESSIONS).map(HeaderValue::as_bytes).unwrap_or_default();
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid_header())?;
    let (mut sessions, mut last, mut days, mut shift) = (Vec::new(), 0_i32, 0_u32, 0);
    for byte in bytes {
        days |= u32::from(byte & 0x7f).checked_shl(shift).ok_or_else(invalid_header)?;
        shift += 7;
        if byte & 0x80 == 0 {
            last = last.checked_add_unsigned(days).ok_or_else(invalid_header)?;
            sessions.push(last);
            (days, shift) = (0, 0);
        }
    }
    let state = market_context(market, &Calendar::new(sessions)).state();
    Ok(builder
        .with_scalar_functions(state.scalar_functions().values().cloned().collect())
        .with_aggregate_functions(state.aggregate_functions().values().cloned().collect())
        .with_window_functions(state.window_functions().values().cloned().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calendar_functions_use_the_sessions_of_the_request() {
        // Three sessions, the last one after a gap of 150 days.
        let headers = plan_headers(Market::India, &[20_000, 20_003, 20_153]).unwrap();
        let builder = with_functions(SessionStateBuilder::new_with_default_features(), &headers).unwrap();
        let context = datafusion::prelude::SessionContext::new_with_state(builder.build());
        let rows = context.sql("SELECT CAST(as_of() AS INT) AS day").await.unwrap().collect().await.unwrap();
        let text = datafusion::arrow::util::pretty::pretty_format_batches(&rows).unwrap().to_string();
        assert!(text.contains("20153"), "{text}");
        let mut other = headers.clone();
        other.insert(MARKET, HeaderValue::from_static("mars"));
        assert!(with_functions(SessionStateBuilder::new(), &other).is_err());
    }
}
