//! What one key used in its present day and hour, and the calls that this server has leased for it: those it lets in without asking
//! the state file.
//!
//! What is leased and what was used and not reported yet is never more than the file has set aside for this server.

use tokio::sync::oneshot::{Receiver, Sender, channel};

use super::UNMETERED;
use super::clock::Window;
use parquote_catalogue::operation::Quota;
use parquote_state::{CounterDelta, CounterStanding, LeaseAsk, Leased, lease_block};

/// Which window has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullWindow {
    Day,
    Hour,
}

/// Why nothing was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untaken {
    /// A window is used up.
    Full(FullWindow),
    /// What is left of a window is leased to others.
    Held(FullWindow),
    /// The lease is spent; the file is to be asked for more.
    Unleased,
}

/// What calls are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backing {
    /// The lease of this server: others count too, or may begin to.
    Lease,
    /// The quota as it is known here: nobody else counts.
    Memory,
}

/// What is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Take {
    pub quota: Quota,
    pub cost: u32,
    pub at: i64,
}

/// After so many seconds without a call a lease goes back, where other servers count too.
const IDLE_S: i64 = 2;
/// The same for a server that is alone: only a kill would lose it.
const IDLE_ALONE_S: i64 = 60;

/// The counter of a key.
#[derive(Debug, Default)]
pub(super) struct KeyCounter {
    day: i64,
    day_used: u32,
    /// What other servers hold of the day.
    day_held: u32,
    hour: i64,
    hour_used: u32,
    /// What other servers hold of the hour.
    hour_held: u32,
    /// What the file does not have yet, of the same windows.
    pending: Pending,
    lease: Lease,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pending {
    day: i64,
    hour: i64,
    total: i64,
    /// When it was last used; 0 if the file has everything.
    touched_at: i64,
}

/// What this server may let in, of the hour of its counter.
#[derive(Debug, Default)]
struct Lease {
    /// Calls that are left of it.
    unspent: u32,
    /// What the file has set aside, without what was used and reported since.
    on_file: u32,
    /// Whether the file has a lease of an hour that is over.
    is_stale: bool,
    /// More is asked for once no more than so many are left.
    refill_at: u32,
    /// Whether more is asked for.
    asks: bool,
    /// Who waits, and what for.
    waiting: Vec<(u32, Sender<()>)>,
    quota: Quota,
    touched_at: i64,
    /// When the file last had nothing left to lease.
    dry_at: i64,
}

/// What is reported of a key, and what it replaces here if it cannot be written.
#[derive(Debug)]
pub(super) struct UsageReport {
    pub ask: LeaseAsk,
    unspent: u32,
    on_file: u32,
}

impl KeyCounter {
    /// Takes a cost from both windows, or nothing.
    pub(super) fn take(&mut self, take: Take, backing: Backing) -> Result<Taken, Untaken> {
        let Take { quota, cost, at } = take;
        self.turn(Window::of(at));
        self.lease.quota = quota;
        let lacks = |used: u32, held: u32, limit: u32| used.saturating_add(held).saturating_add(cost) > limit;
        let held = |held: u32| if backing == Backing::Memory { held } else { 0 };
        if lacks(self.day_used, held(self.day_held), quota.day) {
            return Err(Untaken::Full(FullWindow::Day));
        }
        if lacks(self.hour_used, held(self.hour_held), quota.hour) {
            return Err(Untaken::Full(FullWindow::Hour));
        }
        let is_leased = cost > 0 && backing == Backing::Lease && is_metered(quota);
        if is_leased && self.lease.unspent < cost {
            if self.lease.dry_at != at {
                return Err(Untaken::Unleased);
            }
            let is_of_day = lacks(self.day_used, self.day_held, quota.day);
            return Err(Untaken::Held(if is_of_day { FullWindow::Day } else { FullWindow::Hour }));
        }
        self.lease.unspent = self.lease.unspent.saturating_sub(cost);
        self.lease.touched_at = at;
        self.day_used += cost;
        self.hour_used += cost;
        self.note(i64::from(cost), i64::from(cost), i64::from(cost), at);
        let asks = is_leased && self.should_refill();
        self.lease.asks |= asks;
        Ok(Taken { left: self.left(quota), asks })
    }

    /// Whether this is the moment to ask for more: half is spent, and there is more to be had.
    fn should_refill(&self) -> bool {
        let Self { lease, .. } = self;
        let left = self.left(lease.quota);
        !lease.asks && lease.unspent <= lease.refill_at && left.day.min(left.hour) > lease.unspent
    }

    /// Gives a cost back to the windows it was taken from at that moment, as far as they are still the present ones.
    pub(super) fn give_back(&mut self, cost: u32, taken_at: i64) {
        let window = Window::of(taken_at);
        let day = if self.day == window.day { cost.min(self.day_used) } else { 0 };
        let hour = if self.hour == window.hour { cost.min(self.hour_used) } else { 0 };
        self.day_used -= day;
        self.hour_used -= hour;
        self.note(-i64::from(day), -i64::from(hour), -i64::from(cost), taken_at);
        // It may be spent again, unless it was counted without a lease.
        let room = clamp(i64::from(self.lease.on_file) - self.pending.hour);
        self.lease.unspent = room.min(self.lease.unspent.saturating_add(hour)).max(self.lease.unspent);
    }

    /// What is left of a quota at a moment.
    pub(super) fn left_at(&self, quota: Quota, at: i64) -> Quota {
        let now = Window::of(at);
        let left = self.left(quota);
        Quota {
            day: if is_turned(self.day, now.day) { quota.day } else { left.day },
            hour: if is_turned(self.hour, now.hour) { quota.hour } else { left.hour },
        }
    }

    fn left(&self, quota: Quota) -> Quota {
        Quota {
            day: quota.day.saturating_sub(self.day_used).saturating_sub(self.day_held),
            hour: quota.hour.saturating_sub(self.hour_used).saturating_sub(self.hour_held),
        }
    }

    /// Whether there is nothing to report, whatever the time is.
    pub(super) fn is_settled(&self) -> bool {
        let lease = &self.lease;
        let is_open = lease.on_file > 0 || lease.asks || lease.is_stale || !lease.waiting.is_empty();
        self.pending.touched_at == 0 && !is_open
    }

    /// Waits for a lease.
    pub(super) fn wait(&mut self, cost: u32) -> Receiver<()> {
        let (granted, waits) = channel();
        self.lease.waiting.push((cost, granted));
        waits
    }

    /// What there is to report as of now, and to ask for: what was used in a window that is over is no part of the present one, and
    /// an old window that came late would take the file back to it, with the counts of other servers.
    pub(super) fn report(&mut self, key_id: i64, at: i64, servers: u32) -> Option<UsageReport> {
        self.turn(Window::of(at));
        let lease = &self.lease;
        let keeps = self.keeps(at, servers);
        let is_due =
            self.pending.touched_at != 0 || lease.asks || lease.is_stale || !lease.waiting.is_empty();
        if !is_due && keeps == lease.unspent {
            return None;
        }
        let pending = std::mem::take(&mut self.pending);
        let waiting = self.lease.waiting.iter().filter(|(_, waits)| !waits.is_closed());
        let needs = waiting.fold(0_u32, |sum, (cost, _)| sum.saturating_add(*cost));
        let (unspent, on_file) = (self.lease.unspent, self.lease.on_file);
        let ask = LeaseAsk {
            used: CounterDelta {
                key_id,
                day: self.day,
                day_used: pending.day,
                hour: self.hour,
                hour_used: pending.hour,
                total: pending.total,
                last_used_at: pending.touched_at,
            },
            holds: keeps,
            needs,
            wants: needs > 0 || self.lease.asks,
            quota_day: self.lease.quota.day,
            quota_hour: self.lease.quota.hour,
        };
        if keeps < unspent {
            // There is something to be had again.
            self.lease.dry_at = 0;
        }
        (self.lease.unspent, self.lease.on_file) = (keeps, keeps);
        Some(UsageReport { ask, unspent, on_file })
    }

    /// How much of its lease the server keeps: all of it while somebody waits, else as much as it would lease now.
    fn keeps(&self, at: i64, servers: u32) -> u32 {
        let Lease { unspent, quota, touched_at, .. } = self.lease;
        let idle_s = if servers > 1 { IDLE_S } else { IDLE_ALONE_S };
        let left = self.left(quota);
        if at.abs_diff(touched_at) >= idle_s.unsigned_abs() {
            return 0;
        }
        if !self.lease.waiting.is_empty() {
            return unspent;
        }
        unspent.min(lease_block(left.day.min(left.hour), servers, quota.day.min(quota.hour)))
    }

    /// Takes up how a report ended. Whoever waits looks again.
    pub(super) fn settle(&mut self, asked: &LeaseAsk, leased: &Leased, at: i64) {
        self.follow(&leased.standing);
        let lease = &mut self.lease;
        if self.hour == leased.hour {
            lease.is_stale = false;
            lease.unspent = lease.unspent.saturating_add(leased.granted);
            lease.on_file = lease.on_file.saturating_add(leased.granted);
            let is_dry = asked.holds.saturating_add(leased.granted) < asked.needs;
            lease.dry_at = if is_dry { at } else { 0 };
        } else {
            lease.is_stale = true;
        }
        lease.refill_at = lease.unspent / 2;
        self.wake();
    }

    /// Puts back what could not be written.
    pub(super) fn put_back(&mut self, report: &UsageReport) {
        let used = &report.ask.used;
        let day = if self.day == used.day { used.day_used } else { 0 };
        let hour = if self.hour == used.hour { used.hour_used } else { 0 };
        if used.last_used_at != 0 {
            let touched_at = self.pending.touched_at.max(used.last_used_at);
            self.note(day, hour, used.total, touched_at);
        }
        if self.hour == used.hour {
            let goes_back = report.unspent.saturating_sub(report.ask.holds);
            self.lease.unspent = self.lease.unspent.saturating_add(goes_back);
            self.lease.on_file = report.on_file;
        } else {
            self.lease.is_stale = true;
        }
        self.wake();
    }

    /// Tells all who wait to look again.
    pub(super) fn wake(&mut self) {
        self.lease.asks = false;
        self.lease.waiting.clear();
    }

    /// Gives all back with the next report.
    pub(super) fn release(&mut self) {
        self.lease.is_stale |= self.lease.on_file > 0;
        self.lease.unspent = 0;
    }

    /// What was used and not reported yet, with its windows.
    pub(super) fn unreported(&self) -> CounterDelta {
        let (Pending { day, hour, touched_at, .. }, key_id) = (self.pending, 0);
        let (day_used, hour_used, total) = (day, hour, 0);
        CounterDelta {
            key_id,
            day: self.day,
            day_used,
            hour: self.hour,
            hour_used,
            total,
            last_used_at: touched_at,
        }
    }

    /// Takes the place of a key of which so much is not reported yet. What the file copied of that key's lease ends with the next
    /// report.
    pub(super) fn take_over(&mut self, unreported: &CounterDelta) {
        self.turn(Window { day: unreported.day, hour: unreported.hour });
        let day = if self.day == unreported.day { unreported.day_used } else { 0 };
        let hour = if self.hour == unreported.hour { unreported.hour_used } else { 0 };
        self.day_used = clamp(i64::from(self.day_used) + day);
        self.hour_used = clamp(i64::from(self.hour_used) + hour);
        self.note(day, hour, 0, unreported.last_used_at);
        self.lease.is_stale = true;
    }

    /// Follows what the file says: its count, and on top what it does not have yet. What the file says of a window before the
    /// present one is old, however far back that lies: only a clock turns a window back, never another server's count.
    pub(super) fn follow(&mut self, standing: &CounterStanding) {
        let stored = standing.counted;
        self.turn(Window { day: stored.day.max(self.day), hour: stored.hour.max(self.hour) });
        if self.day == stored.day {
            self.day_used = clamp(stored.day_used + self.pending.day);
            self.day_held = clamp(standing.day_held);
        }
        if self.hour == stored.hour {
            self.hour_used = clamp(stored.hour_used + self.pending.hour);
            self.hour_held = clamp(standing.hour_held);
        }
    }

    /// Begins new windows. One that lies further back than the last is a corrected clock: counting goes on there, or
    /// else a wrong date would shut a key out for as long. A lease ends with its hour.
    fn turn(&mut self, now: Window) {
        if is_turned(self.day, now.day) {
            (self.day, self.day_used, self.day_held, self.pending.day) = (now.day, 0, 0, 0);
        }
        if is_turned(self.hour, now.hour) {
            (self.hour, self.hour_used, self.hour_held, self.pending.hour) = (now.hour, 0, 0, 0);
            self.lease.is_stale |= self.lease.on_file > 0;
            (self.lease.unspent, self.lease.on_file, self.lease.dry_at) = (0, 0, 0);
            // What was asked for was of the hour before.
            self.lease.asks = false;
        }
    }

    fn note(&mut self, day: i64, hour: i64, total: i64, at: i64) {
        self.pending.day += day;
        self.pending.hour += hour;
        self.pending.total += total;
        self.pending.touched_at = self.pending.touched_at.max(at);
    }
}

/// What was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    /// What is left of the quota.
    pub left: Quota,
    /// Whether the lease is to be refilled now.
    pub asks: bool,
}

/// Whether a quota limits anything; what does not is counted, and needs no lease.
const fn is_metered(quota: Quota) -> bool {
    quota.day != UNMETERED || quota.hour != UNMETERED
}

const fn is_turned(window: i64, now: i64) -> bool {
    now > window || now < window - 1
}

fn clamp(used: i64) -> u32 {
    u32::try_from(used.max(0)).unwrap_or(u32::MAX)
}
