//! Computation and refusals of the operation `backtest`.

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
    /// Returns true if a day is one of them.
    pub(super) fn contains(self, date: NaiveDate) -> bool {
        self.from <= date && date <= self.to
    }
}

/// Runs a computation that takes long and waits for nothing; the caller pays for its time.
pub(super) fn run_measured<T>(
    call: &HandlerCall<'_>,
    compute: impl FnOnce() -> Result<T, BacktestError>,
) -> Result<T, ClientError> {
    let started = Instant::now();
    let computed = blocking::wait(compute);
    call.spent.add(started.elapsed());
    computed.map_err(|error| refusal(error.to_string()))
}

/// Builds the refusal of a call.
pub(super) fn refusal(message: impl Into<String>) -> ClientError {
    ClientError::new(ErrorKind::BadRequest, message)
}
