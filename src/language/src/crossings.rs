//! Crossings: conditions that hold at a stock's last bar and did not at the bar before.
//!
//! The value of `rsi_14` at the previous bar is the field `rsi_14_before`, if the screen has it. Flags have the same suffix.

use super::fields::Fields;
use super::filter::Filter;

/// Suffix of the field with the previous bar's value.
const PREVIOUS_BAR_SUFFIX: &str = "_before";

/// Returns the condition that `now` holds at the last bar and did not hold at the bar before, or the reason why there is none.
pub(super) fn crossing_condition(now: Filter, fields: &Fields) -> Result<Filter, String> {
    let before = |field: &String| format!("{field}{PREVIOUS_BAR_SUFFIX}");
    let past = match &now {
        Filter::Number { field, test } => Filter::Number { field: before(field), test: *test },
        Filter::Flag { field, is } => Filter::Flag { field: before(field), is: *is },
        _ => {
            return Err(
                "a crossing is one of a figure with a number, or of the price with an average".to_owned()
            );
        }
    };
    let label = |name: Option<&str>| {
        name.and_then(|name| fields.declared_field(name)).map_or("it", |field| &field.label)
    };
    match past.field().and_then(|field| fields.find(field)) {
        Some(_) => Ok(Filter::all([now, past.negate()])),
        None => Err(format!(
            "of {} this screen does not know the value of the session before",
            label(now.field())
        )),
    }
}
