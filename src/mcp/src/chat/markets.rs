//! Selection of the market of a call: that of each ticker, or else the named one.

use super::asked::ChatArguments;
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
    asked: &ChatArguments,
    snapshot: &Snapshot,
) -> Result<Vec<RequestedMarket>, ClientError> {
    let named = asked.market(tool);
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
    Ok(markets)
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
