//! Limits of one query: memory from a pool, and time up to a deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use datafusion::error::Result;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};

/// Limits of every query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryLimits {
    /// Bytes of memory for one query.
    pub query_bytes: usize,
    /// Bytes of memory for all queries together.
    pub total_bytes: usize,
    /// Bytes of memory for the rules of a check.
    pub aside_bytes: usize,
    /// Time limit of a query.
    pub deadline: Duration,
    /// Bytes of cached answers.
    pub cache_bytes: u64,
    /// Bytes of cached plans; the least used are evicted first.
    pub plan_bytes: u64,
}

impl Default for QueryLimits {
    fn default() -> Self {
        const MIB: usize = 1 << 20;
        Self {
            query_bytes: 256 * MIB,
            total_bytes: 768 * MIB,
            aside_bytes: 1024 * MIB,
            deadline: Duration::from_secs(10),
            cache_bytes: 64 * MIB as u64,
            plan_bytes: 64 * MIB as u64,
        }
    }
}

/// Creates the runtime of each plan instance: a share of one pool for all snapshots, without spilling to disk.
#[derive(Debug)]
pub(crate) struct Runtimes {
    all: Arc<dyn MemoryPool>,
    query_bytes: usize,
    aside_bytes: usize,
}

impl Runtimes {
    pub(crate) fn new(limits: &QueryLimits) -> Self {
        Self {
            all: Arc::new(GreedyMemoryPool::new(limits.total_bytes)),
            query_bytes: limits.query_bytes,
            aside_bytes: limits.aside_bytes,
        }
    }

    /// Creates a runtime for work for which no caller waits: it has its own memory limit and spills to disk beyond it.
    pub(crate) fn background_runtime(&self) -> Result<Arc<RuntimeEnv>> {
        RuntimeEnvBuilder::new().with_memory_limit(self.aside_bytes, 1.0).build_arc()
    }

    pub(crate) fn runtime(&self) -> Result<Arc<RuntimeEnv>> {
        self.runtime_within(self.query_bytes)
    }

    /// Creates a runtime with `bytes` of memory.
    pub(crate) fn runtime_within(&self, bytes: usize) -> Result<Arc<RuntimeEnv>> {
        let pool = QueryPool { own: GreedyMemoryPool::new(bytes), all: Arc::clone(&self.all) };
        RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(pool))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()
    }
}

/// A pool bounded for one query that also draws on the shared pool.
#[derive(Debug)]
struct QueryPool {
    own: GreedyMemoryPool,
    all: Arc<dyn MemoryPool>,
}

impl fmt::Display for QueryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query({})", self.own.reserved())
    }
}

impl MemoryPool for QueryPool {
    fn name(&self) -> &'static str {
        "query"
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.own.grow(reservation, additional);
        self.all.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own.shrink(reservation, shrink);
        self.all.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.own.try_grow(reservation, additional)?;
        self.all.try_grow(reservation, additional).inspect_err(|_| self.own.shrink(reservation, additional))
    }

    fn reserved(&self) -> usize {
        self.own.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.own.memory_limit()
    }
}
