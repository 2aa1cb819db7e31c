//! Requests and replies of a child process, each one line of JSON: the SELECT, its limits, the files of its sets, the outcome.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use parquote_catalogue::error::ErrorKind;
use parquote_catalogue::operation::{AnswerFormat, Market};
use parquote_engine::caller_select::{BoundValue, SelectLimits, UserSelect};
use parquote_engine::{Extent, SetName, Snapshot};
use parquote_set::{StoredFile, TableFiles};

/// A SELECT with everything that a process needs to answer it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SelectRequest {
    /// Sets of the snapshot; `None` if the process has them from the last request.
    pub sets: Option<Vec<SelectedSet>>,
    pub sql: String,
    pub values: Vec<BoundValue>,
    pub market: Market,
    pub offset: usize,
    pub limit: usize,
    pub format: AnswerFormat,
    pub time_ms: u64,
    /// Memory limit, in bytes.
    pub memory: usize,
    /// Longest answer, in bytes.
    pub answer: usize,
    /// Tables that may not be read, each with the reason.
    pub closed: Vec<(Market, String, String)>,
}

/// The set of a market.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SelectedSet {
    pub market: Market,
    pub id: String,
    pub number: Option<u64>,
    pub published: Option<DateTime<Utc>>,
    /// Files of each table; `None` for a set in an object store, which is found by its number and id.
    pub files: Option<BTreeMap<String, Vec<SelectedFile>>>,
}

/// A file on a disk, with its hash if it belongs to a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SelectedFile {
    pub path: PathBuf,
    pub hash: Option<String>,
}

/// The reply of a process, as one line of JSON; encoded rows follow it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReplyHead {
    pub reply: SelectReply,
    /// Processor time of the request, in microseconds.
    pub processor_us: u64,
    /// True if the process retains much more memory than before the request.
    pub is_grown: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SelectReply {
    /// Encoded rows follow, of this number of bytes.
    Rows { bytes: usize, extent: Option<Extent> },
    /// The SELECT is refused.
    Refused { kind: ErrorKind, message: String, retry_after_s: Option<i64>, cause: Option<String> },
}

impl SelectRequest {
    /// Builds the request for a SELECT on the sets of a snapshot.
    pub(super) fn new(snapshot: &Snapshot, select: &UserSelect<'_>, limits: &SelectLimits) -> Self {
        Self {
            sets: Some(selected_sets(snapshot)),
            sql: select.sql.to_owned(),
            values: select.values.to_vec(),
            market: select.market,
            offset: select.offset,
            limit: select.limit,
            format: select.format,
            time_ms: limits.time.as_millis() as u64,
            memory: limits.memory,
            answer: limits.answer,
            closed: closed_tables(snapshot, select),
        }
    }
}

fn selected_sets(snapshot: &Snapshot) -> Vec<SelectedSet> {
    let markets = Market::ALL.into_iter().filter_map(|market| snapshot.market(market));
    let set = |market: &std::sync::Arc<parquote_engine::MarketSnapshot>| {
        let SetName { id, number, published } = market.name().clone();
        SelectedSet {
            market: market.market(),
            id: id.to_string(),
            number,
            published,
            files: files_on_disk(market.files()),
        }
    };
    markets.map(set).collect()
}

/// Returns the files of each table, with absolute paths; `None` if any is in an object store.
fn files_on_disk(files: &TableFiles) -> Option<BTreeMap<String, Vec<SelectedFile>>> {
    let file = |file: &StoredFile| {
        let path = std::path::absolute(file.path()?).ok()?;
        Some(SelectedFile { path, hash: file.hash().map(str::to_owned) })
    };
    let table = |(name, files): (&String, &Vec<StoredFile>)| {
        Some((name.clone(), files.iter().map(file).collect::<Option<_>>()?))
    };
    files.iter().map(table).collect()
}

fn closed_tables(snapshot: &Snapshot, select: &UserSelect<'_>) -> Vec<(Market, String, String)> {
    let catalogue = snapshot.engine().catalogue();
    let tables = Market::ALL
        .into_iter()
        .flat_map(|market| catalogue.tables_in(market).map(move |table| (market, &table.name)));
    let closed = tables.filter_map(|(market, table)| {
        let why = (select.may_read)(market, table).err()?;
        Some((market, table.clone(), why))
    });
    closed.collect()
}
