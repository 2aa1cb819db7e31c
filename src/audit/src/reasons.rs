//! Explains differences between figures: by the declared reasons of `queries/audit`, and by columns that mark figures as assumed.

use std::collections::HashMap;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::Float64Type;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use datafusion::execution::context::SessionContext;

use super::error::AuditError;
use super::report::DifferenceKind;
use parquote_catalogue::operation::{Catalogue, Explanation};

/// The column of a reason's rows with the ratio between the two figures; the other columns identify a row of the table.
const FACTOR: &str = "factor";
/// Suffix of columns that mark figures of their row as assumed.
pub(super) const ASSUMED_SUFFIX: &str = "_assumed";
/// Relative difference up to which two figures are equal.
const ROUNDING: f64 = 1e-9;
/// Relative tolerance of split factors, which raw files have rounded.
const FACTOR_ROUNDING: f64 = 1e-6;

/// The declared reasons, evaluated over two derivations.
pub(super) struct Reasons<'a> {
    reasons: Vec<DeclaredReason<'a>>,
}

/// A declared reason with the rows to which it applies.
struct DeclaredReason<'a> {
    declared: &'a Explanation,
    /// Names of the columns that identify a row.
    key_columns: Vec<String>,
    /// Factors of each row, by the values of its key columns, joined by `|`; the list is empty if the reason has no factor.
    rows: HashMap<String, Vec<f64>>,
}

/// A figure that differs between the two derivations.
pub(super) struct DifferingFigure<'a> {
    pub table: &'a str,
    pub column: &'a str,
    /// Returns the value of the past row in a column, as text; `None` if the column is neither in the key nor compared.
    pub row: &'a dyn Fn(&str) -> Option<String>,
    /// Returns true if a flag column is set on either side.
    pub is_assumed: &'a dyn Fn(&str) -> bool,
    /// The flag columns among the compared ones.
    pub assumed: &'a [String],
    /// All compared columns.
    pub columns: &'a [String],
    /// True if the published row was filed after the day.
    pub is_filed_later: bool,
    /// The past figure; `None` if it is null or not a number.
    pub past: Option<f64>,
    /// The published figure; `None` if it is null or not a number.
    pub whole: Option<f64>,
}

impl<'a> Reasons<'a> {
    /// Runs the SELECT of each reason, which returns the rows to which the reason applies.
    ///
    /// # Errors
    /// The SELECT of a reason fails.
    pub(super) async fn evaluate(
        catalogue: &'a Catalogue,
        context: &SessionContext,
    ) -> std::result::Result<Self, AuditError> {
        let mut reasons = Vec::new();
        for declared in catalogue.explanations() {
            let reason = DeclaredReason::find(declared, context).await;
            reasons.push(
                reason.map_err(AuditError::row_error(&format!("{}:{}", declared.file, declared.line)))?,
            );
        }
        reasons.sort_by_key(|reason| reason.declared.kind);
        Ok(Self { reasons })
    }

    /// Returns the kind of a difference, and its explanation.
    pub(super) fn explain(&self, differing: &DifferingFigure<'_>) -> (DifferenceKind, String) {
        let assumed = differing
            .assumed
            .iter()
            .find(|flag| (differing.is_assumed)(flag) && is_about(flag, differing.column, differing.columns));
        let matching = self.reasons.iter().find(|reason| reason.explains(differing));
        match (matching, assumed) {
            (None, _) if differing.is_filed_later => {
                (DifferenceKind::Restated, "The row was filed again after the day.".to_owned())
            }
            (Some(reason), _) => (reason.declared.kind.into(), reason.declared.title.clone()),
            (None, Some(flag)) => (DifferenceKind::Assumed, format!("The row says so: {flag}.")),
            (None, None) => (DifferenceKind::Unexplained, String::new()),
        }
    }
}

impl<'a> DeclaredReason<'a> {
    async fn find(declared: &'a Explanation, context: &SessionContext) -> Result<Self> {
        let batches = context.sql(&declared.sql).await?.collect().await?;
        let mut reason = Self { declared, key_columns: Vec::new(), rows: HashMap::new() };
        for batch in &batches {
            let fields = batch.schema();
            let is_key = |name: &&str| *name != FACTOR;
            let names: Vec<&str> = fields.fields().iter().map(|f| f.name().as_str()).filter(is_key).collect();
            reason.key_columns = names.iter().map(|name| (*name).to_owned()).collect();
            let factors = batch.column_by_name(FACTOR).and_then(|it| it.as_primitive_opt::<Float64Type>());
            for row in 0..batch.num_rows() {
                let cells = names.iter().filter_map(|name| cell_as_text(batch.column_by_name(name)?, row));
                let key = cells.collect::<Vec<_>>().join("|");
                let row_factors = reason.rows.entry(key).or_default();
                row_factors.extend(factors.map(|factors| factors.value(row)));
            }
        }
        Ok(reason)
    }

    fn explains(&self, differing: &DifferingFigure<'_>) -> bool {
        if !self.declared.is_about(differing.table, differing.column) {
            return false;
        }
        let cells: Option<Vec<String>> = self.key_columns.iter().map(|name| (differing.row)(name)).collect();
        let Some(factors) = cells.and_then(|cells| self.rows.get(&cells.join("|"))) else { return false };
        match (factors.is_empty(), differing.past.zip(differing.whole)) {
            (true, _) => true,
            (false, None) => false,
            (false, Some((past, whole))) => {
                let is_ratio = |factor: &f64| {
                    is_nearly_equal(past * factor, whole, FACTOR_ROUNDING)
                        || is_nearly_equal(whole * factor, past, FACTOR_ROUNDING)
                };
                factors.iter().any(is_ratio)
            }
        }
    }
}

/// Returns true if a flag column applies to `column`: a flag `x_assumed` applies to the columns that begin with `x`, or to all if there are
/// none.
fn is_about(flag: &str, column: &str, columns: &[String]) -> bool {
    let stem = flag.trim_end_matches(ASSUMED_SUFFIX);
    let has_stem = |name: &str| name != flag && name.starts_with(stem);
    has_stem(column) || column == flag || !columns.iter().any(|name| has_stem(name))
}

/// Returns true if two figures are equal except for rounding.
pub(super) fn is_same(past: f64, whole: f64) -> bool {
    is_nearly_equal(past, whole, ROUNDING)
}

fn is_nearly_equal(one: f64, other: f64, share: f64) -> bool {
    (one.is_nan() && other.is_nan()) || (one - other).abs() <= share * one.abs().max(other.abs())
}

/// Returns a cell as text, empty for a null; `None` if the value cannot be formatted.
pub(super) fn cell_as_text(column: &ArrayRef, row: usize) -> Option<String> {
    array_value_to_string(column, row).ok()
}

/// Returns true if a flag is set in a row.
pub(super) fn is_set(batch: &RecordBatch, column: &str, row: usize) -> bool {
    let flags = batch.column_by_name(column).and_then(|column| column.as_boolean_opt());
    flags.is_some_and(|flags| flags.is_valid(row) && flags.value(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_applies_to_the_columns_with_its_prefix_or_else_to_the_row() {
        let columns =
            ["market_cap", "market_cap_cr", "pat", "market_cap_assumed", "filed_assumed"].map(str::to_owned);
        assert!(is_about("market_cap_assumed", "market_cap_cr", &columns));
        assert!(!is_about("market_cap_assumed", "pat", &columns));
        assert!(is_about("filed_assumed", "pat", &columns), "no column is named `filed...`: it is the row");
    }
}
