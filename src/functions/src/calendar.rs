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

    /// Returns the last session.
    pub fn last(&self) -> Option<i32> {
        self.0.last().copied()
    }

    /// Returns the first session.
    pub fn first(&self) -> Option<i32> {
        self.0.first().copied()
    }

    /// Returns the session `n` sessions before the last.
    pub fn ago(&self, n: i64) -> Option<i32> {
        let back = usize::try_from(n).ok()?;
        self.0.iter().rev().nth(back).copied()
    }

    /// Returns the last session on or before a date.
    pub fn on(&self, days: i32) -> Option<i32> {
        let after = self.0.partition_point(|session| *session <= days);
        self.0.get(after.checked_sub(1)?).copied()
    }

    /// Returns at most `most` sessions after one and before `next`.
    pub fn sessions_between(
        &self,
        session: i32,
        next: Option<i32>,
        most: usize,
    ) -> impl Iterator<Item = i32> {
        let first = self.0.partition_point(|known| *known <= session);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take(most).take_while(move |day| next.is_none_or(|next| *day < next))
    }

    /// Returns the calendar use of a function by name; `None` if it does not read the calendar.
    pub fn calendar_use(function: &str) -> Option<CalendarUse> {
        match function {
            "session_on" | "sessions_held" => Some(CalendarUse::Past),
            "as_of" | "session_ago" => Some(CalendarUse::Today),
            _ => None,
        }
    }
}

/// Calendar range that a function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CalendarUse {
    /// Sessions around a given date: results for the past do not change when a session is added.
    Past,
    /// Sessions counted back from the last one.
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
