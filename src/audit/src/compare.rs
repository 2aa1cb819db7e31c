//! Compares two tables row by row, and explains each figure that differs.
//!
//! Files with the same hash in both derivations have the same rows and are not read.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::kernels::cmp::distinct;
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::{Column, NullEquality, ScalarValue};
use datafusion::error::Result;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlanBuilder, Operator, binary_expr};
use datafusion::prelude::{DataFrame, ident, lit};
use futures::StreamExt;

use super::pairs::{ComparedPair, SESSION};
use super::reasons::{ASSUMED_SUFFIX, DifferingFigure, Reasons, cell_as_text, is_same, is_set};
use super::report::{Example, MarketAudit};
use super::sides::ComparedSide;
use parquote_functions::arrow_types::days;

/// The column that is null in rows that the published table lacks.
const PUBLISHED_COLUMN: &str = "whole found";

/// The tables of the two derivations, which are compared as of a day.
pub(super) struct SideComparison<'a> {
    pub day: NaiveDate,
    pub context: &'a SessionContext,
    pub past: &'a ComparedSide,
    pub whole: &'a ComparedSide,
    pub reasons: &'a Reasons<'a>,
}

impl SideComparison<'_> {
    /// Compares a past table with its published counterpart, and adds the counts and differences to `audit`.
    ///
    /// # Errors
    /// Rows cannot be read or joined.
    pub(super) async fn compare(&self, pair: &ComparedPair<'_>, audit: &mut MarketAudit) -> Result<()> {
        let (mut same_hashes, mut rows) = (BTreeSet::new(), 0);
        if pair.is_same_table() {
            let (past, whole) = (self.past.hashes(pair.past), self.whole.hashes(pair.whole));
            same_hashes = past.intersection(&whole).copied().collect();
            rows = self.past.row_count(pair.past);
        }
        let past = self.past.frame(self.context, pair.past, &same_hashes).await?;
        let whole = self.whole.frame(self.context, pair.whole, &same_hashes).await?;
        let (Some(past), Some(whole)) = (past, whole) else {
            // If one side has only shared files, all common rows are in these.
            audit.add_compared_rows(pair, if same_hashes.is_empty() { 0 } else { rows }, 0);
            return Ok(());
        };
        let has = |frame: &DataFrame, name: &str| frame.schema().has_column_with_unqualified_name(name);
        let columns: Vec<&String> =
            pair.columns.iter().filter(|name| has(&past, name) && has(&whole, name)).collect();
        let mut gone = 0;
        let mut batches = self.join_sides(pair, past, whole, &columns)?.execute_stream().await?;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            if !pair.is_same_table() {
                rows += batch.num_rows() as u64;
            }
            gone += batch.column_by_name(PUBLISHED_COLUMN).map_or(0, |exists| exists.null_count() as u64);
            self.compare_columns(pair, &columns, &batch, audit)?;
        }
        audit.add_compared_rows(pair, rows.saturating_sub(gone), gone);
        Ok(())
    }

    /// Returns the past rows that the published table lacks or has with other figures. If a table is compared with a history, returns all
    /// rows of the day that both have.
    fn join_sides(
        &self,
        pair: &ComparedPair<'_>,
        past: DataFrame,
        whole: DataFrame,
        columns: &[&String],
    ) -> Result<DataFrame> {
        let renamed_columns = |side: &'static str| {
            let all = pair.key.iter().chain(columns.iter().copied());
            all.map(move |name| ident(name).alias(side_column(side, name))).collect::<Vec<_>>()
        };
        let keys =
            |side| pair.key.iter().map(|name| Column::from_name(side_column(side, name))).collect::<Vec<_>>();
        let (state, past) = if pair.is_same_table() { past } else { past.filter(self.has_session_of_day())? }
            .select(renamed_columns("past"))?
            .into_parts();
        let whole = whole
            .select(renamed_columns("whole"))?
            .with_column(PUBLISHED_COLUMN, lit(true))?
            .into_unoptimized_plan();
        let join_type = if pair.is_same_table() { JoinType::Left } else { JoinType::Inner };
        let differs = columns.iter().map(|name| {
            binary_expr(
                ident(side_column("past", name)),
                Operator::IsDistinctFrom,
                ident(side_column("whole", name)),
            )
        });
        let is_missing_or_differs = differs.fold(ident(PUBLISHED_COLUMN).is_null(), Expr::or);
        let plan = LogicalPlanBuilder::from(past)
            .join_detailed(
                whole,
                join_type,
                (keys("past"), keys("whole")),
                None,
                NullEquality::NullEqualsNull,
            )?
            .filter(if pair.is_same_table() { is_missing_or_differs } else { lit(true) })?
            .build()?;
        Ok(DataFrame::new(state, plan))
    }

    /// Selects rows whose session is the day. A stock that did not trade has a row of an older session with the ratings of the day; that
    /// row has no counterpart in a history.
    fn has_session_of_day(&self) -> Expr {
        ident(SESSION).eq(lit(ScalarValue::Date32(Some(days(self.day)))))
    }

    fn compare_columns(
        &self,
        pair: &ComparedPair<'_>,
        columns: &[&String],
        batch: &RecordBatch,
        audit: &mut MarketAudit,
    ) -> Result<()> {
        let Some(exists) = batch.column_by_name(PUBLISHED_COLUMN) else { return Ok(()) };
        let assumed: Vec<String> = columns
            .iter()
            .filter(|name| name.ends_with(ASSUMED_SUFFIX))
            .map(|name| (*name).clone())
            .collect();
        let day = self.day.to_string();
        for column in columns {
            let sides = ["past", "whole"].map(|side| batch.column_by_name(&side_column(side, column)));
            let [Some(past), Some(whole)] = sides else { continue };
            let differs = differing_rows(past, whole)?;
            for row in (0..batch.num_rows()).filter(|row| exists.is_valid(*row) && differs.value(*row)) {
                let figures = [cell_as_number(past, row), cell_as_number(whole, row)];
                if let [Some(past), Some(whole)] = figures
                    && is_same(past, whole)
                {
                    continue;
                }
                let cell = |name: &str| cell_as_text(batch.column_by_name(&side_column("past", name))?, row);
                let is_assumed = |flag: &str| {
                    ["past", "whole"].iter().any(|side| is_set(batch, &side_column(side, flag), row))
                };
                let filed_column = pair.past.known.as_ref().filter(|_| pair.is_same_table());
                let filed = filed_column
                    .and_then(|name| cell_as_text(batch.column_by_name(&side_column("whole", name))?, row));
                let (kind, why) = self.reasons.explain(&DifferingFigure {
                    table: &pair.past.name,
                    column,
                    row: &cell,
                    is_assumed: &is_assumed,
                    assumed: &assumed,
                    columns: &pair.columns,
                    is_filed_later: filed.is_some_and(|filed| filed > day),
                    past: figures[0],
                    whole: figures[1],
                });
                audit.add_difference(pair, column, (kind, why), self.day, || Example {
                    day: self.day,
                    row: pair.key.iter().filter_map(|name| cell(name)).collect::<Vec<_>>().join(" "),
                    then: cell_as_text(past, row).unwrap_or_default(),
                    now: cell_as_text(whole, row).unwrap_or_default(),
                });
            }
        }
        Ok(())
    }
}

fn side_column(side: &str, name: &str) -> String {
    format!("{side} {name}")
}

/// Returns the rows in which two columns differ. Lists have no comparison kernel and are compared as text.
fn differing_rows(past: &ArrayRef, whole: &ArrayRef) -> Result<BooleanArray> {
    if past.data_type().is_nested() {
        return Ok((0..past.len())
            .map(|row| Some(cell_as_text(past, row) != cell_as_text(whole, row)))
            .collect());
    }
    Ok(distinct(past, whole)?)
}

/// Returns the cell as a number; `None` if it is null or not a number.
fn cell_as_number(column: &ArrayRef, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    let number = column.as_primitive_opt::<Float64Type>().map(|numbers| numbers.value(row));
    number.or_else(|| Some(column.as_primitive_opt::<Int64Type>()?.value(row) as f64))
}
