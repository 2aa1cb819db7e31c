//! A page form that changes something: sent with POST from a page of this server, run as an operation, and answered with a redirect to the
//! result.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::page_form::PageForm;
use super::page_paths::return_path;
use super::page_reply;
use super::page_route::{PageRoute, caller_of};
use parquote_call::{CallOptions, Caller};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Offer, Operation};
use parquote_explorer::FormAnswer;
use parquote_explorer::links::fill_address;
use parquote_explorer::menu::lock_at;
use parquote_explorer::named_symbols::with_symbols;
use parquote_explorer::page_rows::PageRows;
use parquote_explorer::request::{MarketPage, PageRequest};
use parquote_explorer::undo::UndoForm;
use parquote_explorer::view_spec::ActionSpec;

/// Parameter that names the form of the page.
const OPERATION: &str = "operation";
/// Parameter with the path to return to, if that is not the page of the form.
const BACK_PARAM: &str = "back";

pub(super) async fn handle_form(route: Arc<PageRoute>, request: Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return route.error_page(&refused, None, request.headers()),
    };
    let form = PageForm::from_request(&request);
    let requested = match route.page_request(None, request.uri()) {
        Ok(requested) => requested,
        Err(refused) => return route.error_page(&refused, Some(&caller), request.headers()),
    };
    let headers = request.headers().clone();
    let sent = PageRequest::new(&route.market_page, None, form.pairs().iter().cloned());
    let seen = route.state.service.snapshot_for(&caller);
    let sent = with_symbols(&seen, route.market_page.market, &sent.pairs).unwrap_or(sent.pairs);
    let sent = sent.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let operation = requested.get(OPERATION).map(|operation| (OPERATION, operation));
    let pairs: Vec<(&str, &str)> = operation.into_iter().chain(sent).collect();
    match call_operation(&route, &caller, &pairs).await {
        Ok(FormResult { path, page_shows_result, answer }) => {
            let back = requested.get(BACK_PARAM).and_then(return_path).map(str::to_owned);
            let has_message = back.is_some() || !page_shows_result;
            let next = back.unwrap_or_else(|| requested.market_address(&path));
            if has_message {
                route.state.flash_messages.store_message(&caller.owner().name, &next, answer);
            }
            page_reply::see_other(&next)
        }
        Err(refused) => {
            let reader = route.reader(&caller, &headers).await;
            let requested = PageRequest { reader, ..requested.clone() };
            route.show_refused_change(&caller, &requested, &refused).await
        }
    }
}

/// The result of a form and its page.
struct FormResult {
    /// Path of the page that shows the result, below the market.
    path: String,
    /// True if that page is about the result and needs no message.
    page_shows_result: bool,
    answer: FormAnswer,
}

async fn call_operation(
    route: &PageRoute,
    caller: &Caller,
    pairs: &[(&str, &str)],
) -> Result<FormResult, ClientError> {
    let service = &route.state.service;
    let operation_name = pairs.iter().find(|(name, _)| *name == OPERATION).map(|(_, value)| *value);
    let action: Option<&ActionSpec> =
        route.market_page.page.actions().find(|action| Some(action.operation.as_str()) == operation_name);
    let operation = action.and_then(|action| service.catalogue().operation(&action.operation));
    let (Some(action), Some(operation)) = (action, operation) else {
        return Err(ClientError::new(ErrorKind::BadRequest, "this page has no such form"));
    };
    let before = service.saved_items_of(caller, route.market_page.market).await;
    let metered = service.enter(operation, caller).await?;
    let arguments = pairs.iter().copied().filter(|(name, value)| *name != OPERATION && !value.is_empty());
    let arguments: Vec<(&str, &str)> = arguments.collect();
    let undo = before.and_then(|before| UndoForm::for_change(&operation.name, &arguments, &before));
    let market = operation.chooses_market().then(|| ("market", route.market_page.market.word()));
    let answer: Result<PageRows, ClientError> = async {
        let call = service
            .admit(&metered, arguments.into_iter().chain(market), CallOptions::new(Offer::ENVELOPED))
            .await?;
        Ok(PageRows::read(&service.run(&call).await?, &call.columns(), None))
    }
    .await;
    let counts = answer.as_ref().err().is_none_or(|refused| refused.kind.counts());
    let _ = if counts { metered.commit() } else { metered.refund() };
    let rows = answer?;
    let path = result_path(operation, action, &rows);
    let page_shows_result = action.then.contains('{');
    let answer = FormAnswer { undo, ..FormAnswer::new(action, rows) };
    Ok(FormResult { path, page_shows_result, answer }.limit_to_tier(route, caller))
}

impl FormResult {
    /// Returns the result without a link and a redirect to pages that the caller's tier may not see: the page of the form shows it.
    fn limit_to_tier(mut self, route: &PageRoute, caller: &Caller) -> Self {
        let (MarketPage { market, page, pages }, seen) =
            (&route.market_page, route.state.service.snapshot_for(caller));
        let lock = |address: &str| lock_at(pages, &seen, *market, caller.tier(), address);
        let link = self.answer.link.as_ref().filter(|(label, _)| !label.is_empty());
        if let Some(needed) = link.and_then(|(_, address)| lock(address)) {
            self.answer.replace_link(needed, page, *market);
        }
        if lock(&self.path).is_some() {
            return Self { path: page.path.clone(), page_shows_result: false, ..self };
        }
        self
    }
}

fn result_path(operation: &Operation, action: &ActionSpec, rows: &PageRows) -> String {
    let path = rows.rows.first().and_then(|row| fill_address(&action.then, row));
    path.unwrap_or_else(|| operation.name.split('/').next().unwrap_or_default().to_owned())
}
