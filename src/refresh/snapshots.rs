//! The snapshot that is served now, and those of earlier sets for callers who ask for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use quick_cache::sync::Cache;

use crate::engine::{Engine, EngineError, MarketSnapshot, SetName, Snapshot, Wanted};
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
    /// Earlier sets that are held open.
    open: Cache<(Market, u64), Arc<MarketSnapshot>>,
    /// One is opened at a time, so that callers of many sets cannot take all memory and time.
    opening: tokio::sync::Mutex<()>,
}

/// Why a set that is asked for does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Unfound {
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
        self.open.retain(|(of, number), _| *of != market || sets.iter().any(|set| set.number == *number));
        let mut kept = BTreeMap::clone(&self.kept.load());
        kept.insert(market, sets);
        self.kept.store(Arc::new(kept));
    }

    /// The snapshot in which a market is of the set that is asked for.
    ///
    /// # Errors
    /// A set that is not kept or cannot be opened.
    pub async fn find(&self, market: Market, asked: &Reference) -> Result<Arc<Snapshot>, Unfound> {
        let current = self.current();
        let kept = self.kept.load_full();
        let sets = kept.get(&market).map(Vec::as_slice).unwrap_or_default();
        let served = current.market(market).map(|market| market.name());
        if let Some(served) = served
            && asked.of(market).is_id(&served.id)
        {
            return Ok(current);
        }
        let gone = || Unfound::Gone { market, asked: asked.text().to_owned(), kept: in_words(sets) };
        let found = asked.of(market).among(sets).ok_or_else(gone)?;
        if served.is_some_and(|served| *served.id == *found.id) {
            return Ok(current);
        }
        let opened = self.opened(market, found).await?;
        Ok(Arc::new(current.with(opened)))
    }

    async fn opened(&self, market: Market, set: &Set) -> Result<Arc<MarketSnapshot>, Unfound> {
        let key = (market, set.number);
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let _turn = self.opening.lock().await;
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let broken = |source: EngineError| Unfound::Broken { market, number: set.number, source: source.into() };
        let Some(root) = &self.sets else {
            return Err(broken(EngineError::Empty { root: "this server".to_owned() }));
        };
        let files = root.files(market, set);
        let load = MarketSnapshot::load(&self.engine, market, SetName::of(set), &files, Wanted::Served);
        let opened = Arc::new(load.await.map_err(broken)?);
        self.open.insert(key, Arc::clone(&opened));
        Ok(opened)
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
