//! The served snapshot, the one that the public sees, and those of earlier sets on request.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use chrono::Utc;
use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use super::audience::{Audience, WithheldSets};
use super::settings::RefreshSettings;
use parquote_catalogue::operation::Market;
use parquote_engine::{Engine, EngineError, LoadScope, MarketSnapshot, SetName, Snapshot};
use parquote_set::{PublicLag, Reference, Root, Set};

/// The current snapshot and earlier ones.
pub struct Snapshots {
    engine: Arc<Engine>,
    current: ArcSwap<Snapshot>,
    /// The public's view: markets with a lag show an older set.
    public: ArcSwap<Snapshot>,
    lag: PublicLag,
    /// The root with earlier sets; `None` if there is only one fixed snapshot.
    sets: Option<Root>,
    /// Available sets of each market, oldest first.
    kept: ArcSwap<BTreeMap<Market, Vec<Set>>>,
    /// Open earlier sets, by id: the same content is opened once, even if it was published several times.
    open: Cache<(Market, String), Arc<MarketSnapshot>>,
    /// Sets are opened one at a time, to bound memory and time.
    opening: tokio::sync::Mutex<()>,
}

/// A requested set.
pub enum FoundSet {
    /// It is served or open.
    Open(Arc<Snapshot>),
    /// It is available; [`Snapshots::open`] opens it.
    Kept(Set),
}

/// The reason why a requested set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotUnavailable {
    /// It was deleted or never existed.
    #[error("there is no set `{asked}` of {market} any more, or never was; kept are {kept}")]
    Gone {
        /// The market.
        market: Market,
        /// The text of the request.
        asked: String,
        /// The available sets, in words.
        kept: String,
    },
    /// The public does not see it yet.
    #[error(transparent)]
    Withheld(#[from] WithheldSets),
    /// It is available but cannot be opened.
    #[error("set {number} of {market} cannot be opened")]
    Broken {
        /// The market.
        market: Market,
        /// The number.
        number: u64,
        /// The cause.
        #[source]
        source: Box<EngineError>,
    },
}

impl Snapshots {
    /// Creates a snapshot that is never replaced.
    pub fn fixed(snapshot: Snapshot) -> Self {
        let engine = Arc::clone(snapshot.engine());
        Self::with_views(engine, [snapshot.clone(), snapshot], None, &RefreshSettings::default())
    }

    /// Creates it from the snapshots of members and of the public.
    pub(super) fn with_views(
        engine: Arc<Engine>,
        [current, public]: [Snapshot; 2],
        sets: Option<Root>,
        settings: &RefreshSettings,
    ) -> Self {
        Self {
            engine,
            current: ArcSwap::from_pointee(current),
            public: ArcSwap::from_pointee(public),
            lag: settings.keep.lag,
            sets,
            kept: ArcSwap::default(),
            open: Cache::new(settings.earlier.max(1)),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the current snapshot; a request takes it once and uses it throughout.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Returns the snapshot that an audience sees; a request takes it once and uses it throughout.
    pub fn seen_by(&self, audience: Audience) -> Arc<Snapshot> {
        match audience {
            Audience::Members => self.current(),
            Audience::Public => self.public.load_full(),
        }
    }

    /// Checks that an audience sees a market, which needs a set that is old enough.
    ///
    /// # Errors
    /// The lag and the day from which the market is visible.
    pub fn check_seen(&self, audience: Audience, market: Market) -> Result<(), WithheldSets> {
        if audience == Audience::Members || self.lag.days(market).is_none() {
            return Ok(());
        }
        if self.public.load().market(market).is_some_and(|market| market.as_of().is_some()) {
            return Ok(());
        }
        let kept = self.kept.load();
        WithheldSets::from_sets(self.lag, market, kept.get(&market).into_iter().flatten()).map_or(Ok(()), Err)
    }

    /// Serves a market snapshot to members, and to the public if the market has no lag.
    pub(super) fn serve_market(&self, market: Arc<MarketSnapshot>) {
        if self.lag.days(market.market()).is_none() {
            self.show(Arc::clone(&market));
        }
        let next = self.current().with(market);
        self.current.store(Arc::new(next));
    }

    /// Shows a market snapshot to the public.
    pub(super) fn show(&self, market: Arc<MarketSnapshot>) {
        let next = self.public.load().with(market);
        self.public.store(Arc::new(next));
    }

    pub(super) fn keep(&self, market: Market, sets: Vec<Set>) {
        self.open.retain(|(of, id), _| *of != market || sets.iter().any(|set| set.id == *id));
        let served = self.current().market(market).and_then(|market| market.name().number);
        let newest = sets.last().map(|set| set.number).filter(|newest| Some(*newest) > served);
        for shown in [Some(&self.current), self.lag.days(market).is_none().then_some(&self.public)] {
            let Some(shown) = shown.filter(|shown| shown.load().unserved(market) != newest) else { continue };
            shown.store(Arc::new(shown.load().with_unserved(market, newest)));
        }
        let mut kept = BTreeMap::clone(&self.kept.load());
        kept.insert(market, sets);
        self.kept.store(Arc::new(kept));
    }

    /// Finds the requested set of a market for an audience; nothing is opened.
    ///
    /// # Errors
    /// A set that is not available, or that the audience does not see yet.
    pub fn find(
        &self,
        audience: Audience,
        market: Market,
        asked: &Reference,
    ) -> Result<FoundSet, SnapshotUnavailable> {
        let current = self.seen_by(audience);
        let served = current.market(market).map(|market| market.name());
        if served.is_some_and(|served| asked.selector(market).is_id(&served.id)) {
            return Ok(FoundSet::Open(current));
        }
        let kept = self.kept.load_full();
        let all = kept.get(&market).map(Vec::as_slice).unwrap_or_default();
        let now = Utc::now();
        let sets = || all.iter().filter(|set| audience.sees(self.lag, set, now));
        let found = asked.selector(market).among(sets()).ok_or_else(|| {
            let unseen = asked.selector(market).among(all.iter());
            let withheld = unseen.and_then(|set| WithheldSets::from_sets(self.lag, market, [set]));
            withheld.map_or_else(|| SnapshotUnavailable::gone(market, asked.text(), sets()), Into::into)
        })?;
        if served.is_some_and(|served| *served.id == *found.id) {
            return Ok(FoundSet::Open(current));
        }
        Ok(match self.open.get(&(market, found.id.clone())) {
            Some(open) => FoundSet::Open(Arc::new(current.with(open))),
            None => FoundSet::Kept(found.clone()),
        })
    }

    /// Returns the snapshot of an audience with one market replaced by a set from [`Snapshots::find`]. It takes seconds and much
    /// memory, so callers must bound its use.
    ///
    /// # Errors
    /// A set that was deleted or cannot be opened.
    pub async fn open(&self, audience: Audience, set: &Set) -> Result<Arc<Snapshot>, SnapshotUnavailable> {
        let market = set.market;
        match self.opened(market, set).await {
            Ok(opened) => Ok(Arc::new(self.seen_by(audience).with(opened))),
            // It was deleted after the last scan.
            Err(_) if self.is_swept(market, set.number).await => {
                let (kept, now) = (self.kept.load_full(), Utc::now());
                let sets = kept.get(&market).into_iter().flatten();
                let seen = sets.filter(|set| audience.sees(self.lag, set, now));
                Err(SnapshotUnavailable::gone(market, &set.number.to_string(), seen))
            }
            Err(broken) => Err(broken),
        }
    }

    async fn is_swept(&self, market: Market, number: u64) -> bool {
        let Some(root) = &self.sets else { return false };
        root.numbers(market).await.is_ok_and(|numbers| !numbers.contains(&number))
    }

    async fn opened(&self, market: Market, set: &Set) -> Result<Arc<MarketSnapshot>, SnapshotUnavailable> {
        let key = (market, set.id.clone());
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let _turn = self.opening.lock().await;
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let broken = |source: EngineError| SnapshotUnavailable::Broken {
            market,
            number: set.number,
            source: source.into(),
        };
        let Some(root) = &self.sets else {
            return Err(broken(EngineError::Empty { root: "this server".to_owned() }));
        };
        let (engine, name, files) =
            (Arc::clone(&self.engine), SetName::from_set(set), root.files(market, set));
        let runtime = Handle::current();
        // Loading and planning take long without yielding, so they must not run on a thread that serves requests.
        let loaded = tokio::task::spawn_blocking(move || {
            runtime.block_on(MarketSnapshot::load(&engine, market, name, &files, LoadScope::Served))
        });
        let loaded = match loaded.await {
            Ok(loaded) => loaded.map_err(broken)?,
            // The panic is passed on to the handler of request panics.
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => return Err(broken(EngineError::Empty { root: "a server that ends".to_owned() })),
            },
        };
        let opened = Arc::new(loaded);
        self.open.insert(key, Arc::clone(&opened));
        Ok(opened)
    }
}

impl SnapshotUnavailable {
    fn gone<'a>(market: Market, asked: &str, kept: impl Iterator<Item = &'a Set>) -> Self {
        Self::Gone { market, asked: asked.to_owned(), kept: in_words(&kept.collect::<Vec<_>>()) }
    }
}

/// Describes the available sets, for the error of a missing one.
fn in_words(sets: &[&Set]) -> String {
    let day = |set: &Set| set.as_of.map_or_else(|| "no session".to_owned(), |day| day.to_string());
    match sets {
        [] => "none".to_owned(),
        [one] => format!("set {} ({})", one.number, day(one)),
        [first, .., last] => {
            format!("sets {} ({}) to {} ({})", first.number, day(first), last.number, day(last))
        }
    }
}
