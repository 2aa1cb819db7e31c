//! Rounds the fractions of a computed answer by the names of their fields.

use serde::Serialize;
use serde_json::{Number, Value as Json};

/// Returns the number of decimals of a field. Fractions of one and squared figures need more decimals than percentages.
fn decimals(name: &str) -> i32 {
    match name {
        "weight" | "max_weight" | "hhi" | "shrinkage" | "correlation" => 4,
        _ => 2,
    }
}

/// Converts a value to JSON and rounds its fractions by the names of their fields.
///
/// # Errors
/// The value is not JSON, such as a map whose keys are not texts.
pub(super) fn round_fractions(value: &impl Serialize) -> Result<Json, serde_json::Error> {
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
        assert_eq!(round_fractions(&given).unwrap(), expected);
    }
}
