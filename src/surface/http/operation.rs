//! One operation over HTTP: query string in, call, envelope out. It knows its place in the catalogue and nothing else.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;

use super::reply::{self, Trail};
use super::router::Door;
use super::{accept, entity_tag, pages, query, unknown};
use crate::call::{Call, CallOptions, Caller, Visit};
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Effect, Offer};

const X_SNAPSHOT: HeaderName = HeaderName::from_static("x-snapshot");
const X_AS_OF: HeaderName = HeaderName::from_static("x-as-of");

/// The route of an operation, resolved once.
pub(super) struct OperationRoute {
    door: Arc<Door>,
    index: usize,
    name: Arc<str>,
    effect: Effect,
}

impl OperationRoute {
    pub(super) fn new(door: Arc<Door>, index: usize) -> Self {
        let operation = door.service.catalogue().operations().get(index);
        let (name, effect) = operation
            .map_or(("", Effect::default()), |operation| (operation.name.as_str(), operation.effect));
        Self { index, name: name.into(), effect, door }
    }

    /// The operation's name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Answers a request.
    pub(super) async fn answer(self: Arc<Self>, request: Request) -> Response {
        // Who asks for the head alone looks whether something is there; that must not start or remove anything.
        if self.effect != Effect::Reads && request.method() == Method::HEAD {
            return unknown::head_of_a_change();
        }
        // The body is not read: what a call says is in its path and query.
        let (parts, _) = request.into_parts();
        // The frame lets nobody through of whom it does not know who it is.
        let mut response = match parts.extensions.get::<Caller>() {
            Some(caller) => self.visit(caller, &parts.uri, &parts.headers).await,
            None => reply::refusal(ClientError::new(ErrorKind::Unauthorized, "an API key is needed")),
        };
        if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
            trail.operation = Some(Arc::clone(&self.name));
        }
        response
    }

    /// Enters, calls and settles: an answer and what is wrong with a call count, everything else is free.
    async fn visit(&self, caller: &Caller, uri: &Uri, headers: &HeaderMap) -> Response {
        let visit = match self.door.service.enter(self.index, caller) {
            Ok(visit) => visit,
            Err(refused) => return reply::refusal(refused),
        };
        let (mut response, counts) = match self.reply(&visit, uri, headers).await {
            Ok(response) => {
                let counts = response.status() != StatusCode::NOT_MODIFIED;
                (response, counts)
            }
            Err(refused) => {
                let counts = refused.kind.counts();
                (reply::refusal(refused), counts)
            }
        };
        let is_paid = counts && visit.costs();
        let allowance = if counts { visit.pay() } else { visit.waive() };
        reply::allowance(response.headers_mut(), allowance);
        if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
            trail.is_paid = is_paid;
        }
        response
    }

    async fn reply(&self, visit: &Visit, uri: &Uri, headers: &HeaderMap) -> Result<Response, ClientError> {
        let pairs = query::arguments(uri.query().unwrap_or_default())
            .map_err(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))?;
        let texts = pairs.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
        let pin = headers.get(X_SNAPSHOT).map(|value| value.to_str().unwrap_or("?"));
        let asked = CallOptions { offer: Offer::any(accept::preferred(headers)), pin };
        let call = self.door.service.admit(visit, texts, asked).await?;
        if !call.is_repeatable(self.door.service.catalogue()) {
            let answer = self.door.service.run_within(&call, self.door.settings.deadline).await?;
            let now = (self.door.settings.clock)();
            let body = reply::envelope(&answer.body, visit.tier(), visit.allowance(), now);
            let mut response = reply::fresh_json(StatusCode::OK, body);
            provenance(&call, response.headers_mut())?;
            return Ok(response);
        }
        let tag = header_value(entity_tag::weak(&call.etag()))?;
        let mut response = if entity_tag::none_match(headers, tag.to_str().unwrap_or_default()) {
            reply::not_modified(&tag)
        } else {
            let answer = self.door.service.run_within(&call, self.door.settings.deadline).await?;
            let extent = answer.extent;
            let mut response = if call.form().is_enveloped() {
                let now = (self.door.settings.clock)();
                reply::kept_json(&tag, reply::envelope(&answer.body, visit.tier(), visit.allowance(), now))
            } else {
                reply::kept_rows(call.form(), &tag, answer, visit.tier())
            };
            if let Some(extent) = extent {
                pages::tell(response.headers_mut(), extent, &pairs);
            }
            response
        };
        // What is kept for one `Accept` is not right for another, nor what is kept for one set.
        response
            .headers_mut()
            .insert(header::VARY, HeaderValue::from_static("accept, accept-encoding, x-snapshot"));
        provenance(&call, response.headers_mut())?;
        Ok(response)
    }
}

/// Which data answered.
fn provenance(call: &Call, headers: &mut HeaderMap) -> Result<(), ClientError> {
    let snapshot = call.snapshot();
    headers.insert(X_SNAPSHOT, header_value(snapshot.id().to_owned())?);
    if let Some(date) = snapshot.as_of(call.market()) {
        headers.insert(X_AS_OF, header_value(date.to_string())?);
    }
    Ok(())
}

fn header_value(text: String) -> Result<HeaderValue, ClientError> {
    HeaderValue::try_from(text)
        .map_err(|error| ClientError::caused(ErrorKind::Internal, "the server failed on this request", error))
}
