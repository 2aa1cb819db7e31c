//! The snapshot that is served now, and those of earlier sets for callers who ask for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use crate::engine::{Engine, EngineError, LoadScope, MarketSnapshot, SetName, Snapshot};
use crate::operation::Market;
use crate::set::{Reference, Root, Set};

/// The present snapshot and the earlier ones.
pub struct Snapshots {
    engine: Arc<Engine>,
    current: ArcSwap<Snapshot>,
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
        Self::of(engine, snapshot, None, 1)
    }

    pub(super) fn of(engine: Arc<Engine>, snapshot: Snapshot, sets: Option<Root>, earlier: usize) -> Self {
        Self {
            engine,
            current: ArcSwap::from_pointee(snapshot),
            sets,
            kept: ArcSwap::default(),
            open: Cache::new(earlier.max(1)),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// The present snapshot; a request takes it once and keeps it.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The sets of a market that are kept, oldest first.
    pub fn kept(&self, market: Market) -> Vec<Set> {
        self.kept.load().get(&market).cloned().unwrap_or_default()
    }

    /// Serves a market from now on.
    pub(super) fn put(&self, market: Arc<MarketSnapshot>) {
        let next = self.current().with(market);
        self.current.store(Arc::new(next));
    }

    pub(super) fn keep(&self, market: Market, sets: Vec<Set>) {
        self.open.retain(|(of, id), _| *of != market || sets.iter().any(|set| set.id == *id));
        let mut kept = BTreeMap::clone(&self.kept.load());
        kept.insert(market, sets);
        self.kept.store(Arc::new(kept));
    }

    /// The set of a market that is asked for; nothing is opened.
    ///
    /// # Errors
    /// A set that is not kept.
    pub fn find(&self, market: Market, asked: &Reference) -> Result<FoundSet, SnapshotUnavailable> {
        let current = self.current();
        let served = current.market(market).map(|market| market.name());
        if served.is_some_and(|served| asked.of(market).is_id(&served.id)) {
            return Ok(FoundSet::Open(current));
        }
        let kept = self.kept.load_full();
        let sets = kept.get(&market).map(Vec::as_slice).unwrap_or_default();
        let found = asked
            .of(market)
            .among(sets)
            .ok_or_else(|| SnapshotUnavailable::gone(market, asked.text(), sets))?;
        if served.is_some_and(|served| *served.id == *found.id) {
            return Ok(FoundSet::Open(current));
        }
        Ok(match self.open.get(&(market, found.id.clone())) {
            Some(open) => FoundSet::Open(Arc::new(current.with(open))),
            None => FoundSet::Kept(found.clone()),
        })
    }

    /// The snapshot in which a market is of a kept set. It takes seconds and much memory, and is for whoever bounds that.
    ///
    /// # Errors
    /// A set that is not kept any more or cannot be opened.
    pub async fn open(&self, market: Market, set: &Set) -> Result<Arc<Snapshot>, SnapshotUnavailable> {
        match self.opened(market, set).await {
            Ok(opened) => Ok(Arc::new(self.current().with(opened))),
            // It was swept since this server looked last.
            Err(_) if self.is_swept(market, set.number).await => {
                Err(SnapshotUnavailable::gone(market, &set.number.to_string(), &self.kept(market)))
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
    fn gone(market: Market, asked: &str, kept: &[Set]) -> Self {
        Self::Gone { market, asked: asked.to_owned(), kept: in_words(kept) }
    }
}

/// The kept sets, for a caller who asked for another.
fn in_words(sets: &[Set]) -> String {
    let day = |set: &Set| set.as_of.map_or_else(|| "no session".to_owned(), |day| day.to_string());
    match sets {
        [] => "none".to_owned(),
        [one] => format!("set {} ({})", one.number, day(one)),
        [first, .., last] => {
            format!("sets {} ({}) to {} ({})", first.number, day(first), last.number, day(last))
        }
    }
}
