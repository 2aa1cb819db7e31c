//! Selection of the market of a call: that of each ticker, or else the named one.

use super::arguments::ChatArguments;
use super::tool::ChatTool;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Market, shown};
use parquote_engine::Snapshot;

/// A market with its requested tickers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestedMarket {
    pub market: Market,
    /// Empty if the call names no ticker.
    pub tickers: Vec<String>,
}

/// Returns the markets of a call, India first. A tool without a market parameter uses both if no ticker is named.
///
/// # Errors
/// A ticker is in no market; the message has the nearest ones of both.
pub(super) fn markets_of(
    tool: &ChatTool,
    arguments: &ChatArguments,
    snapshot: &Snapshot,
) -> Result<Vec<RequestedMarket>, ClientError> {
    let named = arguments.market(tool);
    let mut markets: Vec<RequestedMarket> = Vec::new();
    let mut violations = Vec::new();
    for (param, ticker) in arguments.tickers(tool) {
        let has = |market: &Market| snapshot.has_symbol(*market, ticker) == Some(true);
        // A former ticker gets the answer of the present one, with a note.
        let had = |market: &Market| snapshot.present_symbol(*market, ticker).is_some();
        // A ticker of both markets belongs to the named market.
        let known = || named.into_iter().chain(Market::ALL);
        match known().find(has).or_else(|| known().find(had)) {
            Some(market) => match markets.iter_mut().find(|known| known.market == market) {
                Some(known) if known.tickers.iter().any(|other| other == ticker) => {}
                Some(known) => known.tickers.push(ticker.to_owned()),
                None => markets.push(RequestedMarket { market, tickers: vec![ticker.to_owned()] }),
            },
            None => violations.push((param.to_owned(), unknown_ticker(param, ticker, snapshot))),
        }
    }
    if !violations.is_empty() {
        return Err(ClientError::invalid(ErrorKind::NotFound, violations));
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
    Ok(markets)
}

fn unknown_ticker(param: &str, ticker: &str, snapshot: &Snapshot) -> String {
    /// Most companies with a similar name.
    const MOST_SHOWN: usize = 3;
    let of_market = |market: Market| {
        let meant = snapshot.likely_symbols(market, ticker);
        let spelt = || snapshot.near_companies(market, ticker, MOST_SHOWN).into_iter().map(|it| it.symbol);
        let symbols = if meant.is_empty() { spelt().collect() } else { meant };
        symbols.into_iter().map(move |symbol| format!("{symbol} ({market})")).collect::<Vec<_>>()
    };
    let near: Vec<String> = Market::ALL.into_iter().flat_map(of_market).collect();
    let hint = if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
    format!("`{param}`: `{}` is a ticker of neither market{hint}; `find` looks up names", shown(ticker))
}
