//! `sessions_held(session, next, n)`: the sessions without a bar in which the bar of `session` is still the stock's last one.
//!
//! The list has at most `n` sessions, after the bar's session and before the next bar. SQL uses it to carry a score over sessions without a
//! trade: `unnest` turns the list into rows.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Date32Builder, ListBuilder};
use datafusion::arrow::datatypes::{DataType, Date32Type, Field};
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::calendar::Calendar;

/// Creates the function for one market's calendar.
pub(crate) fn sessions_held(calendar: &Calendar) -> ScalarUDF {
    let arguments = vec![DataType::Date32, DataType::Date32, DataType::Int64];
    let signature = Signature::exact(arguments, Volatility::Immutable);
    ScalarUDF::from(SessionsHeld { calendar: calendar.clone(), signature })
}

#[derive(Debug, PartialEq, Eq)]
struct SessionsHeld {
    calendar: Calendar,
    signature: Signature,
}

impl Hash for SessionsHeld {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.calendar.last().hash(state);
    }
}

impl ScalarUDFImpl for SessionsHeld {
    fn name(&self) -> &'static str {
        "sessions_held"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(Arc::new(Field::new_list_field(DataType::Date32, true))))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [session, next, ColumnarValue::Scalar(ScalarValue::Int64(Some(most)))] =
            arguments.args.as_slice()
        else {
            return plan_err!("sessions_held(session, next, n): n is an integer literal");
        };
        let most = usize::try_from(*most).unwrap_or_default();
        let session = session.to_array(arguments.number_rows)?;
        let next = next.to_array(arguments.number_rows)?;
        let rows = session.as_primitive::<Date32Type>().iter().zip(next.as_primitive::<Date32Type>().iter());
        let mut lists =
            ListBuilder::with_capacity(Date32Builder::with_capacity(session.len()), session.len());
        for (session, next) in rows {
            if let Some(session) = session {
                self.calendar
                    .sessions_between(session, next, most)
                    .for_each(|day| lists.values().append_value(day));
            }
            lists.append(true);
        }
        Ok(ColumnarValue::Array(Arc::new(lists.finish())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_held_until_the_next_or_for_n_sessions() {
        let calendar = Calendar::new(vec![1, 2, 3, 6, 7, 8, 9]);
        let sessions =
            |session, next, most| calendar.sessions_between(session, next, most).collect::<Vec<_>>();
        assert!(sessions(2, Some(3), 4).is_empty());
        assert_eq!(sessions(2, Some(7), 4), [3, 6]);
        assert_eq!(sessions(2, None, 4), [3, 6, 7, 8]);
        assert_eq!(sessions(8, None, 4), [9]);
        assert!(sessions(9, None, 4).is_empty());
    }
}
