//! Which callers are the public: those whose tier a setting names. What the public sees, snapshots know.

use std::sync::Arc;

use super::{Caller, Service};
use parquote_catalogue::operation::Tier;
use parquote_engine::Snapshot;
use parquote_refresh::Audience;

/// The tiers whose callers are the public; none by default.
#[derive(Debug, Clone, Default)]
pub struct PublicTiers(Arc<[Tier]>);

impl PublicTiers {
    /// These tiers.
    pub fn new(tiers: impl IntoIterator<Item = Tier>) -> Self {
        Self(tiers.into_iter().collect())
    }

    /// The audience that callers of a tier are.
    pub(super) fn audience_of(&self, tier: Tier) -> Audience {
        if self.0.contains(&tier) { Audience::Public } else { Audience::Members }
    }

    /// The audience of what is the same for everyone, with a key or without.
    fn everyone(&self) -> Audience {
        if self.0.is_empty() { Audience::Members } else { Audience::Public }
    }
}

impl Service {
    /// The same service with callers of these tiers as the public.
    #[must_use]
    pub fn with_public_tiers(self, public: PublicTiers) -> Self {
        Self { public, ..self }
    }

    /// The audience that a caller is. Whoever sits at the machine itself is not the public.
    pub(super) fn audience_of(&self, caller: &Caller) -> Audience {
        match caller.key {
            Some(_) if caller.is_guest() => self.public.everyone(),
            Some(_) => self.public.audience_of(caller.tier()),
            None => Audience::Members,
        }
    }

    /// The present snapshot, for what shows no rows.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.current()
    }

    /// The snapshot that a caller sees; a request takes it once and keeps it.
    pub fn seen_by(&self, caller: &Caller) -> Arc<Snapshot> {
        self.snapshots.seen_by(self.audience_of(caller))
    }

    /// The snapshot behind what is the same for everyone, such as documents.
    pub fn seen_by_all(&self) -> Arc<Snapshot> {
        self.snapshots.seen_by(self.public.everyone())
    }
}
