//! The audience of a caller: a setting names the tiers whose callers are the public. Snapshots decide what the public sees.

use std::sync::Arc;

use chrono::NaiveDate;

use super::{Caller, Service};
use parquote_catalogue::operation::{Market, Tier};
use parquote_engine::Snapshot;
use parquote_refresh::Audience;

/// Tiers whose callers are the public; none by default.
#[derive(Debug, Clone, Default)]
pub struct PublicTiers(Arc<[Tier]>);

impl PublicTiers {
    /// Builds the setting from these tiers.
    pub fn new(tiers: impl IntoIterator<Item = Tier>) -> Self {
        Self(tiers.into_iter().collect())
    }

    /// Returns the audience of callers of a tier.
    pub(super) fn audience_of(&self, tier: Tier) -> Audience {
        if self.0.contains(&tier) { Audience::Public } else { Audience::Members }
    }

    /// Returns the audience of documents that are the same for everyone, with a key or without.
    fn shared_audience(&self) -> Audience {
        if self.0.is_empty() { Audience::Members } else { Audience::Public }
    }
}

impl Service {
    /// Returns the service with callers of these tiers as the public.
    #[must_use]
    pub fn with_public_tiers(self, public: PublicTiers) -> Self {
        Self { public, ..self }
    }

    /// Returns the audience of a caller. A local caller without a key is not the public.
    pub(super) fn audience_of(&self, caller: &Caller) -> Audience {
        match caller.key {
            Some(_) if caller.is_guest() => self.public.shared_audience(),
            Some(_) => self.public.audience_of(caller.tier()),
            None => Audience::Members,
        }
    }

    /// Returns the current snapshot, for uses that show no rows.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.current()
    }

    /// Returns the snapshot that a caller sees; a request takes it once and uses it throughout.
    pub fn snapshot_for(&self, caller: &Caller) -> Arc<Snapshot> {
        self.snapshots.snapshot_for(self.audience_of(caller))
    }

    /// Returns the days that a caller may request in a market, newest first: the last session of each retained and each past set.
    pub fn days_for(&self, caller: &Caller, market: Market) -> Vec<NaiveDate> {
        self.snapshots.days(self.audience_of(caller), market)
    }

    /// Returns the snapshot for everything that is the same for everyone, such as documents.
    pub fn shared_snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.snapshot_for(self.public.shared_audience())
    }
}
