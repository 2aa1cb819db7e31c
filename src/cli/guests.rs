//! Guests: users of the explorer without a key. A reserved key, whose text nothing knows, counts their usage.

use super::keys;
use crate::access::unix_seconds;
use crate::call::is_invented;
use crate::config::Serving;
use crate::engine::Snapshot;
use crate::operation::{Market, Tier};
use crate::state::{GUEST_HINT, GUESTS, StateLocation, Store};

/// Returns the id of the key that counts guests, which is created if missing, and their tier; `None` if guests are not allowed. If the demo
/// market is open by default, guests have the highest tier, because the data is fictional and local.
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
    let (_, mut key) = keys::new_key(tier, GUESTS, unix_seconds())?;
    GUEST_HINT.clone_into(&mut key.hint);
    "counts guests; nobody knows its text".clone_into(&mut key.note);
    (key.quota_day, key.quota_hour) = (Some(5_000), Some(1_000));
    Ok(Some((Store::open(state)?.guest_key(&key)?, tier)))
}

/// Returns true if only the built-in demo market is served, and only to this machine.
fn is_demo_at_home(serving: &Serving, snapshot: &Snapshot) -> bool {
    let mut served = Market::ALL.into_iter().filter(|market| snapshot.market(*market).is_some());
    let is_at_home =
        serving.listen.ip().is_loopback() && serving.public_url.is_none() && serving.trusted_proxy.is_empty();
    is_at_home && !snapshot.is_empty() && served.all(|market| is_invented(snapshot, market))
}
