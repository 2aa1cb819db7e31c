//! Equi-joins, tuned for few rows: both sides are read whole, the keys of the first side are hashed, and each row of the second side looks
//! up its keys, in order. The rows have the order of the engine's join.
//!
//! These joins do not suit a result of many rows from sides of few: each part of the second side is joined with the whole first side at
//! once.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array,
};
use datafusion::arrow::array::{DynComparator, make_comparator};
use datafusion::arrow::compute::{SortOptions, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::hash_utils::{RandomState, create_hashes};
use datafusion::common::{JoinSide, JoinType, NullEquality, internal_err};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter, JoinOnRef, build_join_schema};
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream};
use futures::{TryStreamExt, stream};

use super::lean_plan::{LeanPlan, LeanWork, ReservedMemory};
use super::one_row_first::has_one_row;

/// Returns the lean join that replaces the engine's; `None` for other kinds of join or types of key.
pub(crate) fn lean_join(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let (kind, is_plain) = (*join.join_type(), !join.null_aware && join.fetch().is_none());
        let are_keys = join.null_equality() == NullEquality::NullEqualsNothing && can_hash(join)?;
        let is_supported =
            matches!(kind, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti);
        let filter_and_projection = (join.filter(), join.projection.as_deref());
        return Ok(if is_supported && is_plain && are_keys {
            join_by_hash(node, kind, join.on(), filter_and_projection)
        } else {
            None
        });
    }
    // Without keys, rows come in the order of the second side only if the first side has at most one row.
    if node.downcast_ref::<CrossJoinExec>().is_some_and(|join| has_one_row(join.left())) {
        return Ok(join_by_hash(node, JoinType::Inner, &[], (None, None)));
    }
    let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() else { return Ok(None) };
    let is_supported = *join.join_type() == JoinType::Inner && has_one_row(join.left());
    let filter_and_projection = (join.filter(), join.projection().as_deref());
    Ok(if is_supported { join_by_hash(node, JoinType::Inner, &[], filter_and_projection) } else { None })
}

/// Returns true if the types of all keys can be hashed here.
fn can_hash(join: &HashJoinExec) -> Result<bool> {
    for (first, second) in join.on() {
        let ty = first.data_type(&join.left().schema())?;
        let is_hashed = matches!(
            ty,
            DataType::Utf8View
                | DataType::Utf8
                | DataType::Int64
                | DataType::UInt64
                | DataType::Date32
                | DataType::Boolean
        );
        if !is_hashed || ty != second.data_type(&join.right().schema())? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn join_by_hash(
    node: &Arc<dyn ExecutionPlan>,
    kind: JoinType,
    on: JoinOnRef<'_>,
    (filter, projection): (Option<&JoinFilter>, Option<&[usize]>),
) -> Option<Arc<dyn ExecutionPlan>> {
    let sides: Vec<_> = node.children().into_iter().cloned().collect();
    let [left, right] = sides.as_slice() else { return None };
    if ![left, right].iter().all(|side| side.properties().partitioning.partition_count() == 1) {
        return None;
    }
    let (_, columns) = build_join_schema(&left.schema(), &right.schema(), &kind);
    let columns = match projection {
        Some(projection) => {
            projection.iter().map(|position| columns.get(*position).cloned()).collect::<Option<_>>()?
        }
        None => columns,
    };
    let work = KeyedRows { kind, on: on.to_vec(), filter: filter.cloned(), columns, schema: node.schema() };
    Some(LeanPlan::in_place_of(node, sides, work))
}

/// An equi-join: its keys, its filter, and the columns of its result.
#[derive(Debug)]
struct KeyedRows {
    kind: JoinType,
    on: Vec<(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)>,
    filter: Option<JoinFilter>,
    columns: Vec<ColumnIndex>,
    schema: SchemaRef,
}

/// Both sides of a run, and the progress of the second.
struct JoinSides {
    left: RecordBatch,
    right: RecordBatch,
    /// `None` for a join without keys: each row is joined with all rows of the other side.
    keys: Option<HashedKeys>,
    /// True for rows of the first side that have a match; empty for inner joins.
    matched: Vec<bool>,
    /// Number of rows of the second side that are already joined.
    at: usize,
    _memory: ReservedMemory,
}

impl LeanWork for KeyedRows {
    const NAME: &'static str = "KeyedRows";

    fn run(
        self: Arc<Self>,
        inputs: Vec<SendableRecordBatchStream>,
        context: &TaskContext,
    ) -> Result<SendableRecordBatchStream> {
        let (schema, memory) = (Arc::clone(&self.schema), ReservedMemory::for_task(context));
        let begin = (self, Some((inputs, memory)), None);
        let batches = stream::try_unfold(begin, |(work, inputs, sides)| async move {
            let sides = match (inputs, sides) {
                (Some((inputs, memory)), _) => work.read_sides(inputs, memory).await?,
                (None, sides) => sides,
            };
            let Some(mut sides) = sides else { return Ok(None) };
            let batch = work.next(&mut sides)?;
            let is_done = sides.at >= sides.right.num_rows();
            let state = (work, None, (!is_done).then_some(sides));
            Ok::<_, datafusion::error::DataFusionError>(Some((batch, state)))
        });
        let batches = batches.try_filter(|batch| std::future::ready(batch.num_rows() > 0));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ", {}", self.kind)?;
        self.on.iter().try_for_each(|(first, second)| write!(f, ", {first} = {second}"))?;
        self.filter.iter().try_for_each(|filter| write!(f, ", where {}", filter.expression()))?;
        self.columns.iter().try_for_each(|column| write!(f, ", {}@{}", column.side, column.index))
    }
}

impl KeyedRows {
    /// Reads both sides; returns `None` if the first has no row, because then no supported join has rows.
    async fn read_sides(
        &self,
        inputs: Vec<SendableRecordBatchStream>,
        mut memory: ReservedMemory,
    ) -> Result<Option<JoinSides>> {
        let Ok([left, right]) = <[SendableRecordBatchStream; 2]>::try_from(inputs) else {
            return internal_err!("a join has two sides");
        };
        let left = memory.collect_batch(left).await?;
        if left.num_rows() == 0 {
            return Ok(None);
        }
        let right = memory.collect_batch(right).await?;
        let key_column = |side: &RecordBatch, expr: &Arc<dyn PhysicalExpr>| {
            expr.evaluate(side)?.into_array(side.num_rows())
        };
        let first = self.on.iter().map(|(first, _)| key_column(&left, first)).collect::<Result<Vec<_>>>()?;
        let second =
            self.on.iter().map(|(_, second)| key_column(&right, second)).collect::<Result<Vec<_>>>()?;
        let keys = if self.on.is_empty() { None } else { Some(HashedKeys::new(&first, &second)?) };
        let matched = if self.kind == JoinType::Inner { Vec::new() } else { vec![false; left.num_rows()] };
        Ok(Some(JoinSides { left, right, keys, matched, at: 0, _memory: memory }))
    }

    /// Returns the rows for the next part of the second side, and at its end the first side's remaining rows.
    fn next(&self, sides: &mut JoinSides) -> Result<RecordBatch> {
        /// Number of rows of the second side between two checks of the deadline.
        const PART_ROWS: usize = 8192;
        let end = sides.right.num_rows().min(sides.at + PART_ROWS);
        let (mut left, mut right) = if let Some(keys) = &sides.keys {
            keys.pairs(sides.at..end)
        } else {
            let each = 0..sides.left.num_rows() as u32;
            (sides.at..end).flat_map(|row| each.clone().map(move |left| (left, row as u32))).unzip()
        };
        sides.at = end;
        if let Some(filter) = &self.filter {
            (left, right) = filter_pairs(filter, sides, &left, &right)?;
        }
        if self.kind != JoinType::Inner {
            for row in &left {
                if let Some(matched) = sides.matched.get_mut(*row as usize) {
                    *matched = true;
                }
            }
        }
        let is_last = end == sides.right.num_rows();
        let rows_that = |is_matched: bool| {
            let rows = sides.matched.iter().enumerate().filter(move |(_, matched)| **matched == is_matched);
            rows.map(|(row, _)| row as u32)
        };
        let right: UInt32Array = match self.kind {
            JoinType::Left if is_last => {
                let unmatched: Vec<u32> = rows_that(false).collect();
                let nulls = unmatched.iter().map(|_| None);
                let right = right.into_iter().map(Some).chain(nulls).collect();
                left.extend(unmatched);
                right
            }
            JoinType::LeftSemi | JoinType::LeftAnti => {
                let is_matched = self.kind == JoinType::LeftSemi;
                left = if is_last { rows_that(is_matched).collect() } else { Vec::new() };
                UInt32Array::from(Vec::<u32>::new())
            }
            _ => right.into(),
        };
        self.build_batch(sides, &left.into(), &right)
    }

    fn build_batch(&self, sides: &JoinSides, left: &UInt32Array, right: &UInt32Array) -> Result<RecordBatch> {
        let (all_left, all_right) = (is_all(left, &sides.left), is_all(right, &sides.right));
        let column = |column: &ColumnIndex| match column.side {
            JoinSide::Left => rows_of(sides.left.column(column.index), left, all_left),
            JoinSide::Right => rows_of(sides.right.column(column.index), right, all_right),
            JoinSide::None => internal_err!("a column of a join is that of a side"),
        };
        let columns = self.columns.iter().map(column).collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(left.len()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

/// Filters pairs of rows by a condition.
fn filter_pairs(
    filter: &JoinFilter,
    sides: &JoinSides,
    left: &[u32],
    right: &[u32],
) -> Result<(Vec<u32>, Vec<u32>)> {
    let (left_rows, right_rows) = (UInt32Array::from(left.to_vec()), UInt32Array::from(right.to_vec()));
    let column = |column: &ColumnIndex| match column.side {
        JoinSide::Left => rows_of(sides.left.column(column.index), &left_rows, false),
        JoinSide::Right => rows_of(sides.right.column(column.index), &right_rows, false),
        JoinSide::None => internal_err!("a column of a join is that of a side"),
    };
    let columns = filter.column_indices().iter().map(column).collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(left.len()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(filter.schema()), columns, &options)?;
    let passes = filter.expression().evaluate(&batch)?.into_array(left.len())?;
    let passes: &BooleanArray = passes.as_boolean();
    let pairs = left.iter().zip(right).zip(passes);
    Ok(pairs.filter(|(_, passes)| *passes == Some(true)).map(|((left, right), _)| (*left, *right)).unzip())
}

/// Returns true if the rows are all rows of a side, each once and in order.
fn is_all(rows: &UInt32Array, side: &RecordBatch) -> bool {
    rows.len() == side.num_rows()
        && rows.null_count() == 0
        && rows.values().iter().enumerate().all(|(position, row)| position == *row as usize)
}

fn rows_of(column: &ArrayRef, rows: &UInt32Array, is_all: bool) -> Result<ArrayRef> {
    Ok(if is_all { Arc::clone(column) } else { take(column.as_ref(), rows, None)? })
}

/// The keys of both sides; the keys of the first side are in a hash table.
struct HashedKeys {
    /// The first row of each chain, by the low bits of the hash; `END` if empty.
    heads: Vec<u32>,
    /// For each row of the first side, the next row of its chain; `END` for the last.
    next: Vec<u32>,
    /// Hashes of the keys of the first side, one per row.
    first: Vec<u64>,
    /// Hashes of the keys of the second side, one per row.
    second: Vec<u64>,
    /// True for rows of the second side whose keys are all non-null.
    has_keys: Vec<bool>,
    /// For each key column, compares a row of the first side with one of the second.
    equal: Vec<DynComparator>,
}

/// The end of a chain.
const END: u32 = u32::MAX;

impl HashedKeys {
    fn new(first: &[ArrayRef], second: &[ArrayRef]) -> Result<Self> {
        let count = |side: &[ArrayRef]| side.first().map_or(0, Array::len);
        let hashes = |side: &[ArrayRef]| -> Result<Vec<u64>> {
            let mut hashes = vec![0; count(side)];
            create_hashes(side, &RandomState::default(), &mut hashes)?;
            Ok(hashes)
        };
        let (first_hashes, second_hashes) = (hashes(first)?, hashes(second)?);
        let buckets = (first_hashes.len() * 2).next_power_of_two();
        let (mut heads, mut next) = (vec![END; buckets], vec![END; first_hashes.len()]);
        // Backwards, so that each chain is ascending.
        for row in (0..first_hashes.len()).rev() {
            if first.iter().all(|keys| keys.is_valid(row))
                && let (Some(hash), Some(next_row)) = (first_hashes.get(row), next.get_mut(row))
                && let Some(head) = heads.get_mut(*hash as usize & (buckets - 1))
            {
                *next_row = *head;
                *head = row as u32;
            }
        }
        let equal = first
            .iter()
            .zip(second)
            .map(|(first, second)| make_comparator(first.as_ref(), second.as_ref(), SortOptions::default()));
        Ok(Self {
            heads,
            next,
            equal: equal.collect::<Result<_, _>>()?,
            has_keys: (0..count(second)).map(|row| second.iter().all(|keys| keys.is_valid(row))).collect(),
            first: first_hashes,
            second: second_hashes,
        })
    }

    /// Returns the rows of the first side and, paired with them, the matching rows of the second side, for a range of the second side.
    fn pairs(&self, rows: Range<usize>) -> (Vec<u32>, Vec<u32>) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for row in rows {
            let Some(hash) = self.second.get(row).filter(|_| self.has_keys.get(row) == Some(&true)) else {
                continue;
            };
            let mut at = self.heads.get(*hash as usize & (self.heads.len() - 1)).copied().unwrap_or(END);
            while at != END {
                let candidate = at as usize;
                if self.first.get(candidate) == Some(hash)
                    && self.equal.iter().all(|equal| equal(candidate, row).is_eq())
                {
                    left.push(at);
                    right.push(row as u32);
                }
                at = self.next.get(candidate).copied().unwrap_or(END);
            }
        }
        (left, right)
    }
}
