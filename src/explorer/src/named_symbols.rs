//! Names of companies in fields that take symbols: a name that certainly means one company is replaced by its symbol.

use super::suggestions::only_company;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Parameters of pages that take one symbol, or several with commas between them.
const FIELDS: [&str; 2] = ["symbol", "symbols"];

/// Replaces names of companies by symbols in the pairs of a query or form; `None` if nothing changes. A name that may mean several
/// companies, or none, stays.
pub fn with_symbols(
    snapshot: &Snapshot,
    market: Market,
    pairs: &[(String, String)],
) -> Option<Vec<(String, String)>> {
    let replaced: Vec<(String, String)> = pairs
        .iter()
        .map(|(name, value)| {
            let is_field = FIELDS.contains(&name.as_str());
            let value = if is_field { symbols(snapshot, market, value) } else { value.clone() };
            (name.clone(), value)
        })
        .collect();
    (replaced != pairs).then_some(replaced)
}

/// Returns a list with symbols in place of names and without empty items; unchanged if it has neither.
fn symbols(snapshot: &Snapshot, market: Market, list: &str) -> String {
    let symbol_of = |item: &str| {
        let is_unknown = snapshot.has_symbol(market, &item.to_uppercase()) == Some(false);
        is_unknown.then(|| only_company(snapshot, market, item)).flatten()
    };
    let items: Vec<&str> = list.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    // A chosen suggestion leaves a comma after it.
    let has_gap = items.len() < list.split(',').count();
    let symbols: Vec<Option<String>> = items.iter().map(|item| symbol_of(item)).collect();
    if symbols.iter().all(Option::is_none) && !has_gap {
        return list.to_owned();
    }
    let all = items.iter().zip(symbols).map(|(item, symbol)| symbol.unwrap_or_else(|| (*item).to_owned()));
    all.collect::<Vec<_>>().join(",")
}
