//! What runs in the process: it reads requests from its standard input, one after the other, and writes what comes of them to its
//! standard output, until the input ends.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, Write as _};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use rustix::time::{ClockId, clock_gettime};

use super::memory;
use super::request::{ReplyHead, SelectReply, SelectRequest, SelectedSet};
use crate::causes::with_causes;
use crate::engine::own_select::{self, OwnSelect, SelectLimits, SelectRefusal};
use crate::engine::{
    Deadline, Encoded, Engine, EngineError, LoadScope, MarketSnapshot, QueryLimits, SetName, Snapshot,
};
use crate::error::ClientError;
use crate::operation::{Catalogue, Market};
use crate::set::{Root, StoredFile, TableFiles};
use crate::thread_priority;

/// The tables that were loaded so far, of the sets of the last request.
struct SelectedTables {
    engine: Arc<Engine>,
    root: Option<Root>,
    sets: Vec<SelectedSet>,
    named: BTreeMap<Market, BTreeSet<String>>,
    snapshot: Snapshot,
}

/// Answers requests until there are no more.
///
/// # Errors
/// Input that is no request, or output that is not taken.
pub fn serve(catalogue: &Catalogue, root: Option<Root>) -> io::Result<()> {
    thread_priority::lower(thread_priority::BACKGROUND);
    go_first_where_memory_is_short();
    let engine = Engine::new(Arc::new(catalogue.with_operations(|_| false)), &QueryLimits::default());
    let snapshot = Snapshot::from_markets(&engine, []);
    let mut tables = SelectedTables { engine, root, sets: Vec::new(), named: BTreeMap::new(), snapshot };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut replies = io::stdout().lock();
    let mut base = None;
    for line in io::stdin().lock().lines() {
        let request: SelectRequest = serde_json::from_str(&line?)?;
        let began = clock_gettime(ClockId::ProcessCPUTime);
        let loaded = runtime.block_on(caught(tables.load(&request)));
        if base.is_none() || !matches!(loaded, Ok(false)) {
            base = memory::taken();
        }
        replies.write_all(b"{}\n")?;
        replies.flush()?;
        if let Some(base) = base {
            memory::limit_to(base + request.memory as u64);
        }
        let answered = loaded.and_then(|_| runtime.block_on(caught(answered(&tables.snapshot, &request))));
        let (reply, body) = answered.unwrap_or_else(|refused| (refusal(refused), Vec::new()));
        // What the allocator keeps serves the next SELECT; a process that keeps much of it is not used again.
        let most = request.memory as u64 / 2;
        let grown = memory::taken().zip(base).is_some_and(|(now, base)| now > base + most);
        let took = clock_gettime(ClockId::ProcessCPUTime);
        let processor_us = (took.tv_sec - began.tv_sec) * 1_000_000 + (took.tv_nsec - began.tv_nsec) / 1_000;
        let head = ReplyHead { reply, processor_us: processor_us.max(0) as u64, is_grown: grown };
        writeln!(replies, "{}", serde_json::to_string(&head)?)?;
        replies.write_all(&body)?;
        replies.flush()?;
        memory::limit_to(u64::MAX);
    }
    Ok(())
}

/// The answer to a request on loaded tables, and its body.
async fn answered(
    snapshot: &Snapshot,
    request: &SelectRequest,
) -> Result<(SelectReply, Vec<u8>), ClientError> {
    let may_read = |market: Market, table: &str| {
        let closed = request.closed.iter().find(|(of, name, _)| *of == market && name == table);
        closed.map_or(Ok(()), |(_, _, why)| Err(why.clone()))
    };
    let select = OwnSelect {
        sql: &request.sql,
        values: &request.values,
        market: request.market,
        offset: request.offset,
        limit: request.limit,
        format: request.format,
        may_read: &may_read,
    };
    let time = Duration::from_millis(request.time_ms);
    let limits = SelectLimits { time, memory: request.memory, answer: request.answer };
    let deadline = Deadline::after(time);
    let Encoded { body, extent, .. } = snapshot.own_select(&select, &limits, deadline).await?;
    Ok((SelectReply::Rows { bytes: body.len(), extent }, body.into()))
}

/// What work ends with. A panic of the engine is its fault on one text, and no reason to end the process.
async fn caught<T>(work: impl Future<Output = Result<T, ClientError>>) -> Result<T, ClientError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let words =
            panic.downcast::<String>().map_or_else(|_| "the engine panicked".to_owned(), |words| *words);
        Err(ClientError { source: Some(words.into()), ..SelectRefusal::given_up().into() })
    })
}

fn refusal(refused: ClientError) -> SelectReply {
    let retry_after_s = refused.after_s();
    let cause = refused.source.as_deref().map(|cause| with_causes(cause));
    SelectReply::Refused { kind: refused.kind, message: refused.message, retry_after_s, cause }
}

impl SelectedTables {
    /// Loads the tables that a request names and that are not there yet. Whether it loaded any.
    async fn load(&mut self, request: &SelectRequest) -> Result<bool, ClientError> {
        if let Some(sets) = &request.sets {
            self.sets.clone_from(sets);
            self.named.clear();
        }
        // A text that cannot be parsed names no tables, and is refused when it is planned.
        let named = own_select::named_tables(&request.sql, request.market);
        let mut is_new = request.sets.is_some();
        for (market, table) in named {
            is_new |= self.named.entry(market).or_default().insert(table);
        }
        if is_new {
            self.reload().await?;
        }
        Ok(is_new)
    }

    /// Loads all tables that were named; those that the snapshot has already are shared.
    async fn reload(&mut self) -> Result<(), EngineError> {
        let mut markets = Vec::new();
        for set in &self.sets {
            let files = self.files(set).await?;
            let name = SetName { id: set.id.as_str().into(), number: set.number, published: set.published };
            let named: Vec<String> = self.named.get(&set.market).into_iter().flatten().cloned().collect();
            let market =
                MarketSnapshot::load(&self.engine, set.market, name, &files, LoadScope::Named(&named));
            markets.push(Arc::new(market.await?));
        }
        self.snapshot = Snapshot::from_markets(&self.engine, markets);
        Ok(())
    }

    async fn files(&self, set: &SelectedSet) -> Result<TableFiles, EngineError> {
        match (&set.files, &self.root, set.number) {
            (Some(files), _, _) => Ok(files
                .iter()
                .map(|(table, files)| {
                    let file = |file: &super::request::SelectedFile| match &file.hash {
                        Some(hash) => StoredFile::of_set(file.path.clone(), hash),
                        None => StoredFile::plain(&file.path),
                    };
                    (table.clone(), files.iter().map(file).collect())
                })
                .collect()),
            (None, Some(root), Some(number)) => {
                Ok(root.files(set.market, &root.read(set.market, number).await?))
            }
            (None, _, _) => Err(EngineError::Empty { root: "the object store of this set".to_owned() }),
        }
    }
}

/// Of all processes of a machine whose memory is short, this one is to go first.
fn go_first_where_memory_is_short() {
    #[cfg(target_os = "linux")]
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}
