//! The rows of a page as files: what its first part asks, from the first row on, in a format for spreadsheets or programs: as many
//! as one call may have.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;

use super::page_route::{PageRoute, caller_of};
use super::reply::{self, Trail};
use parquote_call::{CallOptions, Caller, MeteredCall};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Market, Offer};
use parquote_engine::Encoded;
use parquote_explorer::plan::{self, PartCall};
use parquote_explorer::spec::{PageSpec, QueryUse};

/// Formats for spreadsheets and programs.
const FORMATS: &[AnswerFormat] = &[AnswerFormat::Csv, AnswerFormat::Xlsx, AnswerFormat::Arrow];

/// The formats in which a page hands out its rows; none where its first part is no list of the page's query.
pub(super) fn files(page: &PageSpec, market: Market) -> &'static [AnswerFormat] {
    let part = page.deciding_part(market).and_then(|place| page.parts.get(place));
    let Some(part) = part.filter(|_| !page.has_symbol()) else { return &[] };
    let takes_query = part.ask(market).is_some_and(|ask| ask.query == QueryUse::Rest && ask.each.is_none());
    if takes_query && PageSpec::has_whole_table(part) { FORMATS } else { &[] }
}

/// The file.
pub(super) async fn file(route: Arc<PageRoute>, format: AnswerFormat, request: Request) -> Response {
    let caller = match caller_of(request.extensions()) {
        Ok(caller) => caller,
        Err(refused) => return route.problem(&refused),
    };
    if caller.is_guest() {
        let words = "a guest reads pages; sign in with a key of this server to have their rows as a file";
        return route.problem(&ClientError::new(ErrorKind::Forbidden, words));
    }
    let asked = match route.asked(None, request.uri()) {
        Ok(asked) => asked,
        Err(refused) => return route.problem(&refused),
    };
    let part = route.page.deciding_part(route.market);
    let mut calls = plan::calls(route.state.service.catalogue(), &asked).into_iter();
    let Some(call) = calls.find(|call| Some(call.part) == part) else {
        let words = "something that the operation needs is missing; ask on the page first";
        return route.problem(&ClientError::new(ErrorKind::BadRequest, words));
    };
    match rows(&route, &caller, (call, format)).await {
        Ok(response) => response,
        Err(refused) => route.problem(&refused),
    }
}

async fn rows(
    route: &PageRoute,
    caller: &Caller,
    (call, format): (PartCall, AnswerFormat),
) -> Result<Response, ClientError> {
    let service = &route.state.service;
    let metered = service.enter(&call.operation, caller).await?;
    let answer = answer(route, &metered, &call, format).await;
    let counts = answer.as_ref().err().is_none_or(|refused| refused.kind.counts());
    let is_paid = counts && metered.costs();
    let allowance = if counts { metered.commit() } else { metered.refund() };
    let mut response = reply::attached(format, answer?, caller.tier());
    reply::allowance(response.headers_mut(), allowance);
    let name = format!("attachment; filename=\"{}-{}.{}\"", route.page.path, route.market, format.word());
    if let Ok(name) = HeaderValue::try_from(name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    if let Some(trail) = response.extensions_mut().get_mut::<Trail>() {
        trail.operation = Some(Arc::clone(&route.name));
        trail.is_paid = is_paid;
    }
    Ok(response)
}

async fn answer(
    route: &PageRoute,
    metered: &MeteredCall,
    call: &PartCall,
    format: AnswerFormat,
) -> Result<Encoded, ClientError> {
    let service = &route.state.service;
    let most = call.operation.most_rows(metered.tier()).map(|most| most.to_string());
    let is_own = |name: &str| name != "format" && !plan::PARTED_BY.contains(&name);
    let own = call.pairs.iter().filter(|(name, _)| is_own(name));
    let pairs = own.map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs = pairs.chain([("format", format.word())]).chain(most.as_deref().map(|most| ("limit", most)));
    let admitted = service.admit(metered, pairs, CallOptions::new(Offer::any(format))).await?;
    service.run(&admitted).await
}
