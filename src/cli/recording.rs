//! Records the screens that owners marked whenever a server serves another set of a market.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::handlers::ScreenRecorder;
use crate::operation::Market;
use crate::refresh::{Audience, Snapshots};

/// Interval at which it looks for another set, and retries what failed.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Records until the task is dropped with its threads.
pub(super) async fn record_screens(recorder: ScreenRecorder, snapshots: Arc<Snapshots>) {
    let mut last_sets: BTreeMap<Market, [Option<Arc<str>>; 2]> = BTreeMap::new();
    loop {
        for market in Market::ALL {
            let seen = [Audience::Members, Audience::Public].map(|audience| {
                snapshots.snapshot_for(audience).market(market).map(|market| Arc::clone(&market.name().id))
            });
            if last_sets.get(&market) == Some(&seen) {
                continue;
            }
            match recorder.record(market).await {
                Ok(()) => {
                    last_sets.insert(market, seen);
                }
                Err(error) => {
                    tracing::warn!(%market, %error, "screens cannot be recorded now; recording is retried");
                }
            }
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
