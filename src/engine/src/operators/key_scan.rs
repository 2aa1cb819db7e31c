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

use super::constant_values::{evaluate, evaluate_days, evaluate_each};
use super::join_keys::RunKeys;
use super::scanned_rows::{RemainingRows, ScannedFile};
use crate::storage::key_index::KeyIndex;
use crate::storage::long_file::LongFile;
use crate::storage::served_table::{ServedTable, TableRows};

/// The keys outside which no row is needed.
#[derive(Debug, Clone)]
enum NeededKeys {
    /// Keys that occur in every one of these lists.
    Listed(Vec<Arc<dyn PhysicalExpr>>),
    /// Keys of the first side of a join, collected while it runs.
    OfJoin(Arc<RunKeys>),
}

/// Scans a served table.
#[derive(Debug, Clone)]
pub(crate) struct KeyScan {
    table: Arc<ServedTable>,
    projection: Vec<usize>,
    schema: SchemaRef,
    /// The key must equal all of these values; without values, all keys are read.
    keys: Vec<Arc<dyn PhysicalExpr>>,
    /// Dates before which no row is needed.
    from: Vec<Arc<dyn PhysicalExpr>>,
    /// Dates after which no row is needed.
    to: Vec<Arc<dyn PhysicalExpr>>,
    backwards: bool,
    fetch: Option<usize>,
    /// `None` if all keys are needed. Rows with other keys are filtered out above the scan in any case.
    needed_keys: Option<NeededKeys>,
    /// All rows of an in-memory table, with the projected columns; `None` for a long table.
    all_rows: Option<RecordBatch>,
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
        let all_rows = match &table.rows {
            TableRows::Memory(batch, _) => Some(batch.project(&projection)?),
            TableRows::Files(_) => None,
        };
        let mut scan = Self {
            properties: properties(&schema, Vec::new()),
            all_rows,
            table,
            projection,
            schema,
            keys,
            from,
            to,
            backwards: false,
            fetch: None,
            needed_keys: None,
        };
        scan.properties = properties(&scan.schema, scan.orderings());
        Ok(scan)
    }

    /// Limits the scan to keys in all of these lists. A long table then yields no other rows.
    pub(crate) fn with_any_key(self, lists: Vec<Arc<dyn PhysicalExpr>>) -> Self {
        Self { needed_keys: (!lists.is_empty()).then_some(NeededKeys::Listed(lists)), ..self }
    }

    /// Returns the name of the table if the scan reads all rows of a long table.
    pub(crate) fn reads_all_of_a_long_table(&self) -> Option<&str> {
        (self.keys.is_empty() && self.needed_keys.is_none() && self.table.is_long())
            .then_some(self.table.name.as_str())
    }

    /// Returns true if the scan yields only the rows of one key.
    pub(crate) fn has_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Returns true if the scan yields at most one row, because the key is unique.
    pub(crate) fn has_one_row(&self) -> bool {
        self.has_key() && self.table.has_unique_rows && self.table.sort_columns.len() == 1
    }

    /// Returns true if the values of the scan's column at `position` are unique.
    pub(crate) fn is_unique(&self, position: usize) -> bool {
        self.table.has_unique_rows
            && self.table.sort_columns.len() == 1
            && self.projection.get(position) == self.table.sort_columns.first()
    }

    /// Returns true if the scan reads a long table.
    pub(crate) fn is_long(&self) -> bool {
        self.table.is_long()
    }

    /// Returns true if the scan yields the rows of an in-memory table in stored order: all rows, or those of one key.
    pub(crate) fn is_plain_and_in_memory(&self) -> bool {
        self.all_rows.is_some() && self.fetch.is_none() && !self.backwards
    }

    /// Returns the rows of an in-memory table, all or those of a key, without a copy.
    pub(crate) fn in_memory(&self) -> Result<RecordBatch> {
        let (Some(all_rows), TableRows::Memory(_, index)) = (&self.all_rows, &self.table.rows) else {
            return internal_err!("the table {} is not held in memory", self.table.name);
        };
        let mut rows = 0..all_rows.num_rows();
        if let Some(index) = index {
            for key in &evaluate_each(&self.keys)? {
                rows = intersection(&rows, &index.range(key));
            }
        }
        let rows = self.trim(rows, self.fetch);
        let is_all = rows.len() == all_rows.num_rows();
        Ok(if is_all { all_rows.clone() } else { all_rows.slice(rows.start, rows.len()) })
    }

    /// Returns the scan limited to keys of a join's first side; `None` unless the column at `position` is its indexed key.
    pub(crate) fn limit_to_run_keys(&self, position: usize, run_keys: &Arc<RunKeys>) -> Option<Self> {
        let is_key = self
            .projection
            .get(position)
            .is_some_and(|position| self.table.sort_columns.first() == Some(position));
        let is_unrestricted =
            self.is_plain_and_in_memory() && self.keys.is_empty() && self.needed_keys.is_none();
        let has_index = matches!(&self.table.rows, TableRows::Memory(_, Some(_)));
        (is_key && is_unrestricted && has_index)
            .then(|| Self { needed_keys: Some(NeededKeys::OfJoin(Arc::clone(run_keys))), ..self.clone() })
    }

    /// Returns the rows of the needed keys of an in-memory table; `None` for all rows.
    pub(crate) fn needed_rows(&self) -> Result<Option<UInt32Array>> {
        let TableRows::Memory(_, Some(index)) = &self.table.rows else { return Ok(None) };
        Ok(match &self.needed_keys {
            // A scan of one key already reads few rows.
            _ if self.has_key() => None,
            Some(NeededKeys::OfJoin(run_keys)) => run_keys.matching_rows(index),
            Some(NeededKeys::Listed(lists)) => match lists.first().map(evaluate).transpose()? {
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
            let list_ranges = match list {
                ScalarValue::List(list) if list.is_valid(0) => index.ranges_of(&[list.value(0)]),
                list if list.is_null() => Some(Vec::new()),
                _ => None,
            };
            let Some(list_ranges) = list_ranges else {
                return internal_err!("keys of {} are not a list of its keys: {list}", self.table.name);
            };
            let narrowed = list_ranges.into_iter().map(|range| intersection(&rows, &range));
            ranges = narrowed.filter(|range| at == 0 || ranges.contains(range)).collect();
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

    /// Returns the columns by which the rows are sorted; without the key column if the scan reads one key.
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
        let without_key: Vec<PhysicalSortExpr> = self.order_without_key().iter().map_while(sort).collect();
        let key = (!self.keys.is_empty()).then(|| self.table.sort_columns.first().and_then(sort)).flatten();
        let with_key = key.map(|key| std::iter::once(key).chain(without_key.iter().cloned()).collect());
        [Some(without_key), with_key]
            .into_iter()
            .flatten()
            .filter(|order: &Vec<_>| !order.is_empty())
            .collect()
    }

    /// Returns the reading direction that gives this order (`true` is backwards); `None` if neither does.
    pub(crate) fn direction(&self, order: &[PhysicalSortExpr]) -> Option<bool> {
        if self.is_long() && self.needed_keys.is_some() {
            return None;
        }
        let key = (!self.keys.is_empty()).then(|| self.table.sort_columns.first().copied()).flatten();
        let positions: Option<Vec<(usize, bool)>> = order
            .iter()
            .map(|sort| {
                let column = sort.expr.downcast_ref::<Column>()?;
                Some((*self.projection.get(column.index())?, sort.options.descending))
            })
            .collect();
        // The key has one value in all rows, so its position in the order does not matter.
        let requested: Vec<(usize, bool)> =
            positions?.into_iter().filter(|(position, _)| Some(*position) != key).collect();
        let backwards = requested.first().is_some_and(|(_, descending)| *descending);
        let without_key = self.order_without_key();
        let follows = requested
            .iter()
            .zip(without_key)
            .all(|(requested, without_key)| *requested == (*without_key, backwards));
        // After columns that identify a row, any further order holds.
        let identifies_rows = self.table.has_unique_rows
            && !self.table.sort_columns.iter().any(|position| self.may_be_null(*position));
        let has_order = requested.len() <= without_key.len() || identifies_rows;
        (follows && has_order && (requested.is_empty() || !without_key.is_empty())).then_some(backwards)
    }

    fn rows(&self) -> Result<RemainingRows> {
        Ok(match &self.table.rows {
            TableRows::Memory(..) => RemainingRows::Memory(Some(self.in_memory()?)),
            TableRows::Files(files) => {
                let keys = evaluate_each(&self.keys)?;
                let lists = match &self.needed_keys {
                    Some(NeededKeys::Listed(lists)) => evaluate_each(lists)?,
                    _ => Vec::new(),
                };
                if let Some(rows) = self.rows_of_sessions(files, (&keys, &lists))? {
                    return Ok(RemainingRows::Memory(Some(rows)));
                }
                let (from, to) = (evaluate_days(&self.from)?, evaluate_days(&self.to)?);
                let is_in_range = |(_, file): &(usize, &Arc<LongFile>)| {
                    file.sessions.is_none_or(|(first, last)| {
                        from.iter().all(|from| last >= *from) && to.iter().all(|to| first <= *to)
                    })
                };
                let mut remaining = self.fetch;
                let mut parts = Vec::new();
                let mut add_parts = |(position, file): (usize, &Arc<LongFile>)| -> Result<()> {
                    let mut ranges = self.ranges(&file.index, (&keys, &lists))?;
                    let key_ranges = ranges.clone();
                    for rows in &mut ranges {
                        *rows = self.trim(rows.clone(), remaining);
                        remaining = remaining.map(|remaining| remaining - rows.len());
                    }
                    let part = |ranges, key_range| ScannedFile {
                        position,
                        file: Arc::clone(file),
                        ranges,
                        key_range,
                    };
                    if self.is_read_by_key(&key_ranges) {
                        let keys = ranges.into_iter().zip(key_ranges).filter(|(rows, _)| !rows.is_empty());
                        parts.extend(keys.map(|(rows, key_range)| part(vec![rows], Some(key_range))));
                    } else {
                        ranges.retain(|rows| !rows.is_empty());
                        parts.extend((!ranges.is_empty()).then(|| part(ranges, None)));
                    }
                    Ok(())
                };
                let mut files = files.iter().enumerate().filter(is_in_range);
                if self.backwards {
                    files.rev().try_for_each(&mut add_parts)?;
                } else {
                    files.try_for_each(&mut add_parts)?;
                }
                parts.reverse();
                let columns = (self.projection.clone(), Arc::clone(&self.schema));
                RemainingRows::Files { table: Arc::clone(&self.table), parts, current: None, columns }
            }
        })
    }

    /// Returns true if the rows of the keys in a file are read key by key and cached: rows of a few stocks, not of a session.
    fn is_read_by_key(&self, ranges: &[Range<usize>]) -> bool {
        /// Maximum number of keys; longer lists are read in one scan.
        const MOST_KEYS: usize = 8;
        /// Maximum number of rows of a key; a stock has 250 bars a year.
        const MOST_ROWS: usize = 2_048;
        let has_keys = self.has_key() || self.needed_keys.is_some();
        let is_few = ranges.len() <= MOST_KEYS && ranges.iter().all(|rows| rows.len() <= MOST_ROWS);
        has_keys && is_few && !self.table.is_by_session()
    }

    /// Returns all rows of the sessions requested by date, if these are few.
    fn rows_of_sessions(
        &self,
        files: &[Arc<LongFile>],
        (keys, lists): (&[ScalarValue], &[ScalarValue]),
    ) -> Result<Option<RecordBatch>> {
        /// Maximum number of sessions; with more, columns would be evicted from the cache before their next use.
        const FEW_SESSIONS: usize = 16;
        let has_keys = !(keys.is_empty() && lists.is_empty());
        if !(self.table.is_by_session() && has_keys) || self.fetch.is_some() || self.backwards {
            return Ok(None);
        }
        let mut ranges_by_file = Vec::new();
        for (position, file) in files.iter().enumerate() {
            let ranges = self.ranges(&file.index, (keys, lists))?;
            ranges_by_file.extend(
                ranges.into_iter().filter(|rows| !rows.is_empty()).map(|rows| (position, file, rows)),
            );
        }
        if !(1..=FEW_SESSIONS).contains(&ranges_by_file.len()) {
            return Ok(None);
        }
        let cache = &self.table.column_cache;
        let columns = (self.projection.as_slice(), &self.schema);
        let sessions = ranges_by_file
            .into_iter()
            .map(|(position, file, rows)| cache.rows((position, file), &rows, columns));
        let sessions: Vec<RecordBatch> = sessions.collect::<Result<_>>()?;
        Ok(Some(match <[RecordBatch; 1]>::try_from(sessions) {
            Ok([session]) => session,
            Err(sessions) => concat_batches(&self.schema, &sessions)?,
        }))
    }

    /// Shortens a range to its first `remaining` rows in reading order.
    fn trim(&self, rows: Range<usize>, remaining: Option<usize>) -> Range<usize> {
        match remaining {
            Some(remaining) if remaining < rows.len() && self.backwards => rows.end - remaining..rows.end,
            Some(remaining) if remaining < rows.len() => rows.start..rows.start + remaining,
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
        match &self.needed_keys {
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
        let listed = match &self.needed_keys {
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
        if self.needed_keys.is_some() && self.is_plain_and_in_memory() {
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
