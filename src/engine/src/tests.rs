//! A reused plan answers like a new one: each operation is called with A, B, A, and every answer is compared with the same SELECT with
//! literals, which DataFusion runs over the same rows in a plain context.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringViewArray,
};
use datafusion::arrow::compute::{SortColumn, lexsort_to_indices, take_record_batch};
use datafusion::datasource::MemTable;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::SessionContext;

use super::{JsonRows, LoadScope, MarketSnapshot, QueryLimits, SetName, Snapshot};
use crate::plans::template::PlanKind;
use crate::storage::loaded_tables::LoadedTables;
use crate::storage::served_table::TableRows;
use parquote_catalogue::operation::{Arguments, Catalogue, Check, Market, Operation, ParamType, Tier};
use parquote_functions::{Calendar, calendar_functions};
use parquote_set::{StoredFile, hash_of};

const COMPANIES: &str = "-- Companies: some.\n--\n-- key: symbol\n-- sorted: symbol\n-- source: companies
-- column: symbol text \"Symbol.\"\n-- column: sector text? \"Sector.\"\n-- column: size number? ratio \"Size.\"
-- column: rating int? rating \"Rating.\"\n";
const SESSIONS: &str = "-- Sessions: all.\n--\n-- key: session\n-- sorted: session\n-- source: sessions
-- column: session date \"Day.\"\n";
const BARS: &str = "-- Bars: long.\n--\n-- key: symbol, session\n-- sorted: symbol, session\n-- split: year
-- source: bars\n-- column: symbol text\n-- column: session date\n-- column: close number? ratio \"Close.\"\n";
const DAYS: &str = "-- Days: long, by session.\n--\n-- key: session, symbol\n-- sorted: session, symbol\n-- split: year
-- source: days\n-- column: symbol text\n-- column: session date\n-- column: close number? ratio \"Close.\"\n";

/// Name, params, SELECT, and two lists of arguments.
type Case = (&'static str, &'static str, &'static str, [&'static [(&'static str, &'static str)]; 2]);

const CASES: [Case; 19] = [
    (
        "screen",
        "-- param: min number \"Least.\" e.g. 1\n-- param: limit int = 7 in 1..20 \"Rows.\"",
        "SELECT symbol, sector, size, rating FROM companies WHERE size >= $min AND rating > 20
         ORDER BY rating DESC NULLS LAST, symbol LIMIT $limit",
        [&[("min", "10.5")], &[("min", "35"), ("limit", "3")]],
    ),
    (
        "choices",
        "-- param: by text = size in (size, rating, name) \"Order.\" e.g. name\n-- param: sector text? \"Sector.\"",
        "SELECT symbol, size FROM companies WHERE ($sector IS NULL OR lower(sector) = lower($sector))
         ORDER BY CASE $by WHEN 'size' THEN -size WHEN 'rating' THEN rating ELSE 0 END NULLS FIRST, symbol",
        [&[("sector", "Banks"), ("by", "rating")], &[("sector", "steel"), ("by", "rating")]],
    ),
    (
        "conditions",
        "-- param: min number? \"Least.\" e.g. 1\n-- param: rated int? \"Least rating.\" e.g. 1\n-- param: sector text? \"Sector.\"
-- param: limit int = 7 in 1..20 \"Rows.\"",
        "SELECT symbol, sector, size, rating FROM companies WHERE ($min IS NULL OR size >= $min)
         AND ($rated IS NULL OR rating >= $rated) AND ($sector IS NULL OR sector = $sector)
         ORDER BY size DESC NULLS LAST, symbol LIMIT $limit",
        [&[("min", "10.5")], &[("sector", "Banks"), ("rated", "20")]],
    ),
    (
        "grouped",
        "-- param: min number \"Least.\" e.g. 1",
        "SELECT sector, count(*) AS rating, max(size) AS size FROM companies WHERE size > $min
         GROUP BY sector ORDER BY sector NULLS LAST",
        [&[("min", "5")], &[("min", "55")]],
    ),
    (
        "above-sector",
        "-- param: sector text \"Sector.\" e.g. Banks",
        "SELECT symbol, size FROM companies WHERE size > (SELECT avg(size) FROM companies WHERE sector = $sector)
         ORDER BY symbol LIMIT 15",
        [&[("sector", "Banks")], &[("sector", "Oil")]],
    ),
    (
        "joined",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: over number \"Least close.\" e.g. 1",
        "SELECT b.session, c.sector, b.close FROM bars b JOIN companies c ON c.symbol = b.symbol
         WHERE b.symbol = $symbol AND b.close >= $over ORDER BY b.session",
        [&[("symbol", "C07"), ("over", "20")], &[("symbol", "C11"), ("over", "60")]],
    ),
    (
        "history",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: from date? \"First.\"\n-- param: to date? \"Last.\"
-- param: limit int = 60 in 1..365 \"Rows.\"",
        "SELECT session, close * 2 AS close FROM bars WHERE symbol = $symbol AND ($from IS NULL OR session >= $from)
         AND ($to IS NULL OR session <= $to) ORDER BY session DESC LIMIT $limit",
        [
            &[("symbol", "C03"), ("from", "2020-11-20"), ("to", "2021-01-10")],
            &[("symbol", "C29"), ("from", "2021-12-30"), ("to", "2022-01-03"), ("limit", "3")],
        ],
    ),
    (
        "newest",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: limit int = 60 in 1..365 \"Rows.\"",
        "SELECT session, close FROM bars WHERE symbol = $symbol ORDER BY session DESC LIMIT $limit",
        [&[("symbol", "C00"), ("limit", "70")], &[("symbol", "NONE")]],
    ),
    (
        "listed",
        "-- param: symbols list of companies.symbol in 1..20 \"Symbols.\" e.g. C07",
        "SELECT c.symbol, c.size, o.rating FROM companies c
         LEFT JOIN companies o ON o.symbol = c.symbol AND o.rating > 20
         WHERE array_has($symbols, c.symbol) ORDER BY c.symbol",
        [&[("symbols", "C07,C31")], &[("symbols", "C39,C00,C12")]],
    ),
    (
        "of-many",
        "-- param: symbols list of companies.symbol in 1..20 \"Symbols.\" e.g. C07\n-- param: from date \"First.\" e.g. 2021-01-01",
        "SELECT symbol, session, close FROM bars WHERE array_has($symbols, symbol) AND session >= $from
         ORDER BY session DESC, symbol",
        [
            &[("symbols", "C07,C31"), ("from", "2020-12-20")],
            &[("symbols", "C39,C00,C12"), ("from", "2021-12-31")],
        ],
    ),
    (
        "of-both-lists",
        "-- param: symbols list of companies.symbol in 1..20 \"Symbols.\" e.g. C07",
        "SELECT symbol, count(close) AS size FROM bars WHERE array_has($symbols, symbol)
         AND symbol IN ('C00', 'C02', 'C12', 'C31', 'C38') GROUP BY symbol ORDER BY symbol",
        [&[("symbols", "C07,C31")], &[("symbols", "C39,C00,C12")]],
    ),
    (
        "of-list-and-key",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: symbols list of companies.symbol in 1..20 \"Symbols.\" e.g. C07",
        "SELECT count(close) AS size FROM bars WHERE array_has($symbols, symbol) AND symbol = $symbol",
        [&[("symbols", "C07,C31"), ("symbol", "C31")], &[("symbols", "C07,C31"), ("symbol", "C30")]],
    ),
    (
        "extremes",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: from date \"First.\" e.g. 2021-01-01",
        "SELECT max(close) AS close, min(session) AS session FROM bars WHERE symbol = $symbol AND session > $from",
        [&[("symbol", "C01"), ("from", "2020-12-31")], &[("symbol", "C02"), ("from", "2022-01-02")]],
    ),
    (
        "dated",
        "-- param: symbol text \"Symbol.\" e.g. C07\n-- param: ago int in 0..50 \"Sessions.\" e.g. 1",
        "SELECT session, close FROM bars WHERE symbol = $symbol AND session >= session_ago($ago) ORDER BY session",
        [&[("symbol", "C04"), ("ago", "20")], &[("symbol", "C05"), ("ago", "40")]],
    ),
    (
        "day",
        "-- param: ago int in 0..100 \"Sessions.\" e.g. 1",
        "SELECT symbol, close FROM days WHERE session = session_ago($ago) ORDER BY symbol",
        [&[("ago", "0")], &[("ago", "90")]],
    ),
    (
        // Reads one column more than the case above.
        "best-of-day",
        "-- param: ago int in 0..100 \"Sessions.\" e.g. 1",
        "SELECT session, symbol FROM days WHERE session = session_ago($ago) AND symbol > 'C05' ORDER BY close DESC NULLS LAST, symbol LIMIT 5",
        [&[("ago", "0")], &[("ago", "90")]],
    ),
    (
        "some-days",
        "-- param: ago int = 1 in 0..200 \"Sessions.\" e.g. 1",
        "SELECT session, symbol, close FROM days
         WHERE array_has(make_array(session_ago($ago), session_ago($ago + 3), session_ago(2 * $ago), session_ago($ago + 40)), session) AND symbol > 'C30'
         ORDER BY session, symbol",
        [&[("ago", "90")], &[("ago", "20")]],
    ),
    (
        "of-one-or-all",
        "-- param: all text? \"Whether all.\"\n-- param: over number? \"Least close.\" e.g. 1
-- param: under number? \"Largest close.\"",
        "SELECT symbol, session, close FROM bars WHERE ($all IS NOT NULL OR symbol = 'C05')
         AND ($over IS NULL OR close >= $over) AND ($under IS NULL OR close <= $under) ORDER BY symbol, session",
        [&[("over", "3")], &[("under", "80")]],
    ),
    (
        "paged",
        "-- param: min number \"Least.\" e.g. 1\n-- param: limit int = 5 in 1..20 \"Rows.\"\n-- param: page int = 1 in 1.. \"Page.\"",
        "SELECT symbol FROM companies WHERE size >= $min ORDER BY size DESC NULLS LAST, symbol
         LIMIT $limit OFFSET ($page - 1) * $limit",
        [&[("min", "10"), ("page", "2")], &[("min", "20"), ("page", "3"), ("limit", "4")]],
    ),
];

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn companies() -> RecordBatch {
    const SECTORS: [Option<&str>; 4] = [Some("Banks"), Some("Steel"), None, Some("Oil")];
    let symbols = (0..40).map(|row| format!("C{row:02}"));
    batch(vec![
        ("symbol", Arc::new(StringViewArray::from_iter_values(symbols))),
        ("sector", Arc::new((0..40).map(|row| SECTORS[row * 7 % 4]).collect::<StringViewArray>())),
        (
            "size",
            Arc::new(
                (0..40)
                    .map(|row| (row % 9 != 0).then_some(f64::from(row * 37 % 61)))
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "rating",
            Arc::new((0..40).map(|row| (row % 11 != 0).then_some(row * 13 % 30 * 3)).collect::<Int64Array>()),
        ),
    ])
}

/// Returns the days from mid-November to the end of January, in 2020/21 and 2021/22.
fn days() -> Vec<i32> {
    const YEARS: [i32; 2] = [18_628, 18_993];
    YEARS.iter().flat_map(|new_year| new_year - 45..new_year + 30).collect()
}

/// Bars of the days for which `year` is true, by symbol and day.
fn bars(days: &[i32], year: impl Fn(i32) -> bool) -> RecordBatch {
    let rows: Vec<(usize, i32)> = (0..40)
        .flat_map(|symbol| days.iter().map(move |day| (symbol, *day)))
        .filter(|(symbol, day)| year(*day) && !(symbol * 31 + *day as usize).is_multiple_of(5))
        .collect();
    let close = |(symbol, day): &(usize, i32)| {
        (day % 7 != 0).then_some(((symbol * 17 + *day as usize * 29) % 97) as f64)
    };
    batch(vec![
        (
            "symbol",
            Arc::new(StringViewArray::from_iter_values(
                rows.iter().map(|(symbol, _)| format!("C{symbol:02}")),
            )),
        ),
        ("session", Arc::new(Date32Array::from_iter_values(rows.iter().map(|(_, day)| *day)))),
        ("close", Arc::new(rows.iter().map(close).collect::<Float64Array>())),
    ])
}

/// The same rows by day and symbol.
fn by_day(bars: &RecordBatch) -> RecordBatch {
    let days = SortColumn { values: Arc::clone(bars.column(1)), options: None };
    let symbols = SortColumn { values: Arc::clone(bars.column(0)), options: None };
    take_record_batch(bars, &lexsort_to_indices(&[days, symbols], None).unwrap()).unwrap()
}

fn save(path: &Path, rows: &RecordBatch) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(32)
        .set_write_batch_size(32)
        .set_max_row_group_row_count(Some(500))
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}

fn catalogue() -> Catalogue {
    let head = "-- Case.\n--\n-- tier: free\n-- group: Core\n-- answer: list\n-- tool: t_";
    let operations = CASES.iter().map(|(name, params, sql, _)| {
        (format!("api/{name}.sql"), format!("{head}{}\n{params}\n{sql}\n", name.replace('-', "_")))
    });
    let operations: Vec<(String, String)> = operations.collect();
    let tables = [
        ("tables/companies.sql", COMPANIES),
        ("tables/sessions.sql", SESSIONS),
        ("tables/bars.sql", BARS),
        ("tables/days.sql", DAYS),
    ];
    Catalogue::parse(tables.into_iter().chain(operations.iter().map(|(p, t)| (p.as_str(), t.as_str()))))
        .unwrap()
}

/// Saves the rows in files for the snapshot, and registers them in memory for the plain context.
async fn open_both(root: &Path, companies: RecordBatch, days: &[i32]) -> (Snapshot, SessionContext) {
    let sessions = batch(vec![("session", Arc::new(Date32Array::from(days.to_vec())) as ArrayRef)]);
    let india = root.join("india");
    save(&india.join("companies.parquet"), &companies);
    save(&india.join("sessions.parquet"), &sessions);
    // 18,628 is 2021-01-01, 18,993 is 2022-01-01.
    for (year, days_of_year) in [(2020, 0..18_628), (2021, 18_628..18_993), (2022, 18_993..i32::MAX)] {
        let bars = bars(days, |day| days_of_year.contains(&day));
        save(&india.join(format!("bars/{year}.parquet")), &bars);
        save(&india.join(format!("days/{year}.parquet")), &by_day(&bars));
    }
    let limits = QueryLimits::default();
    let root = parquote_set::Root::folder(root);
    let snapshot = Snapshot::open(Arc::new(catalogue()), &root, LoadScope::Served, &limits);
    let plain = SessionContext::new();
    for function in calendar_functions(&Calendar::new(days.to_vec())) {
        plain.register_udf(function);
    }
    let bars = bars(days, |_| true);
    let days = by_day(&bars);
    for (name, rows) in [("companies", companies), ("sessions", sessions), ("bars", bars), ("days", days)] {
        plain
            .register_table(name, Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]]).unwrap()))
            .unwrap();
    }
    (snapshot.await.unwrap(), plain)
}

fn with_literals(operation: &Operation, arguments: &Arguments) -> String {
    let mut sql = operation.selects[0].sql.clone();
    // The longest names first, so that none is replaced as the prefix of another.
    let mut params: Vec<_> = operation.params.iter().zip(arguments.values()).collect();
    params.sort_by_key(|(param, _)| std::cmp::Reverse(param.name.len()));
    for (param, value) in params {
        let mut text = String::new();
        if let Some(value) = value {
            value.write(&mut text);
        }
        let literal = match (value, param.ty) {
            (None, _) => "NULL".to_owned(),
            (_, ParamType::Date) => format!("DATE '{text}'"),
            (_, ParamType::Int) => text,
            (_, ParamType::List) => format!("make_array('{}')", text.replace(',', "', '")),
            (_, ParamType::Number) => format!("CAST({text} AS DOUBLE)"),
            _ => format!("'{text}'"),
        };
        sql = sql.replace(&format!("${}", param.name), &literal);
    }
    sql
}

#[tokio::test]
async fn plans_used_again_answer_as_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    assert_same_answers(&open_both(folder.path(), companies(), &days()).await).await;
    // Another set with other rows and another last session, on which the same SELECTs are not parsed again.
    let folder = tempfile::tempdir().unwrap();
    let other = open_both(folder.path(), companies().slice(2, 33), &days()[..140]).await;
    assert_same_answers(&other).await;
}

#[tokio::test]
async fn a_select_is_parsed_once_for_all_sets_that_lack_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let newest = |snapshot: &Snapshot| {
        let catalogue = catalogue();
        let operation = catalogue.operation("newest").unwrap();
        let arguments = Arguments::parse(operation, Tier::ApiMax, [("symbol", "C00")]).unwrap();
        let prepared = snapshot.market(Market::India).unwrap().prepared_operation(operation).unwrap();
        (Arc::clone(prepared.select(&arguments).unwrap()), prepared.missing().to_vec())
    };
    let first = newest(&open_both(folder.path(), companies(), &days()).await.0);
    let second = newest(&open_both(folder.path(), companies(), &days()[..140]).await.0);
    assert!(Arc::ptr_eq(&first.0, &second.0) && first.1.is_empty());
    std::fs::remove_dir_all(folder.path().join("india/bars")).unwrap();
    let root = parquote_set::Root::folder(folder.path());
    let limits = QueryLimits::default();
    let missing = Snapshot::open(Arc::new(catalogue()), &root, LoadScope::Served, &limits).await.unwrap();
    let third = newest(&missing);
    assert!(!Arc::ptr_eq(&first.0, &third.0));
    assert_eq!(third.1, ["india.bars"]);
}

#[test]
fn a_file_that_two_sets_have_in_common_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    save(&path("old"), &bars(&days(), |day| day < 18_628));
    save(&path("new"), &bars(&days(), |day| day >= 18_628));
    let catalogue = catalogue();
    let bars = catalogue.table(Market::India, "bars").unwrap();
    let tables = LoadedTables::default();
    let load = |new: &str| {
        let files = [("old", "a"), ("new", new)].map(|(name, hash)| StoredFile::of_set(path(name), hash));
        let loaded = tables.load(bars, Market::India, &files).unwrap();
        let TableRows::Files(files) = &loaded.rows else { panic!("bars are in files") };
        (Arc::clone(&files[0]), Arc::clone(&files[1]))
    };
    let (first, second) = (load("b"), load("c"));
    assert!(Arc::ptr_eq(&first.0, &second.0) && !Arc::ptr_eq(&first.1, &second.1));
}

#[tokio::test]
async fn plans_are_shared_where_the_tables_of_two_sets_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshot, _) = open_both(folder.path(), companies(), &days()).await;
    let india = folder.path().join("india");
    save(&india.join("fewer.parquet"), &companies().slice(2, 33));
    let sessions = batch(vec![("session", Arc::new(Date32Array::from(days()[..140].to_vec())) as ArrayRef)]);
    save(&india.join("shorter.parquet"), &sessions);
    let engine = &snapshot.market(Market::India).unwrap().data.engine;
    let load = async |companies: &str, sessions: &str| {
        let years = |table: &str| {
            [2020, 2021, 2022].map(|year| {
                StoredFile::of_set(india.join(format!("{table}/{year}.parquet")), &format!("{table}{year}"))
            })
        };
        let one = |name: &str| {
            let path = india.join(format!("{name}.parquet"));
            let hash = hash_of(&path).unwrap();
            vec![StoredFile::of_set(path, &hash)]
        };
        let files = [
            ("companies", one(companies)),
            ("sessions", one(sessions)),
            ("bars", years("bars").to_vec()),
            ("days", years("days").to_vec()),
        ];
        let files = files.map(|(table, files)| (table.to_owned(), files)).into_iter().collect();
        let name = SetName::unpublished(companies);
        MarketSnapshot::load(engine, Market::India, name, &files, LoadScope::Served).await.unwrap()
    };
    let first = load("companies", "sessions").await;
    first.warm(|| true).await;
    let shared = async |companies: &str, sessions: &str| {
        let next = load(companies, sessions).await;
        assert!(next.data.plans.shared_operations(&first.data.plans).is_empty());
        next.share_plans(&first);
        next.data.plans.shared_operations(&first.data.plans)
    };
    assert_eq!(shared("companies", "sessions").await.len(), CASES.len());
    let with_other_companies = shared("fewer", "sessions").await;
    assert!(with_other_companies.contains("history") && !with_other_companies.contains("screen"));
    assert!(!with_other_companies.contains("joined"), "it reads companies and bars");
    // Any SELECT may use the last session.
    assert_eq!(shared("companies", "shorter").await, BTreeSet::new());
    let next = load("fewer", "sessions").await;
    let stays = |table: &str| {
        let rule = format!("-- Rule.\n--\n-- severity: error\nSELECT symbol FROM {table}\n");
        next.checks_the_same(&first, &Check::parse("checks/rule.sql", &rule).unwrap()).unwrap()
    };
    assert!(stays("bars") && !stays("companies"));
}

#[tokio::test]
async fn a_shape_that_is_asked_often_gets_a_custom_plan() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshot, _) = open_both(folder.path(), companies(), &days()).await;
    let catalogue = catalogue();
    let plans = &snapshot.market(Market::India).unwrap().data.plans;
    let planned = async |name: &str, pairs: &[(&str, &str)]| {
        let operation = catalogue.operation(name).unwrap();
        let arguments = Arguments::parse(operation, Tier::ApiMax, pairs.iter().copied()).unwrap();
        let call = snapshot.call(operation, arguments, chrono::Utc::now()).unwrap();
        assert!(call.compute().await.unwrap().unwrap().len() > 2);
        let in_use = plans.plans_in_use().into_iter().filter(|(operation, ..)| **operation == *name);
        let (custom, generic): (Vec<_>, Vec<_>) =
            in_use.map(|(.., kind)| kind).partition(|kind| *kind == PlanKind::Custom);
        (custom.len(), generic.len())
    };
    // Loading made custom plans of two examples. One generic plan serves all other combinations of conditions.
    for pairs in [&[("min", "10")][..], &[("rated", "20")], &[("sector", "Oil"), ("min", "9")], &[]] {
        assert_eq!(planned("conditions", pairs).await, (2, 1), "{pairs:?}");
    }
    for least in 0..40 {
        planned("conditions", &[("min", &least.to_string())]).await;
    }
    assert_eq!(planned("conditions", &[("min", "14")]).await, (3, 1));
    // Its generic plan would read all of a long table.
    assert_eq!(planned("of-one-or-all", &[("under", "80")]).await, (3, 0));
}

async fn assert_same_answers((snapshot, plain): &(Snapshot, SessionContext)) {
    let catalogue = catalogue();
    for (name, _, _, [a, b]) in CASES {
        let operation = catalogue.operation(name).unwrap();
        let json = JsonRows::new(&snapshot.columns(operation)[0]);
        for (turn, pairs) in [a, b, a, b, a].into_iter().enumerate() {
            let arguments = Arguments::parse(operation, Tier::ApiMax, pairs.iter().copied()).unwrap();
            let call = snapshot.call(operation, arguments.clone(), chrono::Utc::now()).unwrap();
            let body = call.compute().await.unwrap().unwrap();
            let sql = with_literals(operation, &arguments);
            let mut expected = vec![b'['];
            for batch in plain.sql(&sql).await.unwrap().collect().await.unwrap() {
                json.write(&batch, expected.len() == 1, &mut expected);
            }
            expected.push(b']');
            let (body, expected) = (String::from_utf8_lossy(&body), String::from_utf8_lossy(&expected));
            assert_eq!(body, expected, "{name}, turn {turn}: {sql}");
            let empty = pairs.contains(&("symbol", "NONE"));
            assert_eq!(
                *body == *"[]",
                empty,
                "{name}, turn {turn} should {}have rows",
                if empty { "not " } else { "" }
            );
        }
    }
}
