//! The operation `fast_scan_committee`. It reads figures from the snapshot and evaluates the gates of [`parquote_agents::committee`]. The
//! facts of a committee run come from the same rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use super::handler::{field, set_field};
use super::rounding::round_fractions;
use parquote_agents::committee::{FactValue, StockFacts, evaluate};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Catalogue, ColumnType, Market, Tier};
use parquote_engine::{AnswerRows, Snapshot};

/// Name of the operation that returns the figures of stocks.
const OPERATION: &str = "committee/fast-scan";

/// The operation `fast_scan_committee`.
pub(super) struct FastScanOperation;

#[async_trait]
impl Handler for FastScanOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let rows = call.rows(call.arguments).await?;
        let mut known = facts_by_symbol(&rows);
        let symbols = call.list("symbols");
        let mut scans = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            let facts = known.remove(symbol).unwrap_or_else(|| without_facts(symbol));
            let mut scan = round_fractions(&evaluate(&facts, call.market)).map_err(|error| {
                ClientError::from_cause(ErrorKind::Internal, "the server failed to write the answer", error)
            })?;
            if let Some(scan) = scan.as_object_mut() {
                for name in ["company_name", "ttm_period"] {
                    scan.insert(name.to_owned(), facts.get(name).json());
                }
            }
            split_gate_words(&mut scan);
            scans.push(scan);
        }
        let answer = json!({
            "market": call.market.word(),
            "as_of": call.snapshot.as_of(call.market).map(|date| date.to_string()),
            "count": scans.len(),
            "scans": scans,
        });
        Ok(call.ordered(answer))
    }
}

/// Moves the words of gates to fields of their own, so that each field of a gate has one type.
pub(super) fn split_gate_words(scan: &mut Json) {
    let lenses = scan.get_mut("lenses").and_then(Json::as_array_mut).into_iter().flatten();
    let gates =
        lenses.flat_map(|lens| lens.get_mut("gates").and_then(Json::as_array_mut).into_iter().flatten());
    for gate in gates {
        for (number, word) in [("value", "word"), ("threshold", "threshold_word")] {
            let value = field(gate, number);
            let is_word = value.is_string();
            set_field(gate, word, if is_word { value.clone() } else { Json::Null });
            set_field(gate, number, if is_word { Json::Null } else { value });
        }
    }
}

/// Returns the figures of one stock in a snapshot; `None` if the market does not have the stock.
///
/// # Errors
/// A message with the reason why the snapshot cannot answer.
pub(super) async fn facts_of(
    catalogue: &Catalogue,
    snapshot: &Arc<Snapshot>,
    market: Market,
    symbol: &str,
) -> Result<Option<StockFacts>, String> {
    let missing = || format!("the operation {OPERATION} is not there");
    let operation = catalogue.operation(OPERATION).ok_or_else(missing)?;
    let pairs = [("symbols", symbol), ("market", market.word())];
    let arguments = Arguments::parse(operation, Tier::ApiMax, pairs).map_err(|wrong| {
        wrong.into_iter().map(|violation| violation.message).collect::<Vec<_>>().join("; ")
    })?;
    let prepared =
        snapshot.prepared_operation(operation, operation.market_of(&arguments)).ok_or_else(missing)?;
    let rows = prepared.rows(&arguments, prepared.deadline()).await.map_err(|error| error.to_string())?;
    Ok(facts_by_symbol(&rows).remove(symbol))
}

/// Returns the figures of all stocks by symbol.
fn facts_by_symbol(rows: &AnswerRows) -> BTreeMap<String, StockFacts> {
    let symbols = rows.texts("symbol");
    let mut stocks: Vec<StockFacts> =
        symbols.iter().map(|symbol| without_facts(symbol.as_deref().unwrap_or_default())).collect();
    for column in rows.columns().iter().filter(|column| column.name != "symbol") {
        let cells: Vec<FactValue> = match column.ty {
            ColumnType::Text => rows
                .texts(&column.name)
                .into_iter()
                .map(|text| text.map_or(FactValue::Null, FactValue::Text))
                .collect(),
            _ => rows
                .numbers(&column.name)
                .into_iter()
                .map(|number| number.map_or(FactValue::Null, FactValue::Number))
                .collect(),
        };
        for (stock, cell) in stocks.iter_mut().zip(cells) {
            stock.fields.insert(column.name.clone(), cell);
        }
    }
    stocks.into_iter().map(|stock| (stock.symbol.clone(), stock)).collect()
}

fn without_facts(symbol: &str) -> StockFacts {
    StockFacts { symbol: symbol.to_owned(), fields: BTreeMap::new() }
}
