//! The page of usage.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::super::{page_reply, query};
use super::{Portal, PortalActor};
use parquote_access::Window;
use parquote_explorer::portal::{UsageView, usage_page};

/// Choices of days; the first one is the default.
const CHOICES: [i64; 3] = [30, 7, 90];

/// Renders the calls of the last days.
pub(super) async fn show_usage(portal: Arc<Portal>, actor: PortalActor, request: Request) -> Response {
    let pairs = query::arguments(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let requested = pairs.iter().find(|(name, _)| name == "days").and_then(|(_, value)| value.parse().ok());
    let days = requested.filter(|days| CHOICES.contains(days)).unwrap_or(CHOICES[0]);
    let session_actor = actor.clone();
    let read = portal.blocking(move |administration| {
        let (rows, keys) =
            (administration.usage(&session_actor.key, days)?, administration.keys(&session_actor)?);
        Ok((rows, keys, Window::from_unix(administration.now()).day))
    });
    page_reply::page_or_refusal(read.await.map(|(rows, keys, today)| {
        let view = UsageView { rows: &rows, keys: &keys, today, days, choices: &CHOICES };
        usage_page(&portal.reader(&actor), view)
    }))
}
