//! `as_of()`, `session_ago(n)` and `session_on(date)`: the market's calendar in SQL.
//!
//! "Today" is the market's last session in the snapshot, so that a snapshot answers the same whenever it is asked.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Date32Array};
use datafusion::arrow::datatypes::{DataType, Date32Type, Int64Type};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The sessions of a market, in days since 1970, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Calendar(Arc<Vec<i32>>);

impl Calendar {
    /// A calendar of these sessions, ascending.
    pub fn new(sessions: Vec<i32>) -> Self {
        Self(Arc::new(sessions))
    }

    /// All sessions, in days since 1970.
    pub(in crate::engine) fn days(&self) -> &[i32] {
        &self.0
    }

    /// The last session.
    pub fn last(&self) -> Option<i32> {
        self.0.last().copied()
    }

    /// The first session.
    pub fn first(&self) -> Option<i32> {
        self.0.first().copied()
    }

    /// The session `n` sessions before the last.
    pub fn ago(&self, n: i64) -> Option<i32> {
        let back = usize::try_from(n).ok()?;
        self.0.iter().rev().nth(back).copied()
    }

    /// The last session on or before a date.
    pub fn on(&self, days: i32) -> Option<i32> {
        let after = self.0.partition_point(|session| *session <= days);
        self.0.get(after.checked_sub(1)?).copied()
    }

    /// The sessions behind one, before `next`, `most` at the most.
    pub(in crate::engine) fn held(
        &self,
        session: i32,
        next: Option<i32>,
        most: usize,
    ) -> impl Iterator<Item = i32> {
        let first = self.0.partition_point(|known| *known <= session);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take(most).take_while(move |day| next.is_none_or(|next| *day < next))
    }

    /// What a function of this name asks of the calendar, if it is one of those that read it.
    pub(crate) fn asked_by(function: &str) -> Option<Asked> {
        match function {
            "session_on" | "sessions_held" => Some(Asked::Past),
            "as_of" | "session_ago" => Some(Asked::Today),
            _ => None,
        }
    }

    /// The functions that read this calendar.
    pub fn functions(&self) -> Vec<ScalarUDF> {
        let function = |kind, arguments| {
            let signature = Signature::exact(arguments, Volatility::Immutable);
            ScalarUDF::from(OfCalendar { kind, calendar: self.clone(), signature })
        };
        vec![
            function(Kind::AsOf, Vec::new()),
            function(Kind::SessionAgo, vec![DataType::Int64]),
            function(Kind::SessionOn, vec![DataType::Date32]),
            super::sessions_held::sessions_held(self),
        ]
    }
}

/// How far a function looks into the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// At the sessions around a date that it is given: what it says of the past does not change with a day more.
    Past,
    /// Back from the last session.
    Today,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    AsOf,
    SessionAgo,
    SessionOn,
}

#[derive(Debug, PartialEq, Eq)]
struct OfCalendar {
    kind: Kind,
    calendar: Calendar,
    signature: Signature,
}

impl Hash for OfCalendar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        self.calendar.last().hash(state);
    }
}

impl ScalarUDFImpl for OfCalendar {
    fn name(&self) -> &str {
        match self.kind {
            Kind::AsOf => "as_of",
            Kind::SessionAgo => "session_ago",
            Kind::SessionOn => "session_on",
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
            (Kind::AsOf, _) => Ok(scalar(self.calendar.last())),
            (kind, Some(ColumnarValue::Scalar(value))) => Ok(scalar(match (kind, value) {
                (Kind::SessionAgo, ScalarValue::Int64(Some(n))) => self.calendar.ago(*n),
                (Kind::SessionOn, ScalarValue::Date32(Some(days))) => self.calendar.on(*days),
                _ => None,
            })),
            (Kind::SessionAgo, Some(ColumnarValue::Array(array))) => {
                let numbers = array.as_primitive::<Int64Type>().iter();
                let days: Date32Array = numbers.map(|n| self.calendar.ago(n?)).collect();
                Ok(ColumnarValue::Array(Arc::new(days)))
            }
            (Kind::SessionOn, Some(ColumnarValue::Array(array))) => {
                let dates = array.as_primitive::<Date32Type>().iter();
                let days: Date32Array = dates.map(|days| self.calendar.on(days?)).collect();
                Ok(ColumnarValue::Array(Arc::new(days) as Arc<dyn Array>))
            }
            (_, None) => Ok(scalar(None)),
        }
    }
}

fn scalar(days: Option<i32>) -> ColumnarValue {
    ColumnarValue::Scalar(ScalarValue::Date32(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_of_every_function_what_it_asks() {
        for function in Calendar::default().functions() {
            assert!(Calendar::asked_by(function.name()).is_some(), "{}", function.name());
        }
        assert_eq!(Calendar::asked_by("now"), None);
    }

    #[test]
    fn sessions_are_counted_back_and_found_by_date() {
        let calendar = Calendar::new(vec![10, 11, 14, 15]);
        assert_eq!((calendar.ago(0), calendar.ago(2), calendar.ago(4)), (Some(15), Some(11), None));
        assert_eq!(
            (calendar.on(13), calendar.on(14), calendar.on(9), calendar.on(99)),
            (Some(11), Some(14), None, Some(15))
        );
    }
}
