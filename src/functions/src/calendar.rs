//! The sessions of a market, and the questions that SQL asks of them. `calendar_functions` has the SQL functions.

use std::sync::Arc;

/// The sessions of a market, in days since 1970, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Calendar(Arc<Vec<i32>>);

impl Calendar {
    /// A calendar of these sessions, ascending.
    pub fn new(sessions: Vec<i32>) -> Self {
        Self(Arc::new(sessions))
    }

    /// All sessions, in days since 1970.
    pub fn days(&self) -> &[i32] {
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
    pub fn held(&self, session: i32, next: Option<i32>, most: usize) -> impl Iterator<Item = i32> {
        let first = self.0.partition_point(|known| *known <= session);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take(most).take_while(move |day| next.is_none_or(|next| *day < next))
    }

    /// What a function of this name asks of the calendar, if it is one of those that read it.
    pub fn asked_by(function: &str) -> Option<CalendarUse> {
        match function {
            "session_on" | "sessions_held" => Some(CalendarUse::Past),
            "as_of" | "session_ago" => Some(CalendarUse::Today),
            _ => None,
        }
    }
}

/// How far a function looks into the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CalendarUse {
    /// At the sessions around a date that it is given: what it says of the past does not change with a day more.
    Past,
    /// Back from the last session.
    Today,
}

#[cfg(test)]
mod tests {
    use super::*;

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
