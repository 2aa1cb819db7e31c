//! The leaf of every plan: yields the rows of a key, or all rows, of a served table.
//!
//! Keys are expressions without columns, evaluated when the scan executes, so that a reused plan finds other rows each time. If reading
//! forwards or backwards gives a requested sort order, the scan replaces the sort and the limit.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{SortOptions, concat_batches, take_record_batch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ScalarValue, internal_err};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, apply_expression_roots};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, SendableRecordBatchStream,
    SortOrderPushdownResult,
};
use futures::stream;

use super::constant_values::{evaluate_days, evaluate_each, value};
use super::join_keys::RunKeys;
use super::scanned_rows::{RemainingRows, ScannedFile};
use crate::storage::key_index::KeyIndex;
use crate::storage::long_file::LongFile;
use crate::storage::served_table::{ServedTable, TableRows};

#[derive(Debug, Clone)]
enum NeededKeys {
    /// Keys that occur in every list.
    Listed(Vec<Arc<dyn PhysicalExpr>>),
    /// Keys of the first side of a join.
    OfJoin(Arc<RunKeys>),
}

/// Scans a served table.
#[derive(Debug, Clone)]
pub(crate) struct KeyScan {
    table: Arc<ServedTable>,
    projection: Vec<usize>,
    schema: SchemaRef,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    from: Vec<Arc<dyn PhysicalExpr>>,
    to: Vec<Arc<dyn PhysicalExpr>>,
    backwards: bool,
    fetch: Option<usize>,
    /// The needed keys; rows with other keys are filtered out above the scan in any case.
    some_keys: Option<NeededKeys>,
    /// The projected columns of an in-memory table, with all rows.
    whole: Option<RecordBatch>,
    properties: Arc<PlanProperties>,
}

impl KeyScan {
    pub(crate) fn try_new(
        table: Arc<ServedTable>,
        projection: Vec<usize>,
        keys: Vec<Arc<dyn PhysicalExpr>>,
        from: Vec<Arc<dyn PhysicalExpr>>,
        to: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Self> {
        let schema = Arc::new(table.schema.project(&projection)?);
        let whole = match &table.rows {
            TableRows::Memory(batch, _) => Some(batch.project(&projection)?),
            TableRows::Files(_) => None,
        };
        let mut scan = Self {
            properties: properties(&schema, Vec::new()),
            whole,
            table,
            projection,
            schema,
            keys,
            from,
            to,
            backwards: false,
            fetch: None,
            some_keys: None,
        };
        scan.properties = properties(&scan.schema, scan.orderings());
        Ok(scan)
    }

    /// Limits the scan to keys in all of these lists. A long table then yields no other rows.
    pub(crate) fn with_any_key(self, lists: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        Self { some_keys: (!lists.is_empty()).then_some(NeededKeys::Listed(lists)), ..self }
    }

    /// Returns the name of the table if the scan reads all rows of a long table.
    pub(crate) fn reads_all_of_a_long_table(&self) -> Option<&str> {
        (self.keys.is_empty() && self.some_keys.is_none() && self.table.is_long())
            .then_some(self.table.name.as_str())
    }

    /// Returns true if it yields only the rows of one key.
    pub(crate) fn has_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Returns true if it yields at most one row, because the key is unique.
    pub(crate) fn has_one_row(&self) -> bool {
        self.has_key() && self.table.has_unique_rows && self.table.sort_columns.len() == 1
    }

    /// Returns true if the values of its column at `position` are unique.
    pub(crate) fn has_one_row_of_each(&self, position: usize) -> bool {
        self.table.has_unique_rows
            && self.table.sort_columns.len() == 1
            && self.projection.get(position) == self.table.sort_columns.first()
    }

    /// Returns true if it reads a long table.
    pub(crate) fn is_long(&self) -> bool {
        self.table.is_long()
    }

    /// Returns true if it yields the rows of an in-memory table, all or those of a key, in stored order.
    pub(crate) fn is_plain_and_in_memory(&self) -> bool {
        self.whole.is_some() && self.fetch.is_none() && !self.backwards
    }

    /// Returns the rows of an in-memory table, all or those of a key, without a copy.
    pub(crate) fn in_memory(&self) -> Result<RecordBatch> {
        let (Some(whole), TableRows::Memory(_, index)) = (&self.whole, &self.table.rows) else {
            return internal_err!("the table {} is not held in memory", self.table.name);
        };
        let mut rows = 0..whole.num_rows();
        if let Some(index) = index {
            for key in &evaluate_each(&self.keys)? {
                rows = intersection(&rows, &index.range(key));
            }
        }
        let rows = self.trim(rows, self.fetch);
        let all = rows.len() == whole.num_rows();
        Ok(if all { whole.clone() } else { whole.slice(rows.start, rows.len()) })
    }

    /// Returns the scan limited to keys of a join's first side, if the column at `position` is its indexed key.
    pub(crate) fn limit_to_run_keys(&self, position: usize, run_keys: &Arc<RunKeys>) -> Option<Self> {
        let is_key = self
            .projection
            .get(position)
            .is_some_and(|position| self.table.sort_columns.first() == Some(position));
        let is_free = self.is_plain_and_in_memory() && self.keys.is_empty() && self.some_keys.is_none();
        let has_index = matches!(&self.table.rows, TableRows::Memory(_, Some(_)));
        (is_key && is_free && has_index)
            .then(|| Self { some_keys: Some(NeededKeys::OfJoin(Arc::clone(run_keys))), ..self.clone() })
    }

    /// Returns the rows of the needed keys of an in-memory table; `None` for all rows.
    pub(crate) fn needed_rows(&self) -> Result<Option<UInt32Array>> {
        let TableRows::Memory(_, Some(index)) = &self.table.rows else { return Ok(None) };
        Ok(match &self.some_keys {
            // A scan by key is already narrow.
            _ if self.has_key() => None,
            Some(NeededKeys::OfJoin(run_keys)) => run_keys.rows(index),
            Some(NeededKeys::Listed(lists)) => match lists.first().map(value).transpose()? {
                Some(ScalarValue::List(list)) if list.is_valid(0) => index.rows_of(&[list.value(0)]),
                _ => None,
            },
            None => None,
        })
    }

    /// Returns the ascending row ranges of a long table's file for its keys and each list.
    fn ranges(
        &self,
        index: &KeyIndex,
        (keys, lists): (&[ScalarValue], &[ScalarValue]),
    ) -> Result<Vec<Range<usize>>> {
        let mut rows = 0..index.rows();
        for key in keys {
            rows = intersection(&rows, &index.range(key));
        }
        let mut ranges = vec![rows.clone()];
        for (at, list) in lists.iter().enumerate() {
            let listed = match list {
                ScalarValue::List(list) if list.is_valid(0) => index.ranges_of(&[list.value(0)]),
                list if list.is_null() => Some(Vec::new()),
                _ => None,
            };
            let Some(listed) = listed else {
                return internal_err!("keys of {} are not a list of its keys: {list}", self.table.name);
            };
            let of_key = listed.into_iter().map(|of_key| intersection(&rows, &of_key));
            ranges = of_key.filter(|of_key| at == 0 || ranges.contains(of_key)).collect();
        }
        Ok(ranges)
    }

    fn needed_batch(&self) -> Result<RecordBatch> {
        let all = self.in_memory()?;
        Ok(match self.needed_rows()? {
            Some(rows) => take_record_batch(&all, &rows)?,
            None => all,
        })
    }

    /// Returns the columns by which the rows are sorted; without the key column if a key is given.
    fn order_without_key(&self) -> &[usize] {
        let sorted: &[usize] = match self.keys.is_empty() {
            false => self.table.sort_columns.get(1..).unwrap_or_default(),
            true if self.table.is_globally_sorted() => &self.table.sort_columns,
            true => &[],
        };
        // The order does not define the position of nulls, so it ends before the first nullable column.
        let end = sorted.iter().position(|position| self.may_be_null(*position)).unwrap_or(sorted.len());
        sorted.get(..end).unwrap_or_default()
    }

    fn may_be_null(&self, position: usize) -> bool {
        self.table.schema.fields().get(position).is_none_or(|field| field.is_nullable())
    }

    /// Returns the sort orders of the rows. A key has one value, so that an order also holds with the key in front.
    fn orderings(&self) -> Vec<Vec<PhysicalSortExpr>> {
        let options = SortOptions { descending: self.backwards, nulls_first: false };
        let sort = |position: &usize| {
            let at = self.projection.iter().position(|projected| projected == position)?;
            let column = Column::new(self.schema.field(at).name(), at);
            Some(PhysicalSortExpr::new(Arc::new(column), options))
        };
        let free: Vec<PhysicalSortExpr> = self.order_without_key().iter().map_while(sort).collect();
        let key = (!self.keys.is_empty()).then(|| self.table.sort_columns.first().and_then(sort)).flatten();
        let with_key = key.map(|key| std::iter::once(key).chain(free.iter().cloned()).collect());
        [Some(free), with_key].into_iter().flatten().filter(|order: &Vec<_>| !order.is_empty()).collect()
    }

    /// Returns the reading direction that gives this order (`true` is backwards); `None` if neither does.
    pub(crate) fn direction(&self, order: &[PhysicalSortExpr]) -> Option<bool> {
        if self.is_long() && self.some_keys.is_some() {
            return None;
        }
        let key = (!self.keys.is_empty()).then(|| self.table.sort_columns.first().copied()).flatten();
        let places: Option<Vec<(usize, bool)>> = order
            .iter()
            .map(|sort| {
                let column = sort.expr.downcast_ref::<Column>()?;
                Some((*self.projection.get(column.index())?, sort.options.descending))
            })
            .collect();
        // The key has one value in all rows, so its position in the order does not matter.
        let requested: Vec<(usize, bool)> =
            places?.into_iter().filter(|(position, _)| Some(*position) != key).collect();
        let backwards = requested.first().is_some_and(|(_, descending)| *descending);
        let free = self.order_without_key();
        let follows = requested.iter().zip(free).all(|(requested, free)| *requested == (*free, backwards));
        // After columns that identify a row, any further order holds.
        let named = self.table.has_unique_rows
            && !self.table.sort_columns.iter().any(|position| self.may_be_null(*position));
        let enough = requested.len() <= free.len() || named;
        (follows && enough && (requested.is_empty() || !free.is_empty())).then_some(backwards)
    }

    fn rows(&self) -> Result<RemainingRows> {
        Ok(match &self.table.rows {
            TableRows::Memory(..) => RemainingRows::Memory(Some(self.in_memory()?)),
            TableRows::Files(files) => {
                let keys = evaluate_each(&self.keys)?;
                let lists = match &self.some_keys {
                    Some(NeededKeys::Listed(lists)) => evaluate_each(lists)?,
                    _ => Vec::new(),
                };
                if let Some(rows) = self.rows_of_sessions(files, (&keys, &lists))? {
                    return Ok(RemainingRows::Memory(Some(rows)));
                }
                let (from, to) = (evaluate_days(&self.from)?, evaluate_days(&self.to)?);
                let requested = |(_, file): &(usize, &Arc<LongFile>)| {
                    file.sessions.is_none_or(|(first, last)| {
                        from.iter().all(|from| last >= *from) && to.iter().all(|to| first <= *to)
                    })
                };
                let mut left = self.fetch;
                let mut parts = Vec::new();
                let mut take = |(position, file): (usize, &Arc<LongFile>)| -> Result<()> {
                    let mut ranges = self.ranges(&file.index, (&keys, &lists))?;
                    let of_keys = ranges.clone();
                    for rows in &mut ranges {
                        *rows = self.trim(rows.clone(), left);
                        left = left.map(|left| left - rows.len());
                    }
                    let part =
                        |ranges, of_key| ScannedFile { position, file: Arc::clone(file), ranges, of_key };
                    if self.is_retained(&of_keys) {
                        let keys = ranges.into_iter().zip(of_keys).filter(|(rows, _)| !rows.is_empty());
                        parts.extend(keys.map(|(rows, of_key)| part(vec![rows], Some(of_key))));
                    } else {
                        ranges.retain(|rows| !rows.is_empty());
                        parts.extend((!ranges.is_empty()).then(|| part(ranges, None)));
                    }
                    Ok(())
                };
                let mut files = files.iter().enumerate().filter(requested);
                if self.backwards {
                    files.rev().try_for_each(&mut take)?;
                } else {
                    files.try_for_each(&mut take)?;
                }
                parts.reverse();
                let columns = (self.projection.clone(), Arc::clone(&self.schema));
                RemainingRows::Files { table: Arc::clone(&self.table), parts, current: None, columns }
            }
        })
    }

    /// Returns true if the rows of the keys in a file are read key by key and cached: rows of a few stocks, not of a session.
    fn is_retained(&self, ranges: &[Range<usize>]) -> bool {
        /// Longer lists of symbols are read in one scan.
        const MOST_KEYS: usize = 8;
        /// A stock has 250 bars per year.
        const MOST_ROWS: usize = 2_048;
        let has_keys = self.has_key() || self.some_keys.is_some();
        let is_few = ranges.len() <= MOST_KEYS && ranges.iter().all(|rows| rows.len() <= MOST_ROWS);
        has_keys && is_few && !self.table.is_by_session()
    }

    /// Returns all rows of the sessions requested by date, if these are few.
    fn rows_of_sessions(
        &self,
        files: &[Arc<LongFile>],
        (keys, lists): (&[ScalarValue], &[ScalarValue]),
    ) -> Result<Option<RecordBatch>> {
        /// With more sessions, columns would be evicted from the cache before the next use.
        const FEW_SESSIONS: usize = 16;
        let is_named = !(keys.is_empty() && lists.is_empty());
        if !(self.table.is_by_session() && is_named) || self.fetch.is_some() || self.backwards {
            return Ok(None);
        }
        let mut found = Vec::new();
        for (position, file) in files.iter().enumerate() {
            let ranges = self.ranges(&file.index, (keys, lists))?;
            found.extend(
                ranges.into_iter().filter(|rows| !rows.is_empty()).map(|rows| (position, file, rows)),
            );
        }
        if !(1..=FEW_SESSIONS).contains(&found.len()) {
            return Ok(None);
        }
        let retained = &self.table.column_cache;
        let columns = (self.projection.as_slice(), &self.schema);
        let sessions =
            found.into_iter().map(|(position, file, rows)| retained.rows((position, file), &rows, columns));
        let sessions: Vec<RecordBatch> = sessions.collect::<Result<_>>()?;
        Ok(Some(match <[RecordBatch; 1]>::try_from(sessions) {
            Ok([session]) => session,
            Err(sessions) => concat_batches(&self.schema, &sessions)?,
        }))
    }

    /// Cuts a range to the `left` rows that are read first.
    fn trim(&self, rows: Range<usize>, left: Option<usize>) -> Range<usize> {
        match left {
            Some(left) if left < rows.len() && self.backwards => rows.end - left..rows.end,
            Some(left) if left < rows.len() => rows.start..rows.start + left,
            _ => rows,
        }
    }
}

fn intersection(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

fn properties(schema: &SchemaRef, orderings: Vec<Vec<PhysicalSortExpr>>) -> Arc<PlanProperties> {
    let equivalences = EquivalenceProperties::new_with_orderings(Arc::clone(schema), orderings);
    Arc::new(PlanProperties::new(
        equivalences,
        Partitioning::UnknownPartitioning(1),
        EmissionType::Incremental,
        Boundedness::Bounded,
    ))
}

impl DisplayAs for KeyScan {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyScan: {}", self.table.name)?;
        self.keys.iter().try_for_each(|key| write!(f, ", key = {key}"))?;
        self.from.iter().try_for_each(|from| write!(f, ", from {from}"))?;
        self.to.iter().try_for_each(|to| write!(f, ", to {to}"))?;
        if self.backwards {
            f.write_str(", backwards")?;
        }
        match &self.some_keys {
            Some(NeededKeys::Listed(lists)) => {
                lists.iter().try_for_each(|list| write!(f, ", keys of {list}"))?;
            }
            Some(NeededKeys::OfJoin(_)) => f.write_str(", keys of the join")?,
            None => {}
        }
        self.fetch.map_or(Ok(()), |fetch| write!(f, ", fetch = {fetch}"))
    }
}

impl ExecutionPlan for KeyScan {
    fn name(&self) -> &'static str {
        "KeyScan"
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
        let listed = match &self.some_keys {
            Some(NeededKeys::Listed(lists)) => lists.as_slice(),
            _ => &[],
        };
        apply_expression_roots(self.keys.iter().chain(&self.from).chain(&self.to).chain(listed), f)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if self.some_keys.is_some() && self.is_plain_and_in_memory() {
            // Nothing is looked up before the stream is polled, because the keys of a join are known only then.
            let scan = self.clone();
            let batch = stream::once(async move { scan.needed_batch() });
            return Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batch)));
        }
        let mut scanned = self.rows()?;
        let backwards = self.backwards;
        let batches = stream::iter(std::iter::from_fn(move || scanned.next(backwards)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches)))
    }

    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(Self { fetch: limit, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        Ok(match self.direction(order) {
            // Reading all rows of long files backwards would reverse each file in memory; a sort is no worse.
            Some(true) if self.keys.is_empty() && self.table.is_long() => {
                SortOrderPushdownResult::Unsupported
            }
            Some(backwards) => {
                let mut scan = Self { backwards, ..self.clone() };
                scan.properties = properties(&scan.schema, scan.orderings());
                SortOrderPushdownResult::Exact { inner: Arc::new(scan) }
            }
            None => SortOrderPushdownResult::Unsupported,
        })
    }
}
