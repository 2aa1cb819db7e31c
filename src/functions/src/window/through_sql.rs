//! The functions through SQL: coercion, partitions, the plan, and refusals.
//!
//! Invariant: expected figures are computed by hand; formulas are tested with each function.

use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::assert_batches_eq;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::col;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};

/// Two symbols; the second has a break between two histories. Sorted by symbol, history, session.
fn bars() -> RecordBatch {
    let symbol = StringArray::from(vec!["AAA", "AAA", "AAA", "BBB", "BBB", "BBB", "BBB"]);
    let history = Int64Array::from(vec![1, 1, 1, 1, 1, 2, 2]);
    let session = Int64Array::from(vec![1, 2, 3, 1, 2, 3, 4]);
    let close = Float64Array::from(vec![10.0, 20.0, 40.0, 6.0, 3.0, 8.0, 2.0]);
    let factor = Float64Array::from(vec![0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]);
    let volume = Int64Array::from(vec![Some(100), Some(50), Some(25), Some(7), None, Some(4), Some(6)]);
    let is_member =
        BooleanArray::from(vec![Some(true), None, Some(true), Some(true), None, None, Some(false)]);
    RecordBatch::try_from_iter_with_nullable([
        ("symbol", Arc::new(symbol) as _, false),
        ("history", Arc::new(history) as _, false),
        ("session", Arc::new(session) as _, false),
        ("close", Arc::new(close) as _, true),
        ("factor", Arc::new(factor) as _, false),
        ("volume", Arc::new(volume) as _, true),
        ("is_member", Arc::new(is_member) as _, true),
    ])
    .unwrap()
}

/// A context with `bars` and every function; the table declares the order of its rows.
fn context() -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    for function in super::indicators() {
        context.register_udwf((*function).clone());
    }
    let bars = bars();
    let order = ["symbol", "history", "session"].map(|name| col(name).sort(true, false)).to_vec();
    let table = MemTable::try_new(bars.schema(), vec![vec![bars]]).unwrap().with_sort_order(vec![order]);
    context.register_table("bars", Arc::new(table)).unwrap();
    context
}

async fn rows(sql: &str) -> Vec<RecordBatch> {
    context().sql(sql).await.unwrap().collect().await.unwrap()
}

/// Returns the error of a query that must be refused during planning.
async fn refusal(sql: &str) -> String {
    let planned = match context().sql(sql).await {
        Ok(frame) => frame.create_physical_plan().await.map(|_| ()),
        Err(error) => Err(error),
    };
    planned.unwrap_err().strip_backtrace()
}

#[tokio::test]
async fn partitions_do_not_leak_into_each_other() {
    let sql = "
        SELECT symbol, history, session,
            sma(close * factor, 2) OVER w AS sma, ema(close * factor, 2) OVER w AS ema,
            rsi(close * factor, 1) OVER w AS rsi, roc(close * factor, 1) OVER w AS roc,
            rolling_max(close * factor, 9) OVER w AS high, rolling_min(close * factor, 9) OVER w AS low,
            rvol(volume, 1) OVER w AS rvol, stage(close, close) OVER w AS stage
        FROM bars WINDOW w AS (PARTITION BY symbol, history ORDER BY session)
        ORDER BY symbol, history, session";
    let expected = [
        "+--------+---------+---------+------+--------------------+-------+-------+------+-----+------+-------+",
        "| symbol | history | session | sma  | ema                | rsi   | roc   | high | low | rvol | stage |",
        "+--------+---------+---------+------+--------------------+-------+-------+------+-----+------+-------+",
        "| AAA    | 1       | 1       |      |                    |       |       | 5.0  | 5.0 |      |       |",
        "| AAA    | 1       | 2       | 7.5  | 7.5                | 100.0 | 100.0 | 10.0 | 5.0 | 0.5  |       |",
        "| AAA    | 1       | 3       | 25.0 | 29.166666666666664 | 100.0 | 300.0 | 40.0 | 5.0 | 0.5  |       |",
        "| BBB    | 1       | 1       |      |                    |       |       | 6.0  | 6.0 |      |       |",
        "| BBB    | 1       | 2       | 4.5  | 4.5                | 0.0   | -50.0 | 6.0  | 3.0 |      |       |",
        "| BBB    | 2       | 3       |      |                    |       |       | 8.0  | 8.0 |      |       |",
        "| BBB    | 2       | 4       | 5.0  | 5.0                | 0.0   | -75.0 | 8.0  | 2.0 | 1.5  |       |",
        "+--------+---------+---------+------+--------------------+-------+-------+------+-----+------+-------+",
    ];
    assert_batches_eq!(expected, &rows(sql).await);
}

#[tokio::test]
async fn cross_sections_answer_in_the_order_of_the_rows() {
    let sql = "
        SELECT close, rs_rating(close, is_member) OVER () AS rating, rs_rank(close, is_member) OVER () AS rank,
            percentile(close) OVER () AS percentile
        FROM bars ORDER BY symbol, history, session";
    // The figures of the members are 10, 40 and 6. Ranks are computed among all rows: 2, 3, 6, 8, 10, 20, 40.
    let expected = [
        "+-------+--------+------+--------------------+",
        "| close | rating | rank | percentile         |",
        "+-------+--------+------+--------------------+",
        "| 10.0  | 50     | 3    | 66.66666666666667  |",
        "| 20.0  | 75     | 2    | 83.33333333333333  |",
        "| 40.0  | 99     | 1    | 100.0              |",
        "| 6.0   | 1      | 5    | 33.333333333333336 |",
        "| 3.0   | 1      | 6    | 16.666666666666668 |",
        "| 8.0   | 26     | 4    | 50.0               |",
        "| 2.0   | 1      | 7    | 0.0                |",
        "+-------+--------+------+--------------------+",
    ];
    assert_batches_eq!(expected, &rows(sql).await);
}

#[tokio::test]
async fn one_plan_without_a_sort_where_the_table_declares_its_order() {
    let sql = "
        SELECT symbol, session, sma(close, 2) OVER bars_of, rolling_max(close, 252) OVER bars_of
        FROM bars WINDOW bars_of AS (PARTITION BY symbol, history ORDER BY session)";
    let plan = context().sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let plan = displayable(plan.as_ref()).indent(false).to_string();
    assert!(!plan.contains("SortExec"), "{plan}");
    assert_eq!(plan.matches("WindowAggExec").count(), 1, "{plan}");
    assert!(!plan.contains("BoundedWindowAggExec"), "{plan}");
}

#[tokio::test]
async fn a_column_of_nulls_and_an_empty_table_are_no_error() {
    let nulls = rows("SELECT sma(NULL, 2) OVER (ORDER BY session) AS s FROM bars LIMIT 1").await;
    assert_batches_eq!(["+---+", "| s |", "+---+", "|   |", "+---+"], &nulls);
    let none = rows("SELECT sma(close, 2) OVER (ORDER BY session) AS s FROM bars WHERE close < 0").await;
    assert_eq!(
        none.iter().map(RecordBatch::num_rows).sum::<usize>(),
        0,
        "{}",
        pretty_format_batches(&none).unwrap()
    );
}

#[tokio::test]
async fn n_is_a_positive_integer_literal_or_the_query_is_not_planned() {
    for (call, words) in [
        ("sma(close, 0)", "sma(x, n): n must be a positive integer literal"),
        ("sma(close, -5)", "sma(x, n): n must be a positive integer literal"),
        ("ema(close, history)", "ema(x, n, known): n must be a positive integer literal"),
        ("rsi(close, 2.5)", "rsi(x, n): n must be a positive integer literal, not Float64"),
        ("roc(close, NULL)", "roc(x, n): n must be a positive integer literal, not Null"),
        ("rvol(volume)", "rvol(volume, n) takes 2 arguments, not 1"),
        ("rolling_max(symbol, 2)", "rolling_max(x, n): x must be a number, not Utf8"),
        ("rs_rank(close, symbol)", "rs_rank(score, is_member): is_member must be a boolean, not Utf8"),
        ("sma(close, 2) IGNORE NULLS", "sma does not take IGNORE NULLS"),
    ] {
        let error = refusal(&format!("SELECT {call} OVER (ORDER BY session) FROM bars")).await;
        assert!(error.contains(words), "{call}: {error}");
    }
    rows("SELECT sma(close, 1 + 1) OVER (ORDER BY session) FROM bars").await;
}
