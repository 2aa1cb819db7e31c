//! The served snapshot, the one that the public sees, and those of earlier sets on request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use chrono::{NaiveDate, Utc};
use quick_cache::sync::Cache;
use tokio::runtime::Handle;

use super::audience::{Audience, WithheldSets};
use super::settings::RefreshSettings;
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::Market;
use parquote_engine::{Engine, EngineError, LoadScope, MarketSnapshot, SetName, Snapshot};
use parquote_set::{PublicLag, Reference, Root, Set, SetError};

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
    retained: ArcSwap<BTreeMap<Market, Vec<Set>>>,
    /// Past sets of each market: sets derived as of earlier days, in a separate folder.
    past: ArcSwap<BTreeMap<Market, Vec<Set>>>,
    /// Open earlier sets, by id: the same content is opened once, even if it was published several times.
    open: Cache<(Market, String), Arc<MarketSnapshot>>,
    /// Sets are opened one at a time, to bound memory and time.
    opening: tokio::sync::Mutex<()>,
}

/// The result of a search for a requested set.
pub enum FoundSet {
    /// The set is served or already open.
    Open(Arc<Snapshot>),
    /// The set is available; [`Snapshots::open`] opens it.
    Available(Set),
}

/// The reason why a requested set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotUnavailable {
    /// The set was deleted or never existed.
    #[error("there is no set `{requested}` of {market}; the available sets are {retained}")]
    Gone {
        /// The market of the request.
        market: Market,
        /// The text of the request.
        requested: String,
        /// The available sets, in words.
        retained: String,
    },
    /// The public does not see the set yet.
    #[error(transparent)]
    Withheld(#[from] WithheldSets),
    /// The set is available but cannot be opened.
    #[error("{set} of {market} cannot be opened")]
    Broken {
        /// The market of the set.
        market: Market,
        /// The set, in words.
        set: String,
        /// The error of opening the set.
        #[source]
        source: Box<EngineError>,
    },
}

impl Snapshots {
    /// Creates a snapshot that is never replaced.
    pub fn from_snapshot(snapshot: Snapshot) -> Self {
        let engine = Arc::clone(snapshot.engine());
        Self::with_views(engine, [snapshot.clone(), snapshot], None, &RefreshSettings::default())
    }

    /// Creates a snapshot that is never replaced, with the earlier and past sets of its root on request.
    ///
    /// # Errors
    /// A root whose sets cannot be listed or read.
    pub async fn over_root(snapshot: Snapshot, root: &Root) -> Result<Self, SetError> {
        let (engine, sets) = (Arc::clone(snapshot.engine()), Some(root.clone()));
        let views = [snapshot.clone(), snapshot];
        let snapshots = Self::with_views(engine, views, sets, &RefreshSettings::default());
        let (past_root, mut retained, mut past) = (root.past(), BTreeMap::new(), BTreeMap::new());
        for market in Market::ALL {
            let (mut published, mut derived) =
                (root.read_all(market).await?, past_root.read_all(market).await?);
            published.retain(|set| root.is_admitted(set) != Some(false));
            derived.retain(|set| past_root.is_admitted(set) == Some(true));
            retained.insert(market, published);
            past.insert(market, derived);
        }
        snapshots.retained.store(Arc::new(retained));
        snapshots.past.store(Arc::new(past));
        Ok(snapshots)
    }

    /// Creates the snapshots of members and of the public; `sets` is the root with earlier sets.
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
            retained: ArcSwap::default(),
            past: ArcSwap::default(),
            open: Cache::new(settings.open_earlier_sets.max(1)),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the root with the sets; `None` if there is only one fixed snapshot.
    pub const fn root(&self) -> Option<&Root> {
        self.sets.as_ref()
    }

    /// Returns the current snapshot; a request takes it once and uses it throughout.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Returns the snapshot that an audience sees; a request takes it once and uses it throughout.
    pub fn snapshot_for(&self, audience: Audience) -> Arc<Snapshot> {
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
        let retained = self.retained.load();
        WithheldSets::from_sets(self.lag, market, retained.get(&market).into_iter().flatten())
            .map_or(Ok(()), Err)
    }

    /// Serves a market snapshot to members, and to the public if the market has no lag.
    pub(super) fn serve_market(&self, market: Arc<MarketSnapshot>) {
        if self.lag.days(market.market()).is_none() {
            self.show_to_public(Arc::clone(&market));
        }
        let next = self.current().with_market(market);
        self.current.store(Arc::new(next));
    }

    pub(super) fn show_to_public(&self, market: Arc<MarketSnapshot>) {
        let next = self.public.load().with_market(market);
        self.public.store(Arc::new(next));
    }

    pub(super) fn retain_sets(&self, market: Market, sets: Vec<Set>) {
        self.close_others(market, &sets, sets_of(&self.past.load(), market));
        let served = self.current().market(market).and_then(|market| market.name().number);
        let newest = sets.last().map(|set| set.number).filter(|newest| Some(*newest) > served);
        for view in [Some(&self.current), self.lag.days(market).is_none().then_some(&self.public)] {
            let Some(view) = view.filter(|view| view.load().newer_set(market) != newest) else {
                continue;
            };
            view.store(Arc::new(view.load().with_newer_set(market, newest)));
        }
        let mut retained = BTreeMap::clone(&self.retained.load());
        retained.insert(market, sets);
        self.retained.store(Arc::new(retained));
    }

    /// Returns the last session of each retained or past set of a market that an audience may request, newest first.
    pub fn days(&self, audience: Audience, market: Market) -> Vec<NaiveDate> {
        self.ids_by_day(audience, market).into_keys().rev().collect()
    }

    /// Returns the ids of the sets that an audience may request, by last session. Of several sets with the same last session, the newest
    /// retained one counts.
    pub fn ids_by_day(&self, audience: Audience, market: Market) -> BTreeMap<NaiveDate, String> {
        let (retained, past, now) = (self.retained.load(), self.past.load(), Utc::now());
        let sets = [&past, &retained].into_iter().filter_map(|sets| sets.get(&market)).flatten();
        let visible = sets.filter(|set| audience.may_see(self.lag, set, now));
        visible.filter_map(|set| Some((set.as_of?, set.id.clone()))).collect()
    }

    /// Replaces the past sets of a market.
    pub(super) fn retain_past_sets(&self, market: Market, sets: Vec<Set>) {
        self.close_others(market, sets_of(&self.retained.load(), market), &sets);
        let mut past = BTreeMap::clone(&self.past.load());
        past.insert(market, sets);
        self.past.store(Arc::new(past));
    }

    /// Closes the open sets of a market that are neither retained nor past ones.
    fn close_others(&self, market: Market, retained: &[Set], past: &[Set]) {
        self.open.retain(|(open_market, id), _| {
            *open_market != market || retained.iter().chain(past).any(|set| set.id == *id)
        });
    }

    /// Finds the requested set of a market for an audience; nothing is opened.
    ///
    /// # Errors
    /// A set that is not available, or that the audience does not see yet.
    pub fn find(
        &self,
        audience: Audience,
        market: Market,
        requested: &Reference,
    ) -> Result<FoundSet, SnapshotUnavailable> {
        let current = self.snapshot_for(audience);
        let served = current.market(market).map(|market| market.name());
        if served.is_some_and(|served| requested.selector(market).is_id(&served.id)) {
            return Ok(FoundSet::Open(current));
        }
        let (retained, past) = (self.retained.load_full(), self.past.load_full());
        let all = sets_of(&retained, market);
        let all_past = sets_of(&past, market);
        let now = Utc::now();
        let sets = || all.iter().filter(|set| audience.may_see(self.lag, set, now));
        let past_sets = || all_past.iter().filter(|set| audience.may_see(self.lag, set, now));
        let set = requested.selector(market).among(sets(), past_sets()).ok_or_else(|| {
            let unseen = requested.selector(market).among(all.iter(), all_past.iter());
            let withheld = unseen.and_then(|set| WithheldSets::from_sets(self.lag, market, [set]));
            withheld.map_or_else(|| self.unknown_set(audience, market, requested.text()), Into::into)
        })?;
        if served.is_some_and(|served| *served.id == *set.id) {
            return Ok(FoundSet::Open(current));
        }
        Ok(match self.open.get(&(market, set.id.clone())) {
            Some(open) => FoundSet::Open(Arc::new(current.with_market(open))),
            None => FoundSet::Available(set.clone()),
        })
    }

    /// Returns the snapshot of an audience with one market replaced by a set from [`Snapshots::find`]. It takes seconds and much
    /// memory, so callers must bound its use.
    ///
    /// # Errors
    /// A set that was deleted or cannot be opened.
    pub async fn open(&self, audience: Audience, set: &Set) -> Result<Arc<Snapshot>, SnapshotUnavailable> {
        let market = set.market;
        match self.open_set(market, set).await {
            Ok(opened) => Ok(Arc::new(self.snapshot_for(audience).with_market(opened))),
            // The set was deleted after the last scan.
            Err(_) if self.was_deleted(set).await => Err(self.unknown_set(audience, market, &set.id)),
            Err(broken) => Err(broken),
        }
    }

    /// Returns the snapshot of an audience with one market replaced by these tables of a set and the tables on which they depend. It takes
    /// less time and memory than [`Snapshots::open`], and its result is not cached.
    ///
    /// # Errors
    /// A set that cannot be opened.
    pub async fn open_tables(
        &self,
        audience: Audience,
        set: &Set,
        tables: Vec<String>,
    ) -> Result<Arc<Snapshot>, SnapshotUnavailable> {
        let _guard = self.opening.lock().await;
        let loaded = self.load(set, Some(tables)).await?;
        Ok(Arc::new(self.snapshot_for(audience).with_market(Arc::new(loaded))))
    }

    /// Builds the error for an unavailable set, which lists the sets that the audience may request.
    fn unknown_set(&self, audience: Audience, market: Market, requested: &str) -> SnapshotUnavailable {
        let (retained, past, now) = (self.retained.load_full(), self.past.load_full(), Utc::now());
        let is_seen = |set: &&Set| audience.may_see(self.lag, set, now);
        let sets: Vec<&Set> = retained.get(&market).into_iter().flatten().filter(is_seen).collect();
        let past = past.get(&market).into_iter().flatten().filter(is_seen);
        let days: BTreeSet<NaiveDate> = past.filter_map(|set| set.as_of).collect();
        let retained = match (days.first(), days.last()) {
            (Some(first), Some(last)) => {
                let past = counted(days.len(), "past set", "past sets");
                format!("{}, and {past} from {first} to {last}, each named by its day", describe_sets(&sets))
            }
            _ => describe_sets(&sets),
        };
        SnapshotUnavailable::Gone { market, requested: requested.to_owned(), retained }
    }

    async fn was_deleted(&self, set: &Set) -> bool {
        let Some(root) = self.root_of(set) else { return false };
        root.numbers(set.market).await.is_ok_and(|numbers| !numbers.contains(&set.number))
    }

    /// Returns the root that contains a retained or past set.
    fn root_of(&self, set: &Set) -> Option<Root> {
        self.sets.as_ref().map(|root| if self.is_past(set) { root.past() } else { root.clone() })
    }

    /// Returns true if a set is a past one, and not also a retained one.
    fn is_past(&self, set: &Set) -> bool {
        let has = |sets: &BTreeMap<Market, Vec<Set>>| {
            sets.get(&set.market).is_some_and(|sets| sets.iter().any(|other| other.id == set.id))
        };
        has(&self.past.load()) && !has(&self.retained.load())
    }

    /// Names a set for messages as the parameter `snapshot` selects it: a past set by its day, any other by its number.
    pub fn name_in_words(&self, set: &Set) -> String {
        match set.as_of.filter(|_| self.is_past(set)) {
            Some(day) => format!("the past set of {day}"),
            None => format!("set {}", set.number),
        }
    }

    async fn open_set(&self, market: Market, set: &Set) -> Result<Arc<MarketSnapshot>, SnapshotUnavailable> {
        let key = (market, set.id.clone());
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let _guard = self.opening.lock().await;
        if let Some(open) = self.open.get(&key) {
            return Ok(open);
        }
        let opened = Arc::new(self.load(set, None).await?);
        self.open.insert(key, Arc::clone(&opened));
        Ok(opened)
    }

    /// Loads these tables of a set; `None` loads all tables that operations read.
    async fn load(
        &self,
        set: &Set,
        tables: Option<Vec<String>>,
    ) -> Result<MarketSnapshot, SnapshotUnavailable> {
        let market = set.market;
        let broken = |source: EngineError| SnapshotUnavailable::Broken {
            market,
            set: self.name_in_words(set),
            source: source.into(),
        };
        let Some(root) = self.root_of(set) else {
            return Err(broken(EngineError::Empty("this server".to_owned())));
        };
        let (engine, name, files) =
            (Arc::clone(&self.engine), SetName::from_set(set), root.files(market, set));
        let runtime = Handle::current();
        // Loading and planning take long without yielding, so they must not run on a thread that serves requests.
        let loaded = tokio::task::spawn_blocking(move || {
            let scope = tables.as_deref().map_or(LoadScope::Served, LoadScope::Named);
            runtime.block_on(MarketSnapshot::load(&engine, market, name, &files, scope))
        });
        match loaded.await {
            Ok(loaded) => loaded.map_err(broken),
            // The panic is passed on to the handler of request panics.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(broken(EngineError::Empty("a server that ends".to_owned()))),
            },
        }
    }
}

fn sets_of(sets: &BTreeMap<Market, Vec<Set>>, market: Market) -> &[Set] {
    sets.get(&market).map(Vec::as_slice).unwrap_or_default()
}

/// Describes the available sets, for the error of a missing one.
fn describe_sets(sets: &[&Set]) -> String {
    let day = |set: &Set| set.as_of.map_or_else(|| "no session".to_owned(), |day| day.to_string());
    match sets {
        [] => "none".to_owned(),
        [one] => format!("set {} ({})", one.number, day(one)),
        [first, .., last] => {
            format!("sets {} ({}) to {} ({})", first.number, day(first), last.number, day(last))
        }
    }
}
