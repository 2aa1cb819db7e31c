//! Calls of a page: its parts in order, each with an operation and its arguments.

use std::sync::Arc;

use super::page_rows::PageRows;
use super::request::{PageRequest, REFRESH};
use super::spec::{Argument, CallSpec, PartSpec};
use parquote_catalogue::operation::{Catalogue, Operation};

/// Maximum number of symbols for which a part is called one by one.
pub(crate) const MOST_SYMBOLS: usize = 8;

/// Maximum number of watchlists that an operation takes.
const MOST_LISTS: usize = 8;

/// Parameters that select a range of all rows.
pub const PARTED_BY: [&str; 3] = ["offset", "page", "limit"];

/// A call that a page makes.
#[derive(Debug, Clone)]
pub struct PartCall {
    /// Index of the part on the page.
    pub part: usize,
    /// Operation.
    pub operation: Arc<Operation>,
    /// Arguments.
    pub pairs: Vec<(String, String)>,
}

/// Returns the calls of a page. A part without a market, operation, symbols or required arguments makes none.
pub fn calls(catalogue: &Catalogue, request: &PageRequest) -> Vec<PartCall> {
    planned(catalogue, request, None)
}

/// Returns the calls about the rows shown, once these are known.
pub fn calls_about(catalogue: &Catalogue, request: &PageRequest, rows: &PageRows) -> Vec<PartCall> {
    planned(catalogue, request, Some(rows))
}

/// Returns the calls of the parts about rows if rows are given, else those of all others.
fn planned(catalogue: &Catalogue, request: &PageRequest, shown: Option<&PageRows>) -> Vec<PartCall> {
    let mut calls = Vec::new();
    // A list page without a name makes no calls.
    if request.page.path == "list" && request.get("list").is_none() {
        return calls;
    }
    let is_about_rows = |part: &PartSpec| {
        let arguments = part.call(request.market).into_iter().flat_map(|call| &call.arguments);
        arguments.clone().any(|(_, argument)| matches!(argument, Argument::Shown(_)))
    };
    let now = |(_, part): &(usize, &PartSpec)| is_about_rows(part) == shown.is_some();
    for (place, part) in request.page.parts.iter().enumerate().filter(now) {
        let Some((call, operation)) = call_of(catalogue, request, part) else { continue };
        let symbols: Vec<Option<&str>> = match part.each.as_deref() {
            None => vec![None],
            Some(parameter) => {
                let listed = request.get(parameter).unwrap_or_default().split(',').map(str::trim);
                listed.filter(|symbol| !symbol.is_empty()).take(MOST_SYMBOLS).map(Some).collect()
            }
        };
        for symbol in symbols {
            let pairs = arguments(request, part, call, symbol, shown);
            let has = |name: &str| pairs.iter().any(|(known, _)| known == name);
            // Readers without watchlists do not see parts about them.
            if call.arguments.iter().any(|(name, argument)| *argument == Argument::Watchlists && !has(name)) {
                continue;
            }
            // A required argument missing here is entered in the form below; until then the operation is not called.
            if operation.params.iter().all(|param| !param.required() || has(&param.name)) {
                calls.push(PartCall { part: place, operation: Arc::clone(&operation), pairs });
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
    let call = part.call(request.market).filter(|_| part.is_wanted(|name| request.get(name).is_some()))?;
    Some((call, Arc::clone(catalogue.operation(&call.operation)?)))
}

fn arguments(
    request: &PageRequest,
    part: &PartSpec,
    call: &CallSpec,
    symbol: Option<&str>,
    shown: Option<&PageRows>,
) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (name, argument) in &call.arguments {
        let value = match argument {
            Argument::Fixed(value) => Some(value.clone()),
            Argument::Symbol => request.symbol.clone(),
            Argument::Market => Some(request.market.word().to_owned()),
            Argument::Query(parameter) => request.get(parameter).map(str::to_owned),
            Argument::Choice(name) => request.page.choice(name).and_then(|choice| {
                let find = |word: &str| choice.words.iter().find(|(known, _)| known == word);
                let chosen = request.get(choice.parameter()).and_then(find).or_else(|| find(&choice.default));
                chosen.map(|(_, value)| value.clone())
            }),
            Argument::Each => symbol.map(str::to_owned),
            Argument::Watchlists => {
                let lists = request.own.iter().flat_map(|own| &own.lists);
                let names = lists.filter(|(_, symbols)| !symbols.is_empty()).map(|(name, _)| name.as_str());
                let names: Vec<&str> = names.take(MOST_LISTS).collect();
                (!names.is_empty()).then(|| names.join(","))
            }
            Argument::Shown(column) => {
                shown.map(|rows| rows.texts(column).join(",")).filter(|list| !list.is_empty())
            }
        };
        pairs.extend(value.map(|value| (name.clone(), value)));
    }
    if part.takes_query {
        let is_free = |name: &str| pairs.iter().all(|(known, _)| known != name) && !is_of_page(request, name);
        let rest: Vec<_> = request.pairs.iter().filter(|(name, _)| is_free(name)).cloned().collect();
        pairs.extend(rest);
    }
    pairs
}

/// Returns true if a parameter belongs to the page itself; its parts take it under other names.
fn is_of_page(request: &PageRequest, name: &str) -> bool {
    if name == REFRESH {
        return true;
    }
    let is_taken = |argument: &Argument| match argument {
        Argument::Query(parameter) => parameter == name,
        Argument::Choice(choice) => {
            request.page.choice(choice).is_some_and(|choice| choice.parameter() == name)
        }
        _ => false,
    };
    let calls = request.page.parts.iter().filter_map(|part| Some((part, part.call(request.market)?)));
    calls.into_iter().any(|(part, call)| {
        part.each.as_deref() == Some(name) || call.arguments.iter().any(|(_, argument)| is_taken(argument))
    })
}
