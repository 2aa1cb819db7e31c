//! Conversion of access errors to refusals of calls.

use parquote_access::{AccessError, FullWindow};
use parquote_catalogue::error::{ClientError, ErrorKind, ReachedLimit};

/// Converts an access error to an error for the client, with the time after which a retry may succeed.
pub(super) fn access_refusal(refused: &AccessError) -> ClientError {
    let error = |kind| ClientError::new(kind, refused.to_string());
    let later =
        |bound, seconds| error(ErrorKind::TooManyRequests).with_retry_after(seconds).with_limit(bound);
    match *refused {
        AccessError::Missing | AccessError::Unknown | AccessError::Revoked | AccessError::Expired => {
            error(ErrorKind::Unauthorized)
        }
        AccessError::DifferentKeys => error(ErrorKind::BadRequest),
        AccessError::Failures(retry_after_s) => later(ReachedLimit::WrongKeys, retry_after_s),
        AccessError::Full { window: FullWindow::Day, retry_after_s, .. } => {
            later(ReachedLimit::DayQuota, retry_after_s)
        }
        AccessError::Full { retry_after_s, .. } => later(ReachedLimit::HourQuota, retry_after_s),
        AccessError::LeasedElsewhere { .. } => later(ReachedLimit::HeldQuota, AccessError::LEASE_RETRY_S),
        AccessError::StateUnreachable => {
            error(ErrorKind::Unavailable).with_retry_after(AccessError::STATE_RETRY_S)
        }
    }
}
