//! Errors of job requests. The messages are for the caller.

use super::store::StoreError;
use parquote_catalogue::error::{ClientError, ErrorKind};

/// An error of a job request.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// There is no such job, or it has another owner: a caller cannot tell which.
    #[error("there is no {kind} run with the id `{id}`; check the id that the start returned")]
    NotFound {
        /// The kind of work.
        kind: String,
        /// The id that the caller sent.
        id: String,
    },
    /// The key has reached its run limit.
    #[error("{}", limit_words(*runs, *window_s, *retry_after_s))]
    Limit {
        /// Maximum number of runs.
        runs: u32,
        /// Length of the window, in seconds.
        window_s: i64,
        /// Seconds until the next run is possible; `None` if no run ever is.
        retry_after_s: Option<i64>,
    },
    /// The specification is too long.
    #[error("the description of the run has {bytes} bytes; at most {most} are allowed: shorten its texts")]
    TooLong {
        /// Size of the specification, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        most: usize,
    },
    /// The system has no random bytes for an id.
    #[error("no run can be started now: the system gives no random numbers")]
    Randomness(#[from] getrandom::Error),
    /// The job store cannot be read or written.
    #[error("the record of runs cannot be read or written now; try again in a few seconds")]
    JobStore(#[from] StoreError),
}

fn limit_words(runs: u32, window_s: i64, retry_after_s: Option<i64>) -> String {
    match retry_after_s {
        Some(seconds) => format!(
            "the limit of {runs} runs of this kind within {} is used up; the next is possible in {seconds} s",
            format_span(window_s)
        ),
        None => "no runs of this kind may be started with this key".to_owned(),
    }
}

/// Formats seconds in the largest unit that fits.
fn format_span(seconds: i64) -> String {
    let units = [(86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "s")];
    let exact_unit = units.into_iter().find(|(unit, _)| seconds >= 2 * unit && seconds % unit == 0);
    exact_unit.map_or_else(|| format!("{seconds} s"), |(unit, name)| format!("{} {name}", seconds / unit))
}

impl From<JobError> for ClientError {
    fn from(error: JobError) -> Self {
        let message = error.to_string();
        match error {
            JobError::NotFound { .. } => Self::new(ErrorKind::NotFound, message),
            JobError::TooLong { .. } => Self::new(ErrorKind::BadRequest, message),
            JobError::Limit { retry_after_s: Some(seconds), .. } => {
                Self::new(ErrorKind::TooManyRequests, message).with_retry_after(seconds)
            }
            JobError::Limit { retry_after_s: None, .. } => Self::new(ErrorKind::Forbidden, message),
            JobError::Randomness(_) | JobError::JobStore(_) => {
                Self::from_cause(ErrorKind::Unavailable, message, error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_limit_says_when_there_is_room() {
        let error = JobError::Limit { runs: 3, window_s: 172_800, retry_after_s: Some(90) };
        let client = ClientError::from(error);
        assert_eq!(
            client.message,
            "the limit of 3 runs of this kind within 2 days is used up; the next is possible in 90 s"
        );
        assert_eq!((client.kind.status(), client.retry_after_s), (429, Some(90)));
        assert_eq!(
            (format_span(86_400), format_span(3_600), format_span(90)),
            ("24 hours".into(), "60 minutes".into(), "90 s".into())
        );
        let never = ClientError::from(JobError::Limit { runs: 0, window_s: 60, retry_after_s: None });
        assert_eq!((never.kind.status(), never.retry_after_s), (403, None));
    }
}
