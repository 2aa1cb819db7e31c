//! Leases of quotas, so that several servers on one state together admit no call beyond a quota. A server leases calls in a transaction
//! before it admits them, and returns those that it does not need. The server decides when to request and to return leases.

use super::counters::{ADD_USE, CounterDelta, CounterStanding, remaining_calls, standing_row};
use super::database::{self, Connection, DatabaseError, Row, ToValue, Transaction, params};
use super::error::StateError;
use super::store::Store;
use super::usage::{UseDelta, add_usage};

/// Maximum calls of one lease; for quotas over 32,000 it is a thousandth of the quota.
const MOST_CALLS: u32 = 32;
/// Seconds without a heartbeat after which a server counts as ended.
pub(super) const GONE_S: i64 = 30;
/// Seconds between the heartbeats of a server.
pub const SEEN_S: i64 = 10;

/// A server that counts calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingServer {
    /// Number of the server; 0 for a server that leases nothing.
    pub id: i64,
    /// Now, in Unix seconds.
    pub now: i64,
    /// Number of the newest change that the server has read.
    pub last_read_change: i64,
}

/// A server's report on a key and its request for calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseRequest {
    /// Use since the last report.
    pub used: CounterDelta,
    /// Number of leased calls that the server retains for the hour of `used`; it returns the others.
    pub held_calls: u32,
    /// Number of calls that the waiting requests cost.
    pub needed_calls: u32,
    /// True if it requests more calls.
    pub wants_more: bool,
    /// The daily quota.
    pub quota_day: u32,
    /// The hourly quota.
    pub quota_hour: u32,
}

/// The calls that a server gets for a key after a report, with the counter of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantedLease {
    /// The counter, with the calls that other servers hold.
    pub standing: CounterStanding,
    /// Hour of the lease, as the caller numbers hours.
    pub hour: i64,
    /// Number of calls leased in addition to those that the server holds.
    pub granted: u32,
}

/// Result of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// The report is written.
    Done {
        /// Number of servers that count, including this one.
        servers: u32,
        /// State of each key; deleted keys are left out.
        leased: Vec<GrantedLease>,
    },
    /// Nothing is written: the server must first read changes of keys.
    Behind,
}

/// Returns the number of calls to lease at once: a server's share of a quarter of the `remaining` calls. So a killed server loses little,
/// other servers still find calls, and the last calls are leased one by one.
pub fn lease_block(remaining: u32, servers: u32, quota: u32) -> u32 {
    let share = remaining / servers.max(1).saturating_mul(4);
    share.clamp(1, MOST_CALLS.max(quota / 1_000))
}

impl Store {
    /// Registers a server that counts calls and returns its number.
    pub fn enter_server(&mut self, now: i64) -> Result<i64, StateError> {
        self.write(|transaction| {
            transaction
                .query_row("INSERT INTO servers (seen_at) VALUES (?1) RETURNING id", [now], |row| row.get(0))
        })
    }

    /// Removes a server that stops and holds no leases.
    pub fn leave_server(&mut self, id: i64) -> Result<(), StateError> {
        self.write(|transaction| transaction.execute("DELETE FROM servers WHERE id = ?1", [id]).map(drop))
    }

    /// Adds the use of keys and the daily usage by operation, ends leases and grants new ones, in one transaction.
    ///
    /// # Errors
    /// Database errors; nothing is written then.
    pub fn settle(
        &mut self,
        server: CountingServer,
        requests: &[LeaseRequest],
        usage: &[UseDelta],
    ) -> Result<LeaseOutcome, StateError> {
        const CHANGED_SINCE: &str =
            "SELECT EXISTS (SELECT 1 FROM changes WHERE number > ?1 AND kind = 'key'),
            (SELECT seen_at FROM servers WHERE id = ?2),
            (SELECT count(*) FROM servers WHERE id <> ?2 AND abs(?3 - seen_at) < ?4)";
        self.check()?;
        let CountingServer { id, now, last_read_change } = server;
        let read_server = |row: &Row<'_>| {
            if row.get(0)? {
                return Err(DatabaseError::Behind);
            }
            Ok((row.get::<_, Option<i64>>(1)?, row.get::<_, u32>(2)?))
        };
        let parameters: Vec<_> =
            requests.iter().map(|request| add_params(&request.used, &server.id)).collect();
        let parameters: Vec<_> = parameters.iter().map(|values| &values[..]).collect();
        // Two round trips to a database server: read the counters, then write the leases.
        let outcome = self.connection.write(|transaction| {
            let ((seen_at, others), standings) = transaction.row_and_each(
                CHANGED_SINCE,
                params![last_read_change, id, now, GONE_S],
                read_server,
                ADD_USE,
                &parameters,
                standing_row,
            )?;
            renew_heartbeat(transaction, server, seen_at)?;
            let servers = others.saturating_add(1);
            let mut leased = Vec::with_capacity(requests.len());
            // Deleted keys get no lease.
            for (request, standing) in requests.iter().zip(standings) {
                let Some(standing) = standing else { continue };
                leased.push(update_lease(transaction, id, servers, request, standing)?);
            }
            add_usage(transaction, usage)?;
            Ok(LeaseOutcome::Done { servers, leased })
        });
        match outcome {
            Err(DatabaseError::Behind) => Ok(LeaseOutcome::Behind),
            outcome => outcome.map_err(self.error_mapper()),
        }
    }
}

/// Writes a server's heartbeat if half of its interval has passed, so that most reports do not write it.
fn renew_heartbeat(
    transaction: &Transaction<'_>,
    server: CountingServer,
    seen_at: Option<i64>,
) -> database::Result<()> {
    const UPDATE_SEEN: &str = "UPDATE servers SET seen_at = ?2 WHERE id = ?1";
    match seen_at {
        Some(seen_at) if server.now.abs_diff(seen_at) * 2 >= SEEN_S.unsigned_abs() => {
            transaction.execute_later(UPDATE_SEEN, params![server.id, server.now])
        }
        _ => Ok(()),
    }
}

/// Returns the number of other servers that count.
pub(super) fn count_other_servers(connection: &Connection, server: CountingServer) -> database::Result<u32> {
    const COUNT_OTHER_SERVERS: &str =
        "SELECT count(*) FROM servers WHERE id <> ?1 AND abs(?2 - seen_at) < ?3";
    connection.query_row(COUNT_OTHER_SERVERS, params![server.id, server.now, GONE_S], |row| row.get(0))
}

/// Returns the parameters of [`ADD_USE`].
fn add_params<'a>(used: &'a CounterDelta, server: &'a i64) -> [&'a dyn ToValue; 8] {
    let CounterDelta { key_id, day, day_used, hour, hour_used, total, last_used_at } = used;
    [key_id, day, day_used, hour, hour_used, total, last_used_at, server]
}

/// Computes and stores a server's lease of one key after its report.
fn update_lease(
    transaction: &Transaction<'_>,
    server: i64,
    servers: u32,
    request: &LeaseRequest,
    standing: CounterStanding,
) -> database::Result<GrantedLease> {
    const GRANT_LEASE: &str =
        "INSERT INTO leases VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (key_id, server) DO UPDATE
                        SET day = excluded.day, hour = excluded.hour, calls = excluded.calls";
    const END: &str = "DELETE FROM leases WHERE key_id = ?1 AND server = ?2";
    let (used, counted) = (request.used, standing.usage);
    // No calls are leased in a window that other servers have left.
    let is_present = (counted.day, counted.hour) == (used.day, used.hour);
    let holds = if is_present { request.held_calls } else { 0 };
    let remaining =
        if is_present { standing.allowed_calls(request.quota_day, request.quota_hour) } else { 0 };
    let granted = request.calls_to_grant(remaining, holds, servers);
    let calls = holds.saturating_add(granted);
    if calls > 0 {
        transaction.execute_later(GRANT_LEASE, params![used.key_id, server, used.day, used.hour, calls])?;
    } else {
        transaction.execute_later(END, params![used.key_id, server])?;
    }
    Ok(GrantedLease { standing, hour: used.hour, granted })
}

impl LeaseRequest {
    /// Returns the number of calls to lease in addition to the `holds` calls that the server holds.
    fn calls_to_grant(&self, remaining: u32, holds: u32, servers: u32) -> u32 {
        if !self.wants_more {
            return 0;
        }
        let block =
            lease_block(remaining, servers, self.quota_day.min(self.quota_hour)).max(self.needed_calls);
        block.saturating_sub(holds).min(remaining.saturating_sub(holds))
    }
}

/// Copies the leases of a key to its successor: calls that servers may still admit under the old key count for the new one until each
/// server has reported.
pub(super) fn copy_leases(transaction: &Transaction<'_>, old: i64, new: i64) -> database::Result<()> {
    const COPY_LEASES: &str =
        "INSERT INTO leases SELECT ?2, server, day, hour, calls FROM leases WHERE key_id = ?1";
    transaction.execute(COPY_LEASES, params![old, new]).map(drop)
}

impl CounterStanding {
    /// Returns the number of calls that a server may still admit, including the calls that it holds.
    pub fn allowed_calls(&self, quota_day: u32, quota_hour: u32) -> u32 {
        let day = remaining_calls(quota_day, self.usage.day_used, self.day_held);
        day.min(remaining_calls(quota_hour, self.usage.hour_used, self.hour_held))
    }
}

#[cfg(test)]
impl LeaseRequest {
    /// Builds a report of a server that leases nothing.
    pub(crate) const fn of_test(used: CounterDelta) -> Self {
        Self { used, held_calls: 0, needed_calls: 0, wants_more: false, quota_day: 0, quota_hour: 0 }
    }
}
