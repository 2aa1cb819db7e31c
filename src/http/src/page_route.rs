//! One page of the explorer over HTTP: its operations are called as for any caller, and the result is HTML. The content of pages is unknown
//! here.
//!
//! A page costs one request, however many operations are on it, and nothing while none of its answers has changed. A page shows one
//! snapshot: if the snapshot is swapped between two calls, all calls are repeated.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;

use super::app_state::AppState;
use super::host::requested_host;
use super::page_calls::{AdmittedCalls, DoneCalls, Refusals, RunCalls};
use super::reply::{HTML, LogFields, REFRESH};
use super::tour::tour;
use super::{colours, entity_tag, page_columns, page_reply, past_day, query, reply};
use parquote_call::{Caller, is_invented};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_engine::Snapshot;
use parquote_explorer::named_symbols::with_symbols;
use parquote_explorer::page_rows::PartOutcome;
use parquote_explorer::plan::{self, PartCall};
use parquote_explorer::request::{FIGURE, MarketPage, PageReader, PageRequest, segment};
use parquote_explorer::suggestions::only_company;
use parquote_explorer::{PageContent, refreshed};

/// The route of a page in a market.
pub(super) struct PageRoute {
    pub state: Arc<AppState>,
    pub market_page: MarketPage,
}

impl PageRoute {
    pub(super) async fn answer_request(
        self: Arc<Self>,
        symbol: Option<String>,
        request: Request,
    ) -> Response {
        let (parts, _) = request.into_parts();
        let caller = match caller_of(&parts.extensions) {
            Ok(caller) => caller,
            Err(refused) => return self.error_page(&refused, None, &parts.headers),
        };
        let mut requested = match self.page_request(symbol, &parts.uri) {
            Ok(requested) => requested,
            Err(refused) => return self.error_page(&refused, Some(&caller), &parts.headers),
        };
        // On a past day, a company may still have its former symbol.
        let renamed = || self.renamed_page(&caller, &requested);
        if let Some(now) = past_day::chosen_day(&parts.headers).is_none().then(renamed).flatten() {
            return page_reply::see_other(&now.address());
        }
        if let Some(company) = self.only_company(&caller, &requested) {
            return page_reply::see_other(&company);
        }
        let named = with_symbols(
            &self.state.service.snapshot_for(&caller),
            self.market_page.market,
            &requested.pairs,
        );
        if let Some(pairs) = named {
            return page_reply::see_other(&PageRequest { pairs, ..requested }.address());
        }
        // Empty fields of a form are not in the address of the view.
        let address = requested.address();
        if has_redundant_pairs(&parts.uri, &address) {
            let mut response = page_reply::see_other(&address);
            page_columns::update_cookie(&requested, &parts.headers, &mut response);
            return response;
        }
        if let Some(with_columns) = page_columns::address_with_saved_columns(&requested, &parts.headers) {
            return page_reply::see_other(&with_columns);
        }
        let is_invented = is_invented(&self.state.service.snapshot_for(&caller), self.market_page.market);
        let tour = tour(&requested, is_invented, &parts.headers);
        let host = requested_host(&parts.headers, &parts.uri);
        let origin = host.map(|host| self.state.settings.strict_transport.origin(host));
        requested.reader = PageReader { tour, origin, ..self.reader(&caller, &parts.headers).await };
        let mut response = self.with_page_log(self.answer_page(&caller, &requested, &parts.headers).await);
        page_columns::update_cookie(&requested, &parts.headers, &mut response);
        response
    }

    /// Returns the reader of the page: their lists and screens, the tier of their key, and their colours.
    pub(super) async fn reader(&self, caller: &Caller, headers: &HeaderMap) -> PageReader {
        // If they cannot be read, the page is shown without them.
        let saved = self.state.service.saved_items_of(caller, self.market_page.market).await;
        let days = self.state.service.days_for(caller, self.market_page.market);
        PageReader { saved, days, ..reader_without_items(Some(caller), headers) }
    }

    /// Returns the request as the explorer reads it.
    pub(super) fn page_request(&self, symbol: Option<String>, uri: &Uri) -> Result<PageRequest, ClientError> {
        let pairs = query::arguments(uri.query().unwrap_or_default())
            .map_err(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))?;
        let pairs = pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
        Ok(PageRequest::new(&self.market_page, symbol, pairs))
    }

    /// Returns the page of the current symbol if the requested symbol is a former one in the caller's snapshot, or is not in capitals.
    fn renamed_page(&self, caller: &Caller, requested: &PageRequest) -> Option<PageRequest> {
        let (sent, market) = (requested.symbol.as_ref()?, self.market_page.market);
        let (symbol, tables) = (sent.to_uppercase(), self.state.service.snapshot_for(caller));
        let is_spelled_otherwise = symbol != *sent && tables.has_symbol(market, &symbol) == Some(true);
        let now = tables.present_symbol(market, &symbol).or(is_spelled_otherwise.then_some(symbol))?;
        Some(PageRequest { symbol: Some(now), ..requested.clone() })
    }

    /// Returns the page of the company that a search matches unambiguously.
    fn only_company(&self, caller: &Caller, requested: &PageRequest) -> Option<String> {
        let [(name, text)] = requested.pairs.as_slice() else { return None };
        if self.market_page.page.path != "search" || name != "q" {
            return None;
        }
        let symbol = only_company(&self.state.service.snapshot_for(caller), self.market_page.market, text)?;
        Some(requested.market_address(&format!("company/{}", segment(&symbol))))
    }

    async fn answer_page(&self, caller: &Caller, requested: &PageRequest, headers: &HeaderMap) -> Response {
        let calls = plan::calls(self.state.service.catalogue(), requested);
        let admitted = AdmittedCalls::enter_all(&self.state, caller, requested.reader.day, calls).await;
        let pages = requested.pages.fingerprint();
        // The frame names the set, also around answers that do not depend on it.
        let snapshot = admitted.snapshot(&self.state, caller);
        let view = format!("{} {:?} {pages} {}", requested.address(), requested.reader, snapshot.id());
        let header = |tag: String| HeaderValue::try_from(entity_tag::weak_form(&tag)).ok();
        let is_known = |tag: &HeaderValue| entity_tag::is_named(headers, tag.to_str().unwrap_or_default());
        // A flash message is shown once.
        let form_answer = self.state.flash_messages.take_message(&caller.owner().name, &requested.address());
        let has_form_answer = form_answer.is_some();
        let tag = admitted.entity_tag(&view, caller.tier()).filter(|_| !has_form_answer).and_then(header);
        if let Some(tag) = tag.as_ref().filter(|tag| is_known(tag)) {
            admitted.refund();
            return reply::not_modified(tag);
        }
        let shows_only_saved_state = admitted.shows_only_saved_state(&self.state);
        let run = admitted.run(&self.state).await;
        // Saved state has no tag before it is read.
        let by_answers = || {
            run.entity_tag(&view, caller.tier())
                .filter(|_| shows_only_saved_state && !has_form_answer)
                .and_then(header)
        };
        let tag = tag.or_else(by_answers);
        if let Some(tag) = tag.as_ref().filter(|tag| is_known(tag)) {
            run.refund();
            return reply::not_modified(tag);
        }
        let done = self.settle_and_run(run, caller, requested).await;
        let content = PageContent {
            form_answer: form_answer.as_ref(),
            ..self.content(requested, &snapshot, &done.calls)
        };
        let refusals = Refusals::new(requested, &done.calls);
        let status = refusals.status();
        let html = parquote_explorer::page(&content);
        let mut response = match tag.filter(|_| status == StatusCode::OK) {
            Some(tag) => reply::revalidated_reply(HTML, &tag, html),
            None => reply::uncached_reply(status, HTML, html),
        };
        if let Some(seconds) = refreshed::seconds(requested, &done.calls) {
            response.headers_mut().insert(REFRESH, HeaderValue::from(seconds));
        }
        if let Some(seconds) = refusals.retry_after_s() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.is_paid = done.is_paid;
        }
        response
    }

    /// Completes all calls of the page, then runs those that depend on the rows of the completed ones.
    async fn settle_and_run(&self, run: RunCalls, caller: &Caller, requested: &PageRequest) -> DoneCalls {
        let mut done = run.settle_all();
        if let Some(rows) = done.rows(self.market_page.page.deciding_part(self.market_page.market)) {
            let dependent = plan::calls_about(self.state.service.catalogue(), requested, rows);
            let day = requested.reader.day;
            let dependent = AdmittedCalls::enter_once(&self.state, caller, day, dependent, true).await;
            done.calls.extend(dependent.run(&self.state).await.settle_all().calls);
        }
        done
    }

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
            form_answer: None,
        }
    }

    /// Renders the page after a refused change: unchanged, with the message of the refusal.
    pub(super) async fn show_refused_change(
        &self,
        caller: &Caller,
        requested: &PageRequest,
        refused: &ClientError,
    ) -> Response {
        let calls = plan::calls(self.state.service.catalogue(), requested);
        let admitted = AdmittedCalls::enter_all(&self.state, caller, requested.reader.day, calls).await;
        let snapshot = admitted.snapshot(&self.state, caller);
        let done = self.settle_and_run(admitted.run(&self.state).await, caller, requested).await;
        let content =
            PageContent { refused: Some(refused), ..self.content(requested, &snapshot, &done.calls) };
        let html = parquote_explorer::page(&content);
        self.with_page_log(reply::uncached_reply(reply::status(refused), HTML, html))
    }

    /// Renders a page about an error in the request itself.
    pub(super) fn error_page(
        &self,
        refused: &ClientError,
        caller: Option<&Caller>,
        headers: &HeaderMap,
    ) -> Response {
        let MarketPage { market, pages, .. } = &self.market_page;
        let (snapshot, reader) =
            (self.state.service.shared_snapshot(), reader_without_items(caller, headers));
        let html = parquote_explorer::problem_page(pages, *market, &snapshot, refused, &reader);
        self.with_page_log(reply::uncached_reply(reply::status(refused), HTML, html))
    }

    /// Adds the page's name to the reply's log fields.
    pub(super) fn with_page_log(&self, mut response: Response) -> Response {
        if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
            log_fields.operation = Some(Arc::clone(&self.market_page.page.name));
        }
        response
    }
}

/// Returns the reader of a page that shows no saved items.
pub(super) fn reader_without_items(caller: Option<&Caller>, headers: &HeaderMap) -> PageReader {
    let (scheme, day) = (colours::requested_scheme(headers), past_day::chosen_day(headers));
    let reader = PageReader { scheme, day, ..PageReader::default() };
    match caller {
        Some(caller) => PageReader { is_guest: caller.is_guest(), tier: caller.tier(), ..reader },
        None => reader,
    }
}

/// Returns the caller: the page guard lets only known callers through.
pub(super) fn caller_of(extensions: &Extensions) -> Result<Caller, ClientError> {
    let nobody = || ClientError::new(ErrorKind::Unauthorized, "nobody is signed in; sign in and ask again");
    extensions.get::<Caller>().cloned().ok_or_else(nobody)
}

/// Returns true if the query has empty or repeated pairs, and so more pairs than the address of the view, or separate fields of figures,
/// which the address joins.
fn has_redundant_pairs(uri: &Uri, address: &str) -> bool {
    let count = |query: &str| {
        query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("apiKey=")).count()
    };
    let view = address.split_once('?').map_or("", |(_, query)| query);
    let query = uri.query().unwrap_or_default();
    count(query) > count(view) || query.split('&').any(|pair| pair.starts_with(FIGURE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_repeated_pairs_are_no_part_of_a_view() {
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        assert!(has_redundant_pairs(
            &uri("/india/screener?min_roe=&sector=Power"),
            "/india/screener?sector=Power"
        ));
        assert!(has_redundant_pairs(
            &uri("/india/screener?fields=a&fields=b"),
            "/india/screener?fields=a%2Cb"
        ));
        assert!(!has_redundant_pairs(&uri("/india/screener?sector=Power"), "/india/screener?sector=Power"));
        assert!(has_redundant_pairs(&uri("/india/screener?figure.1=5"), "/india/screener?figures=1%3A5"));
    }
}
