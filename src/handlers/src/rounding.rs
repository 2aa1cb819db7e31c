//! Rounds figures that Rust computed, once, when the answer is encoded, by the units of their columns.

use serde::Serialize;
use serde_json::{Number, Value as Json};

/// Decimals of a figure by the name of its field: shares of one and what is squared need more than percentages.
fn decimals(name: &str) -> i32 {
    match name {
        "weight" | "max_weight" | "hhi" | "shrinkage" | "correlation" => 4,
        _ => 2,
    }
}

/// A value as JSON, its fractions rounded by the names of their fields.
///
/// # Errors
/// A value that is no JSON, such as a map with keys that are no texts.
pub(super) fn rounded(value: &impl Serialize) -> Result<Json, serde_json::Error> {
    let mut json = serde_json::to_value(value)?;
    round(&mut json, "");
    Ok(json)
}

fn round(value: &mut Json, name: &str) {
    match value {
        Json::Number(number) if number.is_f64() => {
            let scale = 10_f64.powi(decimals(name));
            let short = number.as_f64().map(|figure| (figure * scale).round() / scale + 0.0);
            *value = short.and_then(Number::from_f64).map_or(Json::Null, Json::Number);
        }
        Json::Array(items) => items.iter_mut().for_each(|item| round(item, name)),
        Json::Object(fields) => fields.iter_mut().for_each(|(name, field)| round(field, name)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_rounded_by_their_names() {
        let given = json!({"weight": 0.123_456, "var_95_pct": [1.005_1, -0.001], "count": 3, "rows": [{"hhi": 1.0 / 3.0}]});
        let expected =
            json!({"weight": 0.1235, "var_95_pct": [1.01, 0.0], "count": 3, "rows": [{"hhi": 0.3333}]});
        assert_eq!(rounded(&given).unwrap(), expected);
    }
}
