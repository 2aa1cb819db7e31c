//! One operation over HTTP: from the query string to a call, and from the answer to the envelope. It knows no other operation.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use chrono::Utc;

use super::app_state::AppState;
use super::reply::{self, LogFields};
use super::{accept, entity_tag, paging, query, unknown};
use parquote_call::{Call, CallOptions, Caller, DataVersion, MeteredCall, Pin};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Effect, Offer, Operation, sessions_behind};

const X_SNAPSHOT: HeaderName = HeaderName::from_static("x-snapshot");
const X_AS_OF: HeaderName = HeaderName::from_static("x-as-of");
const X_SOURCE_TERMS: HeaderName = HeaderName::from_static("x-source-terms");
const X_RENAMED_FROM: HeaderName = HeaderName::from_static("x-renamed-from");
const X_WITHOUT_SECTOR: HeaderName = HeaderName::from_static("x-without-sector");
const X_NEWEST_ROWS: HeaderName = HeaderName::from_static("x-newest-rows");
const X_COVERAGE: HeaderName = HeaderName::from_static("x-coverage");
const X_SESSIONS_BEHIND: HeaderName = HeaderName::from_static("x-sessions-behind");

pub(super) struct OperationRoute {
    state: Arc<AppState>,
    operation: Arc<Operation>,
    /// Name of the operation in the log and the metrics.
    name: Arc<str>,
    /// Terms of the sources whose data may be in the answer.
    terms: Option<HeaderValue>,
}

impl OperationRoute {
    pub(super) fn new(state: Arc<AppState>, operation: Arc<Operation>) -> Self {
        let terms = state.service.terms_of_sources(&operation);
        let terms = terms.and_then(|terms| HeaderValue::try_from(&*terms.header_line).ok());
        Self { state, name: operation.name.as_str().into(), operation, terms }
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        // HEAD only probes; it must not start or remove anything.
        if self.operation.effect != Effect::Reads && request.method() == Method::HEAD {
            return unknown::refuse_head_of_change();
        }
        // The body is not read: the arguments of a call are in its path and query.
        let (parts, _) = request.into_parts();
        // The middleware lets no unauthenticated request through.
        let mut response = match parts.extensions.get::<Caller>() {
            Some(caller) => self.call_metered(caller, &parts.uri, &parts.headers).await,
            None => reply::refusal(ClientError::new(ErrorKind::Unauthorized, "an API key is needed")),
        };
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.operation = Some(Arc::clone(&self.name));
        }
        response
    }

    /// Enters, runs and settles a call. Answers and invalid calls are charged; all other calls are free.
    async fn call_metered(&self, caller: &Caller, uri: &Uri, headers: &HeaderMap) -> Response {
        let metered = match self.state.service.enter(&self.operation, caller).await {
            Ok(metered) => metered,
            Err(refused) => return reply::refusal(refused),
        };
        let (mut response, counts) = match self.reply(&metered, uri, headers).await {
            Ok(response) => {
                let counts = response.status() != StatusCode::NOT_MODIFIED;
                (response, counts)
            }
            Err(refused) => {
                let counts = refused.kind.counts();
                (reply::refusal(refused), counts)
            }
        };
        let is_paid = counts && metered.costs();
        let allowance = if counts { metered.commit() } else { metered.refund() };
        reply::set_allowance_headers(response.headers_mut(), allowance);
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.is_paid = is_paid;
        }
        response
    }

    async fn reply(
        &self,
        metered: &MeteredCall,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Response, ClientError> {
        let pairs = query::arguments(uri.query().unwrap_or_default())
            .map_err(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))?;
        let texts = pairs.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
        let pin = headers.get(X_SNAPSHOT).map(|value| Pin::from_header(value.to_str().unwrap_or("?")));
        let options = CallOptions { pin, ..CallOptions::new(Offer::any(accept::preferred(headers))) };
        let is_pinned = || pin.is_some() || pairs.iter().any(|(name, _)| name == "snapshot");
        if headers.contains_key(header::IF_NONE_MATCH) && is_pinned() {
            let has = |tag: &str| entity_tag::is_named(headers, tag);
            if let Some(unchanged) = self.state.service.unchanged(metered, texts.clone(), options, has) {
                let tag = header_value(entity_tag::weak_form(&unchanged.entity_tag))?;
                return self.with_provenance(reply::not_modified(&tag), unchanged.data_version);
            }
        }
        let call = self.state.service.admit(metered, texts, options).await?;
        let response = self.reply_to_call(&call, metered, headers, &pairs).await?;
        let mut response = self.with_provenance(response, call.data_version())?;
        if !call.symbol_renames().is_empty() {
            response.headers_mut().insert(X_RENAMED_FROM, header_value(call.symbol_renames().to_string())?);
        }
        if let Some(line) = call.row_age().line() {
            response.headers_mut().insert(X_NEWEST_ROWS, header_value(line)?);
        }
        // Boxed: few operations have it.
        if let Some(coverage) = Box::pin(self.state.service.coverage(&call)).await {
            response.headers_mut().insert(X_COVERAGE, header_value(coverage.line())?);
        }
        if let Some((none, _)) = call.without_sector() {
            response.headers_mut().insert(X_WITHOUT_SECTOR, none.into());
        }
        Ok(response)
    }

    /// Replies to a call. An answer with an entity tag may be cached, so the reply is a 304 if the caller names the tag. An answer without
    /// a tag may differ the next time.
    async fn reply_to_call(
        &self,
        call: &Call,
        metered: &MeteredCall,
        headers: &HeaderMap,
        pairs: &[(Cow<'_, str>, Cow<'_, str>)],
    ) -> Result<Response, ClientError> {
        let tag = call.entity_tag().map(|tag| header_value(entity_tag::weak_form(&tag))).transpose()?;
        if let Some(tag) = &tag
            && entity_tag::is_named(headers, tag.to_str().unwrap_or_default())
        {
            return Ok(reply::not_modified(tag));
        }
        let answer = self.state.service.run(call).await?;
        let (extent, format, tier) = (answer.extent, call.format(), metered.tier());
        let mut response = if format.is_enveloped() {
            let now = (self.state.settings.clock)();
            let body = reply::envelope(answer.body, tier, metered.allowance(), now);
            match &tag {
                Some(tag) => reply::revalidated_reply(reply::JSON, tag, body),
                None => reply::fresh_json(StatusCode::OK, body),
            }
        } else {
            match &tag {
                Some(tag) => reply::revalidated_bare(format, tag, answer, tier),
                None => reply::file_reply(format, answer, tier),
            }
        };
        if let Some(extent) = extent {
            paging::write_extent(response.headers_mut(), extent, pairs);
        }
        Ok(response)
    }

    /// Adds the headers of the data that answered, and the terms of its possible sources.
    fn with_provenance(&self, mut response: Response, data: DataVersion) -> Result<Response, ClientError> {
        let headers = response.headers_mut();
        if headers.contains_key(header::ETAG) {
            // A cached reply is valid only for the same `Accept` and the same set.
            headers.insert(header::VARY, HeaderValue::from_static("accept, accept-encoding, x-snapshot"));
        }
        if let Some(terms) = self.terms.as_ref().filter(|_| !data.is_invented) {
            headers.insert(X_SOURCE_TERMS, terms.clone());
        }
        headers.insert(X_SNAPSHOT, header_value(data.snapshot)?);
        if let Some(date) = data.as_of {
            headers.insert(X_AS_OF, header_value(date.to_string())?);
            headers.insert(X_SESSIONS_BEHIND, sessions_behind(data.market, date, Utc::now()).into());
        }
        Ok(response)
    }
}

fn header_value(text: String) -> Result<HeaderValue, ClientError> {
    HeaderValue::try_from(text).map_err(|error| {
        ClientError::from_cause(ErrorKind::Internal, "the server failed on this request", error)
    })
}
