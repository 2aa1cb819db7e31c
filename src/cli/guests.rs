//! Guests: people without a key who look at the explorer. They are counted by a key of their own, whose text nobody knows.

use super::keys;
use crate::access::unix_seconds;
use crate::call::is_invented;
use crate::config::Serving;
use crate::engine::Snapshot;
use crate::operation::{Market, Tier};
use crate::state::{GUEST_HINT, GUESTS, StateLocation, Store};

/// The number of the key by which guests are counted, which is made where it is not there, and their tier; none where there are no
/// guests. Where the invented market is open by itself, nothing of it is to be kept from whoever sits at the machine.
pub(super) fn key(
    serving: &Serving,
    snapshot: &Snapshot,
    state: &StateLocation,
) -> anyhow::Result<Option<(i64, Tier)>> {
    if !serving.guest.unwrap_or_else(|| is_demo_at_home(serving, snapshot)) {
        return Ok(None);
    }
    let by_default = if serving.guest.is_some() { Tier::Free } else { Tier::ApiMax };
    let tier = serving.guest_tier.unwrap_or(by_default);
    let (_, mut key) = keys::new(tier, GUESTS, unix_seconds())?;
    GUEST_HINT.clone_into(&mut key.hint);
    "counts guests; nobody knows its text".clone_into(&mut key.note);
    (key.quota_day, key.quota_hour) = (Some(5_000), Some(1_000));
    Ok(Some((Store::open(state)?.guest_key(&key)?, tier)))
}

/// Whether all that is served is the built-in demo market, and nobody but this machine is served.
fn is_demo_at_home(serving: &Serving, snapshot: &Snapshot) -> bool {
    let mut served = Market::ALL.into_iter().filter(|market| snapshot.market(*market).is_some());
    let is_at_home =
        serving.listen.ip().is_loopback() && serving.public_url.is_none() && serving.trusted_proxy.is_empty();
    is_at_home && !snapshot.is_empty() && served.all(|market| is_invented(snapshot, market))
}
