//! Columns of a table by name: a table takes each declared column by its name, never by its position.

use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringViewArray,
};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::Result;

use parquote_functions::arrow_types::days;

/// Columns by name, equally long.
#[derive(Debug, Default)]
pub struct NamedColumns(Vec<(&'static str, ArrayRef)>);

/// Builder of columns from rows.
pub struct ColumnsBuilder<'a, T> {
    rows: &'a [T],
    columns: NamedColumns,
}

impl NamedColumns {
    /// Starts columns of these rows.
    pub fn for_rows<T>(rows: &[T]) -> ColumnsBuilder<'_, T> {
        ColumnsBuilder { rows, columns: Self::default() }
    }

    /// Appends a column.
    #[must_use]
    pub fn with(mut self, name: &'static str, column: ArrayRef) -> Self {
        self.0.push((name, column));
        self
    }

    /// Returns the columns in the order in which a table declares them.
    ///
    /// # Errors
    /// A declared column is missing here, a column here is not declared, or one has another type.
    pub fn batch(&self, schema: &SchemaRef) -> Result<RecordBatch> {
        if let Some((name, _)) = self.0.iter().find(|(name, _)| schema.column_with_name(name).is_none()) {
            return internal_err!("the table declares no column `{name}`");
        }
        let column = |name: &String| {
            let found = self.0.iter().find(|(declared, _)| declared == name);
            let (_, column) = found
                .ok_or_else(|| internal_datafusion_err!("nothing gives the declared column `{name}`"))?;
            Ok(Arc::clone(column))
        };
        let columns: Result<Vec<ArrayRef>> =
            schema.fields().iter().map(|field| column(field.name())).collect();
        Ok(RecordBatch::try_new(Arc::clone(schema), columns?)?)
    }
}

impl<T> ColumnsBuilder<'_, T> {
    /// Adds a column of texts.
    pub fn text(self, name: &'static str, value: impl Fn(&T) -> Option<&str>) -> Self {
        let column = self.rows.iter().map(value).collect::<StringViewArray>();
        self.with(name, Arc::new(column))
    }

    /// Adds a column of computed texts.
    pub(crate) fn computed_text(self, name: &'static str, value: impl Fn(&T) -> String) -> Self {
        let column = self.rows.iter().map(|row| Some(value(row))).collect::<StringViewArray>();
        self.with(name, Arc::new(column))
    }

    /// Adds a column of dates.
    pub fn date(self, name: &'static str, value: impl Fn(&T) -> Option<NaiveDate>) -> Self {
        let column = self.rows.iter().map(|row| value(row).map(days)).collect::<Date32Array>();
        self.with(name, Arc::new(column))
    }

    /// Adds a column of figures; those that are not finite become null.
    pub fn number(self, name: &'static str, value: impl Fn(&T) -> Option<f64>) -> Self {
        let column =
            self.rows.iter().map(|row| value(row).filter(|it| it.is_finite())).collect::<Float64Array>();
        self.with(name, Arc::new(column))
    }

    /// Adds a column of integers.
    pub fn int(self, name: &'static str, value: impl Fn(&T) -> Option<i64>) -> Self {
        let column = self.rows.iter().map(value).collect::<Int64Array>();
        self.with(name, Arc::new(column))
    }

    /// Adds a column of counts, rounded to integers.
    pub(crate) fn rounded(self, name: &'static str, value: impl Fn(&T) -> Option<f64>) -> Self {
        self.int(name, |row| value(row).map(|it| it.round() as i64))
    }

    /// Adds a column that numbers consecutive rows with equal `group` from 1, so that equal rows have different keys. The rows must be in
    /// an order that depends on their content only.
    pub(crate) fn sequence<K: PartialEq>(
        self,
        name: &'static str,
        group: impl for<'r> Fn(&'r T) -> (&'r String, K),
    ) -> Self {
        let runs = self.rows.chunk_by(|a, b| group(a) == group(b));
        let numbers = runs.flat_map(|run| (1..).zip(run).map(|(number, _): (i64, _)| Some(number)));
        let column = numbers.collect::<Int64Array>();
        self.with(name, Arc::new(column))
    }

    /// Adds a finished column.
    pub fn with(mut self, name: &'static str, column: ArrayRef) -> Self {
        self.columns = self.columns.with(name, column);
        self
    }

    /// Returns the columns.
    pub fn finish(self) -> NamedColumns {
        self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquote_catalogue::operation::{Market, Table};
    use parquote_functions::arrow_types::table_schema;

    fn table(columns: [&str; 3]) -> Table {
        let columns = columns.map(|column| format!("-- column: {column} \"C.\"\n")).concat();
        let head = "-- Pairs.\n\n-- market: both\n-- key: symbol\n-- sorted: symbol\n-- source: pairs\n";
        Table::parse("tables/pairs.sql", &format!("{head}{columns}")).unwrap().remove(0)
    }

    fn columns() -> NamedColumns {
        let rows = [("AA", "one", 1), ("BB", "two", 2)];
        NamedColumns::for_rows(&rows)
            .text("symbol", |row| Some(row.0))
            .text("word", |row| Some(row.1))
            .int("number", |row| Some(row.2))
            .finish()
    }

    #[test]
    fn a_declaration_in_another_order_has_the_same_columns() {
        let one = table(["symbol text", "word text?", "number int"]);
        let other = table(["number int", "word text?", "symbol text"]);
        let one = columns().batch(&table_schema(&one, Market::Us)).unwrap();
        let other = columns().batch(&table_schema(&other, Market::Us)).unwrap();
        for name in ["symbol", "word", "number"] {
            assert_eq!(one.column_by_name(name), other.column_by_name(name), "{name}");
        }
        assert_ne!(one.column(0).data_type(), other.column(0).data_type());
    }

    #[test]
    fn a_column_that_only_one_side_knows_is_an_error() {
        let batch =
            |names| columns().batch(&table_schema(&table(names), Market::Us)).map_err(|it| it.to_string());
        let unknown = batch(["symbol text", "word text?", "count int"]).unwrap_err();
        assert!(unknown.contains("declares no column `number`"), "{unknown}");
        let rows = [("AA", "one")];
        let fewer = NamedColumns::for_rows(&rows)
            .text("symbol", |row| Some(row.0))
            .text("word", |row| Some(row.1))
            .finish();
        let names = table(["symbol text", "word text?", "number int"]);
        let missing = fewer.batch(&table_schema(&names, Market::Us)).unwrap_err().to_string();
        assert!(missing.contains("nothing gives the declared column `number`"), "{missing}");
    }
}
