//! Main loop of the child process: reads requests from standard input and writes a reply to each to standard output, until the input ends.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, Write as _};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use rustix::time::{ClockId, clock_gettime};

use super::memory;
use super::request::{ReplyHead, SelectReply, SelectRequest, SelectedSet};
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_catalogue::thread_priority;
use parquote_engine::caller_select::{self, SelectLimits, SelectRefusal, UserSelect};
use parquote_engine::{
    Deadline, EncodedAnswer, Engine, EngineError, LoadScope, MarketSnapshot, QueryLimits, SetName, Snapshot,
};
use parquote_set::{Root, StoredFile, TableFiles};

/// Tables loaded so far, of the sets of the last request.
struct SelectedTables {
    engine: Arc<Engine>,
    root: Option<Root>,
    sets: Vec<SelectedSet>,
    table_names: BTreeMap<Market, BTreeSet<String>>,
    /// The loaded tables; `None` if they could not be loaded, so that tables of other sets never answer.
    snapshot: Option<Snapshot>,
}

/// Answers requests until the input ends.
///
/// # Errors
/// A request is invalid, or a reply cannot be written.
pub fn serve(catalogue: &Catalogue, root: Option<Root>) -> io::Result<()> {
    thread_priority::lower(thread_priority::BACKGROUND);
    prefer_as_memory_victim();
    let engine = Engine::new(Arc::new(catalogue.with_operations(|_| false)), &QueryLimits::default());
    let mut tables = SelectedTables::new(engine, root);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut replies = io::stdout().lock();
    let mut base = None;
    for line in io::stdin().lock().lines() {
        let request: SelectRequest = serde_json::from_str(&line?)?;
        let began = clock_gettime(ClockId::ProcessCPUTime);
        let loaded = runtime.block_on(catch_panic(tables.load(&request)));
        if base.is_none() || matches!(loaded, Ok((_, true))) {
            base = memory::memory_used();
        }
        replies.write_all(b"{}\n")?;
        replies.flush()?;
        if let Some(base) = base {
            memory::limit_to(base + request.memory as u64);
        }
        let run = |(snapshot, _)| runtime.block_on(catch_panic(answer_request(snapshot, &request)));
        let answered = loaded.and_then(run);
        let (reply, body) = answered.unwrap_or_else(|refused| (refusal_reply(refused), Vec::new()));
        // Freed memory that the allocator retains serves the next SELECT; a process that retains much of it is replaced.
        let most = request.memory as u64 / 2;
        let is_grown = memory::memory_used().zip(base).is_some_and(|(now, base)| now > base + most);
        let ended = clock_gettime(ClockId::ProcessCPUTime);
        let processor_us =
            (ended.tv_sec - began.tv_sec) * 1_000_000 + (ended.tv_nsec - began.tv_nsec) / 1_000;
        let head = ReplyHead { reply, processor_us: processor_us.max(0) as u64, is_grown };
        writeln!(replies, "{}", serde_json::to_string(&head)?)?;
        replies.write_all(&body)?;
        replies.flush()?;
        memory::limit_to(u64::MAX);
    }
    Ok(())
}

/// Answers a request on loaded tables; returns the reply and its body.
async fn answer_request(
    snapshot: &Snapshot,
    request: &SelectRequest,
) -> Result<(SelectReply, Vec<u8>), ClientError> {
    let may_read = |market: Market, table: &str| {
        let closed = request.closed.iter().find(|(closed_in, name, _)| *closed_in == market && name == table);
        closed.map_or(Ok(()), |(_, _, why)| Err(why.clone()))
    };
    let select = UserSelect {
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
    let EncodedAnswer { body, extent, .. } = snapshot.run_user_select(&select, &limits, deadline).await?;
    Ok((SelectReply::Rows { bytes: body.len(), extent }, body.into()))
}

/// Runs work and maps a panic to an error: a fault of the engine on one text does not end the process.
async fn catch_panic<T>(work: impl Future<Output = Result<T, ClientError>>) -> Result<T, ClientError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
        let words =
            panic.downcast::<String>().map_or_else(|_| "the engine panicked".to_owned(), |words| *words);
        Err(ClientError { source: Some(words.into()), ..SelectRefusal::engine_failed().into() })
    })
}

fn refusal_reply(refused: ClientError) -> SelectReply {
    let retry_after_s = refused.after_s();
    let cause = refused.source.as_deref().map(|cause| with_causes(cause));
    SelectReply::Refused { kind: refused.kind, message: refused.message, retry_after_s, cause }
}

impl SelectedTables {
    fn new(engine: Arc<Engine>, root: Option<Root>) -> Self {
        Self { engine, root, sets: Vec::new(), table_names: BTreeMap::new(), snapshot: None }
    }

    /// Loads the missing tables that a request names and may read. Returns all loaded tables, and true if any was loaded now.
    async fn load(&mut self, request: &SelectRequest) -> Result<(&Snapshot, bool), ClientError> {
        let before = self.snapshot.take();
        let mut is_new = before.is_none();
        if let Some(sets) = &request.sets {
            self.sets.clone_from(sets);
            self.table_names.clear();
            is_new = true;
        }
        // A text that cannot be parsed names no tables, and is refused by the planner.
        for (market, table) in caller_select::named_tables(&request.sql, request.market) {
            let is_closed =
                request.closed.iter().any(|(closed_in, name, _)| *closed_in == market && *name == table);
            // The names include common table expressions, which are not tables.
            let is_table = self.engine.catalogue().table(market, &table).is_some();
            is_new |= is_table && !is_closed && self.table_names.entry(market).or_default().insert(table);
        }
        let snapshot = match before {
            Some(before) if !is_new => before,
            // The previous tables are dropped after the load, so that tables in both are not loaded again.
            before => {
                let loaded = self.load_tables().await?;
                drop(before);
                loaded
            }
        };
        Ok((self.snapshot.insert(snapshot), is_new))
    }

    async fn load_tables(&self) -> Result<Snapshot, EngineError> {
        let mut markets = Vec::new();
        for set in &self.sets {
            let files = self.files(set).await?;
            let name = SetName { id: set.id.as_str().into(), number: set.number, published: set.published };
            let names: Vec<String> =
                self.table_names.get(&set.market).into_iter().flatten().cloned().collect();
            let market =
                MarketSnapshot::load(&self.engine, set.market, name, &files, LoadScope::Named(&names));
            markets.push(Arc::new(market.await?));
        }
        Ok(Snapshot::from_markets(&self.engine, markets))
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
                let (root, found) = root.find(set.market, number, &set.id).await?;
                Ok(root.files(set.market, &found))
            }
            (None, _, _) => Err(EngineError::Empty("the object store of this set".to_owned())),
        }
    }
}

/// Makes this process the first victim if the machine runs out of memory.
fn prefer_as_memory_victim() {
    #[cfg(target_os = "linux")]
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(sql: &str) -> SelectRequest {
        let line = serde_json::json!({
            "sets": null, "sql": sql, "values": [], "market": Market::India, "offset": 0, "limit": 1, "format": "Json",
            "time_ms": 1_000, "memory": 1 << 20, "answer": 1 << 20, "closed": [["india", "deals", "closed"]],
        });
        serde_json::from_value(line).unwrap()
    }

    #[tokio::test]
    async fn tables_are_loaded_when_they_are_first_named_and_nothing_else_is() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let engine = Engine::new(Arc::new(catalogue), &QueryLimits::default());
        let mut tables = SelectedTables::new(engine, None);
        for (sql, is_new) in [
            ("SELECT 1 AS one", true),
            ("WITH a AS (SELECT 1 AS one) SELECT one FROM a", false),
            ("WITH b AS (SELECT 1 AS one) SELECT one FROM b", false),
            ("SELECT symbol FROM stocks", true),
            ("SELECT symbol FROM stocks JOIN c ON true", false),
            ("SELECT symbol FROM deals", false),
            ("SELECT symbol FROM us.stocks", true),
            ("no SELECT", false),
        ] {
            assert_eq!(tables.load(&request(sql)).await.unwrap().1, is_new, "{sql}");
        }
        // A failed load is retried; tables that were loaded before do not answer in place of the missing ones.
        let set =
            SelectedSet { market: Market::India, id: "x".into(), number: None, published: None, files: None };
        let other = SelectRequest { sets: Some(vec![set]), ..request("SELECT symbol FROM stocks") };
        assert!(tables.load(&other).await.is_err());
        assert!(tables.load(&request("SELECT symbol FROM stocks")).await.is_err());
        let none = SelectRequest { sets: Some(Vec::new()), ..request("SELECT symbol FROM stocks") };
        assert!(tables.load(&none).await.unwrap().1);
    }
}
