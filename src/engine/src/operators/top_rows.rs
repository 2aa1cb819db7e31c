//! Late materialization: filter, order and limit over an in-memory table in one step, so that only rows of the answer are gathered. This
//! step replaces a sort, if any, with the filters and projections below it down to a scan, if no other node is between them; every other
//! plan remains as the engine made it. The rows and their order do not change. An expression may be evaluated again for each use: every
//! function here is deterministic, since random numbers and clocks are refused.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{SortColumn, SortOptions, lexsort_to_indices};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr, split_conjunction};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
};
use futures::stream;

use super::join_keys::RunKeys;
use super::key_scan::KeyScan;
use super::matched_rows::MatchedRows;
use super::row_choice::Choice;
use super::row_expr::{RowExpr, replace_columns};
use super::top_numbers::top_numbers;

/// A plan node that yields the rows of an in-memory table that pass conditions, or the first of these rows in an order.
#[derive(Debug)]
pub(crate) struct TopRows {
    work: Arc<Selection>,
    /// The properties of the plan that the node replaces.
    properties: Arc<PlanProperties>,
    /// Receives the number of matching rows; `None` if they are not counted.
    matched: Option<Arc<MatchedRows>>,
}

/// The definition of a [`TopRows`] node. The expressions read the columns of the scan.
#[derive(Debug, Clone)]
struct Selection {
    scan: KeyScan,
    conditions: Vec<RowExpr>,
    keys: Vec<(RowExpr, SortOptions)>,
    fetch: Option<usize>,
    columns: Vec<RowExpr>,
    schema: SchemaRef,
}

/// Replaces every sort, filter and projection over an in-memory table with one step.
pub(crate) fn materialize_late(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_down(|node| {
        Ok(match TopRows::in_place_of(&node)? {
            Some(top) => Transformed::new(Arc::new(top), true, TreeNodeRecursion::Jump),
            None => Transformed::no(node),
        })
    })
    .data()
}

impl TopRows {
    fn in_place_of(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        if let Some(sort) = node.downcast_ref::<SortExec>() {
            let below = ScanBelow::from_node(sort.input())?;
            return below.map(|below| Self::from_parts(below, sort.expr(), node)).transpose();
        }
        if !node.is::<ProjectionExec>() && !node.is::<FilterExec>() {
            return Ok(None);
        }
        // Without an order all rows are output, so an expression used twice is better computed once.
        let below = ScanBelow::from_node(node)?.filter(|below| below.scan.has_key() || !below.repeats);
        below.map(|below| Self::from_parts(below, &[], node)).transpose()
    }

    fn from_parts(
        below: ScanBelow,
        order: &[PhysicalSortExpr],
        node: &Arc<dyn ExecutionPlan>,
    ) -> Result<Self> {
        let scan_schema = below.scan.schema();
        let order = order
            .iter()
            .map(|key| Ok(PhysicalSortExpr { expr: below.map_to_scan(&key.expr)?, options: key.options }));
        let order = order.collect::<Result<Vec<_>>>()?;
        let key = |key: &PhysicalSortExpr| Ok((RowExpr::try_new(&key.expr, &scan_schema)?, key.options));
        let row_exprs = |exprs: &[Arc<dyn PhysicalExpr>]| {
            exprs.iter().map(|expr| RowExpr::try_new(expr, &scan_schema)).collect::<Result<Vec<_>>>()
        };
        let work = Selection {
            keys: without_redundant_keys(&order, &below.scan).iter().map(key).collect::<Result<_>>()?,
            conditions: row_exprs(&below.conditions)?,
            columns: row_exprs(&below.columns)?,
            fetch: node.fetch(),
            schema: node.schema(),
            scan: below.scan,
        };
        Ok(Self { work: Arc::new(work), properties: Arc::clone(node.properties()), matched: None })
    }

    /// Returns the step limited to keys of a join's first side; `None` unless the column at `position` is the indexed key of its scan.
    pub(crate) fn limit_to_run_keys(&self, position: usize, run_keys: &Arc<RunKeys>) -> Option<Self> {
        let work = &self.work;
        let scan = work.scan.limit_to_run_keys(work.columns.get(position)?.column()?, run_keys)?;
        let work = Arc::new(Selection { scan, ..work.as_ref().clone() });
        (self.matched.is_none() && work.fetch.is_none()).then(|| Self {
            work,
            properties: Arc::clone(&self.properties),
            matched: None,
        })
    }

    /// Returns true if the node yields at most one row.
    pub(crate) fn has_one_row(&self) -> bool {
        self.work.scan.has_one_row() || self.work.fetch == Some(1)
    }

    /// Returns true if the step sorts, and therefore reads all rows.
    pub(crate) fn reads_all_rows(&self) -> bool {
        !self.work.keys.is_empty()
    }

    /// Returns the step with a count of matching rows.
    pub(crate) fn with_match_count(&self, matched: &Arc<MatchedRows>) -> Self {
        Self {
            work: Arc::clone(&self.work),
            properties: Arc::clone(&self.properties),
            matched: Some(Arc::clone(matched)),
        }
    }
}

/// Drops the last keys of an order that the table's order already gives: over a table sorted by symbol, an order by score and symbol
/// becomes one by score, because rows with equal keys stay in their order.
fn without_redundant_keys<'o>(order: &'o [PhysicalSortExpr], scan: &KeyScan) -> &'o [PhysicalSortExpr] {
    let follows = |first: &usize| order.get(*first..).is_some_and(|rest| scan.direction(rest) == Some(false));
    let end = (1..order.len()).find(follows).unwrap_or(order.len());
    order.get(..end).unwrap_or(order)
}

/// The nodes below a step, as conditions and columns over one scan.
struct ScanBelow {
    scan: KeyScan,
    conditions: Vec<Arc<dyn PhysicalExpr>>,
    columns: Vec<Arc<dyn PhysicalExpr>>,
    /// True if a node above uses a computed expression, which may then be evaluated repeatedly.
    repeats: bool,
}

impl ScanBelow {
    fn from_node(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Self>> {
        if let Some(scan) = node.downcast_ref::<KeyScan>() {
            return Ok(scan.is_plain_and_in_memory().then(|| Self::scan(scan.clone())));
        }
        if let Some(cooperative) = node.downcast_ref::<CooperativeExec>() {
            return Self::from_node(cooperative.input());
        }
        if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
            let Some(mut below) = Self::from_node(projection.input())? else { return Ok(None) };
            below.repeats |= below.computes();
            let columns = projection.expr().iter().map(|column| below.map_to_scan(&column.expr));
            below.columns = columns.collect::<Result<_>>()?;
            return Ok(Some(below));
        }
        if let Some(filter) = node.downcast_ref::<FilterExec>()
            && filter.fetch().is_none()
        {
            let Some(mut below) = Self::from_node(filter.input())? else { return Ok(None) };
            below.repeats |= below.computes();
            let condition = below.map_to_scan(filter.predicate())?;
            below.conditions.extend(split_conjunction(&condition).into_iter().cloned());
            if let Some(projected) = filter.projection() {
                let columns = projected.iter().filter_map(|position| below.columns.get(*position).cloned());
                below.columns = columns.collect();
            }
            return Ok(Some(below));
        }
        Ok(None)
    }

    fn scan(scan: KeyScan) -> Self {
        let schema = scan.schema();
        let column = |(position, field): (usize, &Arc<_>)| column(position, field);
        Self {
            conditions: Vec::new(),
            columns: schema.fields().iter().enumerate().map(column).collect(),
            repeats: false,
            scan,
        }
    }

    fn computes(&self) -> bool {
        self.columns.iter().any(|column| !column.is::<Column>() && !column.is::<Literal>())
    }

    /// Maps an expression over the node's columns to the scan's columns.
    fn map_to_scan(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        replace_columns(expr, |column| self.columns.get(column.index()).cloned())
    }
}

fn column(position: usize, field: &datafusion::arrow::datatypes::Field) -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new(field.name(), position))
}

impl Selection {
    fn run(&self, matched: Option<&MatchedRows>) -> Result<RecordBatch> {
        let table = self.scan.in_memory()?;
        let choice = Choice::filter_rows(&self.conditions, &table, self.scan.needed_rows()?)?;
        let rows = match choice {
            Choice::All(_) if self.keys.is_empty() => None,
            choice if self.keys.is_empty() => Some(choice.rows()),
            choice => {
                let rows = choice.rows();
                if let Some(matched) = matched {
                    matched.set(rows.len());
                }
                Some(self.first(&table, &rows)?)
            }
        };
        let columns = self.columns.iter().map(|column| column.evaluate(&table, rows.as_ref()));
        let count = rows.as_ref().map_or(table.num_rows(), Array::len);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(
            Arc::clone(&self.schema),
            columns.collect::<Result<_>>()?,
            &options,
        )?)
    }

    /// Returns the first of these rows, in order; rows with equal keys stay in table order, so that pages of any size are consistent.
    fn first(&self, table: &RecordBatch, rows: &UInt32Array) -> Result<UInt32Array> {
        let key = |(expr, options): &(RowExpr, SortOptions)| {
            Ok(SortColumn { values: expr.evaluate(table, Some(rows))?, options: Some(*options) })
        };
        let mut keys = self.keys.iter().map(key).collect::<Result<Vec<_>>>()?;
        let by_number = match keys.as_slice() {
            [only] => top_numbers(&only.values, only.options.unwrap_or_default(), self.fetch),
            _ => None,
        };
        let first = if let Some(first) = by_number {
            first
        } else {
            keys.push(SortColumn { values: Arc::new(rows.clone()), options: None });
            lexsort_to_indices(&keys, self.fetch)?
        };
        let row = |at: &u32| rows.values().get(*at as usize).copied();
        Ok(first.values().iter().filter_map(row).collect::<Vec<_>>().into())
    }
}

impl DisplayAs for TopRows {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = &self.work;
        f.write_str("TopRows: ")?;
        work.scan.fmt_as(format, f)?;
        work.conditions.iter().try_for_each(|condition| write!(f, ", where {}", condition.expr()))?;
        work.keys.iter().try_for_each(|(key, options)| write!(f, ", by {} {options}", key.expr()))?;
        work.fetch.map_or(Ok(()), |fetch| write!(f, ", fetch = {fetch}"))
    }
}

impl ExecutionPlan for TopRows {
    fn name(&self) -> &'static str {
        "TopRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let work = &self.work;
        let keys = work.keys.iter().map(|(key, _)| key);
        for expr in work.conditions.iter().chain(keys).chain(&work.columns) {
            if f(expr.expr())? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        work.scan.apply_expressions(f)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (work, matched) = (Arc::clone(&self.work), self.matched.clone());
        // Nothing is evaluated before the stream is polled, because a value may come from a subquery that runs first.
        let batch = stream::once(async move { work.run(matched.as_deref()) });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.work.schema), batch)))
    }

    fn fetch(&self) -> Option<usize> {
        self.work.fetch
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{
        ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, StringViewArray,
    };
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::physical_plan::{collect, displayable};
    use rand::seq::IndexedRandom;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;
    use crate::storage::column_cache::ColumnCache;
    use crate::storage::key_index::KeyIndex;
    use crate::storage::served_table::{ServedTable, TableRows};
    use crate::tables::table_handle::TableHandle;
    use parquote_catalogue::operation::Market;
    use parquote_functions::Calendar;
    use parquote_functions::context::market_context;

    fn table(draw: &mut impl Rng, rows: usize) -> TableHandle {
        const TEXTS: [&str; 6] =
            ["", "A", "AB", "PREFIXED ONE", "PREFIXED TWO AND LONG", "PREFIXED TWO AND LONGER"];
        let null = |draw: &mut dyn FnMut() -> f64| draw() < 0.15;
        let mut chance = || draw.random_range(0.0..1.0);
        let mut texts: Vec<Option<&str>> = Vec::new();
        let (mut floats, mut longs, mut days, mut flags) = (vec![], vec![], vec![], vec![]);
        for _ in 0..rows {
            let mut pick = |of: usize| (chance() * of as f64) as usize;
            texts.push(TEXTS.get(pick(6)).copied());
            floats.push([-1.5, -0.0, 0.0, 2.5, f64::MAX, f64::MIN].get(pick(6)).copied());
            longs.push([i64::MIN, -3, 0, 4, i64::MAX].get(pick(5)).copied());
            days.push(Some(pick(4) as i32 - 2));
            flags.push(Some(pick(2) == 0));
            if null(&mut chance) {
                texts.pop();
                texts.push(None);
            }
            if null(&mut chance) {
                floats.pop();
                floats.push(None);
            }
            if null(&mut chance) {
                longs.pop();
                longs.push(None);
            }
            if null(&mut chance) {
                days.pop();
                days.push(None);
            }
            if null(&mut chance) {
                flags.pop();
                flags.push(None);
            }
        }
        let columns: [(&str, ArrayRef); 6] = [
            ("id", Arc::new(Int64Array::from_iter_values(0..rows as i64))),
            ("t", Arc::new(StringViewArray::from(texts))),
            ("f", Arc::new(Float64Array::from(floats))),
            ("l", Arc::new(Int64Array::from(longs))),
            ("d", Arc::new(Date32Array::from(days))),
            ("b", Arc::new(BooleanArray::from(flags))),
        ];
        let fields = columns.iter().map(|(name, column)| {
            Field::new(
                *name,
                column.data_type().clone(),
                *name != "id" && *column.data_type() != DataType::Null,
            )
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = columns.iter().map(|(_, column)| Arc::clone(column)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let mut index = KeyIndex::default();
        index.extend(batch.column(0)).unwrap();
        TableHandle(Arc::new(ServedTable {
            name: "t".to_owned(),
            schema,
            sort_columns: vec![0],
            has_unique_rows: true,
            session_column: None,
            missing_columns: std::collections::BTreeSet::new(),
            rows: TableRows::Memory(batch, Some(index)),
            column_cache: ColumnCache::default(),
        }))
    }

    /// A SELECT with a total order: `id` is last.
    fn select(draw: &mut impl Rng) -> String {
        const CONDITIONS: [&str; 9] = [
            "f >= 0",
            "l < 4",
            "t LIKE 'PRE%'",
            "b",
            "d IS NULL OR d > -1",
            "l <> 0 AND l % 2 = 0",
            "f IS NOT NULL",
            "id % 3 = 1",
            "upper(t) = 'AB' OR f < 1",
        ];
        const KEYS: [&str; 8] = [
            "f",
            "l",
            "t",
            "d",
            "b",
            "CASE WHEN t = 'A' THEN 0 WHEN t LIKE 'PRE%' THEN 1 ELSE NULL END",
            "-f",
            "upper(t)",
        ];
        let mut pick = |from: &[&'static str], most: usize| -> Vec<&'static str> {
            let count = draw.random_range(0..=most);
            from.sample(draw, count).copied().collect()
        };
        let conditions = pick(&CONDITIONS, 3);
        let keys = pick(&KEYS, 3);
        let filter = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE ({})", conditions.join(") AND ("))
        };
        let mut order = String::new();
        for key in keys {
            let direction = ["ASC", "DESC"].choose(draw).unwrap();
            let nulls = ["FIRST", "LAST"].choose(draw).unwrap();
            order.push_str(&[key, direction, "NULLS", nulls].join(" "));
            order.push_str(", ");
        }
        let direction = ["ASC", "DESC"].choose(draw).unwrap();
        if draw.random_bool(0.1) {
            return format!("SELECT l, upper(t) AS u, f * 2 AS twice FROM t {filter}");
        }
        let limit = ["", "LIMIT 1", "LIMIT 7", "LIMIT 100", "LIMIT 5000"].choose(draw).unwrap();
        format!(
            "SELECT id, t, f * 2 AS twice, l, b, upper(t) AS u FROM t {filter} ORDER BY {order}id {direction} {limit}"
        )
    }

    /// The reference is the engine's plan of the same SELECT, before the replacement.
    #[tokio::test]
    async fn gathers_what_the_engine_gathers() {
        let mut draw = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let mut replaced = 0;
        for rows in [0, 1, 2, 60, 300, 900] {
            let context = market_context(Market::India, &Calendar::default());
            context.register_table("t", Arc::new(table(&mut draw, rows))).unwrap();
            for _ in 0..150 {
                let sql = select(&mut draw);
                let plan = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
                let rewritten = materialize_late(Arc::clone(&plan)).unwrap();
                replaced += usize::from(
                    displayable(rewritten.as_ref()).indent(false).to_string().contains("TopRows"),
                );
                let concat = |batches: Vec<RecordBatch>| concat_batches(&plan.schema(), &batches).unwrap();
                let expected = concat(collect(Arc::clone(&plan), context.task_ctx()).await.unwrap());
                let actual = concat(collect(rewritten, context.task_ctx()).await.unwrap());
                assert_eq!(actual, expected, "{sql}");
            }
        }
        assert!(replaced > 600, "only {replaced} plans were replaced");
    }

    #[tokio::test]
    async fn keys_that_the_order_of_the_table_decides_are_not_compared() {
        let mut draw = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let context = market_context(Market::India, &Calendar::default());
        context.register_table("t", Arc::new(table(&mut draw, 60))).unwrap();
        let orders =
            [("l DESC, id", 1), ("l, id, t DESC", 1), ("l, t, id", 2), ("l, id DESC", 2), ("l, t", 2)];
        for (order, compared) in orders {
            let sql = format!("SELECT l, t, id FROM t ORDER BY {order} LIMIT 5");
            let plan = context.sql(&sql).await.unwrap().create_physical_plan().await.unwrap();
            let printed = displayable(materialize_late(plan).unwrap().as_ref()).indent(false).to_string();
            assert_eq!(printed.matches(", by ").count(), compared, "{order}: {printed}");
        }
    }
}
