//! Leases of quotas: several servers on one file let in no call more than a quota has. A server takes calls out of a quota in a
//! transaction before it lets them in, and gives back those it does not need. Who waits for a lease, and when it goes back, is not
//! decided here.

use super::counters::{ADD, CounterDelta, CounterStanding, standing, unheld};
use super::database::{self, Connection, DatabaseError, Row, ToValue, Transaction, params};
use super::error::StateError;
use super::store::Store;
use super::usage::{UseDelta, add_usage};

/// The most calls of one lease; of a quota of more than 32,000 it is a thousandth.
const MOST: u32 = 32;
/// A server that was not seen for so many seconds has ended.
pub(super) const GONE_S: i64 = 30;
/// How often a server says that it lives, in seconds.
pub const SEEN_S: i64 = 10;

/// A server that counts calls, as it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingServer {
    /// Its number; 0 for one that leases nothing.
    pub id: i64,
    /// Now, in Unix seconds.
    pub now: i64,
    /// The number of the newest change that it has followed.
    pub followed: i64,
}

/// What a server reports of a key, and asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseAsk {
    /// What was used since the last report.
    pub used: CounterDelta,
    /// What the server holds of its lease for the hour of `used`; the rest of it goes back.
    pub holds: u32,
    /// What the calls that wait cost.
    pub needs: u32,
    /// Whether it asks for more.
    pub wants: bool,
    /// The quota of the day.
    pub quota_day: u32,
    /// The quota of the hour.
    pub quota_hour: u32,
}

/// How a key stands after a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leased {
    /// The counter, and what others hold.
    pub standing: CounterStanding,
    /// The hour that the lease is of.
    pub hour: i64,
    /// Calls that were leased beside those that were held.
    pub granted: u32,
}

/// How a report ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It is written.
    Done {
        /// Servers that count now, this one among them.
        servers: u32,
        /// How the keys stand; those that are gone are left out.
        leased: Vec<Leased>,
    },
    /// Keys changed that the server has not followed: it follows them first. Nothing is written.
    Behind,
}

/// How many calls are leased at once of so many that are left. A quarter of what is left is shared out, so that a server that is killed
/// loses little, another finds something, and the last calls are leased one by one.
pub fn lease_block(left: u32, servers: u32, quota: u32) -> u32 {
    let share = left / servers.max(1).saturating_mul(4);
    share.clamp(1, MOST.max(quota / 1_000))
}

impl Store {
    /// Enters a server that will count; its number comes back.
    ///
    /// # Errors
    /// What the database reports.
    pub fn enter_server(&mut self, now: i64) -> Result<i64, StateError> {
        self.write(|transaction| {
            transaction
                .query_row("INSERT INTO servers (seen_at) VALUES (?1) RETURNING id", [now], |row| row.get(0))
        })
    }

    /// Takes a server out that ends and holds nothing.
    ///
    /// # Errors
    /// What the database reports.
    pub fn leave_server(&mut self, id: i64) -> Result<(), StateError> {
        self.write(|transaction| transaction.execute("DELETE FROM servers WHERE id = ?1", [id]).map(drop))
    }

    /// Adds what keys used and what was called by day and operation, gives leases back and grants others: all of it or nothing.
    ///
    /// # Errors
    /// What the database reports; nothing is written then.
    pub fn settle(
        &mut self,
        server: CountingServer,
        asks: &[LeaseAsk],
        usage: &[UseDelta],
    ) -> Result<Settled, StateError> {
        const NOW: &str = "SELECT EXISTS (SELECT 1 FROM changes WHERE number > ?1 AND kind = 'key'),
            (SELECT seen_at FROM servers WHERE id = ?2),
            (SELECT count(*) FROM servers WHERE id <> ?2 AND abs(?3 - seen_at) < ?4)";
        self.check()?;
        let CountingServer { id, now, followed } = server;
        let read = |row: &Row<'_>| {
            if row.get(0)? {
                return Err(DatabaseError::Behind);
            }
            Ok((row.get::<_, Option<i64>>(1)?, row.get::<_, u32>(2)?))
        };
        let added: Vec<_> = asks.iter().map(|ask| added(&ask.used, &server.id)).collect();
        let added: Vec<_> = added.iter().map(|values| &values[..]).collect();
        // A server is asked twice: for how things stand, and to keep what comes of it.
        let settled = self.connection.write(|transaction| {
            let ((seen_at, others), standings) = transaction
                .row_and_each((NOW, params![followed, id, now, GONE_S], read), (ADD, &added, standing))?;
            seen(transaction, server, seen_at)?;
            let servers = others.saturating_add(1);
            let mut leased = Vec::with_capacity(asks.len());
            // Nothing comes of a key that is gone.
            for (ask, standing) in asks.iter().zip(standings) {
                let Some(standing) = standing else { continue };
                leased.push(lease(transaction, (id, servers), ask, standing)?);
            }
            add_usage(transaction, usage)?;
            Ok(Settled::Done { servers, leased })
        });
        match settled {
            Err(DatabaseError::Behind) => Ok(Settled::Behind),
            settled => settled.map_err(self.failed()),
        }
    }
}

/// Says that a server lives, at half the time after which it is due: most reports write nothing of it.
fn seen(transaction: &Transaction<'_>, server: CountingServer, seen_at: Option<i64>) -> database::Result<()> {
    const SEEN: &str = "UPDATE servers SET seen_at = ?2 WHERE id = ?1";
    match seen_at {
        Some(seen_at) if server.now.abs_diff(seen_at) * 2 >= SEEN_S.unsigned_abs() => {
            transaction.execute_later(SEEN, params![server.id, server.now])
        }
        _ => Ok(()),
    }
}

/// How many servers count beside this one.
pub(super) fn others(connection: &Connection, server: CountingServer) -> database::Result<u32> {
    const OTHERS: &str = "SELECT count(*) FROM servers WHERE id <> ?1 AND abs(?2 - seen_at) < ?3";
    connection.query_row(OTHERS, params![server.id, server.now, GONE_S], |row| row.get(0))
}

/// The values of [`ADD`].
fn added<'a>(used: &'a CounterDelta, server: &'a i64) -> [&'a dyn ToValue; 8] {
    let CounterDelta { key_id, day, day_used, hour, hour_used, total, last_used_at } = used;
    [key_id, day, day_used, hour, hour_used, total, last_used_at, server]
}

/// The lease that a server has of one key after its report.
fn lease(
    transaction: &Transaction<'_>,
    (server, servers): (i64, u32),
    ask: &LeaseAsk,
    standing: CounterStanding,
) -> database::Result<Leased> {
    const GIVE: &str = "INSERT INTO leases VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (key_id, server) DO UPDATE
                        SET day = excluded.day, hour = excluded.hour, calls = excluded.calls";
    const END: &str = "DELETE FROM leases WHERE key_id = ?1 AND server = ?2";
    let (used, counted) = (ask.used, standing.counted);
    // Of a window that is over for others nothing is leased.
    let is_present = (counted.day, counted.hour) == (used.day, used.hour);
    let holds = if is_present { ask.holds } else { 0 };
    let left = if is_present { standing.left(ask.quota_day, ask.quota_hour) } else { 0 };
    let granted = ask.granted(left, holds, servers);
    let calls = holds.saturating_add(granted);
    if calls > 0 {
        transaction.execute_later(GIVE, params![used.key_id, server, used.day, used.hour, calls])?;
    } else {
        transaction.execute_later(END, params![used.key_id, server])?;
    }
    Ok(Leased { standing, hour: used.hour, granted })
}

impl LeaseAsk {
    /// How many of the calls that are left are leased beside those that are held.
    fn granted(&self, left: u32, holds: u32, servers: u32) -> u32 {
        if !self.wants {
            return 0;
        }
        let block = lease_block(left, servers, self.quota_day.min(self.quota_hour)).max(self.needs);
        block.saturating_sub(holds).min(left.saturating_sub(holds))
    }
}

/// Copies the leases of a key to the key that replaces it: what servers may still let in by the old one counts for the new one, until
/// each has reported how much it was.
pub(super) fn carry_leases(transaction: &Transaction<'_>, old: i64, new: i64) -> database::Result<()> {
    const CARRY: &str =
        "INSERT INTO leases SELECT ?2, server, day, hour, calls FROM leases WHERE key_id = ?1";
    transaction.execute(CARRY, params![old, new]).map(drop)
}

impl CounterStanding {
    /// What is left of a quota for a server, what it holds itself among it.
    pub fn left(&self, quota_day: u32, quota_hour: u32) -> u32 {
        let day = unheld(quota_day, self.counted.day_used, self.day_held);
        day.min(unheld(quota_hour, self.counted.hour_used, self.hour_held))
    }
}

#[cfg(test)]
impl LeaseAsk {
    /// A report of a server that leases nothing.
    pub(crate) const fn of_test(used: CounterDelta) -> Self {
        Self { used, holds: 0, needs: 0, wants: false, quota_day: 0, quota_hour: 0 }
    }
}
