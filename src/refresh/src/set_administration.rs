//! The sets of a running server, as its operators read and change them: each available set with its verdict, the row counts of the last
//! derivation, the difference between two sets, and a rollback.
//!
//! A rollback publishes the content of an earlier set under the next number. It removes no set and no file.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::difference::SetDifference;
use super::error::RefreshError;
use super::refresher::ScanTrigger;
use super::snapshots::Snapshots;
use super::status::{MarketStatus, RefreshStatus};
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::digits::counted;
use parquote_catalogue::operation::Market;
use parquote_derive::{REFUSED_FILE, REPORT, Tally};
use parquote_engine::{LoadScope, MarketSnapshot, SetName};
use parquote_set::{AdmissionRecord, Root, Set, SetError};

/// Longest wait for the scan after a rollback; a longer scan continues after the reply.
const LONGEST_SCAN_WAIT: Duration = Duration::from_mins(1);

/// A set with its admission record.
#[derive(Debug, Clone)]
pub struct ListedSet {
    /// The manifest of the set.
    pub set: Set,
    /// The admission record; `None` if the set was never checked here.
    pub admission: Option<AdmissionRecord>,
}

/// Counts of the rows that the last derivation read, from its report.
#[derive(Debug, Clone, Deserialize)]
pub struct DerivationCounts {
    /// Files and rows of each format of raw files.
    pub formats: BTreeMap<String, Tally>,
    /// Refused rows by reason.
    pub refused: BTreeMap<String, u64>,
    /// Time when the report was written; `None` if the file system does not record it.
    #[serde(skip)]
    pub at: Option<DateTime<Utc>>,
    /// The file that lists the refused rows.
    #[serde(skip)]
    pub refused_file: PathBuf,
}

/// The sets of a market.
#[derive(Debug, Clone)]
pub struct MarketSets {
    /// The market of the sets.
    pub market: Market,
    /// The served set, and refusals.
    pub status: MarketStatus,
    /// The available sets, newest first.
    pub sets: Vec<ListedSet>,
    /// The errors of sets that cannot be read.
    pub unreadable: Vec<String>,
    /// Counts of the last derivation; `None` if it left no report here.
    pub derivation: Option<DerivationCounts>,
}

/// A failure to list, compare or roll back sets.
#[derive(Debug, thiserror::Error)]
pub enum SetAdministrationError {
    /// Another comparison is in progress: each loads two sets, so only one runs at a time.
    #[error("two sets are being compared already; repeat this comparison when that one has ended")]
    Busy,
    /// A set was published after the caller listed the sets.
    #[error(
        "set {newest} of {market} was published after this page was shown; look at it first, then go back to set {to}"
    )]
    Changed {
        /// The market of the rollback.
        market: Market,
        /// The number of the newest set.
        newest: u64,
        /// The number of the requested set.
        to: u64,
    },
    /// The server has no root with sets.
    #[error("this server reads no sets")]
    NoSets,
    /// Sets that cannot be listed, read, loaded or published.
    #[error(transparent)]
    Failed(#[from] RefreshError),
}

/// Reads and changes the sets of a running server.
pub struct SetAdministration {
    snapshots: Arc<Snapshots>,
    status: RefreshStatus,
    request: ScanTrigger,
    /// Locked during a comparison.
    comparison: Mutex<()>,
}

impl ListedSet {
    /// Reads the admission record of a set, which exists only for sets in a folder.
    pub fn new(root: &Root, set: Set) -> Self {
        let admission = match root {
            Root::Folder(home) => home.admission(set.market, set.number).filter(|record| record.id == set.id),
            Root::Bucket(_) => None,
        };
        Self { set, admission }
    }

    /// Returns the verdict in words.
    pub fn verdict(&self) -> String {
        match &self.admission {
            _ if self.set.published.forced => "forced".to_owned(),
            None => "not yet".to_owned(),
            Some(record) if record.admitted && record.findings.is_empty() => "admitted".to_owned(),
            Some(record) => {
                let verdict = if record.admitted { "admitted" } else { "refused" };
                format!("{verdict}: {}", counted(record.findings.len(), "finding", "findings"))
            }
        }
    }

    /// Returns true if a check refused the set and it was not published by force.
    pub fn is_refused(&self) -> bool {
        !self.set.published.forced && self.admission.as_ref().is_some_and(|record| !record.admitted)
    }
}

impl DerivationCounts {
    /// Reads the report beside the sets of a market; `None` if it is missing or invalid.
    fn read(root: &Root, market: Market) -> Option<Self> {
        let Root::Folder(home) = root else { return None };
        let (path, refused_file) =
            (home.market_path(market).join(REPORT), home.market_path(market).join(REFUSED_FILE));
        let counts: Self = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        let at = fs::metadata(&path).and_then(|file| file.modified()).ok().map(DateTime::<Utc>::from);
        Some(Self { at, refused_file, ..counts })
    }
}

impl SetAdministration {
    /// Creates the administration of a server's sets. `request` starts a scan after a rollback.
    pub fn new(snapshots: Arc<Snapshots>, status: RefreshStatus, request: ScanTrigger) -> Self {
        Self { snapshots, status, request, comparison: Mutex::default() }
    }

    /// Describes the present steps of loading, fetching and deriving; `None` if nothing is in progress.
    pub fn progress(&self) -> Option<String> {
        self.snapshots.current().engine().progress().describe()
    }

    /// Lists the sets of all markets.
    ///
    /// # Errors
    /// A root that cannot be listed.
    pub async fn markets(&self) -> Result<Vec<MarketSets>, SetAdministrationError> {
        let (mut status, mut markets) = (self.status.by_market(), Vec::new());
        for market in Market::ALL {
            markets.push(self.market(market, status.remove(&market).unwrap_or_default()).await?);
        }
        Ok(markets)
    }

    async fn market(
        &self,
        market: Market,
        status: MarketStatus,
    ) -> Result<MarketSets, SetAdministrationError> {
        let (mut sets, mut unreadable) = (Vec::new(), Vec::new());
        let root = self.snapshots.root();
        if let Some(root) = root {
            for number in root.numbers(market).await.map_err(RefreshError::from)?.into_iter().rev() {
                match root.read(market, number).await {
                    Ok(set) => sets.push(ListedSet::new(root, set)),
                    // The set was deleted after the listing.
                    Err(SetError::NoSuchSet { .. }) => {}
                    Err(error) => unreadable.push(with_causes(&error)),
                }
            }
        }
        let derivation = root.and_then(|root| DerivationCounts::read(root, market));
        Ok(MarketSets { market, status, sets, unreadable, derivation })
    }

    /// Compares the rows of two sets of a market. Both sets are loaded, so only one comparison runs at a time.
    ///
    /// # Errors
    /// Another comparison in progress, or sets that cannot be read or loaded.
    pub async fn difference(
        &self,
        market: Market,
        [before, after]: [u64; 2],
    ) -> Result<SetDifference, SetAdministrationError> {
        let _guard = self.comparison.try_lock().map_err(|_| SetAdministrationError::Busy)?;
        let before = self.open(market, before).await?;
        let after = self.open(market, after).await?;
        Ok(SetDifference::between(&before, &after).map_err(RefreshError::from)?)
    }

    /// Loads all tables of a set.
    async fn open(&self, market: Market, number: u64) -> Result<MarketSnapshot, SetAdministrationError> {
        let root = self.snapshots.root().ok_or(SetAdministrationError::NoSets)?;
        let set = root.read(market, number).await.map_err(RefreshError::from)?;
        let (name, files) = (SetName::from_set(&set), root.files(market, &set));
        let snapshot = self.snapshots.current();
        let loaded = MarketSnapshot::load(snapshot.engine(), market, name, &files, LoadScope::All).await;
        Ok(loaded.map_err(RefreshError::from)?)
    }

    /// Publishes the content of set `to` again as the next set, and waits for the scan that serves it. `newest` is the newest number
    /// that the caller knows.
    ///
    /// # Errors
    /// A newer set than the caller knows, a set that is not available, or a root that cannot be written.
    pub async fn roll_back(
        &self,
        market: Market,
        to: u64,
        newest: u64,
    ) -> Result<Set, SetAdministrationError> {
        let root = self.snapshots.root().ok_or(SetAdministrationError::NoSets)?;
        let numbers = root.numbers(market).await.map_err(RefreshError::from)?;
        let last = numbers.last().copied().unwrap_or_default();
        if last != newest {
            return Err(SetAdministrationError::Changed { market, newest: last, to });
        }
        let set = root.roll_back(market, to).await.map_err(RefreshError::from)?;
        tracing::info!(%market, set = set.number, to, "a set was rolled back by an admin key");
        let _ = timeout(LONGEST_SCAN_WAIT, self.request.refresh()).await;
        Ok(set)
    }
}
