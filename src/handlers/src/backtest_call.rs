//! The days, the computation and the refusals of the operation `backtest`.

use std::time::Instant;

use chrono::NaiveDate;

use super::handler::HandlerCall;
use parquote_backtest::BacktestError;
use parquote_catalogue::blocking;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// The days between which a back-test runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestedDays {
    pub(super) from: NaiveDate,
    pub(super) to: NaiveDate,
}

impl TestedDays {
    /// Returns true if a date is between the first and the last day, both included.
    pub(super) fn contains(self, date: NaiveDate) -> bool {
        self.from <= date && date <= self.to
    }
}

/// Runs a long computation without I/O, and adds its time to the cost of the call.
pub(super) fn run_measured<T>(
    call: &HandlerCall<'_>,
    compute: impl FnOnce() -> Result<T, BacktestError>,
) -> Result<T, ClientError> {
    let started = Instant::now();
    let result = blocking::wait(compute);
    call.spent.add(started.elapsed());
    result.map_err(|error| refusal(error.to_string()))
}

/// Builds the error for a call that cannot be answered as it is.
pub(super) fn refusal(message: impl Into<String>) -> ClientError {
    ClientError::new(ErrorKind::BadRequest, message)
}
