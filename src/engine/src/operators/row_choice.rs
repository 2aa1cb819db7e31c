//! Which rows of a table keep a list of conditions: bit masks as long as many rows are left, row numbers when few are.
//!
//! The conditions are those of one WHERE, in its order. Once most rows are left out, a condition is evaluated only for the rows that
//! remain, so that guards such as `x > 0 AND y / x > 2` hold as they do in the engine.

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch, UInt32Array};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::error::Result;

use super::row_expr::RowExpr;

/// Rows chosen from a table.
#[derive(Debug)]
pub(crate) enum Choice {
    /// All of them.
    All(usize),
    /// Those with a set bit.
    Mask(BooleanBuffer, usize),
    /// These, rising.
    Rows(UInt32Array),
}

impl Choice {
    /// The rows that keep all conditions, of all in the table or of those that are `given`.
    pub(crate) fn of(
        conditions: &[RowExpr],
        table: &RecordBatch,
        given: Option<UInt32Array>,
    ) -> Result<Self> {
        let mut choice = given.map_or(Self::All(table.num_rows()), Self::Rows);
        for condition in conditions {
            if choice.len() == 0 {
                break;
            }
            choice = choice.and(condition, table)?;
        }
        Ok(choice)
    }

    /// How many rows are left.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::All(count) | Self::Mask(_, count) => *count,
            Self::Rows(rows) => rows.len(),
        }
    }

    fn and(self, condition: &RowExpr, table: &RecordBatch) -> Result<Self> {
        /// Below one row in this many, gathering the rows is cheaper than looking at all.
        const FEW: usize = 4;
        Ok(match self {
            Self::All(_) => Self::masked(held(condition, table, None)?),
            Self::Mask(mask, count) if count * FEW >= table.num_rows() => {
                Self::masked(&mask & &held(condition, table, None)?)
            }
            few => {
                let rows = few.rows();
                let held = held(condition, table, Some(&rows))?;
                Self::Rows(
                    held.set_indices()
                        .filter_map(|at| rows.values().get(at).copied())
                        .collect::<Vec<_>>()
                        .into(),
                )
            }
        })
    }

    fn masked(mask: BooleanBuffer) -> Self {
        let count = mask.count_set_bits();
        Self::Mask(mask, count)
    }

    /// The numbers of the rows, rising.
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

/// Where a condition holds; null does not.
fn held(condition: &RowExpr, table: &RecordBatch, rows: Option<&UInt32Array>) -> Result<BooleanBuffer> {
    let array = condition.evaluate(table, rows)?;
    let Some(flags): Option<&BooleanArray> = array.as_boolean_opt() else {
        return datafusion::common::internal_err!("a condition is {}, not boolean", array.data_type());
    };
    Ok(match flags.nulls() {
        Some(nulls) => flags.values() & nulls.inner(),
        None => flags.values().clone(),
    })
}
