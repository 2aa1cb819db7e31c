//! How many files and connections the system lets this process have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open beside connections: tables, the state, the log, callers of providers.
const BESIDE: u64 = 1_024;

/// Raises the limit as far as the system allows, and says so where it is too low for these connections.
pub(super) fn raise(connections: usize) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + BESIDE;
    let Some(limit) = current.filter(|limit| *limit < wanted) else { return };
    let raised = maximum.map_or(wanted, |most| most.min(wanted));
    if raised > limit
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum })
    {
        tracing::warn!(%error, limit, "the limit on open files could not be raised");
        return;
    }
    if raised < wanted {
        tracing::warn!(
            limit = raised,
            wanted,
            "the limit on open files is too low for --connections; raise it with ulimit -n or LimitNOFILE"
        );
    }
}
