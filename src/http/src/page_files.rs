//! The answer of a page as a file for spreadsheets or programs: all rows of its list, or the whole object.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::response::Response;

use super::page_route::{PageRoute, caller_of};
use super::past_day;
use super::reply::{self, LogFields};
use parquote_call::{CallOptions, MeteredCall, Pin};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Market, Offer};
use parquote_engine::{EncodedAnswer, lacking_feature};
use parquote_explorer::plan::{self, PartCall};
use parquote_explorer::spec::PageSpec;

/// Formats of rows, for spreadsheets and programs.
const ROW_FORMATS: &[AnswerFormat] =
    &[AnswerFormat::Csv, AnswerFormat::Xlsx, AnswerFormat::Arrow, AnswerFormat::Json];

/// Formats of an object with lists.
const OBJECT_FORMATS: &[AnswerFormat] = &[AnswerFormat::Xlsx, AnswerFormat::Json];

/// Returns the file formats of a page that this build supports; none if its first part is neither a list from the page's query nor an
/// answer with files.
pub(super) fn files(page: &PageSpec, market: Market) -> impl Iterator<Item = AnswerFormat> {
    let part = page.deciding_part(market).and_then(|position| page.parts.get(position));
    let formats = match part.filter(|part| !page.has_symbol() && part.each.is_none()) {
        Some(part) if part.takes_query && part.has_whole_table() => ROW_FORMATS,
        Some(part) if part.has_answer_files() => OBJECT_FORMATS,
        _ => &[],
    };
    formats.iter().copied().filter(|format| lacking_feature(*format).is_none())
}

pub(super) async fn file(route: Arc<PageRoute>, format: AnswerFormat, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match file_reply(&route, &parts, format).await {
        Ok(response) => response,
        Err(refused) => route.error_page(&refused, parts.extensions.get(), &parts.headers),
    }
}

async fn file_reply(route: &PageRoute, parts: &Parts, format: AnswerFormat) -> Result<Response, ClientError> {
    let caller = &caller_of(&parts.extensions)?;
    if caller.is_guest() {
        let words = "a guest reads pages; sign in with a key of this server to have their rows as a file";
        return Err(ClientError::new(ErrorKind::Forbidden, words));
    }
    let requested = route.page_request(None, &parts.uri)?;
    let part = route.market_page.page.deciding_part(route.market_page.market);
    let mut calls = plan::calls(route.state.service.catalogue(), &requested).into_iter();
    let Some(call) = calls.find(|call| Some(call.part) == part) else {
        let words = "a required parameter is missing; fill in the form of the page first";
        return Err(ClientError::new(ErrorKind::BadRequest, words));
    };
    let day = past_day::chosen_day(&parts.headers).map(|day| day.to_string());
    let service = &route.state.service;
    let metered = service.enter(&call.operation, caller).await?;
    let answer = answer(route, &metered, &call, (format, day.as_deref())).await;
    let counts = answer.as_ref().err().is_none_or(|refused| refused.kind.counts());
    let is_paid = counts && metered.costs();
    let allowance = if counts { metered.commit() } else { metered.refund() };
    let mut response = reply::file_reply(format, answer?, caller.tier());
    reply::set_allowance_headers(response.headers_mut(), allowance);
    let stem = format!("{}-{}", route.market_page.page.path, route.market_page.market);
    reply::name_file(response.headers_mut(), &stem, format);
    if let Some(log_fields) = response.extensions_mut().get_mut::<LogFields>() {
        log_fields.operation = Some(Arc::clone(&route.market_page.page.name));
        log_fields.is_paid = is_paid;
    }
    Ok(response)
}

async fn answer(
    route: &PageRoute,
    metered: &MeteredCall,
    call: &PartCall,
    (format, day): (AnswerFormat, Option<&str>),
) -> Result<EncodedAnswer, ClientError> {
    let service = &route.state.service;
    let most = call.operation.most_rows(metered.tier()).map(|most| most.to_string());
    let is_argument = |name: &str| name != "format" && !plan::RANGE_PARAMS.contains(&name);
    let arguments = call.pairs.iter().filter(|(name, _)| is_argument(name));
    let pairs = arguments.map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs = pairs.chain([("format", format.word())]).chain(most.as_deref().map(|most| ("limit", most)));
    let is_whole = call.operation.most_file_rows(metered.tier()).is_none();
    let options =
        CallOptions { is_whole, pin: day.map(Pin::from_page), ..CallOptions::new(Offer::any(format)) };
    let admitted = service.admit(metered, pairs, options).await?;
    service.run(&admitted).await
}
