//! Calls of a page: its parts in order, each with an operation and its arguments.

use std::sync::Arc;

use super::page_rows::{PageRows, PartOutcome};
use super::request::PageRequest;
use super::row_order::{DEFAULT_ROWS, RowOrder, add_named_column};
use super::spec::{Argument, CallSpec, ORDER, PartSpec, REFRESH};
use super::stock_tables::CHARTS_SHOWN;
use parquote_catalogue::operation::{Catalogue, Operation};
use parquote_handlers::FORMULAS;

/// Maximum number of symbols for which a part is called one by one.
pub(crate) const MOST_SYMBOLS: usize = 8;

/// Maximum number of watchlists that an operation takes.
const MOST_LISTS: usize = 8;

/// Parameters that select a range of all rows.
pub const RANGE_PARAMS: [&str; 3] = ["offset", "page", "limit"];

/// A call that a page makes.
#[derive(Debug, Clone)]
pub struct PartCall {
    /// Index of the part on the page.
    pub part: usize,
    /// Operation to call.
    pub operation: Arc<Operation>,
    /// Arguments, by name.
    pub pairs: Vec<(String, String)>,
    /// Order and range of the rows that the page shows, if the call asks for all rows.
    pub order: Option<RowOrder>,
}

/// Returns true if a call about the stock of the page has rows. The page is then no 404, even if its deciding part has no data.
pub fn has_rows_of_stock(request: &PageRequest, calls: &[(PartCall, PartOutcome)]) -> bool {
    let is_of_stock =
        |(name, value): &(String, String)| name == "symbol" && request.symbol.as_ref() == Some(value);
    let has_rows =
        |outcome: &PartOutcome| matches!(outcome, PartOutcome::Answered(rows) if !rows.rows.is_empty());
    calls.iter().any(|(call, outcome)| has_rows(outcome) && call.pairs.iter().any(is_of_stock))
}

/// Returns the calls of a page. A part without a market, operation, symbols or required arguments makes none.
pub fn calls(catalogue: &Catalogue, request: &PageRequest) -> Vec<PartCall> {
    plan_calls(catalogue, request, None)
}

/// Returns the calls whose arguments come from `rows`, the rows of the page's deciding part.
pub fn calls_about(catalogue: &Catalogue, request: &PageRequest, rows: &PageRows) -> Vec<PartCall> {
    plan_calls(catalogue, request, Some(rows))
}

/// Returns the calls of the parts about rows if `rows` is set, else those of all other parts.
fn plan_calls(catalogue: &Catalogue, request: &PageRequest, rows: Option<&PageRows>) -> Vec<PartCall> {
    let mut calls = Vec::new();
    // A list page without a name makes no calls.
    if request.page.path == "list" && request.get("list").is_none() {
        return calls;
    }
    let is_about_rows = |part: &PartSpec| {
        let arguments = part.call(request.market).into_iter().flat_map(|call| &call.arguments);
        arguments.clone().any(|(_, argument)| matches!(argument, Argument::Shown(_)))
    };
    let is_due = |(_, part): &(usize, &PartSpec)| is_about_rows(part) == rows.is_some();
    for (position, part) in request.page.parts.iter().enumerate().filter(is_due) {
        let Some((call, operation)) = call_of(catalogue, request, part) else { continue };
        let symbols: Vec<Option<&str>> = match part.each.as_deref() {
            None => vec![None],
            Some(parameter) => request.list(parameter).take(MOST_SYMBOLS).map(Some).collect(),
        };
        for symbol in symbols {
            let mut pairs = arguments(request, part, call, symbol, rows);
            let has = |name: &str| pairs.iter().any(|(known, _)| known == name);
            // Readers without watchlists or screens do not see parts about them.
            let is_saved = |argument: &Argument| matches!(argument, Argument::Watchlists | Argument::Screens);
            if call.arguments.iter().any(|(name, argument)| is_saved(argument) && !has(name)) {
                continue;
            }
            // Without a required argument, the operation is called only after the reader has entered it in the form.
            if operation.params.iter().all(|param| !param.is_required() || has(&param.name)) {
                let order = RowOrder::take_from(request, part, &operation, &mut pairs);
                calls.push(PartCall { part: position, operation: Arc::clone(&operation), pairs, order });
            }
        }
    }
    calls
}

/// Returns the call of a part on this page, and its operation.
pub(crate) fn call_of<'a>(
    catalogue: &Catalogue,
    request: &PageRequest,
    part: &'a PartSpec,
) -> Option<(&'a CallSpec, Arc<Operation>)> {
    let is_wanted = part.is_wanted(|name| request.get(name).is_some());
    let is_called = is_wanted && (request.reader.saved.is_some() || !part.is_of_reader);
    let call = part.call(request.market).filter(|_| is_called)?;
    Some((call, Arc::clone(catalogue.operation(&call.operation)?)))
}

fn arguments(
    request: &PageRequest,
    part: &PartSpec,
    call: &CallSpec,
    symbol: Option<&str>,
    rows: Option<&PageRows>,
) -> Vec<(String, String)> {
    let value = |argument| argument_value(request, argument, symbol, rows);
    let declared =
        call.arguments.iter().filter_map(|(name, argument)| Some((name.clone(), value(argument)?)));
    let mut pairs: Vec<(String, String)> = declared.collect();
    if part.takes_query {
        let is_free = |name: &str| pairs.iter().all(|(known, _)| known != name) && !is_of_page(request, name);
        let query_pairs: Vec<_> = request.pairs.iter().filter(|(name, _)| is_free(name)).cloned().collect();
        pairs.extend(query_pairs);
        for formula in FORMULAS.into_iter().filter(|name| request.get(name).is_some()) {
            add_named_column(&mut pairs, formula);
        }
    }
    if request.shows_charts(part) {
        pairs.retain(|(name, _)| name != "limit");
        pairs.push(("limit".to_owned(), CHARTS_SHOWN.to_owned()));
    }
    pairs
}

/// Returns the value of an argument in a call for `symbol`; `None` if its source has none.
fn argument_value(
    request: &PageRequest,
    argument: &Argument,
    symbol: Option<&str>,
    rows: Option<&PageRows>,
) -> Option<String> {
    let join = |values: Vec<String>| (!values.is_empty()).then(|| values.join(","));
    match argument {
        Argument::Fixed(value) => Some(value.clone()),
        Argument::Symbol => request.symbol.clone(),
        Argument::Market => Some(request.market.word().to_owned()),
        Argument::Query(parameter) => request.get(parameter).map(str::to_owned),
        Argument::First(parameter) => request.list(parameter).next().map(str::to_owned),
        Argument::Choice(name) => {
            let choice = request.page.choice(name)?;
            choice.chosen_word(request.get(choice.parameter())).map(|(_, value)| value.clone())
        }
        Argument::Each => symbol.map(str::to_owned),
        Argument::Watchlists => {
            let lists = request.reader.saved.iter().flat_map(|saved| &saved.lists);
            let names = lists.filter(|(_, symbols)| !symbols.is_empty()).map(|(name, _)| name.clone());
            join(names.take(MOST_LISTS).collect())
        }
        Argument::Screens => {
            request.reader.saved.as_ref().filter(|saved| !saved.screens.is_empty()).map(|_| "true".to_owned())
        }
        Argument::Shown(column) => {
            // Of a page with more rows, only the first 50 are passed on.
            join(rows?.texts(column).into_iter().take(DEFAULT_ROWS).map(str::to_owned).collect())
        }
        Argument::Joined(sources) => {
            join(sources.iter().filter_map(|one| argument_value(request, one, symbol, rows)).collect())
        }
    }
}

/// Returns true for a parameter of the page itself, which its parts take under other names.
fn is_of_page(request: &PageRequest, name: &str) -> bool {
    if [REFRESH, ORDER].contains(&name) {
        return true;
    }
    let is_taken = |argument: &Argument| match argument {
        Argument::Choice(choice) => {
            request.page.choice(choice).is_some_and(|choice| choice.parameter() == name)
        }
        _ => argument.query() == Some(name),
    };
    let calls = request.page.parts.iter().filter_map(|part| Some((part, part.call(request.market)?)));
    calls.into_iter().any(|(part, call)| {
        part.each.as_deref() == Some(name) || call.arguments.iter().any(|(_, argument)| is_taken(argument))
    })
}
