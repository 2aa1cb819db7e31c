//! Selection of the market of a call: that of each ticker, or else the named one.

use std::collections::BTreeSet;

use super::asked::ChatArguments;
use super::tool::ChatTool;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Catalogue, Market, shown};
use parquote_engine::Snapshot;
use parquote_engine::caller_select::named_tables;

/// The parameter with a SELECT.
const SQL: &str = "sql";

/// A market with its requested tickers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestedMarket {
    pub market: Market,
    /// Empty if the call names no ticker.
    pub tickers: Vec<String>,
}

/// Returns the markets of a call, India first. A tool without a market parameter uses both if no ticker is named. A SELECT is of the market
/// of its tables.
///
/// # Errors
/// A ticker that is in no market, with the nearest ones of both; a parameter that only answers in another market.
pub(super) fn markets_of(
    tool: &ChatTool,
    asked: &ChatArguments,
    snapshot: &Snapshot,
    catalogue: &Catalogue,
) -> Result<Vec<RequestedMarket>, ClientError> {
    let named =
        asked.value(SQL).and_then(|sql| market_of_tables(sql, catalogue)).or_else(|| asked.market(tool));
    let mut markets: Vec<RequestedMarket> = Vec::new();
    let mut violations = Vec::new();
    for (param, ticker) in asked.tickers(tool) {
        let has = |market: &Market| snapshot.has_symbol(*market, ticker) == Some(true);
        // A ticker of both markets belongs to the named market.
        match named.into_iter().chain(Market::ALL).find(has) {
            Some(market) => match markets.iter_mut().find(|known| known.market == market) {
                Some(known) if known.tickers.iter().any(|other| other == ticker) => {}
                Some(known) => known.tickers.push(ticker.to_owned()),
                None => markets.push(RequestedMarket { market, tickers: vec![ticker.to_owned()] }),
            },
            None => violations.push((param.to_owned(), unknown(param, ticker, snapshot))),
        }
    }
    if !violations.is_empty() {
        let messages: Vec<&str> = violations.iter().map(|(_, message)| message.as_str()).collect();
        let error = ClientError::new(ErrorKind::NotFound, messages.join("; "));
        return Err(ClientError { violations, ..error });
    }
    if markets.is_empty() {
        let chosen = match (named, tool.market_param()) {
            (Some(market), _) => vec![market],
            (None, Some(_)) => vec![Market::India],
            (None, None) => Market::ALL.to_vec(),
        };
        markets = chosen.into_iter().map(|market| RequestedMarket { market, tickers: Vec::new() }).collect();
    }
    markets.sort_by_key(|known| Market::ALL.iter().position(|market| *market == known.market));
    check_given(asked, tool, &markets)?;
    Ok(markets)
}

/// Refuses a parameter that answers in another market than the requested ones: dropped, the answer would be that of another question.
fn check_given(
    asked: &ChatArguments,
    tool: &ChatTool,
    markets: &[RequestedMarket],
) -> Result<(), ClientError> {
    for name in asked.given() {
        let Some(other) = Market::ALL.into_iter().find(|market| tool.takes(*market, name)) else { continue };
        if !markets.iter().any(|of| tool.takes(of.market, name)) {
            let here = markets.iter().map(|of| of.market.word()).collect::<Vec<_>>().join(" and ");
            let message =
                format!("`{name}`: {} knows it in {other} alone, not in {here}; leave it out", tool.name);
            let error = ClientError::new(ErrorKind::BadRequest, message.clone());
            return Err(ClientError { violations: vec![(name.clone(), message)], ..error });
        }
    }
    Ok(())
}

/// Returns the one market whose tables a SELECT names with their schema, as in `us.stocks`.
fn market_of_tables(sql: &str, catalogue: &Catalogue) -> Option<Market> {
    // Read as of either market, a table with a schema is of the same one.
    let named = |market| -> BTreeSet<(Market, String)> { named_tables(sql, market).into_iter().collect() };
    let (india, us) = (named(Market::India), named(Market::Us));
    let mut tables =
        india.intersection(&us).filter(|(market, name)| catalogue.table(*market, name).is_some());
    let (first, _) = tables.next()?;
    tables.all(|(market, _)| market == first).then_some(*first).filter(|_| india == us)
}

fn unknown(param: &str, ticker: &str, snapshot: &Snapshot) -> String {
    let near: Vec<String> = Market::ALL
        .into_iter()
        .flat_map(|market| {
            snapshot.meant(market, ticker).into_iter().map(move |symbol| format!("{symbol} ({market})"))
        })
        .collect();
    let hint = if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
    format!("`{param}`: `{}` is a ticker of neither market{hint}; `find` looks up names", shown(ticker))
}
