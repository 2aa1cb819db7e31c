//! A page form that changes something: sent with POST from a page of this server, run as an operation, and answered with a redirect to the
//! result.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::page_form::PageForm;
use super::page_paths::way_back;
use super::page_reply;
use super::page_route::{PageRoute, caller_of};
use parquote_call::{CallOptions, Caller};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Offer, Operation};
use parquote_explorer::FormAnswer;
use parquote_explorer::page_rows::PageRows;
use parquote_explorer::places::filled;
use parquote_explorer::request::PageRequest;
use parquote_explorer::spec::ActionSpec;

/// Parameter that names the form of the page.
const OPERATION: &str = "operation";
/// Parameter with the path of the sending page, if that is another one.
const BACK: &str = "back";

/// Handles the form.
pub(super) async fn change(route: Arc<PageRoute>, request: Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return route.problem(&refused),
    };
    let form = PageForm::from_request(&request);
    let asked = match route.page_request(None, request.uri()) {
        Ok(asked) => asked,
        Err(refused) => return route.problem(&refused),
    };
    let sent = PageRequest::new(&route.place, None, form.pairs().iter().cloned());
    let sent = sent.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let named = asked.get(OPERATION).map(|operation| (OPERATION, operation));
    let pairs: Vec<(&str, &str)> = named.into_iter().chain(sent).collect();
    match done(&route, &caller, &pairs).await {
        Ok((path, told)) => {
            let back = asked.get(BACK).and_then(way_back).map(str::to_owned);
            let next = back.unwrap_or_else(|| asked.elsewhere(&path));
            if let Some(told) = told {
                route.state.told.keep(&caller.owner().name, &next, told);
            }
            page_reply::see_other(&next)
        }
        Err(refused) => route.unchanged(&caller, &asked, &refused).await,
    }
}

/// Calls the operation of the form; returns the path of its result, and the answer if that path does not show it.
async fn done(
    route: &PageRoute,
    caller: &Caller,
    pairs: &[(&str, &str)],
) -> Result<(String, Option<FormAnswer>), ClientError> {
    let service = &route.state.service;
    let named = pairs.iter().find(|(name, _)| *name == OPERATION).map(|(_, value)| *value);
    let action: Option<&ActionSpec> =
        route.place.page.actions().find(|action| Some(action.operation.as_str()) == named);
    let operation = action.and_then(|action| service.catalogue().operation(&action.operation));
    let (Some(action), Some(operation)) = (action, operation) else {
        return Err(ClientError::new(ErrorKind::BadRequest, "this page has no such form"));
    };
    let metered = service.enter(operation, caller).await?;
    let own = pairs.iter().copied().filter(|(name, value)| *name != OPERATION && !value.is_empty());
    let market = operation.chooses_market().then(|| ("market", route.place.market.word()));
    let answer: Result<PageRows, ClientError> = async {
        let call = service.admit(&metered, own.chain(market), CallOptions::new(Offer::ENVELOPED)).await?;
        Ok(PageRows::read(&service.run(&call).await?, &call.columns(), None))
    }
    .await;
    let counts = answer.as_ref().err().is_none_or(|refused| refused.kind.counts());
    let _ = if counts { metered.commit() } else { metered.refund() };
    let rows = answer?;
    let path = where_to(operation, action, &rows);
    let is_shown_there = action.then.contains('{');
    Ok((path, (!is_shown_there).then_some(FormAnswer { label: action.label.clone(), rows })))
}

fn where_to(operation: &Operation, action: &ActionSpec, rows: &PageRows) -> String {
    let path = rows.rows.first().and_then(|row| filled(&action.then, row));
    path.unwrap_or_else(|| operation.name.split('/').next().unwrap_or_default().to_owned())
}
