//! The refresh loop, on a separate thread of low priority.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout};

use super::hash_watch::HashWatch;
use super::market_refresh::MarketRefresh;
use super::settings::RefreshSettings;
use super::snapshots::Snapshots;
use super::status::RefreshStatus;
use super::wake::WakeReason;
use super::watch::FolderWatch;
use parquote_catalogue::operation::Market;
use parquote_catalogue::thread_priority;
use parquote_engine::{Engine, Snapshot};
use parquote_set::{DataLocation, Inbox, Root};

/// Minimum time between two requested scans; requests in between share the next one.
const SCAN_SPACING: Duration = Duration::from_millis(100);

/// Stack size of threads that plan: planning recurses as deep as a query is nested, and a stack overflow would end the whole process.
const STACK_BYTES: usize = 32 << 20;

/// A running refresher; the loop ends when it is dropped.
pub struct Refresher {
    wake: UnboundedSender<WakeReason>,
    /// True once the first scan has ended.
    first_scan: watch::Receiver<bool>,
    /// The loop runs until this is dropped.
    _alive: Arc<()>,
}

/// A handle that requests scans of the root.
#[derive(Clone)]
pub struct ScanTrigger {
    wake: UnboundedSender<WakeReason>,
}

impl Refresher {
    /// Starts the loop. The receiver gets the snapshots as soon as a market is served.
    ///
    /// # Errors
    /// A thread or runtime that cannot be started.
    pub fn start(
        root: Root,
        cache: PathBuf,
        engine: Arc<Engine>,
        settings: RefreshSettings,
        status: RefreshStatus,
    ) -> std::io::Result<(Self, oneshot::Receiver<Arc<Snapshots>>)> {
        let (wake, wake_ups) = unbounded_channel();
        let (send, first) = oneshot::channel();
        let (ended, first_scan) = watch::channel(false);
        let alive = Arc::new(());
        let run = Loop {
            alive: Arc::downgrade(&alive),
            wake: wake.downgrade(),
            engine,
            status,
            settings,
            snapshots: None,
            first: Some(send),
            first_scan: ended,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new()
            .name("refresh".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || runtime.block_on(run.run(root, cache, wake_ups)))?;
        Ok((Self { wake, first_scan, _alive: alive }, first))
    }

    /// Returns a handle that requests scans of the root.
    pub fn scan_trigger(&self) -> ScanTrigger {
        ScanTrigger { wake: self.wake.clone() }
    }

    /// Waits until the first scan of the root has ended, even if it failed.
    pub async fn wait_for_first_scan(&self) {
        // After the loop has ended there is no scan to wait for.
        let _ = self.first_scan.clone().wait_for(|ended| *ended).await;
    }
}

impl ScanTrigger {
    /// Scans the root at once, without the quiet time, and waits for the end of the scan.
    pub async fn refresh(&self) {
        let (done, done_signal) = oneshot::channel();
        if self.wake.send(WakeReason::Requested(done)).is_ok() {
            let _ = done_signal.await;
        }
    }
}

/// The loop that scans all markets for new data, run on a separate thread.
struct Loop {
    alive: Weak<()>,
    wake: WeakUnboundedSender<WakeReason>,
    engine: Arc<Engine>,
    status: RefreshStatus,
    settings: RefreshSettings,
    /// `None` until a market is served.
    snapshots: Option<Arc<Snapshots>>,
    /// Receives the snapshots once a market is served; `None` after that.
    first: Option<oneshot::Sender<Arc<Snapshots>>>,
    /// True once the first scan has ended.
    first_scan: watch::Sender<bool>,
}

/// Starts all markets concurrently, because the server waits for all of them; each is planned on a separate thread. A market that
/// fails is retried at the next scan.
fn start_markets(markets: &mut [MarketRefresh]) {
    let start = |market: &mut MarketRefresh| -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(market.serve_first_set());
        Ok(())
    };
    let thread = || thread::Builder::new().name("begin".to_owned()).stack_size(STACK_BYTES);
    thread::scope(|scope| {
        let threads = markets.iter_mut().map(|market| thread().spawn_scoped(scope, || start(market)));
        for started in threads.collect::<Vec<_>>() {
            if !matches!(started.map(thread::ScopedJoinHandle::join), Ok(Ok(Ok(())))) {
                tracing::error!("a market could not be loaded at the start; loading is retried");
            }
        }
    });
}

/// All markets, over one location.
struct Markets {
    location: DataLocation,
    all: [MarketRefresh; Market::ALL.len()],
}

impl Loop {
    async fn run(mut self, root: Root, cache: PathBuf, mut wake_ups: UnboundedReceiver<WakeReason>) {
        let Some(location) = self.data_location(&root, &cache).await else { return };
        let folder = location.inbox.as_ref().and_then(Inbox::folder);
        let _watch =
            folder.zip(self.wake.upgrade()).and_then(|(folder, wake)| FolderWatch::start(folder, wake));
        let mut markets = Markets {
            all: Market::ALL.map(|market| {
                let (engine, settings) = (Arc::clone(&self.engine), self.settings.clone());
                MarketRefresh::new(market, location.clone(), engine, settings, self.status.clone())
            }),
            location,
        };
        start_markets(&mut markets.all);
        self.publish_first(&mut markets).await;
        let _ = self.first_scan.send(true);
        if self.settings.plans_ahead {
            self.plan_in_background(&markets);
        }
        let mut next = Instant::now();
        while self.alive.strong_count() > 0 {
            if self.snapshots.is_some() {
                // Nothing waits for this thread from here on.
                thread_priority::lower(thread_priority::BACKGROUND);
            }
            let is_waiting = markets.all.iter().any(MarketRefresh::is_waiting);
            let short_pause = self.settings.quiet.min(self.settings.poll) / 2;
            let mut done =
                wait_for_wake_up(if is_waiting { short_pause } else { self.settings.poll }, &mut wake_ups)
                    .await;
            if !done.is_empty() {
                tokio::time::sleep_until(next).await;
                next = Instant::now() + SCAN_SPACING;
                done.extend(wait_for_wake_up(Duration::ZERO, &mut wake_ups).await);
            }
            self.check_markets(&mut markets, !done.is_empty()).await;
            for done in done {
                let _ = done.send(());
            }
        }
    }

    /// Plans common operations in advance, on a thread of low priority: neither clients nor new sets wait for it.
    fn plan_in_background(&self, markets: &Markets) {
        let served: Vec<_> = markets.all.iter().flat_map(MarketRefresh::seen_snapshots).collect();
        let alive = Weak::clone(&self.alive);
        let plan = move || {
            thread_priority::lower(thread_priority::BACKGROUND);
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            for snapshot in served {
                runtime.block_on(snapshot.warm(|| alive.strong_count() > 0));
            }
        };
        let thread = thread::Builder::new().name("plan".to_owned()).stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn(plan) {
            tracing::warn!(%error, "plans are made when they are first requested");
        }
    }

    /// Determines where sets are read and written; an unreachable store is retried.
    async fn data_location(&self, root: &Root, cache: &Path) -> Option<DataLocation> {
        const LONGEST_WAIT: Duration = Duration::from_mins(1);
        let mut pause = self.settings.poll;
        while self.alive.strong_count() > 0 {
            match root.data_location(cache).await {
                Ok(location) => return Some(location),
                Err(error) => {
                    tracing::warn!(%error, "the root cannot be read; reading is retried");
                    for market in Market::ALL {
                        self.status.record_scan(market, Some(error.to_string()));
                    }
                    let _ = self.first_scan.send(true);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_WAIT);
                }
            }
        }
        None
    }

    async fn check_markets(&mut self, markets: &mut Markets, at_once: bool) {
        for market in &mut markets.all {
            // A panic on one market's data stops neither the other market nor the loop.
            if AssertUnwindSafe(market.check_for_changes(at_once)).catch_unwind().await.is_err() {
                market.record_panic();
            }
        }
        self.publish_first(markets).await;
    }

    /// Publishes the snapshots as soon as one market is served.
    async fn publish_first(&mut self, markets: &mut Markets) {
        if self.snapshots.is_some() || !markets.all.iter().any(MarketRefresh::is_served) {
            return;
        }
        let (mut served, mut public_views) = (Vec::new(), Vec::new());
        for market in &markets.all {
            let (now, public) = (market.served(), market.seen_by_public());
            let nothing =
                if now.is_none() || public.is_none() { market.without_tables().await } else { None };
            served.extend(now.or_else(|| nothing.clone()));
            public_views.extend(public.or(nothing));
        }
        let snapshots = [served, public_views].map(|markets| Snapshot::from_markets(&self.engine, markets));
        let (engine, sets) = (Arc::clone(&self.engine), markets.location.sets.clone());
        let snapshots = Arc::new(Snapshots::with_views(engine, snapshots, Some(sets), &self.settings));
        for market in &mut markets.all {
            market.serve_from(Arc::clone(&snapshots));
        }
        self.snapshots = Some(Arc::clone(&snapshots));
        let (status, watched) = (self.status.clone(), Arc::downgrade(&snapshots));
        let (alive, wake) = (Weak::clone(&self.alive), self.wake.clone());
        HashWatch { alive, snapshots: watched, status, wake }.start();
        if let Some(first) = self.first.take() {
            let _gone = first.send(snapshots);
        }
    }
}

/// Waits for a wake-up, up to `pause`; returns the senders of scan requests, to be notified.
async fn wait_for_wake_up(
    pause: Duration,
    wake_ups: &mut UnboundedReceiver<WakeReason>,
) -> Vec<oneshot::Sender<()>> {
    let mut reasons: Vec<WakeReason> =
        timeout(pause, wake_ups.recv()).await.ok().flatten().into_iter().collect();
    while let Ok(reason) = wake_ups.try_recv() {
        reasons.push(reason);
    }
    let requested = reasons.into_iter().filter_map(|reason| match reason {
        WakeReason::Requested(done) => Some(done),
        WakeReason::Changed => None,
    });
    requested.collect()
}
