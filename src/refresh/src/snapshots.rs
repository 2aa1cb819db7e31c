//! The snapshot that is served now, the one that the public sees, and those of earlier sets for callers who ask for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use chrono::Utc;
use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use super::audience::{Audience, Withheld};
use super::settings::RefreshSettings;
use parquote_catalogue::operation::Market;
use parquote_engine::{Engine, EngineError, LoadScope, MarketSnapshot, SetName, Snapshot};
use parquote_set::{PublicLag, Reference, Root, Set};

/// The present snapshot and the earlier ones.
pub struct Snapshots {
    engine: Arc<Engine>,
    current: ArcSwap<Snapshot>,
    /// The same, with markets that have a lag as they were so long ago.
    public: ArcSwap<Snapshot>,
    lag: PublicLag,
    /// Where earlier sets are found; none where there is one snapshot and no other.
    sets: Option<Root>,
    /// The sets of each market that are kept, oldest first.
    kept: ArcSwap<BTreeMap<Market, Vec<Set>>>,
    /// Earlier sets that are held open, by their ids: the same content is opened once, however often it was published.
    open: Cache<(Market, String), Arc<MarketSnapshot>>,
    /// One is opened at a time, so that callers of many sets cannot take all memory and time.
    opening: tokio::sync::Mutex<()>,
}

/// A set that was asked for.
pub enum FoundSet {
    /// It is served or held open.
    Open(Arc<Snapshot>),
    /// It is kept, and [`Snapshots::open`] opens it.
    Kept(Set),
}

/// Why a requested set cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotUnavailable {
    /// It is not kept, or never was.
    #[error("there is no set `{asked}` of {market} any more, or never was; kept are {kept}")]
    Gone {
        /// The market.
        market: Market,
        /// What was asked for.
        asked: String,
        /// What is kept, in words.
        kept: String,
    },
    /// The public does not see it yet.
    #[error(transparent)]
    Withheld(#[from] Withheld),
    /// It is kept, and cannot be opened.
    #[error("set {number} of {market} cannot be opened")]
    Broken {
        /// The market.
        market: Market,
        /// The number.
        number: u64,
        /// Why.
        #[source]
        source: Box<EngineError>,
    },
}

impl Snapshots {
    /// One snapshot that is never replaced.
    pub fn fixed(snapshot: Snapshot) -> Self {
        let engine = Arc::clone(snapshot.engine());
        Self::of(engine, [snapshot.clone(), snapshot], None, &RefreshSettings::default())
    }

    /// The snapshot of members and that of the public.
    pub(super) fn of(
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

    /// The present snapshot; a request takes it once and keeps it.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The snapshot that an audience sees; a request takes it once and keeps it.
    pub fn seen_by(&self, audience: Audience) -> Arc<Snapshot> {
        match audience {
            Audience::Members => self.current(),
            Audience::Public => self.public.load_full(),
        }
    }

    /// That an audience sees nothing of a market yet, if no set is old enough for it.
    ///
    /// # Errors
    /// Since when it will.
    pub fn check_seen(&self, audience: Audience, market: Market) -> Result<(), Withheld> {
        if audience == Audience::Members || self.lag.days(market).is_none() {
            return Ok(());
        }
        if self.public.load().market(market).is_some_and(|market| market.as_of().is_some()) {
            return Ok(());
        }
        let kept = self.kept.load();
        Withheld::of(self.lag, market, kept.get(&market).into_iter().flatten()).map_or(Ok(()), Err)
    }

    /// Serves a market from now on.
    pub(super) fn put(&self, market: Arc<MarketSnapshot>) {
        if self.lag.days(market.market()).is_none() {
            self.show(Arc::clone(&market));
        }
        let next = self.current().with(market);
        self.current.store(Arc::new(next));
    }

    /// Shows a market to the public from now on.
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

    /// The set of a market that somebody of an audience asks for; nothing is opened.
    ///
    /// # Errors
    /// A set that is not kept, or that the audience does not see yet.
    pub fn find(
        &self,
        (audience, market): (Audience, Market),
        asked: &Reference,
    ) -> Result<FoundSet, SnapshotUnavailable> {
        let current = self.seen_by(audience);
        let served = current.market(market).map(|market| market.name());
        if served.is_some_and(|served| asked.of(market).is_id(&served.id)) {
            return Ok(FoundSet::Open(current));
        }
        let kept = self.kept.load_full();
        let all = kept.get(&market).map(Vec::as_slice).unwrap_or_default();
        let now = Utc::now();
        let sets = || all.iter().filter(|set| audience.sees(self.lag, set, now));
        let found = asked.of(market).among(sets()).ok_or_else(|| {
            let unseen = asked.of(market).among(all.iter());
            let withheld = unseen.and_then(|set| Withheld::of(self.lag, market, [set]));
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

    /// The snapshot of an audience in which a market is of a kept set that was found for it. It takes seconds and much memory, and is for
    /// whoever bounds that.
    ///
    /// # Errors
    /// A set that is not kept any more or cannot be opened.
    pub async fn open(&self, audience: Audience, set: &Set) -> Result<Arc<Snapshot>, SnapshotUnavailable> {
        let market = set.market;
        match self.opened(market, set).await {
            Ok(opened) => Ok(Arc::new(self.seen_by(audience).with(opened))),
            // It was swept since this server looked last.
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
        // Loading and planning take long and never wait: a thread that answers others must not do it.
        let loaded = tokio::task::spawn_blocking(move || {
            runtime.block_on(MarketSnapshot::load(&engine, market, name, &files, LoadScope::Served))
        });
        let loaded = match loaded.await {
            Ok(loaded) => loaded.map_err(broken)?,
            // Whoever looks after panics of requests looks after this one.
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

/// The kept sets, for a caller who asked for another.
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
