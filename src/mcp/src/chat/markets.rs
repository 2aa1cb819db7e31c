//! Selection of the markets of a call: the market of each ticker, or else the market that the call names.

use super::arguments::ChatArguments;
use super::tool::ChatTool;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Market, truncate_for_message};
use parquote_engine::Snapshot;

/// A market with its requested tickers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestedMarket {
    pub market: Market,
    /// Tickers of the market; empty if the call names none.
    pub tickers: Vec<String>,
}

/// Returns the markets of a call, India first. If the call names no ticker, a tool without a market parameter uses both. The error for a
/// ticker that is in no market has the nearest tickers of both.
pub(super) fn markets_of(
    tool: &ChatTool,
    arguments: &ChatArguments,
    snapshot: &Snapshot,
) -> Result<Vec<RequestedMarket>, ClientError> {
    let named_market = arguments.market(tool);
    let mut markets: Vec<RequestedMarket> = Vec::new();
    let mut violations = Vec::new();
    for (param, ticker) in arguments.tickers(tool) {
        let has = |market: &Market| snapshot.has_symbol(*market, ticker) == Some(true);
        // A former ticker is answered by the current one, with a note.
        let had_formerly = |market: &Market| snapshot.present_symbol(*market, ticker).is_some();
        // A ticker of both markets belongs to the named market.
        let candidates = || named_market.into_iter().chain(Market::ALL);
        match candidates().find(has).or_else(|| candidates().find(had_formerly)) {
            Some(market) => match markets.iter_mut().find(|other| other.market == market) {
                Some(requested) if requested.tickers.iter().any(|other| other == ticker) => {}
                Some(requested) => requested.tickers.push(ticker.to_owned()),
                None => markets.push(RequestedMarket { market, tickers: vec![ticker.to_owned()] }),
            },
            None => violations.push((param.to_owned(), unknown_ticker(param, ticker, snapshot))),
        }
    }
    if !violations.is_empty() {
        return Err(ClientError::invalid(ErrorKind::NotFound, violations));
    }
    if markets.is_empty() {
        let chosen = match (named_market, tool.market_param()) {
            (Some(market), _) => vec![market],
            (None, Some(_)) => vec![Market::India],
            (None, None) => Market::ALL.to_vec(),
        };
        markets = chosen.into_iter().map(|market| RequestedMarket { market, tickers: Vec::new() }).collect();
    }
    markets.sort_by_key(|requested| Market::ALL.iter().position(|market| *market == requested.market));
    Ok(markets)
}

fn unknown_ticker(param: &str, ticker: &str, snapshot: &Snapshot) -> String {
    /// Most companies with a similar name.
    const MOST_SHOWN: usize = 3;
    let symbols_in = |market: Market| {
        let likely = snapshot.likely_symbols(market, ticker);
        let spelt = || snapshot.near_companies(market, ticker, MOST_SHOWN).into_iter().map(|it| it.symbol);
        let symbols = if likely.is_empty() { spelt().collect() } else { likely };
        symbols.into_iter().map(move |symbol| format!("{symbol} ({market})")).collect::<Vec<_>>()
    };
    let near: Vec<String> = Market::ALL.into_iter().flat_map(symbols_in).collect();
    let hint = if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
    format!(
        "`{param}`: `{}` is a ticker of neither market{hint}; `find` looks up names",
        truncate_for_message(ticker)
    )
}
