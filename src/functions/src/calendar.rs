//! The sessions of a market, with look-ups for SQL. `calendar_functions` has the SQL functions.

use std::sync::Arc;

/// The sessions of a market, in days since 1970, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Calendar(Arc<Vec<i32>>);

impl Calendar {
    /// Creates a calendar of these sessions, which must be ascending.
    pub fn new(sessions: Vec<i32>) -> Self {
        Self(Arc::new(sessions))
    }

    /// Returns all sessions, in days since 1970.
    pub fn days(&self) -> &[i32] {
        &self.0
    }

    /// Returns the last session; `None` if the calendar is empty.
    pub fn last(&self) -> Option<i32> {
        self.0.last().copied()
    }

    /// Returns the first session; `None` if the calendar is empty.
    pub fn first(&self) -> Option<i32> {
        self.0.first().copied()
    }

    /// Returns the session `n` sessions before the last; `None` if there are too few, or if `n` is negative.
    pub fn session_ago(&self, n: i64) -> Option<i32> {
        let back = usize::try_from(n).ok()?;
        self.0.iter().rev().nth(back).copied()
    }

    /// Returns the last session on or before a date; `None` before the first session.
    pub fn session_on(&self, days: i32) -> Option<i32> {
        let after = self.0.partition_point(|session| *session <= days);
        self.0.get(after.checked_sub(1)?).copied()
    }

    /// Returns the first sessions after `session`, at most `most`, and only those before `next` if there is a `next`.
    pub fn sessions_between(
        &self,
        session: i32,
        next: Option<i32>,
        most: usize,
    ) -> impl Iterator<Item = i32> {
        let first = self.0.partition_point(|day| *day <= session);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take(most).take_while(move |day| next.is_none_or(|next| *day < next))
    }

    /// Returns the part of the calendar that the SQL function of this name reads; `None` if it reads none.
    pub fn calendar_use(function: &str) -> Option<CalendarUse> {
        match function {
            "session_on" | "sessions_held" => Some(CalendarUse::Past),
            "as_of" | "session_ago" => Some(CalendarUse::Today),
            _ => None,
        }
    }
}

/// The part of the calendar that a SQL function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CalendarUse {
    /// Sessions around a date that is an argument: results for past dates do not change when a session is added.
    Past,
    /// Sessions counted back from the last one: results change when a session is added.
    Today,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_counted_back_and_found_by_date() {
        let calendar = Calendar::new(vec![10, 11, 14, 15]);
        assert_eq!(
            (calendar.session_ago(0), calendar.session_ago(2), calendar.session_ago(4)),
            (Some(15), Some(11), None)
        );
        assert_eq!(
            (
                calendar.session_on(13),
                calendar.session_on(14),
                calendar.session_on(9),
                calendar.session_on(99)
            ),
            (Some(11), Some(14), None, Some(15))
        );
    }
}
