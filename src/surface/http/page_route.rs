//! One page of the explorer over HTTP: asked, its operations called as any caller calls them, HTML out. What is on it is not known
//! here.
//!
//! A page costs one request, however many operations are on it, and nothing while none of its answers has changed. A page shows one
//! snapshot: if another one takes its place between two calls, all are made again.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;

use super::app_state::AppState;
use super::page_calls::{AdmittedCalls, DoneCalls, Refusals};
use super::reply::Trail;
use super::{entity_tag, page_reply, query, reply};
use crate::call::Caller;
use crate::engine::Snapshot;
use crate::error::{ClientError, ErrorKind};
use crate::operation::Market;
use crate::surface::pages::page_rows::PartOutcome;
use crate::surface::pages::plan::{self, PartCall};
use crate::surface::pages::request::PageRequest;
use crate::surface::pages::spec::PageSpec;
use crate::surface::pages::{self, PageContent};

/// What pages are.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The route of a page in a market.
pub(super) struct PageRoute {
    pub state: Arc<AppState>,
    pub market: Market,
    pub page: &'static PageSpec,
    /// Its name in the log and the figures.
    pub name: Arc<str>,
}

impl PageRoute {
    /// Answers a request for the page.
    pub(super) async fn show(self: Arc<Self>, symbol: Option<String>, request: Request) -> Response {
        let (parts, _) = request.into_parts();
        let caller = match caller_of(&parts.extensions) {
            Ok(caller) => caller,
            Err(refused) => return self.problem(&refused),
        };
        let asked = match self.asked(symbol, &parts.uri) {
            Ok(asked) => asked,
            Err(refused) => return self.problem(&refused),
        };
        if let Some(now) = self.renamed(&asked) {
            return page_reply::see_other(&now.address());
        }
        // What a form leaves empty is not in the address of the view.
        let address = asked.address();
        if is_longer(&parts.uri, &address) {
            return page_reply::see_other(&address);
        }
        self.finished(self.answered(&caller, &asked, &parts.headers).await)
    }

    /// The request as the explorer reads it.
    pub(super) fn asked(&self, symbol: Option<String>, uri: &Uri) -> Result<PageRequest, ClientError> {
        let pairs = query::arguments(uri.query().unwrap_or_default())
            .map_err(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))?;
        let pairs = pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
        Ok(PageRequest::new((self.market, self.page), symbol, pairs))
    }

    /// The same page of the symbol of now, where it is asked of a former one.
    fn renamed(&self, asked: &PageRequest) -> Option<PageRequest> {
        let symbol = asked.symbol.as_ref()?.to_uppercase();
        let now = self.state.service.snapshot().renamed(self.market, &symbol)?;
        Some(PageRequest { symbol: Some(now), ..asked.clone() })
    }

    async fn answered(&self, caller: &Caller, asked: &PageRequest, headers: &HeaderMap) -> Response {
        let calls = plan::calls(self.state.service.catalogue(), asked);
        let admitted = AdmittedCalls::enter(&self.state, caller, calls).await;
        let told = self.state.told.take(&caller.owner().name, &asked.address());
        // A page that tells what a form came to is told once.
        let tag = admitted.entity_tag(&asked.address(), caller.tier()).filter(|_| told.is_none());
        let tag = tag.and_then(|tag| HeaderValue::try_from(entity_tag::weak(&tag)).ok());
        if let Some(tag) = &tag
            && entity_tag::none_match(headers, tag.to_str().unwrap_or_default())
        {
            admitted.refund();
            return reply::not_modified(tag);
        }
        let snapshot = admitted.snapshot(&self.state, caller);
        let done = self.done(admitted, caller, asked).await;
        let content = PageContent { told: told.as_ref(), ..self.content(asked, &snapshot, &done.calls) };
        let refusals = Refusals::of(&done.calls, self.page.deciding_part(self.market));
        let status = refusals.status();
        let html = pages::page(&content);
        let mut response = match tag.filter(|_| status == StatusCode::OK) {
            Some(tag) => reply::kept(HTML, &tag, html.into()),
            None => reply::fresh(status, HTML, html.into()),
        };
        if let Some(seconds) = refusals.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
            trail.is_paid = done.is_paid;
        }
        response
    }

    /// All calls of the page, those about the rows that the others answered too.
    async fn done(&self, admitted: AdmittedCalls, caller: &Caller, asked: &PageRequest) -> DoneCalls {
        let mut done = admitted.run(&self.state).await;
        if let Some(rows) = done.rows(self.page.deciding_part(self.market)) {
            let about = plan::calls_about(self.state.service.catalogue(), asked, rows);
            let about = AdmittedCalls::enter_beside(&self.state, caller, about).await;
            done.calls.extend(about.run(&self.state).await.calls);
        }
        done
    }

    /// What the page is written from.
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

    /// The page of a change that was refused: as it was, with the words of the refusal.
    pub(super) async fn unchanged(
        &self,
        caller: &Caller,
        asked: &PageRequest,
        refused: &ClientError,
    ) -> Response {
        let calls = plan::calls(self.state.service.catalogue(), asked);
        let admitted = AdmittedCalls::enter(&self.state, caller, calls).await;
        let snapshot = admitted.snapshot(&self.state, caller);
        let done = self.done(admitted, caller, asked).await;
        let content = PageContent { refused: Some(refused), ..self.content(asked, &snapshot, &done.calls) };
        let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.finished(reply::fresh(status, HTML, pages::page(&content).into()))
    }

    /// A page that says what was wrong with the request itself.
    pub(super) fn problem(&self, refused: &ClientError) -> Response {
        let snapshot = self.state.service.seen_by_all();
        let status = StatusCode::from_u16(refused.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let html = pages::problem_page(self.market, &snapshot, refused.kind, &refused.message);
        self.finished(reply::fresh(status, HTML, html.into()))
    }

    /// With what every page has.
    pub(super) fn finished(&self, mut response: Response) -> Response {
        if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
            trail.operation = Some(Arc::clone(&self.name));
        }
        response
    }
}

/// Who asks: the guard before pages lets only known callers through.
pub(super) fn caller_of(extensions: &Extensions) -> Result<Caller, ClientError> {
    let nobody = || ClientError::new(ErrorKind::Unauthorized, "nobody is signed in; sign in and ask again");
    extensions.get::<Caller>().cloned().ok_or_else(nobody)
}

/// Whether the query has pairs that say nothing, or names more than once: more pairs than the address of the view.
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
