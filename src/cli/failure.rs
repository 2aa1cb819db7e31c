//! Formats a failure: the error and its causes, each text once, and advice for failures of the machine.

use std::io::{self, ErrorKind};

use crate::causes::with_causes;

/// Formats the error and its causes, with advice if there is any.
pub fn message(error: &anyhow::Error) -> String {
    let text = with_causes(error.as_ref());
    let failed = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    match failed.and_then(|failed| remedy(failed.kind())) {
        Some(remedy) => format!("{text}; {remedy}"),
        None => text,
    }
}

/// Returns advice for failures of the machine that the system's message does not explain.
fn remedy(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("make room on the disk and run it again; what is published is as it was")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some("run it as the user whose folder it is, or name a folder that can be written")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_is_named_once() {
        let cause = anyhow!("no field `nope`");
        let repeats =
            anyhow!("no field `nope`").context("schema error: no field `nope`").context("the query failed");
        assert_eq!(message(&repeats), "the query failed: schema error: no field `nope`");
        assert_eq!(message(&cause.context("the table `stocks`")), "the table `stocks`: no field `nope`");
        assert_eq!(message(&anyhow!("alone")), "alone");
    }

    #[test]
    fn a_failure_of_the_machine_comes_with_advice() {
        let message_of = |kind: ErrorKind| {
            message(&anyhow::Error::new(io::Error::from(kind)).context("the table `stocks`"))
        };
        let full = message_of(ErrorKind::StorageFull);
        assert!(full.starts_with("the table `stocks`: ") && full.contains("; make room"), "{full}");
        assert!(message_of(ErrorKind::PermissionDenied).contains("; run it as"));
        assert!(!message_of(ErrorKind::NotFound).contains(';'));
    }
}
