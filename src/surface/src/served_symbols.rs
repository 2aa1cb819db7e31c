//! Example symbols of the served data. Those of the declarations are of the demo market, which other data lacks.

use std::borrow::Cow;

use parquote_catalogue::operation::Operation;
use parquote_engine::{FREE_SYMBOLS, Snapshot};

/// Number of companies among which symbols are looked for, if the data has no list for free keys.
const MOST_COMPANIES: usize = 100;

/// Returns an operation with symbols of the snapshot in place of examples that it lacks.
pub fn with_served_symbols<'a>(operation: &'a Operation, snapshot: &Snapshot) -> Cow<'a, Operation> {
    let mut served = Cow::Borrowed(operation);
    let is_lost = |symbol: &str| snapshot.has_symbol(operation.market, symbol) == Some(false);
    for (position, param) in operation.params.iter().enumerate() {
        let Some(example) = param.example.as_ref().filter(|_| param.is_symbol() || param.is_symbols()) else {
            continue;
        };
        if !example.split(',').any(is_lost) {
            continue;
        }
        let symbols = symbols_with_rows(operation, snapshot, example.split(',').count());
        if let Some(param) = served.to_mut().params.get_mut(position) {
            param.example = Some(symbols.join(",")).filter(|symbols| !symbols.is_empty());
        }
    }
    served
}

/// Returns the first symbols, those that have rows in all tables of the operation before others.
fn symbols_with_rows(operation: &Operation, snapshot: &Snapshot, count: usize) -> Vec<String> {
    let market = operation.market;
    let mut symbols = snapshot.values(market, FREE_SYMBOLS);
    symbols.retain(|symbol| snapshot.has_symbol(market, symbol) == Some(true));
    if symbols.len() < count {
        symbols = snapshot.values_with_prefix(market, "companies", "", MOST_COMPANIES).0;
    }
    let prepared = snapshot.prepared_operation(operation, market);
    let lacks_rows = |symbol: &str| {
        prepared.is_some_and(|prepared| prepared.row_age_for(&[symbol]).other_stocks_message().is_some())
    };
    symbols.sort_by_cached_key(|symbol| lacks_rows(symbol));
    symbols.truncate(count);
    symbols
}
