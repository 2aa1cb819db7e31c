//! Rewrites a plan of the engine for in-memory tables and answers of a few rows. Rows and their order do not change. Each rewrite is in a
//! separate module.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;

use super::key_joins::join_by_key;
use super::lean_rows::run_lean;
use super::match_count::{CountedPlan, count_matches};
use super::one_row_first::put_one_row_first;
use super::ordered_arrays::order_by_columns;
use super::sorted_scan::read_in_order;
use super::top_before_join::choose_before_join;
use super::top_rows::materialize_late;
use super::whole_windows::compute_whole;

/// Applies all rewrites.
pub(crate) fn optimize_in_memory(plan: Arc<dyn ExecutionPlan>) -> Result<CountedPlan> {
    let plan = materialize_late(choose_before_join(read_in_order(plan)?)?)?;
    let plan = compute_whole(put_one_row_first(plan)?)?;
    let plan = order_by_columns(join_by_key(plan)?)?;
    let (plan, matched) = count_matches(plan)?;
    Ok((run_lean(plan)?, matched))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, RecordBatch, StringViewArray};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::arrow::util::pretty::pretty_format_batches;
    use datafusion::execution::context::SessionContext;
    use datafusion::physical_plan::aggregates::AggregateExec;
    use datafusion::physical_plan::execution_plan::reset_plan_states;
    use datafusion::physical_plan::windows::WindowAggExec;
    use datafusion::physical_plan::{collect, displayable};

    use super::*;
    use crate::storage::column_cache::ColumnCache;
    use crate::storage::key_index::KeyIndex;
    use crate::storage::served_table::{ServedTable, TableRows};
    use crate::tables::table_handle::TableHandle;
    use parquote_catalogue::operation::Market;
    use parquote_functions::Calendar;
    use parquote_functions::context::market_context;

    const STOCKS: i32 = 40;

    fn table(name: &str, unique: bool, columns: Vec<(&str, ArrayRef)>) -> TableHandle {
        let field = |(name, column): &(&str, ArrayRef)| {
            Field::new(*name, column.data_type().clone(), column.null_count() > 0)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let mut index = KeyIndex::default();
        index.extend(batch.column(0)).unwrap();
        TableHandle(Arc::new(ServedTable {
            name: name.to_owned(),
            schema,
            sort_columns: vec![0],
            has_unique_rows: unique,
            session_column: None,
            missing_columns: BTreeSet::new(),
            rows: TableRows::Memory(batch, Some(index)),
            column_cache: ColumnCache::default(),
        }))
    }

    /// Stocks with one row each, some without a size; events with zero to four rows per stock.
    fn context() -> SessionContext {
        let context = market_context(Market::India, &Calendar::default());
        let symbol = |at: i32| format!("S{at:02}");
        let sizes = (0..STOCKS).map(|at| (at % 7 > 0).then(|| f64::from(at * 37 % 11)));
        let stocks = table(
            "stocks",
            true,
            vec![
                ("symbol", Arc::new(StringViewArray::from_iter_values((0..STOCKS).map(symbol)))),
                ("size", Arc::new(sizes.collect::<Float64Array>())),
            ],
        );
        let of = |at: i32| (0..at % 5).map(move |turn| (at, turn));
        let events: Vec<(i32, i32)> = (0..STOCKS).flat_map(of).collect();
        let value =
            |(at, turn): &(i32, i32)| ((at + turn) % 3 > 0).then(|| f64::from(at * 13 % 17 - turn * 3));
        let events = table(
            "events",
            false,
            vec![
                (
                    "symbol",
                    Arc::new(StringViewArray::from_iter_values(events.iter().map(|(at, _)| symbol(*at)))),
                ),
                (
                    "day",
                    Arc::new(Date32Array::from_iter_values(events.iter().map(|(at, turn)| at % 4 + turn))),
                ),
                ("value", Arc::new(events.iter().map(value).collect::<Float64Array>())),
            ],
        );
        context.register_table("stocks", Arc::new(stocks)).unwrap();
        context.register_table("events", Arc::new(events)).unwrap();
        context
    }

    async fn rows(plan: &Arc<dyn ExecutionPlan>, context: &SessionContext) -> String {
        // A plan runs many times.
        let plan = reset_plan_states(Arc::clone(plan)).unwrap();
        let schema = plan.schema();
        let rows = collect(plan, context.task_ctx()).await.unwrap();
        pretty_format_batches(&[concat_batches(&schema, &rows).unwrap()]).unwrap().to_string()
    }

    /// Appends the names of functions and windows, which a printed plan shows under their SQL names.
    fn aggregates(node: &Arc<dyn ExecutionPlan>, printed: &mut String) {
        let aggregate = node.downcast_ref::<AggregateExec>();
        for function in aggregate.into_iter().flat_map(AggregateExec::aggr_expr) {
            printed.push_str(function.fun().name());
        }
        let windows = node.downcast_ref::<WindowAggExec>().into_iter().flat_map(WindowAggExec::window_expr);
        printed.extend(windows.map(|window| format!("{window:?}")));
        node.children().into_iter().for_each(|child| aggregates(child, printed));
    }

    /// SELECTs with a total order, and texts that their printed plans contain, or lack if the text has a leading `!`.
    const CASES: [(&str, &[&str]); 19] = [
        (
            "SELECT e.symbol, e.day, e.value, s.size FROM events e LEFT JOIN stocks s ON s.symbol = e.symbol
             WHERE e.day > 0 ORDER BY e.value DESC NULLS LAST, e.symbol, e.day LIMIT 7",
            &["TopRows: KeyScan: events", "fetch = 7", "keys of the join"],
        ),
        // An order by the other side, and a join that adds rows.
        (
            "SELECT e.symbol, e.day, s.size FROM events e LEFT JOIN stocks s ON s.symbol = e.symbol
             ORDER BY s.size DESC NULLS LAST, e.symbol, e.day LIMIT 7",
            &["!TopRows: KeyScan: events"],
        ),
        (
            "SELECT s.symbol, e.day FROM stocks s LEFT JOIN events e ON e.symbol = s.symbol
             ORDER BY s.symbol DESC, e.day LIMIT 7",
            &["!TopRows: KeyScan: stocks"],
        ),
        (
            "SELECT s.symbol, s.size, e.day, e.value FROM stocks s JOIN events e ON e.symbol = s.symbol
             WHERE s.size = 3 ORDER BY s.symbol, e.day",
            &["keys of the join", "SortedRows"],
        ),
        (
            "SELECT s.symbol, e.day FROM stocks s LEFT JOIN events e ON e.symbol = s.symbol AND e.value > 2
             WHERE s.size = 3 ORDER BY s.symbol, e.day",
            &["keys of the join"],
        ),
        (
            "SELECT s.symbol, e.best FROM stocks s
             LEFT JOIN (SELECT symbol, max(value) AS best FROM events GROUP BY symbol) e ON e.symbol = s.symbol
             WHERE s.size = 5 ORDER BY s.symbol",
            &["keys of the join"],
        ),
        (
            "SELECT s.symbol, e.turn, e.before FROM stocks s
             JOIN (SELECT symbol, row_number() OVER (PARTITION BY symbol ORDER BY day DESC) AS turn,
                          lag(value) OVER (PARTITION BY symbol ORDER BY day) AS before FROM events) e
             ON e.symbol = s.symbol WHERE s.size = 5 AND e.turn <= 2 ORDER BY s.symbol, e.turn",
            &["keys of the join", " WindowAggExec"],
        ),
        (
            "SELECT symbol, day, value,
                    avg(value) OVER (PARTITION BY symbol ORDER BY day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS mean,
                    count(value) OVER (PARTITION BY symbol ORDER BY day ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS known,
                    max(value) OVER (ORDER BY symbol, day ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) AS greatest,
                    min(day) OVER (ORDER BY symbol, day ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) AS least,
                    avg(value) OVER (ORDER BY symbol, day ROWS BETWEEN 30 PRECEDING AND CURRENT ROW) AS of_many,
                    first_value(value) OVER (PARTITION BY symbol ORDER BY day) AS first
             FROM events ORDER BY symbol, day",
            &["ColumnFunction"],
        ),
        // Other kinds of frames, filters and nulls.
        (
            "SELECT symbol, day,
                    avg(value) OVER (ORDER BY symbol, day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS around,
                    sum(value) OVER (ORDER BY symbol, day ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS total,
                    max(value) OVER (ORDER BY day RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS near,
                    max(value) FILTER (WHERE value < 5) OVER (ORDER BY symbol, day ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS small,
                    max(value) OVER (ORDER BY symbol, day ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS before,
                    first_value(value) IGNORE NULLS OVER (PARTITION BY symbol ORDER BY day) AS known,
                    first_value(value) OVER (ORDER BY symbol, day ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS last_but_one
             FROM events ORDER BY symbol, day",
            &["!ColumnFunction"],
        ),
        // A window across keys needs all rows.
        (
            "SELECT s.symbol, e.place FROM stocks s
             JOIN (SELECT symbol, row_number() OVER (ORDER BY day, symbol) AS place FROM events) e
             ON e.symbol = s.symbol WHERE s.size = 5 ORDER BY s.symbol, e.place",
            &["!keys of the join"],
        ),
        // This join returns rows without a match.
        (
            "SELECT s.symbol, e.symbol AS other FROM (SELECT * FROM stocks WHERE size = 5) s
             FULL JOIN events e ON e.symbol = s.symbol ORDER BY s.symbol, e.symbol",
            &["!keys of the join"],
        ),
        (
            "SELECT symbol FROM stocks s WHERE size > 8 AND NOT EXISTS
             (SELECT 1 FROM events e WHERE e.symbol = s.symbol AND e.value > 0) ORDER BY symbol",
            &["keys of the join"],
        ),
        (
            "SELECT symbol, size FROM stocks WHERE array_has(make_array($a, $b), symbol) ORDER BY symbol DESC",
            &["stocks"],
        ),
        (
            "SELECT symbol, array_agg(named_struct('day', day, 'value', value) ORDER BY value DESC NULLS LAST, day) AS rows
             FROM events GROUP BY symbol ORDER BY symbol",
            &["ordered_arrays"],
        ),
        (
            "SELECT array_agg(symbol ORDER BY size NULLS FIRST, symbol DESC) FILTER (WHERE size > 4) AS some,
                    array_agg(symbol ORDER BY symbol) FILTER (WHERE size > 400) AS none FROM stocks",
            &["ordered_arrays"],
        ),
        (
            "SELECT s.symbol, s.size - m.middle AS above FROM stocks s JOIN (SELECT avg(size) AS middle FROM stocks) m ON TRUE
             ORDER BY s.symbol",
            &["MappedRows"],
        ),
        (
            "SELECT u.symbol, u.size, s.size AS own FROM (SELECT symbol, size FROM stocks WHERE size > 7
             UNION ALL SELECT symbol, value FROM events WHERE value > 7) u
             JOIN stocks s ON s.symbol = u.symbol ORDER BY u.symbol, u.size",
            &["OneByOne"],
        ),
        (
            "SELECT symbol, sum(value) AS total FROM events GROUP BY symbol HAVING sum(value) > 3
             ORDER BY total DESC NULLS LAST, symbol LIMIT 4",
            &["SortedRows", "MappedRows"],
        ),
        ("SELECT symbol, sum(size) AS total FROM stocks WHERE size > 999 GROUP BY symbol ORDER BY symbol", &["stocks"]),
    ];

    /// All events with a day above 0 are counted below the join, although only four are returned.
    #[tokio::test]
    async fn rows_that_match_are_counted_before_a_join_of_the_first() {
        let context = context();
        let rows_of = |limit: &str| {
            format!(
                "SELECT e.symbol, e.day, s.size FROM events e LEFT JOIN stocks s ON s.symbol = e.symbol
                 WHERE e.day > 0 ORDER BY e.symbol, e.day {limit}"
            )
        };
        let all = context.sql(&rows_of("")).await.unwrap().count().await.unwrap();
        let plan = context.sql(&rows_of("LIMIT 4")).await.unwrap().create_physical_plan().await.unwrap();
        let (plan, matched) = optimize_in_memory(plan).unwrap();
        assert_eq!(
            collect(plan, context.task_ctx()).await.unwrap().iter().map(RecordBatch::num_rows).sum::<usize>(),
            4
        );
        assert_eq!(matched.unwrap().get(), all);
    }

    #[tokio::test]
    async fn rows_stay() {
        let context = context();
        for (sql, texts) in CASES {
            let sql = sql.replace("$a", "'S07'").replace("$b", "'S31'");
            let engines = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
            let (plan, _) = optimize_in_memory(Arc::clone(&engines)).unwrap();
            let mut printed = displayable(plan.as_ref()).indent(false).to_string();
            aggregates(&plan, &mut printed);
            for text in texts {
                let is_printed = printed.contains(text.trim_start_matches('!'));
                assert_eq!(is_printed, !text.starts_with('!'), "{text}? {sql}: {printed}");
            }
            assert!(!printed.contains("BoundedWindowAggExec"), "{printed}");
            let expected = rows(&engines, &context).await;
            for _ in 0..3 {
                assert_eq!(rows(&plan, &context).await, expected, "{sql}: {printed}");
            }
        }
    }
}
