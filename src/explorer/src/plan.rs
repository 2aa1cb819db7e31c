//! Which calls a page makes: its parts in their order, each with an operation and its arguments.

use std::sync::Arc;

use super::page_rows::PageRows;
use super::request::{PageRequest, REFRESH};
use super::spec::{Ask, Given, PartSpec, QueryUse};
use parquote_catalogue::operation::{Catalogue, Operation};

/// The most symbols that a part is asked for one by one.
pub(crate) const MOST_SYMBOLS: usize = 8;

/// The most lists that an operation takes.
const MOST_LISTS: usize = 8;

/// Parameters that say which part of all rows is meant.
pub const PARTED_BY: [&str; 3] = ["offset", "page", "limit"];

/// A call that a page makes.
#[derive(Debug, Clone)]
pub struct PartCall {
    /// Its place among the parts of the page.
    pub part: usize,
    /// The operation.
    pub operation: Arc<Operation>,
    /// Its arguments.
    pub pairs: Vec<(String, String)>,
}

/// The calls of a page. A part whose market, operation, symbols or needed arguments are missing makes none.
pub fn calls(catalogue: &Catalogue, request: &PageRequest) -> Vec<PartCall> {
    planned(catalogue, request, None)
}

/// The calls that ask about the rows that are shown, once these are there.
pub fn calls_about(catalogue: &Catalogue, request: &PageRequest, rows: &PageRows) -> Vec<PartCall> {
    planned(catalogue, request, Some(rows))
}

/// The calls of the parts that ask about rows, where these are given, else those of all others.
fn planned(catalogue: &Catalogue, request: &PageRequest, shown: Option<&PageRows>) -> Vec<PartCall> {
    let mut calls = Vec::new();
    // Without its name no list is asked for.
    if request.page.path == "list" && request.get("list").is_none() {
        return calls;
    }
    let is_about_rows = |part: &PartSpec| {
        let given = part.ask(request.market).into_iter().flat_map(|ask| ask.arguments);
        given.clone().any(|(_, given)| matches!(given, Given::Shown(_)))
    };
    let now = |(_, part): &(usize, &'static PartSpec)| is_about_rows(part) == shown.is_some();
    for (place, part) in request.page.parts.iter().enumerate().filter(now) {
        let Some((ask, operation)) = asked(catalogue, request, part) else { continue };
        let symbols: Vec<Option<&str>> = match ask.each {
            None => vec![None],
            Some(parameter) => {
                let listed = request.get(parameter).unwrap_or_default().split(',').map(str::trim);
                listed.filter(|symbol| !symbol.is_empty()).take(MOST_SYMBOLS).map(Some).collect()
            }
        };
        for symbol in symbols {
            let pairs = arguments(request, ask, (symbol, shown));
            let has = |name: &str| pairs.iter().any(|(known, _)| known == name);
            // Who keeps no lists is not told about them.
            if ask.arguments.iter().any(|(name, given)| matches!(given, Given::OwnLists) && !has(name)) {
                continue;
            }
            // What is asked for in the form below is not asked of the operation before it is there.
            if operation.params.iter().all(|param| !param.required() || has(&param.name)) {
                calls.push(PartCall { part: place, operation: Arc::clone(&operation), pairs });
            }
        }
    }
    calls
}

/// What a part asks on this page, and the operation.
pub(crate) fn asked(
    catalogue: &Catalogue,
    request: &PageRequest,
    part: &'static PartSpec,
) -> Option<(&'static Ask, Arc<Operation>)> {
    let ask = part.ask(request.market).filter(|_| part.is_wanted(|name| request.get(name).is_some()))?;
    Some((ask, Arc::clone(catalogue.operation(ask.operation)?)))
}

fn arguments(
    request: &PageRequest,
    ask: &Ask,
    (symbol, shown): (Option<&str>, Option<&PageRows>),
) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (name, given) in ask.arguments {
        let value = match given {
            Given::Fixed(value) => Some((*value).to_owned()),
            Given::Symbol => request.symbol.clone(),
            Given::Market => Some(request.market.word().to_owned()),
            Given::Query(parameter) => request.get(parameter).map(str::to_owned),
            Given::Chosen(choice) => {
                let asked = request.get(choice.name);
                let find = |asked: &str| choice.words.iter().find(|(word, _)| *word == asked);
                let known = asked.and_then(find).or_else(|| find(choice.default));
                known.map(|(_, value)| (*value).to_owned())
            }
            Given::Each => symbol.map(str::to_owned),
            Given::OwnLists => {
                let lists = request.own.iter().flat_map(|own| &own.lists);
                let names = lists.filter(|(_, symbols)| !symbols.is_empty()).map(|(name, _)| name.as_str());
                let names: Vec<&str> = names.take(MOST_LISTS).collect();
                (!names.is_empty()).then(|| names.join(","))
            }
            Given::Shown(column) => {
                shown.map(|rows| rows.texts(column).join(",")).filter(|list| !list.is_empty())
            }
        };
        pairs.extend(value.map(|value| ((*name).to_owned(), value)));
    }
    if ask.query != QueryUse::Nothing {
        let is_free = |name: &str| pairs.iter().all(|(known, _)| known != name) && !is_of_page(request, name);
        let rest: Vec<_> = request.pairs.iter().filter(|(name, _)| is_free(name)).cloned().collect();
        pairs.extend(rest);
    }
    pairs
}

/// Whether a parameter is one of the page itself, which its parts take under names of their own.
fn is_of_page(request: &PageRequest, name: &str) -> bool {
    if name == REFRESH {
        return true;
    }
    let asks = request.page.parts.iter().filter_map(|part| part.ask(request.market));
    asks.clone().any(|ask| ask.each == Some(name))
        || asks.flat_map(|ask| ask.arguments).any(|(_, given)| match given {
            Given::Query(parameter) => *parameter == name,
            Given::Chosen(choice) => choice.name == name,
            _ => false,
        })
}
