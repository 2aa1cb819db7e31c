//! Crossings: what holds at a stock's last bar and did not at the bar before.
//!
//! A figure `rsi_14` has its value of the bar before in the field `rsi_14_before`, if the screen has that; flags likewise.

use super::fields::Fields;
use super::filter::Filter;

/// What follows the name of a field in the name of its value at the bar before.
const BEFORE: &str = "_before";

/// A condition that holds now and did not at the bar before, or why that is not known.
pub(super) fn crossed(now: Filter, fields: &Fields) -> Result<Filter, String> {
    let before = |field: &String| format!("{field}{BEFORE}");
    let past = match &now {
        Filter::Number { field, test } => Filter::Number { field: before(field), test: *test },
        Filter::Flag { field, is } => Filter::Flag { field: before(field), is: *is },
        _ => {
            return Err(
                "a crossing is one of a figure with a number, or of the price with an average".to_owned()
            );
        }
    };
    let label =
        |name: Option<&str>| name.and_then(|name| fields.declared(name)).map_or("it", |field| &field.label);
    match past.field().and_then(|field| fields.find(field)) {
        Some(_) => Ok(Filter::all([now, past.negated()])),
        None => Err(format!(
            "of {} this screen does not know the value of the session before",
            label(now.field())
        )),
    }
}
