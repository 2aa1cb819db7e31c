//! State that all snapshots of a process share: the catalogue, the memory of queries, the answer cache, the loaded tables.
//!
//! An answer is cached under the id of its set, so that the answers of an unchanged market outlive a refresh of the other market.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::deadline::Deadline;
use crate::encoded::EncodedAnswer;
use crate::limits::{QueryLimits, Runtimes};
use crate::storage::load_progress::LoadProgress;
use crate::storage::loaded_tables::LoadedTables;
use parquote_catalogue::operation::Catalogue;

/// The version of DataFusion, which runs the queries.
pub const DATAFUSION: &str = datafusion::DATAFUSION_VERSION;

/// State that all snapshots of a process share.
pub struct Engine {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) limits: QueryLimits,
    pub(crate) runtimes: Arc<Runtimes>,
    pub(crate) answers: Cache<AnswerKey, EncodedAnswer, AnswerWeight>,
    hits: AtomicU64,
    misses: AtomicU64,
    pub(crate) loaded_tables: LoadedTables,
    progress: LoadProgress,
}

/// Figures of the answer cache at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheFigures {
    /// Number of answers that were in the cache.
    pub hits: u64,
    /// Number of answers that were computed.
    pub misses: u64,
    /// Bytes of all cached answers.
    pub bytes: u64,
}

/// The set, the operation's name, and a text of the arguments, the clock facts and the presentation.
pub(crate) type AnswerKey = (Arc<str>, Arc<str>, String);

#[derive(Debug, Clone)]
pub(crate) struct AnswerWeight;

impl Weighter<AnswerKey, EncodedAnswer> for AnswerWeight {
    fn weight(&self, key: &AnswerKey, answer: &EncodedAnswer) -> u64 {
        const BOOKKEEPING: usize = 128;
        (key.2.len() + answer.size() + BOOKKEEPING) as u64
    }
}

impl Engine {
    /// Creates an engine for the operations of a catalogue.
    pub fn new(catalogue: Arc<Catalogue>, limits: &QueryLimits) -> Arc<Self> {
        const TYPICAL_ANSWER: u64 = 4096;
        let answers = (limits.cache_bytes / TYPICAL_ANSWER).max(16) as usize;
        Arc::new(Self {
            catalogue,
            limits: *limits,
            runtimes: Arc::new(Runtimes::new(limits)),
            answers: Cache::with_weighter(answers, limits.cache_bytes, AnswerWeight),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            loaded_tables: LoadedTables::default(),
            progress: LoadProgress::default(),
        })
    }

    /// Returns the hash over the query files and a set, part of each entity tag.
    pub(crate) fn tag_of(&self, set: &str) -> String {
        let text = format!("{}\n{set}", self.catalogue.fingerprint());
        blake3::hash(text.as_bytes()).to_string()
    }

    /// Returns the deadline of a call that starts now.
    pub fn deadline(&self) -> Deadline {
        Deadline::after(self.limits.deadline)
    }

    pub(crate) fn count_hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_miss(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the figures of the answer cache.
    pub fn cache_figures(&self) -> CacheFigures {
        let [hits, misses] = [&self.hits, &self.misses].map(|count| count.load(Ordering::Relaxed));
        CacheFigures { hits, misses, bytes: self.answers.weight() }
    }

    /// Returns the progress of markets that are being loaded or checked.
    pub fn progress(&self) -> &LoadProgress {
        &self.progress
    }

    /// Returns all operations and tables.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }
}
