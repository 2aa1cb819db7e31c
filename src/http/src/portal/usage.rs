//! The page of usage.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;

use super::super::{page_reply, query};
use super::Portal;
use parquote_access::{Actor, Window};
use parquote_explorer::portal::{UsageView, usage_page};

/// Choices of days; the first one is the default.
const CHOICES: [i64; 3] = [30, 7, 90];

/// Renders the calls of the last days.
pub(super) async fn show(portal: Arc<Portal>, actor: Actor, request: Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let asked = pairs.iter().find(|(name, _)| name == "days").and_then(|(_, value)| value.parse().ok());
    let days = asked.filter(|days| CHOICES.contains(days)).unwrap_or(CHOICES[0]);
    let key = Arc::clone(&actor.key);
    let read = portal.blocking(move |administration| {
        Ok((administration.usage(&key, days)?, Window::from_unix(administration.now()).day))
    });
    match read.await {
        Ok((rows, today)) => {
            let view = UsageView { rows: &rows, today, days, choices: &CHOICES };
            page_reply::page(StatusCode::OK, usage_page(&portal.reader(&actor), view))
        }
        Err(refused) => page_reply::refusal(refused),
    }
}
