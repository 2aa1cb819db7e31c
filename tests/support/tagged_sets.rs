//! Sets of the little market that are recognized by their answers: many tables of a set contain its tag.
//!
//! An answer that mixes tables of two sets therefore equals the answer of neither.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use chrono::Utc;
use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use parquote::engine::{Engine, LoadScope, MarketSnapshot, QueryLimits, SetName, Snapshot};
use parquote::operation::{Catalogue, Market};
use parquote::set::{AdmissionRecord, Draft, Home, NewFile, Root, Set, SetOrigin, hash_of};

use crate::demo_market::{RUNTIME, copy_folder, few_operations};
use crate::tables;

/// The market whose sets are tagged; the other one is unchanged.
pub(crate) const MARKET: Market = Market::India;

/// The operations that the tests call, and no others, because planning is nearly all of a swap's time.
pub(crate) static OPERATIONS: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
    let asked = [
        "companies", "screener", "status", "company/daily-prices", "company/momentum", "company/profile",
        "market/breadth", "market/top-movers",
    ];
    few_operations(&asked, &[]).unwrap()
});

/// Numeric columns by table; they are multiplied by the tag.
const FIGURES: [(&str, &str); 4] = [
    ("stocks", "price_cmp"),
    ("screen", "market_cap_cr"),
    ("daily_prices", "delivery_pct"),
    ("latest_bars", "cumulative_split_factor_now"),
];

/// The part of a set that is tagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tagged {
    /// Names and figures: such a set breaks rules across tables, and is served because it is recorded as admitted.
    All,
    /// Only names, in all tables: such a set passes every rule.
    Names,
    /// The names of one small table.
    Stocks,
}

/// Returns paths whose answers contain the tag: from small tables, joined ones, and a long table read from its file at request time.
pub(crate) fn paths(symbol: &str) -> Vec<String> {
    vec![
        "companies?limit=50".to_owned(),
        "screener".to_owned(),
        format!("company/momentum?symbol={symbol}"),
        "market/top-movers?limit=5".to_owned(),
        format!("company/daily-prices?symbol={symbol}&limit=60"),
        format!("company/profile?symbol={symbol}"),
    ]
}

/// Copies the little market's set into a temporary folder, to which more sets are published.
pub(crate) fn copied(data: &Path) -> (tempfile::TempDir, Home, Set) {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(data, folder.path());
    let home = Home::new(folder.path());
    let first = home.newest(MARKET).unwrap().unwrap();
    for market in Market::ALL {
        admitted(&home, &home.newest(market).unwrap().unwrap());
    }
    (folder, home, first)
}

/// Publishes the next set: the content of the first one with a tag of 2 or more.
pub(crate) fn publish(home: &Home, first: &Set, (what, tag): (Tagged, usize)) -> Set {
    let staging = home.stage(MARKET).unwrap();
    let (mut tables, mut new) = (first.tables.clone(), Vec::new());
    for (name, table) in &mut tables {
        for file in &mut table.files {
            let rows = tables::read(&home.file_path(MARKET, name, &file.hash));
            let Some(rows) = tagged(name, &rows, (what, tag)) else { continue };
            let path = staging.path().join(format!("{}.parquet", new.len()));
            tables::write(&path, &rows);
            file.hash = hash_of(&path).unwrap();
            file.bytes = fs::metadata(&path).unwrap().len();
            new.push(NewFile { table: name.clone(), hash: file.hash.clone(), path });
        }
    }
    let follows = home.newest(MARKET).unwrap().unwrap().number;
    let inbox = first.inbox.clone();
    let (market, as_of, origin) = (MARKET, first.as_of, SetOrigin::Derived);
    let draft = Draft {
        market,
        as_of,
        origin,
        forced: false,
        first_at: None,
        follows,
        tables,
        inbox,
        covered: BTreeMap::new(),
    };
    let set = home.publish(draft, &new, &staging).unwrap();
    admitted(home, &set);
    set
}

/// Records that a set was checked against its contract and admitted.
pub(crate) fn admitted(home: &Home, set: &Set) {
    let record = AdmissionRecord {
        id: set.id.clone(),
        admitted: true,
        rules: String::new(),
        at: Utc::now(),
        findings: Vec::new(),
    };
    home.record(set.market, set.number, &record).unwrap();
}

/// Opens a snapshot of one set, to compare the answers of a server with.
pub(crate) fn opened(catalogue: &Arc<Catalogue>, root: &Root, set: &Set) -> Snapshot {
    let engine = Engine::new(Arc::clone(catalogue), &QueryLimits::default());
    RUNTIME.block_on(async {
        let mut markets = Vec::new();
        for market in Market::ALL {
            let set =
                if market == MARKET { set.clone() } else { root.newest(market).await.unwrap().unwrap() };
            let files = root.files(market, &set);
            let loaded =
                MarketSnapshot::load(&engine, market, SetName::from_set(&set), &files, LoadScope::Served)
                    .await;
            markets.push(Arc::new(loaded.unwrap()));
        }
        Snapshot::from_markets(&engine, markets)
    })
}

/// Returns the tagged rows; `None` if the tag changes nothing in this table.
fn tagged(table: &str, rows: &RecordBatch, (what, tag): (Tagged, usize)) -> Option<RecordBatch> {
    let mut changed = None;
    if what == Tagged::Stocks && table != "stocks" {
        return None;
    }
    if rows.schema().column_with_name("company_name").is_some() {
        changed = Some(tables::replaced(rows, "company_name", |names| named(names, tag)));
    }
    for (_, column) in FIGURES.iter().filter(|(of, _)| what == Tagged::All && *of == table) {
        let rows = changed.as_ref().unwrap_or(rows);
        changed = Some(tables::replaced(rows, column, |values| multiplied(values, tag)));
    }
    changed
}

fn named(names: &ArrayRef, tag: usize) -> ArrayRef {
    let texts = cast(names, &DataType::Utf8).unwrap();
    let with = |name: Option<&str>| name.map(|name| format!("{name} of set {tag}"));
    let tagged: StringArray = texts.as_string::<i32>().iter().map(with).collect();
    cast(&tagged, names.data_type()).unwrap()
}

fn multiplied(values: &ArrayRef, tag: usize) -> ArrayRef {
    let numbers = cast(values, &DataType::Float64).unwrap();
    let tagged: Float64Array =
        numbers.as_primitive::<Float64Type>().iter().map(|value| value.map(|v| v * tag as f64)).collect();
    cast(&tagged, values.data_type()).unwrap()
}
