//! `as_of()`, `session_ago(n)` and `session_on(date)`: the market's calendar in SQL.
//!
//! "Today" is the market's last session in the snapshot, so that a snapshot's answers do not depend on the clock.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Date32Array};
use datafusion::arrow::datatypes::{DataType, Date32Type, Int64Type};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::calendar::Calendar;
use super::sessions_held::sessions_held;

/// Returns the functions that read a calendar.
pub fn calendar_functions(calendar: &Calendar) -> Vec<ScalarUDF> {
    let function = |kind, arguments| {
        let signature = Signature::exact(arguments, Volatility::Immutable);
        ScalarUDF::from(CalendarFunction { kind, calendar: calendar.clone(), signature })
    };
    vec![
        function(CalendarQuestion::AsOf, Vec::new()),
        function(CalendarQuestion::SessionAgo, vec![DataType::Int64]),
        function(CalendarQuestion::SessionOn, vec![DataType::Date32]),
        sessions_held(calendar),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CalendarQuestion {
    AsOf,
    SessionAgo,
    SessionOn,
}

#[derive(Debug, PartialEq, Eq)]
struct CalendarFunction {
    kind: CalendarQuestion,
    calendar: Calendar,
    signature: Signature,
}

impl Hash for CalendarFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        self.calendar.last().hash(state);
    }
}

impl ScalarUDFImpl for CalendarFunction {
    fn name(&self) -> &str {
        match self.kind {
            CalendarQuestion::AsOf => "as_of",
            CalendarQuestion::SessionAgo => "session_ago",
            CalendarQuestion::SessionOn => "session_on",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Date32)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match (self.kind, arguments.args.first()) {
            (CalendarQuestion::AsOf, _) => Ok(day_scalar(self.calendar.last())),
            (kind, Some(ColumnarValue::Scalar(value))) => Ok(day_scalar(match (kind, value) {
                (CalendarQuestion::SessionAgo, ScalarValue::Int64(Some(n))) => self.calendar.session_ago(*n),
                (CalendarQuestion::SessionOn, ScalarValue::Date32(Some(days))) => {
                    self.calendar.session_on(*days)
                }
                _ => None,
            })),
            (CalendarQuestion::SessionAgo, Some(ColumnarValue::Array(array))) => {
                let numbers = array.as_primitive::<Int64Type>().iter();
                let days: Date32Array = numbers.map(|n| self.calendar.session_ago(n?)).collect();
                Ok(ColumnarValue::Array(Arc::new(days)))
            }
            (CalendarQuestion::SessionOn, Some(ColumnarValue::Array(array))) => {
                let dates = array.as_primitive::<Date32Type>().iter();
                let days: Date32Array = dates.map(|days| self.calendar.session_on(days?)).collect();
                Ok(ColumnarValue::Array(Arc::new(days) as Arc<dyn Array>))
            }
            (_, None) => Ok(day_scalar(None)),
        }
    }
}

fn day_scalar(days: Option<i32>) -> ColumnarValue {
    ColumnarValue::Scalar(ScalarValue::Date32(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_of_every_function_what_it_asks() {
        for function in calendar_functions(&Calendar::default()) {
            assert!(Calendar::calendar_use(function.name()).is_some(), "{}", function.name());
        }
        assert_eq!(Calendar::calendar_use("now"), None);
    }
}
