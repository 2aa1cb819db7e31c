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
    pub check_bytes: usize,
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
            check_bytes: 1024 * MIB,
            deadline: Duration::from_secs(10),
            cache_bytes: 64 * MIB as u64,
            plan_bytes: 64 * MIB as u64,
        }
    }
}

/// Creates the runtime of each plan instance: a share of one pool for all snapshots, without spilling to disk.
#[derive(Debug)]
pub(crate) struct Runtimes {
    shared_pool: Arc<dyn MemoryPool>,
    query_bytes: usize,
    check_bytes: usize,
}

impl Runtimes {
    pub(crate) fn new(limits: &QueryLimits) -> Self {
        Self {
            shared_pool: Arc::new(GreedyMemoryPool::new(limits.total_bytes)),
            query_bytes: limits.query_bytes,
            check_bytes: limits.check_bytes,
        }
    }

    /// Creates a runtime for work for which no caller waits. It has a separate memory limit, beyond which it spills to disk.
    pub(crate) fn background_runtime(&self) -> Result<Arc<RuntimeEnv>> {
        RuntimeEnvBuilder::new().with_memory_limit(self.check_bytes, 1.0).build_arc()
    }

    pub(crate) fn runtime(&self) -> Result<Arc<RuntimeEnv>> {
        self.runtime_within(self.query_bytes)
    }

    /// Creates a runtime with `bytes` of memory.
    pub(crate) fn runtime_within(&self, bytes: usize) -> Result<Arc<RuntimeEnv>> {
        let pool = QueryPool {
            bounded_pool: GreedyMemoryPool::new(bytes),
            shared_pool: Arc::clone(&self.shared_pool),
        };
        RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(pool))
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()
    }
}

/// A pool bounded for one query that also draws on the shared pool.
#[derive(Debug)]
struct QueryPool {
    bounded_pool: GreedyMemoryPool,
    shared_pool: Arc<dyn MemoryPool>,
}

impl fmt::Display for QueryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query({})", self.bounded_pool.reserved())
    }
}

impl MemoryPool for QueryPool {
    fn name(&self) -> &'static str {
        "query"
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.bounded_pool.grow(reservation, additional);
        self.shared_pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.bounded_pool.shrink(reservation, shrink);
        self.shared_pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.bounded_pool.try_grow(reservation, additional)?;
        self.shared_pool
            .try_grow(reservation, additional)
            .inspect_err(|_| self.bounded_pool.shrink(reservation, additional))
    }

    fn reserved(&self) -> usize {
        self.bounded_pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.bounded_pool.memory_limit()
    }
}
