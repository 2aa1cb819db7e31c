//! Conversion of access errors to refusals of the call.

use parquote_access::{AccessError, FullWindow};
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};

/// Converts an access error to the client's error.
pub(super) fn not_let_in(refused: &AccessError) -> ClientError {
    let error = |kind| ClientError::new(kind, refused.to_string());
    let later = |bound, seconds| error(ErrorKind::TooManyRequests).after(seconds).at(bound);
    match *refused {
        AccessError::Missing | AccessError::Unknown | AccessError::Revoked | AccessError::Expired => {
            error(ErrorKind::Unauthorized)
        }
        AccessError::Differ => error(ErrorKind::BadRequest),
        AccessError::Failures(retry_after_s) => later(ReachedLimit::WrongKeys, retry_after_s),
        AccessError::Full { window: FullWindow::Day, retry_after_s, .. } => {
            later(ReachedLimit::DayQuota, retry_after_s)
        }
        AccessError::Full { retry_after_s, .. } => later(ReachedLimit::HourQuota, retry_after_s),
        AccessError::Held { .. } => later(ReachedLimit::HeldQuota, AccessError::HELD_S),
        AccessError::Unbacked => error(ErrorKind::Unavailable).after(AccessError::UNBACKED_S),
    }
}
