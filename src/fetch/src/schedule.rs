//! Cron schedules of five fields (minute, hour, day of the month, month, day of the week) in a time zone.
//!
//! A local time that a clock change skips is due an hour later; a local time that occurs twice is due
//! only the first time.

use chrono::{
    DateTime, Datelike as _, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Utc,
};
use chrono_tz::Tz;

/// Number of days within which a valid schedule is due at least once; 31 February never is.
const MOST_DAYS: u64 = 1_500;

/// A cron schedule: the values of its fields, ascending. Weekdays are from 0, Sunday.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronSchedule {
    minutes: Vec<u32>,
    hours: Vec<u32>,
    days: Vec<u32>,
    months: Vec<u32>,
    weekdays: Vec<u32>,
    /// True if days of the month and days of the week are both limited: then a day of either kind is due, as in cron.
    is_either_day: bool,
}

impl CronSchedule {
    /// Parses five fields.
    ///
    /// # Errors
    /// The invalid field, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(format!(
                "`{text}` has {} fields; a schedule has five: `30 12 * * 1-5`",
                fields.len()
            ));
        };
        // Sunday is 0 and 7.
        let weekday_numbers = parse_field(weekdays, 0, 7)?.into_iter().map(|day| day % 7).collect();
        let schedule = Self {
            minutes: parse_field(minutes, 0, 59)?,
            hours: parse_field(hours, 0, 23)?,
            days: parse_field(days, 1, 31)?,
            months: parse_field(months, 1, 12)?,
            weekdays: weekday_numbers,
            is_either_day: !days.starts_with('*') && !weekdays.starts_with('*'),
        };
        let anywhere = DateTime::UNIX_EPOCH;
        schedule.next_due(anywhere, Tz::UTC).map(|_| schedule).ok_or_else(|| format!("`{text}` is never due"))
    }

    /// Returns the last time at or before `now` at which the schedule was due; `None` if it was not due within `MOST_DAYS`.
    pub fn last_due(&self, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        // If clocks are set back over midnight, the first times of the next day are before the last ones of this day.
        let first = now.with_timezone(&zone).date_naive().checked_add_days(Days::new(1))?;
        let days = first.iter_days().rev().take(MOST_DAYS as usize);
        days.filter(|day| self.includes_day(*day))
            .find_map(|day| self.due_times(day, zone).rev().find(|at| *at <= now))
    }

    /// Returns the first time after `now` at which the schedule is due; `None` if it is not due within `MOST_DAYS`.
    pub fn next_due(&self, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        // A time that is skipped when clocks are set forward is due an hour later, which may be on the next day.
        let first = now.with_timezone(&zone).date_naive().checked_sub_days(Days::new(1))?;
        let mut days = first.iter_days().take(MOST_DAYS as usize).filter(|day| self.includes_day(*day));
        days.find_map(|day| self.due_times(day, zone).find(|at| *at > now))
    }

    fn includes_day(&self, day: NaiveDate) -> bool {
        let (in_month, in_week) =
            (self.days.contains(&day.day()), self.weekdays.contains(&day.weekday().num_days_from_sunday()));
        let includes_day = if self.is_either_day { in_month || in_week } else { in_month && in_week };
        includes_day && self.months.contains(&day.month())
    }

    /// Returns the due times of a day, in order.
    fn due_times(&self, day: NaiveDate, zone: Tz) -> impl DoubleEndedIterator<Item = DateTime<Utc>> {
        let times = self.hours.iter().flat_map(|hour| self.minutes.iter().map(|minute| (*hour, *minute)));
        let mut moments: Vec<DateTime<Utc>> = times
            .filter_map(|(hour, minute)| {
                local_to_utc(day.and_time(NaiveTime::from_hms_opt(hour, minute, 0)?), zone)
            })
            .collect();
        moments.sort();
        moments.into_iter()
    }
}

/// Converts a local time to UTC.
fn local_to_utc(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    let at = zone.from_local_datetime(&local).earliest();
    at.or_else(|| zone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest()).map(|at| at.to_utc())
}

/// Parses the values of a field: `*`, `5`, `1-5`, `*/15`, `0-30/10`, or several of these separated by commas.
fn parse_field(field: &str, least: u32, most: u32) -> Result<Vec<u32>, String> {
    let wrong = || format!("`{field}` is not a field of a schedule with values from {least} to {most}");
    let number =
        |text: &str| text.parse::<u32>().ok().filter(|n| (least..=most).contains(n)).ok_or_else(wrong);
    let mut values = Vec::new();
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let step = step.map_or(Ok(1), |step| step.parse().ok().filter(|n| *n > 0).ok_or_else(wrong))?;
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((from, to)) => (number(from)?, number(to)?),
            None => (number(range)?, number(range)?),
        };
        if from > to {
            return Err(wrong());
        }
        values.extend((from..=to).step_by(step));
    }
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::New_York;
    use chrono_tz::Asia::Kolkata;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn weekdays_at_a_time_of_the_market() {
        let schedule = CronSchedule::parse("30 12 * * 1-5").unwrap();
        // 2026-07-10 is a Friday; 12:30 in India is 07:00 UTC.
        assert_eq!(schedule.next_due(at("2026-07-10T06:59:59Z"), Kolkata), Some(at("2026-07-10T07:00:00Z")));
        assert_eq!(schedule.next_due(at("2026-07-10T07:00:00Z"), Kolkata), Some(at("2026-07-13T07:00:00Z")));
        assert_eq!(schedule.last_due(at("2026-07-12T12:00:00Z"), Kolkata), Some(at("2026-07-10T07:00:00Z")));
        assert_eq!(schedule.last_due(at("2026-07-10T07:00:00Z"), Kolkata), Some(at("2026-07-10T07:00:00Z")));
    }

    #[test]
    fn the_clocks_of_new_york_change() {
        let schedule = CronSchedule::parse("0 18 * * 1-5").unwrap();
        // 18:00 is 22:00 UTC in summer and 23:00 UTC in winter; the clocks change on Sunday, 1 November 2026.
        assert_eq!(schedule.next_due(at("2026-10-30T00:00:00Z"), New_York), Some(at("2026-10-30T22:00:00Z")));
        assert_eq!(schedule.next_due(at("2026-10-31T00:00:00Z"), New_York), Some(at("2026-11-02T23:00:00Z")));
        // 02:30 of 14 March 2027 does not exist there: it is due at 03:30, which is 07:30 UTC.
        let skipped = CronSchedule::parse("30 2 * * *").unwrap();
        assert_eq!(skipped.next_due(at("2027-03-14T00:00:00Z"), New_York), Some(at("2027-03-14T07:30:00Z")));
    }

    #[test]
    fn fields_have_lists_ranges_and_steps() {
        let schedule = CronSchedule::parse("*/20 20,23 * * *").unwrap();
        assert_eq!(
            (schedule.minutes.as_slice(), schedule.hours.as_slice()),
            (&[0, 20, 40][..], &[20, 23][..])
        );
        // If both kinds of days are limited, either is due: the 13th, or a Friday.
        let either = CronSchedule::parse("0 0 13 * 5").unwrap();
        assert_eq!(either.next_due(at("2026-07-11T00:00:00Z"), Tz::UTC), Some(at("2026-07-13T00:00:00Z")));
        assert_eq!(either.next_due(at("2026-07-14T00:00:00Z"), Tz::UTC), Some(at("2026-07-17T00:00:00Z")));
        assert_eq!(CronSchedule::parse("0 0 * * 7").unwrap().weekdays, [0]);
        for mistake in ["", "* * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "x * * * *", "0 0 31 2 *"]
        {
            assert!(CronSchedule::parse(mistake).is_err(), "{mistake}");
        }
    }
}
