//! One page of the explorer over HTTP: its operations are called as for any caller, and the result is HTML. The content of pages is unknown
//! here.
//!
//! A page costs one request, however many operations are on it, and nothing while none of its answers has changed. A page shows one
//! snapshot: if the snapshot is swapped between two calls, all calls are repeated.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;

use super::app_state::AppState;
use super::page_calls::{AdmittedCalls, DoneCalls, Refusals, RunCalls};
use super::reply::LogFields;
use super::{entity_tag, page_reply, query, reply};
use parquote_call::Caller;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Snapshot;
use parquote_explorer::page_rows::PartOutcome;
use parquote_explorer::plan::{self, PartCall};
use parquote_explorer::reader_items::SavedNames;
use parquote_explorer::request::{MarketPage, PageRequest, segment};
use parquote_explorer::suggestions::only_company;
use parquote_explorer::{PageContent, refreshed};

/// Header that makes browsers reload after some seconds, without scripts.
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// Content type of pages.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The route of a page in a market.
pub(super) struct PageRoute {
    pub state: Arc<AppState>,
    pub place: MarketPage,
}

impl PageRoute {
    /// Answers a request for the page.
    pub(super) async fn show(self: Arc<Self>, symbol: Option<String>, request: Request) -> Response {
        let (parts, _) = request.into_parts();
        let caller = match caller_of(&parts.extensions) {
            Ok(caller) => caller,
            Err(refused) => return self.problem(&refused),
        };
        let mut asked = match self.page_request(symbol, &parts.uri) {
            Ok(asked) => asked,
            Err(refused) => return self.problem(&refused),
        };
        if let Some(now) = self.renamed(&caller, &asked) {
            return page_reply::see_other(&now.address());
        }
        if let Some(company) = self.only_company(&caller, &asked) {
            return page_reply::see_other(&company);
        }
        // Empty fields of a form are not in the address of the view.
        let address = asked.address();
        if is_longer(&parts.uri, &address) {
            return page_reply::see_other(&address);
        }
        (asked.own, asked.is_guest) = (self.own_things(&caller).await, caller.is_guest());
        self.finished(self.answered(&caller, &asked, &parts.headers).await)
    }

    /// Returns the caller's lists and screens of this market; `None` if they cannot be read: the page is shown without them.
    async fn own_things(&self, caller: &Caller) -> Option<SavedNames> {
        let (lists, screens) = self.state.service.kept_by(caller, self.place.market).await?;
        Some(SavedNames { lists, screens })
    }

    /// Returns the request as the explorer reads it.
    pub(super) fn page_request(&self, symbol: Option<String>, uri: &Uri) -> Result<PageRequest, ClientError> {
        let pairs = query::arguments(uri.query().unwrap_or_default())
            .map_err(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))?;
        let pairs = pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
        Ok(PageRequest::new(&self.place, symbol, pairs))
    }

    /// Returns the same page of the current symbol if the requested one is a former symbol, as the caller sees it.
    fn renamed(&self, caller: &Caller, asked: &PageRequest) -> Option<PageRequest> {
        let symbol = asked.symbol.as_ref()?.to_uppercase();
        let now = self.state.service.seen_by(caller).renamed(self.place.market, &symbol)?;
        Some(PageRequest { symbol: Some(now), ..asked.clone() })
    }

    /// Returns the page of the company that a search matches unambiguously.
    fn only_company(&self, caller: &Caller, asked: &PageRequest) -> Option<String> {
        let [(name, text)] = asked.pairs.as_slice() else { return None };
        if self.place.page.path != "search" || name != "q" {
            return None;
        }
        let symbol = only_company(&self.state.service.seen_by(caller), self.place.market, text)?;
        Some(asked.elsewhere(&format!("company/{}", segment(&symbol))))
    }

    async fn answered(&self, caller: &Caller, asked: &PageRequest, headers: &HeaderMap) -> Response {
        let calls = plan::calls(self.state.service.catalogue(), asked);
        let admitted = AdmittedCalls::enter(&self.state, caller, calls).await;
        let pages = asked.pages.fingerprint();
        let view = format!("{} {:?} {} {pages}", asked.address(), asked.own, asked.is_guest);
        let header = |tag: String| HeaderValue::try_from(entity_tag::weak(&tag)).ok();
        let is_known = |tag: &HeaderValue| entity_tag::none_match(headers, tag.to_str().unwrap_or_default());
        // A flash message is shown once.
        let told = self.state.told.take(&caller.owner().name, &asked.address());
        let is_once = told.is_some();
        let tag = admitted.entity_tag(&view, caller.tier()).filter(|_| !is_once).and_then(header);
        if let Some(tag) = tag.as_ref().filter(|tag| is_known(tag)) {
            admitted.refund();
            return reply::not_modified(tag);
        }
        let (snapshot, is_of_state) =
            (admitted.snapshot(&self.state, caller), admitted.is_of_state(&self.state));
        let run = admitted.run(&self.state).await;
        // Saved state has no tag before it is read.
        let by_answers =
            || run.entity_tag(&view, caller.tier()).filter(|_| is_of_state && !is_once).and_then(header);
        let tag = tag.or_else(by_answers);
        if let Some(tag) = tag.as_ref().filter(|tag| is_known(tag)) {
            run.refund();
            return reply::not_modified(tag);
        }
        let done = self.done(run, caller, asked).await;
        let content = PageContent { told: told.as_ref(), ..self.content(asked, &snapshot, &done.calls) };
        let refusals = Refusals::new(&done.calls, self.place.page.deciding_part(self.place.market));
        let status = refusals.status();
        let html = parquote_explorer::page(&content);
        let mut response = match tag.filter(|_| status == StatusCode::OK) {
            Some(tag) => reply::kept(HTML, &tag, html),
            None => reply::fresh(status, HTML, html),
        };
        if let Some(seconds) = refreshed::seconds(asked, &done.calls) {
            response.headers_mut().insert(REFRESH, HeaderValue::from(seconds));
        }
        if let Some(seconds) = refusals.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
            trail.is_paid = done.is_paid;
        }
        response
    }

    /// Settles all calls of the page, and runs those that depend on the rows of the others.
    async fn done(&self, run: RunCalls, caller: &Caller, asked: &PageRequest) -> DoneCalls {
        let mut done = run.settle();
        if let Some(rows) = done.rows(self.place.page.deciding_part(self.place.market)) {
            let about = plan::calls_about(self.state.service.catalogue(), asked, rows);
            let about = AdmittedCalls::enter_beside(&self.state, caller, about).await;
            done.calls.extend(about.run(&self.state).await.settle().calls);
        }
        done
    }

    /// Builds the content of the page.
    fn content<'a>(
        &'a self,
        request: &'a PageRequest,
        snapshot: &'a Snapshot,
        calls: &'a [(PartCall, PartOutcome)],
    ) -> PageContent<'a> {
        PageContent {
            request,
            catalogue: self.state.service.catalogue(),
            snapshot,
            calls,
            refused: None,
            told: None,
        }
    }

    /// Renders the page after a refused change: unchanged, with the message of the refusal.
    pub(super) async fn unchanged(
        &self,
        caller: &Caller,
        asked: &PageRequest,
        refused: &ClientError,
    ) -> Response {
        let asked = &PageRequest { own: self.own_things(caller).await, ..asked.clone() };
        let calls = plan::calls(self.state.service.catalogue(), asked);
        let admitted = AdmittedCalls::enter(&self.state, caller, calls).await;
        let snapshot = admitted.snapshot(&self.state, caller);
        let done = self.done(admitted.run(&self.state).await, caller, asked).await;
        let content = PageContent { refused: Some(refused), ..self.content(asked, &snapshot, &done.calls) };
        let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.finished(reply::fresh(status, HTML, parquote_explorer::page(&content)))
    }

    /// Renders a page about an error in the request itself.
    pub(super) fn problem(&self, refused: &ClientError) -> Response {
        let snapshot = self.state.service.seen_by_all();
        let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let html = parquote_explorer::problem_page(
            &self.place.pages,
            self.place.market,
            &snapshot,
            refused.kind,
            &refused.message,
        );
        self.finished(reply::fresh(status, HTML, html))
    }

    /// Adds the page's name to the reply's log fields.
    pub(super) fn finished(&self, mut response: Response) -> Response {
        if let Some(trail) = response.extensions_mut().get_mut::<LogFields>() {
            trail.operation = Some(Arc::clone(&self.place.page.name));
        }
        response
    }
}

/// Returns the caller: the page guard lets only known callers through.
pub(super) fn caller_of(extensions: &Extensions) -> Result<Caller, ClientError> {
    let nobody = || ClientError::new(ErrorKind::Unauthorized, "nobody is signed in; sign in and ask again");
    extensions.get::<Caller>().cloned().ok_or_else(nobody)
}

/// Returns true if the query has empty or repeated pairs: more pairs than the address of the view.
fn is_longer(uri: &Uri, address: &str) -> bool {
    let count = |query: &str| {
        query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("apiKey=")).count()
    };
    let view = address.split_once('?').map_or("", |(_, query)| query);
    count(uri.query().unwrap_or_default()) > count(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_repeated_pairs_are_no_part_of_a_view() {
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        assert!(is_longer(&uri("/india/screener?min_roe=&sector=Power"), "/india/screener?sector=Power"));
        assert!(is_longer(&uri("/india/screener?fields=a&fields=b"), "/india/screener?fields=a%2Cb"));
        assert!(!is_longer(&uri("/india/screener?sector=Power"), "/india/screener?sector=Power"));
    }
}
