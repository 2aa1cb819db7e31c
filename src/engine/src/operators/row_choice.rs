//! Rows of a table that pass a list of conditions: a bit mask while many rows remain, row numbers when few remain.
//!
//! The conditions are the parts of one WHERE, in their order. Once most rows are filtered out, a condition is evaluated only for the
//! remaining rows, so that guards such as `x > 0 AND y / x > 2` hold as in the engine.

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch, UInt32Array};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::error::Result;

use super::row_expr::RowExpr;

/// A choice of rows of a table.
#[derive(Debug)]
pub(crate) enum Choice {
    /// All rows of a table, with their number.
    All(usize),
    /// One bit per row, set for chosen rows, and the number of chosen rows.
    Mask(BooleanBuffer, usize),
    /// Row numbers, ascending.
    Rows(UInt32Array),
}

impl Choice {
    /// Chooses the rows that pass all conditions, among `candidates`, or among all rows of the table if `None`.
    pub(crate) fn filter_rows(
        conditions: &[RowExpr],
        table: &RecordBatch,
        candidates: Option<UInt32Array>,
    ) -> Result<Self> {
        let mut choice = candidates.map_or(Self::All(table.num_rows()), Self::Rows);
        for condition in conditions {
            if choice.len() == 0 {
                break;
            }
            choice = choice.and(condition, table)?;
        }
        Ok(choice)
    }

    /// Returns the number of chosen rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::All(count) | Self::Mask(_, count) => *count,
            Self::Rows(rows) => rows.len(),
        }
    }

    fn and(self, condition: &RowExpr, table: &RecordBatch) -> Result<Self> {
        /// If fewer than one row in `GATHER_BELOW_ONE_IN` remains, gathering the rows is cheaper than evaluating all.
        const GATHER_BELOW_ONE_IN: usize = 4;
        Ok(match self {
            Self::All(_) => Self::from_mask(matching_rows(condition, table, None)?),
            Self::Mask(mask, count) if count * GATHER_BELOW_ONE_IN >= table.num_rows() => {
                Self::from_mask(&mask & &matching_rows(condition, table, None)?)
            }
            few => {
                let rows = few.rows();
                let matches = matching_rows(condition, table, Some(&rows))?;
                Self::Rows(
                    matches
                        .set_indices()
                        .filter_map(|at| rows.values().get(at).copied())
                        .collect::<Vec<_>>()
                        .into(),
                )
            }
        })
    }

    fn from_mask(mask: BooleanBuffer) -> Self {
        let count = mask.count_set_bits();
        Self::Mask(mask, count)
    }

    /// Returns the row numbers, ascending.
    pub(crate) fn rows(self) -> UInt32Array {
        match self {
            Self::All(count) => (0..count as u32).collect::<Vec<_>>().into(),
            Self::Mask(mask, count) => {
                let mut rows = Vec::with_capacity(count);
                rows.extend(mask.set_indices_u32());
                rows.into()
            }
            Self::Rows(rows) => rows,
        }
    }
}

/// Evaluates a condition; null counts as false.
fn matching_rows(
    condition: &RowExpr,
    table: &RecordBatch,
    rows: Option<&UInt32Array>,
) -> Result<BooleanBuffer> {
    let array = condition.evaluate(table, rows)?;
    let Some(flags): Option<&BooleanArray> = array.as_boolean_opt() else {
        return datafusion::common::internal_err!("a condition is {}, not boolean", array.data_type());
    };
    Ok(match flags.nulls() {
        Some(nulls) => flags.values() & nulls.inner(),
        None => flags.values().clone(),
    })
}
