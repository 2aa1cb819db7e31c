//! The middleware around every request: its id, limits on its size and on concurrency, authentication, the log line and the metrics. It
//! decides nothing about operations.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

use super::address;
use super::app_state::AppState;
use super::caller_limits::{CallerId, InFlightGuard, LimitExceeded};
use super::credentials::BearerMeaning;
use super::cross_origin::CrossOrigin;
use super::encoding::compress_reply;
use super::guarded_body::{BodyGuard, GuardedBody};
use super::log::LoggedRequest;
use super::metrics::EndedRequest;
use super::mount::Mount;
use super::page_form::PageForm;
use super::page_paths::is_page;
use super::reply::{self, LogFields};
use super::route_table::RouteTable;
use super::visitor_address::VisitorAddress;
use super::{colours, credentials, host, oauth, page_guard, page_reply, people};
use parquote_access::Allowance;
use parquote_call::Caller;
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Address of the peer of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub IpAddr);

/// Holds the caller's slot until the reply is handed over.
impl BodyGuard for InFlightGuard {}

/// Answers a request from the routes, after compression and with panics caught.
pub(super) async fn middleware(state: Arc<AppState>, request: Request, routes: Arc<RouteTable>) -> Response {
    let started = Instant::now();
    let in_progress = state.settings.metrics.begin_request();
    let id = state.request_ids.id_for(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
    let from = peer.map(|peer| address::caller(peer, request.headers(), &state.settings.trusted_proxies));
    let context = ReplyContext::from_request(&state, &request);
    let (colours, is_read) =
        (colours::requested_scheme(request.headers()), people::is_read_by_person(&request));
    let reply = async {
        let (response, caller) = context.reply(&state, request, from, &routes).await;
        (if is_read { page_reply::with_error_page(response) } else { response }, caller)
    };
    let (mut response, caller) = colours::CURRENT_SCHEME.scope(colours, reply).await;
    context.set_security_headers(&state, &mut response);
    let allowance = response.extensions_mut().remove::<Allowance>();
    let headers = response.headers_mut();
    if !reply::has_allowance_headers(headers) {
        let current = || caller.as_ref().map_or(Allowance::NONE, |caller| state.service.allowance(caller));
        reply::set_allowance_headers(headers, allowance.unwrap_or_else(current));
    }
    headers.insert(X_REQUEST_ID, id.clone());
    let log_fields = response.extensions_mut().remove::<LogFields>().unwrap_or_default();
    let (status, took) = (response.status(), started.elapsed());
    set_content_length(&method, &mut response);
    let metrics = &state.settings.metrics;
    let by_traffic = || metrics.name(state.traffic(uri.path()));
    metrics.record_request(EndedRequest {
        operation: log_fields.operation.as_ref().or_else(by_traffic),
        status: status.as_u16(),
        refused: log_fields.cause.as_deref(),
        took,
    });
    // Refusals of unknown callers are logged once a second; errors of the server itself always.
    let is_refused = status.is_client_error() || status == StatusCode::SERVICE_UNAVAILABLE;
    let stranger = from.filter(|_| is_refused && caller.as_ref().is_none_or(Caller::is_guest));
    let unlogged = stranger.map_or(Some(0), |from| state.callers.count_refusal(from));
    if let Some(unlogged) = unlogged
        && let Some(logged) = LoggedRequest::if_enabled(&id, &method, &uri, status, took, log_fields)
    {
        let key = caller.as_ref().and_then(Caller::key_number);
        (state.settings.log)(logged.with_caller(key, from, unlogged));
    }
    drop(in_progress);
    response
}

/// Sets the length of the body. A reply to HEAD has the length without the body (RFC 9110, 9.3.2), but no length if the length of the
/// compressed body is unknown.
fn set_content_length(method: &Method, response: &mut Response) {
    let length = response.body().size_hint().exact();
    let headers = response.headers_mut();
    let is_unknown = length == Some(0) && headers.contains_key(header::CONTENT_ENCODING);
    if let Some(bytes) = length.filter(|_| !is_unknown && !headers.contains_key(header::CONTENT_LENGTH)) {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    }
    if method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
}

/// Properties of a request that decide the browser headers of its reply.
struct ReplyContext {
    is_page: bool,
    host: Option<String>,
    origin: Option<HeaderValue>,
    readers: CrossOrigin,
}

impl ReplyContext {
    fn from_request(state: &AppState, request: &Request) -> Self {
        let path = request.uri().path();
        Self {
            is_page: is_page(path),
            host: host::requested_host(request.headers(), request.uri()).map(str::to_owned),
            origin: request.headers().get(header::ORIGIN).cloned(),
            readers: state.allowed_origins(path),
        }
    }

    /// Returns the reply, and the authenticated caller.
    async fn reply(
        &self,
        state: &AppState,
        mut request: Request,
        from: Option<IpAddr>,
        routes: &RouteTable,
    ) -> (Response, Option<Caller>) {
        let path = request.uri().path().to_owned();
        // A rejected caller uses a free request of its address.
        let reject = |response| {
            let admitted =
                from.map(|from| state.callers.begin_request(CallerId::from_address(from))).transpose();
            (admitted.map_or_else(|exceeded| refuse(state, &path, limit_error(exceeded)), |_| response), None)
        };
        if let Some(fault) = host::host_fault(&request) {
            let refused = ClientError::new(ErrorKind::BadRequest, fault).with_limit(ReachedLimit::Host);
            return reject(refuse(state, &path, refused));
        }
        if let Some(response) = self.readers.preflight(&request) {
            return reject(response);
        }
        if let Some(response) = people::answer_at_unknown_path(state, &request) {
            return reject(response);
        }
        if self.is_page || oauth::is_for_apps(request.uri().path()) {
            request.extensions_mut().insert(VisitorAddress(from));
        }
        let authenticate = if self.is_page { page_guard::authenticate_page } else { authenticate };
        // A wrong key counts only at the second attempt: another server may have issued it, and this server may not have loaded it yet.
        let mut caller = authenticate(state, &mut request, None);
        if !matches!(caller, Ok(Some(_))) {
            if caller.is_err() && presents_credentials(state, &request) {
                state.service.follow_others().await;
            }
            caller = authenticate(state, &mut request, from);
        }
        match caller {
            Ok(caller) => {
                let guest = from.filter(|_| caller.as_ref().is_some_and(Caller::is_guest));
                if let Some(Err(exceeded)) = guest.map(|from| state.callers.begin_guest_page(from)) {
                    return (refuse(state, &path, limit_error(exceeded)), caller);
                }
                let caller_id = CallerId::identify(caller.as_ref(), from);
                let response = answer_admitted(state, caller_id, request, routes).await;
                if let Some(from) = guest.filter(|_| !is_paid(&response)) {
                    state.callers.refund_guest_page(from);
                }
                (response, caller)
            }
            Err(response) => reject(*response),
        }
    }

    /// Sets the security headers for browsers.
    fn set_security_headers(&self, state: &AppState, response: &mut Response) {
        if self.is_page {
            page_reply::set_default_headers(response);
        }
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        self.readers.set_headers(self.origin.as_ref(), headers);
        state.settings.strict_transport.set_header(self.host.as_deref(), headers);
    }
}

/// Authenticates the caller, and adds it to the request's extensions. Open paths are for everyone: a wrong key is ignored there.
fn authenticate(
    state: &AppState,
    request: &mut Request,
    from: Option<IpAddr>,
) -> Result<Option<Caller>, Box<Response>> {
    if let Some(caller) = calling_app(state, request) {
        request.extensions_mut().insert(caller.clone());
        return Ok(Some(caller));
    }
    let is_mounted = state.mount(request.uri().path()).is_some();
    let bearer_meaning = if is_mounted { BearerMeaning::NoKey } else { BearerMeaning::Key };
    match state
        .service
        .identify(credentials::presented_keys(request.headers(), request.uri(), bearer_meaning), from)
    {
        Ok(caller) => {
            request.extensions_mut().insert(caller.clone());
            Ok(Some(caller))
        }
        Err(_) if state.is_open(request.uri().path()) => Ok(None),
        Err(refused) => Err(Box::new(refuse(state, request.uri().path(), refused))),
    }
}

/// Returns true if a request has a key, a token or a session that another server may have issued. Other requests need no reload.
fn presents_credentials(state: &AppState, request: &Request) -> bool {
    let mut keys = credentials::presented_keys(request.headers(), request.uri(), BearerMeaning::Key);
    keys.next().is_some() || state.settings.cookie.read(request.headers()).is_some()
}

/// Returns the app that calls the tools with an access token, which is valid for the tools only, and only in `Authorization`.
fn calling_app(state: &AppState, request: &Request) -> Option<Caller> {
    state.settings.apps.as_ref()?;
    state.mount(request.uri().path())?;
    state.service.identify_app(credentials::lone_bearer(request.headers())?)
}

/// Renders a refusal in the format of this path.
fn refuse(state: &AppState, path: &str, refused: ClientError) -> Response {
    match state.mount(path) {
        Some(mount) => {
            let mut response = mount.refuse(refused);
            let challenge = state.settings.apps.as_ref().map(|apps| oauth::challenge(&apps.public_url));
            if let Some(challenge) = challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok())
                && response.status() == StatusCode::UNAUTHORIZED
            {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
        None if is_page(path) => page_reply::refusal(refused),
        None => reply::refusal(refused),
    }
}

/// Answers a request of acceptable size if there is a permit for it.
///
/// A permit is held while the server works on an answer: callers that send a body slowly or read a reply slowly do not delay others. They
/// count against the limit of one caller only.
async fn answer_admitted(
    state: &AppState,
    caller_id: Option<CallerId>,
    request: Request,
    routes: &RouteTable,
) -> Response {
    if let Some(refusal) = refuse_oversized(state, &request) {
        return refusal;
    }
    let path = request.uri().path().to_owned();
    let mount = state.mount(&path).cloned();
    let refuse = |refused: ClientError| refuse(state, &path, refused);
    let in_flight = match caller_id.map(|caller_id| state.callers.begin_request(caller_id)).transpose() {
        Ok(in_flight) => in_flight,
        Err(exceeded) => return refuse(limit_error(exceeded)),
    };
    let request = match &mount {
        Some(mount) => match mount.read_body(request).await {
            Ok(request) => request,
            Err(response) => return response,
        },
        None if is_page(&path) || oauth::takes_forms(&path) => match PageForm::read_body(request).await {
            Ok(request) => request,
            Err(refused) => return refuse(refused),
        },
        None => request,
    };
    let Ok(permit) = state.permits.try_acquire() else {
        let message = "the server is at work on as many requests as it takes; try again in a few seconds";
        return refuse(
            ClientError::new(ErrorKind::Unavailable, message)
                .with_retry_after(1)
                .with_limit(ReachedLimit::AllRequests),
        );
    };
    let response = compress_reply(request, |request| routes.answer(request)).await;
    drop(permit);
    let Some(mut in_flight) = in_flight else { return response };
    if is_paid(&response) {
        in_flight.refund_token();
    }
    let bytes = response.body().size_hint().lower();
    if let Err(exceeded) = in_flight.add_reply_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)) {
        return refuse(limit_error(exceeded));
    }
    response.map(|body| Body::new(GuardedBody::new(body, usize::MAX, in_flight)))
}

fn is_paid(response: &Response) -> bool {
    response.extensions().get::<LogFields>().is_some_and(|log_fields| log_fields.is_paid)
}

/// Returns 429 for a caller that exceeds its limits, 503 if all callers together exceed theirs.
fn limit_error(exceeded: LimitExceeded) -> ClientError {
    let after_s = match exceeded {
        LimitExceeded::GuestPages { retry_after_s, .. } => retry_after_s,
        _ => 1,
    };
    let (kind, bound) = match exceeded {
        LimitExceeded::AtOnce(_) => (ErrorKind::TooManyRequests, ReachedLimit::CallerRequests),
        LimitExceeded::Free(_) => (ErrorKind::TooManyRequests, ReachedLimit::CallerFreeRequests),
        LimitExceeded::ReplyBytes(_) => (ErrorKind::TooManyRequests, ReachedLimit::CallerReplyBytes),
        LimitExceeded::GuestPages { .. } => (ErrorKind::TooManyRequests, ReachedLimit::GuestPages),
        LimitExceeded::AllReplyBytes => (ErrorKind::Unavailable, ReachedLimit::AllReplyBytes),
    };
    ClientError::new(kind, exceeded.to_string()).with_retry_after(after_s).with_limit(bound)
}

fn refuse_oversized(state: &AppState, request: &Request) -> Option<Response> {
    let settings = &state.settings;
    let url = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    let body = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let body: u64 = body.and_then(|length| length.parse().ok()).unwrap_or(0);
    let longest = state.mount(request.uri().path()).map_or(settings.body_bytes, Mount::body_bytes);
    let (status, what, limit) = if url > settings.url_bytes {
        (StatusCode::URI_TOO_LONG, "the URL is", settings.url_bytes as u64)
    } else if total_bytes(request.headers()) > settings.header_bytes {
        (
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the headers are together",
            settings.header_bytes as u64,
        )
    } else if body > longest {
        (StatusCode::PAYLOAD_TOO_LARGE, "the body is", longest)
    } else {
        return None;
    };
    Some(reply::error(status, &format!("{what} longer than {limit} bytes")))
}

fn total_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}
