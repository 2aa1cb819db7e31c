//! Use of one key in the present day and hour, and leased calls of the key, which this server admits without a request to the state.
//!
//! Leased calls plus unreported use never exceed the calls that the state has reserved for this server.

use tokio::sync::oneshot::{Receiver, Sender, channel};

use super::UNMETERED;
use super::clock::Window;
use parquote_catalogue::operation::Quota;
use parquote_state::{CounterDelta, CounterStanding, GrantedLease, LeaseRequest, lease_block};

parquote_catalogue::word_enum! {
    /// A window whose quota is used up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FullWindow {
        /// The day in India.
        Day = "daily",
        /// The hour in India.
        Hour = "hourly",
    }
    fn word "Returns the word in messages.";
}

/// The reason why no cost was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakeError {
    /// The quota of the window is used up.
    Full(FullWindow),
    /// The rest of the window's quota is leased to other servers.
    Held(FullWindow),
    /// The lease is spent; more must be requested from the state.
    Unleased,
}

/// The source from which calls are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backing {
    /// This server's lease: other servers count too, or may begin to.
    Lease,
    /// The quota minus the use in memory: no other server counts.
    Memory,
}

/// A cost to take from a quota, in calls, at a time in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Charge {
    pub quota: Quota,
    pub cost: u32,
    pub at: i64,
}

/// Idle seconds after which a lease is returned, if there are other servers.
const IDLE_S: i64 = 2;
/// Idle seconds after which a lease is returned, for a single server, whose leases are lost only by a kill.
const IDLE_ALONE_S: i64 = 60;

/// The counts of a key.
#[derive(Debug, Default)]
pub(super) struct KeyCounter {
    day: i64,
    day_used: u32,
    /// Calls of the day that other servers hold.
    day_held: u32,
    hour: i64,
    hour_used: u32,
    /// Calls of the hour that other servers hold.
    hour_held: u32,
    /// Use in the same windows that is not reported yet.
    pending: UnreportedUse,
    lease: Lease,
}

/// Calls of the counter's day and hour, and of all time, since the last report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct UnreportedUse {
    day: i64,
    hour: i64,
    total: i64,
    /// Time of the last unreported use; 0 if all is reported.
    touched_at: i64,
}

/// Calls that this server may admit in the counter's hour.
#[derive(Debug, Default)]
struct Lease {
    /// Number of calls left in the lease.
    unspent: u32,
    /// Number of calls that the state reserves for this server, minus calls that were reported since.
    reserved: u32,
    /// True if the state still has a lease of a past hour.
    is_stale: bool,
    /// Number of calls left at which more are requested.
    refill_at: u32,
    /// True while a request for more calls is pending.
    is_requested: bool,
    /// Costs of waiting calls, each with the channel that wakes it.
    waiting: Vec<(u32, Sender<()>)>,
    quota: Quota,
    touched_at: i64,
    /// Time at which the state had no calls left to lease; 0 if it had some at the last report.
    exhausted_at: i64,
}

/// The report of a key, with the values to restore if it cannot be written.
#[derive(Debug)]
pub(super) struct UsageReport {
    pub request: LeaseRequest,
    unspent: u32,
    reserved: u32,
}

impl KeyCounter {
    /// Takes a cost from both windows or, with an error, from neither.
    pub(super) fn take_cost(&mut self, charge: Charge, backing: Backing) -> Result<TakeOutcome, TakeError> {
        let Charge { quota, cost, at } = charge;
        self.begin_windows(Window::from_unix(at));
        self.lease.quota = quota;
        let lacks = |used: u32, held: u32, limit: u32| used.saturating_add(held).saturating_add(cost) > limit;
        let held = |held: u32| if backing == Backing::Memory { held } else { 0 };
        if lacks(self.day_used, held(self.day_held), quota.day) {
            return Err(TakeError::Full(FullWindow::Day));
        }
        if lacks(self.hour_used, held(self.hour_held), quota.hour) {
            return Err(TakeError::Full(FullWindow::Hour));
        }
        let is_metered = quota.day != UNMETERED || quota.hour != UNMETERED;
        let is_leased = cost > 0 && backing == Backing::Lease && is_metered;
        if is_leased && self.lease.unspent < cost {
            if self.lease.exhausted_at != at {
                return Err(TakeError::Unleased);
            }
            let is_day_full = lacks(self.day_used, self.day_held, quota.day);
            return Err(TakeError::Held(if is_day_full { FullWindow::Day } else { FullWindow::Hour }));
        }
        self.lease.unspent = self.lease.unspent.saturating_sub(cost);
        self.lease.touched_at = at;
        self.day_used += cost;
        self.hour_used += cost;
        self.record_calls(i64::from(cost), i64::from(cost), i64::from(cost), at);
        let needs_refill = is_leased && self.should_refill();
        self.lease.is_requested |= needs_refill;
        Ok(TakeOutcome { left: self.remaining(quota), needs_refill })
    }

    /// Returns true if more calls should be requested: half of the lease is spent and the quota has more.
    fn should_refill(&self) -> bool {
        let Self { lease, .. } = self;
        let left = self.remaining(lease.quota);
        !lease.is_requested && lease.unspent <= lease.refill_at && left.day.min(left.hour) > lease.unspent
    }

    /// Refunds a cost to the windows of `taken_at`, if they are still the present ones.
    pub(super) fn refund(&mut self, cost: u32, taken_at: i64) {
        let window = Window::from_unix(taken_at);
        let day = if self.day == window.day { cost.min(self.day_used) } else { 0 };
        let hour = if self.hour == window.hour { cost.min(self.hour_used) } else { 0 };
        self.day_used -= day;
        self.hour_used -= hour;
        self.record_calls(-i64::from(day), -i64::from(hour), -i64::from(cost), taken_at);
        // Refunded calls can be spent again, unless they were counted without a lease.
        let room = clamp(i64::from(self.lease.reserved) - self.pending.hour);
        self.lease.unspent = room.min(self.lease.unspent.saturating_add(hour)).max(self.lease.unspent);
    }

    /// Returns the remainder of the quotas at a time.
    pub(super) fn left_at(&self, quota: Quota, at: i64) -> Quota {
        let now = Window::from_unix(at);
        let left = self.remaining(quota);
        Quota {
            day: if is_next_window(self.day, now.day) { quota.day } else { left.day },
            hour: if is_next_window(self.hour, now.hour) { quota.hour } else { left.hour },
        }
    }

    fn remaining(&self, quota: Quota) -> Quota {
        Quota {
            day: quota.day.saturating_sub(self.day_used).saturating_sub(self.day_held),
            hour: quota.hour.saturating_sub(self.hour_used).saturating_sub(self.hour_held),
        }
    }

    /// Returns true if the counter has no unreported use, lease or waiting call.
    pub(super) fn is_settled(&self) -> bool {
        let lease = &self.lease;
        let is_open = lease.reserved > 0 || lease.is_requested || lease.is_stale || !lease.waiting.is_empty();
        self.pending.touched_at == 0 && !is_open
    }

    /// Registers a call that waits for a lease; the channel closes with the next report.
    pub(super) fn wait(&mut self, cost: u32) -> Receiver<()> {
        let (granted, receiver) = channel();
        self.lease.waiting.push((cost, granted));
        receiver
    }

    /// Builds the report at a time and resets the unreported use; `None` if there is nothing to report. Use in a past window is dropped,
    /// because a late report of an old window would reset the counts of all servers in the state to that window.
    pub(super) fn report(&mut self, key_id: i64, at: i64, servers: u32) -> Option<UsageReport> {
        self.begin_windows(Window::from_unix(at));
        let lease = &self.lease;
        let retained = self.calls_to_retain(at, servers);
        let is_due =
            self.pending.touched_at != 0 || lease.is_requested || lease.is_stale || !lease.waiting.is_empty();
        if !is_due && retained == lease.unspent {
            return None;
        }
        let pending = std::mem::take(&mut self.pending);
        let waiting = self.lease.waiting.iter().filter(|(_, granted)| !granted.is_closed());
        let needs = waiting.fold(0_u32, |sum, (cost, _)| sum.saturating_add(*cost));
        let (unspent, reserved) = (self.lease.unspent, self.lease.reserved);
        let request = LeaseRequest {
            used: CounterDelta {
                key_id,
                day: self.day,
                day_used: pending.day,
                hour: self.hour,
                hour_used: pending.hour,
                total: pending.total,
                last_used_at: pending.touched_at,
            },
            held_calls: retained,
            needed_calls: needs,
            wants_more: needs > 0 || self.lease.is_requested,
            quota_day: self.lease.quota.day,
            quota_hour: self.lease.quota.hour,
        };
        if retained < unspent {
            // The returned calls can be leased again.
            self.lease.exhausted_at = 0;
        }
        (self.lease.unspent, self.lease.reserved) = (retained, retained);
        Some(UsageReport { request, unspent, reserved })
    }

    /// Returns the number of leased calls to retain: all while calls wait, none after an idle time, otherwise the size of a new lease.
    fn calls_to_retain(&self, at: i64, servers: u32) -> u32 {
        let Lease { unspent, quota, touched_at, .. } = self.lease;
        let idle_s = if servers > 1 { IDLE_S } else { IDLE_ALONE_S };
        let left = self.remaining(quota);
        if at.abs_diff(touched_at) >= idle_s.unsigned_abs() {
            return 0;
        }
        if !self.lease.waiting.is_empty() {
            return unspent;
        }
        unspent.min(lease_block(left.day.min(left.hour), servers, quota.day.min(quota.hour)))
    }

    /// Applies the result of a report and wakes waiting calls.
    pub(super) fn settle(&mut self, requested: &LeaseRequest, leased: &GrantedLease, at: i64) {
        self.apply_standing(&leased.standing);
        let lease = &mut self.lease;
        if self.hour == leased.hour {
            lease.is_stale = false;
            lease.unspent = lease.unspent.saturating_add(leased.granted);
            lease.reserved = lease.reserved.saturating_add(leased.granted);
            let is_dry = requested.held_calls.saturating_add(leased.granted) < requested.needed_calls;
            lease.exhausted_at = if is_dry { at } else { 0 };
        } else {
            lease.is_stale = true;
        }
        lease.refill_at = lease.unspent / 2;
        self.wake_waiting();
    }

    /// Restores a report that could not be written.
    pub(super) fn put_back(&mut self, report: &UsageReport) {
        let used = &report.request.used;
        let day = if self.day == used.day { used.day_used } else { 0 };
        let hour = if self.hour == used.hour { used.hour_used } else { 0 };
        if used.last_used_at != 0 {
            let touched_at = self.pending.touched_at.max(used.last_used_at);
            self.record_calls(day, hour, used.total, touched_at);
        }
        if self.hour == used.hour {
            let returned = report.unspent.saturating_sub(report.request.held_calls);
            self.lease.unspent = self.lease.unspent.saturating_add(returned);
            self.lease.reserved = report.reserved;
        } else {
            self.lease.is_stale = true;
        }
        self.wake_waiting();
    }

    /// Wakes all waiting calls.
    pub(super) fn wake_waiting(&mut self) {
        self.lease.is_requested = false;
        self.lease.waiting.clear();
    }

    /// Returns the whole lease with the next report.
    pub(super) fn release(&mut self) {
        self.lease.is_stale |= self.lease.reserved > 0;
        self.lease.unspent = 0;
    }

    /// Returns the unreported use with its windows, for another key.
    pub(super) fn unreported_use(&self) -> CounterDelta {
        let (UnreportedUse { day, hour, touched_at, .. }, key_id) = (self.pending, 0);
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

    /// Adds the unreported use of a replaced key. The lease of that key, which the state has moved to this key, ends with the next report.
    pub(super) fn add_unreported(&mut self, unreported: &CounterDelta) {
        self.begin_windows(Window { day: unreported.day, hour: unreported.hour });
        let day = if self.day == unreported.day { unreported.day_used } else { 0 };
        let hour = if self.hour == unreported.hour { unreported.hour_used } else { 0 };
        self.day_used = clamp(i64::from(self.day_used) + day);
        self.hour_used = clamp(i64::from(self.hour_used) + hour);
        self.record_calls(day, hour, 0, unreported.last_used_at);
        self.lease.is_stale = true;
    }

    /// Applies the counts of the state, plus unreported use. Counts of any earlier window are ignored: only the clock of this server sets a
    /// window back, never a count of another server.
    pub(super) fn apply_standing(&mut self, standing: &CounterStanding) {
        let stored = standing.usage;
        self.begin_windows(Window { day: stored.day.max(self.day), hour: stored.hour.max(self.hour) });
        if self.day == stored.day {
            self.day_used = clamp(stored.day_used + self.pending.day);
            self.day_held = clamp(standing.day_held);
        }
        if self.hour == stored.hour {
            self.hour_used = clamp(stored.hour_used + self.pending.hour);
            self.hour_held = clamp(standing.hour_held);
        }
    }

    /// Begins new windows. A time more than one window before the present one means a corrected clock: counting continues there, because a
    /// wrong date would otherwise lock the key out until then. A lease ends with its hour.
    fn begin_windows(&mut self, now: Window) {
        if is_next_window(self.day, now.day) {
            (self.day, self.day_used, self.day_held, self.pending.day) = (now.day, 0, 0, 0);
        }
        if is_next_window(self.hour, now.hour) {
            (self.hour, self.hour_used, self.hour_held, self.pending.hour) = (now.hour, 0, 0, 0);
            self.lease.is_stale |= self.lease.reserved > 0;
            (self.lease.unspent, self.lease.reserved, self.lease.exhausted_at) = (0, 0, 0);
            // The pending request was for the hour before.
            self.lease.is_requested = false;
        }
    }

    fn record_calls(&mut self, day: i64, hour: i64, total: i64, at: i64) {
        self.pending.day += day;
        self.pending.hour += hour;
        self.pending.total += total;
        self.pending.touched_at = self.pending.touched_at.max(at);
    }
}

/// The result of taking a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TakeOutcome {
    /// The remainder of the quotas.
    pub left: Quota,
    /// True if the lease should be refilled.
    pub needs_refill: bool,
}

/// Returns true if `now` is after a window, or more than one before it.
const fn is_next_window(window: i64, now: i64) -> bool {
    now > window || now < window - 1
}

fn clamp(calls: i64) -> u32 {
    u32::try_from(calls.max(0)).unwrap_or(u32::MAX)
}
