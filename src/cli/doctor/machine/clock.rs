//! The clock and the time zone of this machine.

use chrono::{Datelike as _, Local};

use super::Diagnosis;

/// The year of the first release. A clock that shows an earlier year was never set.
const FIRST_YEAR: i32 = 2026;

pub(super) fn check() -> Diagnosis {
    let now = Local::now();
    let finding = format!(
        "{}, offset {}; sessions and quotas follow the time zones of the exchanges",
        now.to_utc().format("%Y-%m-%d %H:%M UTC"),
        now.offset()
    );
    if now.year() < FIRST_YEAR {
        return Diagnosis::fault("clock", finding, "set the clock: timedatectl set-ntp true");
    }
    Diagnosis::ok("clock", finding)
}
