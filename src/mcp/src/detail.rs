//! The short form of two answers about many stocks at once. Models get it unless they request `detail=full`, which has every figure of
//! REST. It omits fields, and computes nothing but one mean.

use serde_json::{Map, Value as Json, json};

use super::refused;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Operation, ShortForm, argument_text, truncate_for_message};

/// Argument that selects one of the two forms.
pub(super) const DETAIL: &str = "detail";

const SHORT: &str = "short";
const FULL: &str = "full";
/// Number of pairs of stocks in the short form of a risk audit.
const MOST_PAIRS: usize = 10;

/// Form in which an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Detail {
    short_form: ShortForm,
    is_full: bool,
}

/// Returns the schema of the argument `detail`, if the operation has a short form.
pub(super) fn schema(operation: &Operation) -> Option<Json> {
    let words = match operation.short_form? {
        ShortForm::Gates => "short: signal, votes and the gates that fail; full: each gate with its figures.",
        ShortForm::Correlations => {
            "short: the 10 highest correlations and the mean of all; full: all, a row a symbol with those before it."
        }
    };
    Some(json!({"type": "string", "enum": [SHORT, FULL], "default": SHORT, "description": words}))
}

impl Detail {
    /// Parses the argument; an error for another word than the two forms. `None` for an operation whose answer has one form.
    pub(super) fn read(
        operation: &Operation,
        arguments: &Map<String, Json>,
    ) -> Result<Option<Self>, ClientError> {
        let Some(short_form) = operation.short_form else { return Ok(None) };
        let requested = arguments.get(DETAIL).map(argument_text).unwrap_or_default().trim().to_lowercase();
        match requested.as_str() {
            "" | SHORT => Ok(Some(Self { short_form, is_full: false })),
            FULL => Ok(Some(Self { short_form, is_full: true })),
            other => {
                let message =
                    format!("`{DETAIL}`: `{}` is neither {SHORT} nor {FULL}", truncate_for_message(other));
                Err(refused::invalid_argument(DETAIL, message))
            }
        }
    }

    /// Converts the data of an answer to this form.
    pub(super) fn apply(self, data: &mut Json) {
        let Some(fields) = data.as_object_mut() else { return };
        match (self.short_form, self.is_full) {
            (ShortForm::Gates, true) => {}
            (ShortForm::Gates, false) => {
                let scans = fields.get_mut("scans").and_then(Json::as_array_mut);
                scans.into_iter().flatten().for_each(short_scan);
            }
            (ShortForm::Correlations, is_full) => {
                let Some(pairs) = fields.get("correlations").and_then(Json::as_array) else { return };
                let (pairs, symbols) = (pairs.clone(), symbols(fields.get("stocks")));
                if is_full {
                    fields.insert("correlations".to_owned(), triangle(&symbols, &pairs));
                } else {
                    fields.insert("correlation_pairs".to_owned(), pairs.len().into());
                    fields.insert("mean_correlation".to_owned(), mean(&pairs));
                    let highest = pairs.into_iter().take(MOST_PAIRS).collect();
                    fields.insert("correlations".to_owned(), Json::Array(highest));
                }
            }
        }
    }
}

/// Replaces the lenses of a scan by their votes and their failing gates, both by the name of the lens.
fn short_scan(scan: &mut Json) {
    let Some(scan) = scan.as_object_mut() else { return };
    let Some(Json::Array(lenses)) = scan.remove("lenses") else { return };
    let (mut votes, mut failed) = (Map::new(), Map::new());
    for lens in &lenses {
        let name = lens.get("name").and_then(Json::as_str).unwrap_or_default();
        votes.insert(name.to_owned(), lens.get("vote").cloned().unwrap_or_default());
        let gates = lens.get("gates").and_then(Json::as_array).into_iter().flatten();
        let fails = gates.filter(|gate| gate.get("pass") == Some(&Json::Bool(false)));
        let names: Vec<Json> = fails.filter_map(|gate| gate.get("name").cloned()).collect();
        if !names.is_empty() {
            failed.insert(name.to_owned(), names.into());
        }
    }
    scan.insert("votes".to_owned(), votes.into());
    scan.insert("failed_gates".to_owned(), failed.into());
}

fn symbols(stocks: Option<&Json>) -> Vec<String> {
    let stocks = stocks.and_then(Json::as_array).into_iter().flatten();
    stocks.filter_map(|stock| Some(stock.get("symbol")?.as_str()?.to_owned())).collect()
}

/// Returns one row per symbol: the correlations of a symbol with the symbols before it, in their order.
fn triangle(symbols: &[String], pairs: &[Json]) -> Json {
    let symbol_of =
        |pair: &Json, name: &str| pair.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut correlations: Map<String, Json> = Map::new();
    for pair in pairs {
        let (a, b, figure) = (symbol_of(pair, "a"), symbol_of(pair, "b"), pair.get("correlation").cloned());
        correlations.insert(format!("{b} {a}"), figure.clone().unwrap_or_default());
        correlations.insert(format!("{a} {b}"), figure.unwrap_or_default());
    }
    let row = |(position, symbol): (usize, &String)| {
        let others = symbols.iter().take(position);
        let figures =
            others.map(|other| correlations.get(&format!("{other} {symbol}")).cloned().unwrap_or_default());
        json!({"symbol": symbol, "with_those_before": figures.collect::<Vec<Json>>()})
    };
    symbols.iter().enumerate().map(row).collect::<Vec<Json>>().into()
}

fn mean(pairs: &[Json]) -> Json {
    let figures: Vec<f64> = pairs.iter().filter_map(|pair| pair.get("correlation")?.as_f64()).collect();
    if figures.is_empty() {
        return Json::Null;
    }
    let mean = figures.iter().sum::<f64>() / figures.len() as f64;
    ((mean * 1e4).round() / 1e4).into()
}

#[cfg(test)]
mod tests {
    use parquote_catalogue::operation::Catalogue;

    use super::*;

    fn read(operation: &str, arguments: &Json) -> Result<Option<Detail>, ClientError> {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        Detail::read(catalogue.operation(operation).unwrap(), arguments.as_object().unwrap())
    }

    fn formed(operation: &str, detail: &str, mut data: Json) -> Json {
        read(operation, &json!({"detail": detail})).unwrap().unwrap().apply(&mut data);
        data
    }

    #[test]
    fn a_scan_keeps_the_votes_and_the_gates_that_fail() {
        let gates = json!([{"name": "roe", "pass": true}, {"name": "de", "pass": false}]);
        let data = json!({"count": 1, "scans": [{"symbol": "A", "committee_signal": "BUY", "lenses": [
            {"name": "value", "vote": "BUY", "gates": gates}, {"name": "growth", "vote": "BUY", "gates": []}
        ]}]});
        let short = json!({"symbol": "A", "committee_signal": "BUY",
            "votes": {"value": "BUY", "growth": "BUY"}, "failed_gates": {"value": ["de"]}});
        assert_eq!(formed("committee/fast-scan", "", data.clone())["scans"], json!([short]));
        assert_eq!(formed("committee/fast-scan", "full", data.clone()), data);
        let error = read("committee/fast-scan", &json!({"detail": "long"}));
        assert!(error.unwrap_err().message.contains("neither short nor full"));
        assert_eq!(read("companies", &json!({})).unwrap(), None);
    }

    #[test]
    fn correlations_are_the_highest_and_their_mean_or_a_triangle() {
        let names = ["A", "B", "C", "D", "E", "F"];
        let stocks: Vec<Json> = names.iter().map(|name| json!({"symbol": name})).collect();
        let all =
            names.iter().enumerate().flat_map(|(position, a)| names[..position].iter().map(move |b| (a, b)));
        let pairs: Vec<Json> = all
            .enumerate()
            .map(|(position, (a, b))| json!({"a": a, "b": b, "correlation": 1.0 - position as f64 / 20.0}))
            .collect();
        let data = json!({"stocks": stocks, "correlations": pairs});
        let short = formed("committee/risk-audit/compute", "short", data.clone());
        assert_eq!(short["correlations"], json!(pairs[..10]));
        // The mean of 1.00, 0.95 ... 0.30.
        assert_eq!((&short["correlation_pairs"], &short["mean_correlation"]), (&json!(15), &json!(0.65)));
        let full = formed("committee/risk-audit/compute", "full", data);
        assert_eq!(full["correlations"][0], json!({"symbol": "A", "with_those_before": []}));
        assert_eq!(full["correlations"][2], json!({"symbol": "C", "with_those_before": [0.95, 0.9]}));
    }
}
