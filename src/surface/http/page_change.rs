//! A form of a page that changes something: sent with POST from a page of this server, done by an operation, and answered with the
//! way to what it made.
//!
//! Forged requests are told by what browsers say of where they come from: `Sec-Fetch-Site`, and where that is missing `Origin`.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use axum::response::Response;

use super::page_route::{PageRoute, sign_in, to};
use super::query;
use crate::call::{CallOptions, Caller};
use crate::engine::Encoded;
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Offer, Operation};
use crate::surface::pages::page_rows::PageRows;
use crate::surface::pages::places::filled;
use crate::surface::pages::spec::ActionSpec;

/// The parameter that says which of the forms of a page was sent.
const OPERATION: &str = "operation";

/// Does what was asked.
pub(super) async fn change(route: Arc<PageRoute>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some(caller) = parts.extensions.get::<Caller>() else { return sign_in(&parts.uri) };
    if !is_ours(&parts.headers, &parts.uri) {
        let words = "this form was not sent from a page of this server";
        return route.problem(&ClientError::new(ErrorKind::Forbidden, words));
    }
    let most = usize::try_from(route.state.settings.body_bytes).unwrap_or(usize::MAX);
    let Ok(body) = to_bytes(body, most).await else {
        return route.problem(&ClientError::new(ErrorKind::BadRequest, "the form is too long"));
    };
    let read = std::str::from_utf8(&body).ok().and_then(|text| query::arguments(text).ok());
    let Some(pairs) = read else {
        return route.problem(&ClientError::new(ErrorKind::BadRequest, "the form cannot be read"));
    };
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_ref(), value.trim())).collect();
    let asked = match route.asked(None, &parts.uri) {
        Ok(asked) => asked,
        Err(refused) => return route.problem(&refused),
    };
    match done(&route, caller, &pairs).await {
        Ok(path) => route.finished(to(&asked.elsewhere(&path))),
        Err(refused) => route.unchanged(caller, &asked, &refused).await,
    }
}

/// Calls the operation of the form; what comes back is where its answer leads.
async fn done(route: &PageRoute, caller: &Caller, pairs: &[(&str, &str)]) -> Result<String, ClientError> {
    let service = &route.state.service;
    let named = pairs.iter().find(|(name, _)| *name == OPERATION).map(|(_, value)| *value);
    let action: Option<&ActionSpec> = route.page.actions().find(|action| Some(action.operation) == named);
    let operation = action.and_then(|action| service.catalogue().operation(action.operation));
    let (Some(action), Some(operation)) = (action, operation) else {
        return Err(ClientError::new(ErrorKind::BadRequest, "this page has no such form"));
    };
    let metered = service.enter(operation, caller)?;
    let own = pairs.iter().copied().filter(|(name, value)| *name != OPERATION && !value.is_empty());
    let market = operation.chooses_market().then(|| ("market", route.market.word()));
    let answer: Result<Encoded, ClientError> = async {
        let call = service.admit(&metered, own.chain(market), CallOptions::of(Offer::ENVELOPED)).await?;
        service.run(&call).await
    }
    .await;
    let counts = answer.as_ref().err().is_none_or(|refused| refused.kind.counts());
    let _ = if counts { metered.commit() } else { metered.refund() };
    let rows = PageRows::read(&answer?, &[]);
    Ok(where_to(operation, action, &rows))
}

fn where_to(operation: &Operation, action: &ActionSpec, rows: &PageRows) -> String {
    let path = rows.rows.first().and_then(|row| filled(action.then, row));
    path.unwrap_or_else(|| operation.name.split('/').next().unwrap_or_default().to_owned())
}

/// Whether a form was sent from a page of this server, as far as the browser says.
fn is_ours(headers: &HeaderMap, uri: &Uri) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let host = text(header::HOST.as_str()).or_else(|| uri.authority().map(axum::http::uri::Authority::as_str));
    match text(header::ORIGIN.as_str()) {
        // Who sends neither is no browser, and brings a key of its own.
        None => true,
        Some(origin) => origin.split_once("://").map(|(_, origin)| origin) == host,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn sent(headers: &[(&'static str, &'static str)]) -> bool {
        let pairs = headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        is_ours(&pairs.collect(), &"/india/committee".parse().unwrap())
    }

    #[test]
    fn forms_of_other_sites_are_refused() {
        assert!(sent(&[("sec-fetch-site", "same-origin")]));
        assert!(sent(&[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")]));
        assert!(sent(&[("host", "127.0.0.1:8080")]));
        assert!(!sent(&[("sec-fetch-site", "cross-site"), ("host", "a"), ("origin", "http://a")]));
        assert!(!sent(&[("sec-fetch-site", "same-site")]));
        assert!(!sent(&[("host", "127.0.0.1:8080"), ("origin", "http://example.org")]));
        assert!(!sent(&[("host", "127.0.0.1:8080"), ("origin", "null")]));
    }
}
