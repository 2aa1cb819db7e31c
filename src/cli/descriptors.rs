//! The limit on open files and connections of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Reserve of descriptors for other uses than connections: tables, the state, the log, requests to providers.
const RESERVED_DESCRIPTORS: u64 = 1_024;

/// Raises the limit as far as the system allows, and warns if it is too low. Returns the number of connections that fit beside a reserve of
/// descriptors for the server's files.
pub(super) fn raise(connections: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + RESERVED_DESCRIPTORS;
    let Some(limit) = current.filter(|limit| *limit < wanted) else { return connections };
    let raised = maximum.map_or(wanted, |most| most.min(wanted));
    if raised > limit
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum })
    {
        tracing::warn!(%error, limit, "the limit on open files could not be raised");
        return fitting_connections(connections, limit);
    }
    let fitting = fitting_connections(connections, raised);
    if raised < wanted {
        tracing::warn!(
            limit = raised,
            wanted,
            connections = fitting,
            "the limit on open files is too low for --connections, which are fewer; raise it with ulimit -n or LimitNOFILE"
        );
    }
    fitting
}

/// Returns the number of connections that fit under a limit on open descriptors. A quarter of the limit is reserved for files: at least 64
/// descriptors, and at most [`RESERVED_DESCRIPTORS`].
fn fitting_connections(connections: usize, limit: u64) -> usize {
    const MIN_DESCRIPTORS: u64 = 8;
    let most = limit.saturating_sub((limit / 4).clamp(64, RESERVED_DESCRIPTORS)).max(MIN_DESCRIPTORS);
    connections.min(usize::try_from(most).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_files() {
        for (limit, most) in [(16, 8), (64, 8), (256, 192), (1_024, 768), (8_192, 4_096)] {
            assert_eq!(fitting_connections(4_096, limit), most, "{limit}");
        }
        assert_eq!(fitting_connections(100, 1_024), 100);
    }
}
