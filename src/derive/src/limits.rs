//! Replaces figures outside the declared limits of their column by null. The log names the table, the column and the first such row.

use std::collections::BTreeMap;

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::{cast, nullif};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::error::Result;

use parquote_catalogue::operation::{Market, Table, ValueLimits};

/// The limits of a table's columns, with the number of figures outside of them so far.
pub(super) struct ColumnLimits {
    table: String,
    market: Market,
    key: Vec<String>,
    columns: Vec<(String, [Option<f64>; 2])>,
    /// For each column, the number of dropped figures and a description of the first one.
    dropped: BTreeMap<String, (u64, String)>,
}

impl ColumnLimits {
    /// Collects the limits of nullable columns; non-null columns are checked when the set is admitted.
    pub(super) fn for_table(table: &Table, market: Market) -> Self {
        let limited = table.columns_in(market).filter(|column| column.nullable);
        let columns = limited.filter_map(|column| match column.limits {
            ValueLimits::Range(least, most) => Some((column.name.clone(), [least, most])),
            _ => None,
        });
        let columns = columns.collect();
        Self { table: table.name.clone(), market, key: table.key.clone(), columns, dropped: BTreeMap::new() }
    }

    /// Replaces figures outside their limits by null.
    pub(super) fn null_outside_limits(&mut self, rows: RecordBatch) -> Result<RecordBatch> {
        let mut retained = rows.columns().to_vec();
        let mut any = false;
        for (name, [least, most]) in &self.columns {
            let Ok(at) = rows.schema_ref().index_of(name) else { continue };
            let Some(column) = retained.get_mut(at).filter(|column| column.data_type().is_numeric()) else {
                continue;
            };
            let figures = cast(column, &DataType::Float64)?;
            let is_outside = |figure: f64| {
                least.is_some_and(|least| figure < least) || most.is_some_and(|most| figure > most)
            };
            let outside = BooleanArray::from_unary(figures.as_primitive::<Float64Type>(), is_outside);
            let Some(first) = outside.iter().position(|outside| outside == Some(true)) else { continue };
            let figure = array_value_to_string(column, first)?;
            let entry = self
                .dropped
                .entry(name.clone())
                .or_insert_with(|| (0, describe_row(&rows, &self.key, first, &figure)));
            entry.0 += outside.true_count() as u64;
            *column = nullif(column, &outside)?;
            any = true;
        }
        if any { Ok(RecordBatch::try_new(rows.schema(), retained)?) } else { Ok(rows) }
    }

    pub(super) fn log_dropped_figures(&self) {
        for (column, (count, first)) in &self.dropped {
            tracing::warn!(
                market = %self.market, table = self.table, column, count, first,
                "figures outside of what the column declares are left out; look at the raw files of these rows"
            );
        }
    }
}

/// Describes a row by its key and one figure.
fn describe_row(rows: &RecordBatch, key: &[String], row: usize, figure: &str) -> String {
    let cell = |name: &String| array_value_to_string(rows.column_by_name(name)?, row).ok();
    let key: Vec<String> = key.iter().filter_map(cell).collect();
    format!("{} has {figure}", key.join(" "))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, Int64Array, StringArray};

    use super::*;
    use parquote_catalogue::operation::Catalogue;

    #[test]
    fn a_figure_outside_is_left_out_and_its_row_stays() {
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        let mut limits =
            ColumnLimits::for_table(catalogue.table(Market::India, "fundamentals").unwrap(), Market::India);
        let rows = RecordBatch::try_from_iter([
            ("symbol", Arc::new(StringArray::from(vec!["ALFA", "BETA", "GAMA", "DELT"])) as _),
            (
                "profitable_years_10y",
                Arc::new(Int64Array::from(vec![Some(10), Some(11), None, Some(-1)])) as _,
            ),
            ("pe", Arc::new(Float64Array::from(vec![1e9, -1.0, 0.0, 5.0])) as _),
        ])
        .unwrap();
        let held = limits.null_outside_limits(rows.clone()).unwrap();
        let years = held.column(1).as_primitive::<datafusion::arrow::datatypes::Int64Type>();
        assert_eq!(years.iter().collect::<Vec<_>>(), [Some(10), None, None, None]);
        assert_eq!((held.column(0), held.column(2)), (rows.column(0), rows.column(2)));
        assert_eq!(limits.dropped["profitable_years_10y"], (2, "BETA has 11".to_owned()));
    }
}
