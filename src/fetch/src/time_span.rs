//! Durations in declarations: `2.5 s`, `250 ms`, `10 min`, `3 hours`, `5 days`.

use std::time::Duration;

use chrono::TimeDelta;
use serde::Deserialize;

/// A duration of at most 366 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct TimeSpan(pub(crate) Duration);

impl TimeSpan {
    /// Creates a duration of some days.
    pub(crate) const fn days(days: u64) -> Self {
        Self(Duration::from_secs(days * 86_400))
    }

    /// Creates a duration of some hours.
    pub(crate) const fn hours(hours: u64) -> Self {
        Self(Duration::from_secs(hours * 3_600))
    }

    /// Converts to a `TimeDelta`.
    pub(crate) fn delta(self) -> TimeDelta {
        TimeDelta::from_std(self.0).unwrap_or(TimeDelta::MAX)
    }
}

impl TryFrom<String> for TimeSpan {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a duration; write for example 2.5 s, 10 min, 3 hours, 5 days");
        let (number, unit) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let seconds = match unit.trim() {
            "ms" => 0.001,
            "s" => 1.0,
            "min" => 60.0,
            "hour" | "hours" => 3_600.0,
            "day" | "days" => 86_400.0,
            _ => return Err(wrong()),
        };
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let duration = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
        // No source needs more than a year; longer durations are mistakes.
        if duration <= Duration::from_hours(24 * 366) { Ok(Self(duration)) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_number_and_a_unit() {
        let read = |text: &str| TimeSpan::try_from(text.to_owned()).map(|span| span.0);
        assert_eq!(read("2.5 s"), Ok(Duration::from_millis(2_500)));
        assert_eq!(read("250 ms"), Ok(Duration::from_millis(250)));
        assert_eq!(read("3 hours"), Ok(Duration::from_hours(3)));
        assert_eq!(read("1 day"), Ok(Duration::from_hours(24)));
        for mistake in ["", "5", "5days", "five days", "-1 s", "5 weeks", "1e9 days", "NaN s"] {
            assert!(read(mistake).is_err(), "{mistake}");
        }
    }
}
