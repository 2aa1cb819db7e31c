//! The closes of one series by session: ascending, one per session, each positive. The parser guarantees this.

use std::borrow::Cow;

use chrono::NaiveDate;

use super::RiskError;

/// The closes of one series, ascending by session.
#[derive(Debug)]
pub(super) struct ClosingPrices<'a> {
    rows: Cow<'a, [(NaiveDate, f64)]>,
}

impl<'a> ClosingPrices<'a> {
    /// Checks and sorts a series with sessions in any order; `name` is for error messages.
    pub(super) fn parse(name: &str, series: &'a [(NaiveDate, f64)]) -> Result<Self, RiskError> {
        if let Some(&(session, close)) = series.iter().find(|(_, close)| !(close.is_finite() && *close > 0.0))
        {
            return Err(RiskError::Close { symbol: name.to_owned(), session, close });
        }
        let rows = if series.is_sorted_by_key(|&(session, _)| session) {
            Cow::Borrowed(series)
        } else {
            let mut sorted = series.to_vec();
            sorted.sort_by_key(|&(session, _)| session);
            Cow::Owned(sorted)
        };
        let mut neighbours = rows.iter().zip(rows.iter().skip(1));
        if let Some(((session, _), _)) = neighbours.find(|(one, next)| one.0 == next.0) {
            return Err(RiskError::RepeatedSession { symbol: name.to_owned(), session: *session });
        }
        Ok(Self { rows })
    }

    /// Returns the number of closes.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the sessions, newest first.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = NaiveDate> {
        self.rows.iter().rev().map(|&(session, _)| session)
    }

    pub(super) fn close_of(&self, session: NaiveDate) -> Option<f64> {
        let index = self.rows.binary_search_by_key(&session, |&(session, _)| session).ok()?;
        self.rows.get(index).map(|&(_, close)| close)
    }

    /// Counts the sessions between two dates, both included.
    pub(super) fn count_between(&self, from: NaiveDate, to: NaiveDate) -> usize {
        let end = self.rows.partition_point(|&(session, _)| session <= to);
        end - self.rows.partition_point(|&(session, _)| session < from).min(end)
    }

    /// Returns the first and the last session in words.
    pub(super) fn span(&self) -> String {
        match (self.rows.first(), self.rows.last()) {
            (Some((first, _)), Some((last, _))) => format!("{first} to {last}"),
            _ => "no session".to_owned(),
        }
    }
}
