//! `carried(column, symbol, session)`: a figure of an earlier derivation, so that the rows up to it need not be computed again.
//!
//! A warm start sets the figures. At the last bar before the recomputed ones, the function returns the figure that the earlier derivation
//! computed; at every other bar, and in a full rebuild, it returns null.

use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use datafusion::arrow::array::{Array, AsArray, Float64Array, RecordBatch, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type};
use datafusion::common::{ScalarValue, internal_datafusion_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Figures at one bar of each symbol. They can be replaced while there are plans that read them.
#[derive(Debug, Clone, Default)]
pub struct CarriedCell(Arc<RwLock<Arc<CarriedFigures>>>);

#[derive(Debug, Default)]
struct CarriedFigures {
    /// For each symbol, the session of its bar, in days since 1970, and its row in the columns.
    bars: HashMap<String, (i32, usize)>,
    /// The figures by the name of their column, one per row; null where a row has no figure.
    columns: BTreeMap<String, Float64Array>,
}

impl CarriedCell {
    /// Sets the figures from the columns of rows with a `symbol` and a `session`, one row per symbol.
    ///
    /// # Errors
    /// Rows without one of these columns.
    pub fn set(&self, rows: &RecordBatch) -> Result<()> {
        let missing = || internal_datafusion_err!("rows to go on from have a symbol and a session");
        let symbols = rows.column_by_name("symbol").and_then(|column| column.as_string_view_opt());
        let sessions =
            rows.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
        let (symbols, sessions) = (symbols.ok_or_else(missing)?, sessions.ok_or_else(missing)?);
        let keys = symbols.iter().flatten().zip(sessions.values()).enumerate();
        let bars = keys.map(|(row, (symbol, day))| (symbol.to_owned(), (*day, row))).collect();
        let mut columns = BTreeMap::new();
        for (field, column) in rows.schema().fields().iter().zip(rows.columns()) {
            if field.data_type().is_numeric() {
                let figures = cast(column, &DataType::Float64)?;
                columns.insert(field.name().clone(), figures.as_primitive::<Float64Type>().clone());
            }
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(CarriedFigures { bars, columns });
        Ok(())
    }

    fn figures(&self) -> Arc<CarriedFigures> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the session at which a symbol has figures, in days since 1970; `None` if it has none.
    pub fn session(&self, symbol: &str) -> Option<i32> {
        self.figures().bars.get(symbol).map(|(day, _)| *day)
    }

    /// Returns the function that reads these figures.
    pub fn function(&self) -> ScalarUDF {
        let arguments = vec![DataType::Utf8, DataType::Utf8View, DataType::Date32];
        let signature = Signature::exact(arguments, Volatility::Immutable);
        ScalarUDF::from(CarriedFunction { carried: self.clone(), signature })
    }
}

#[derive(Debug)]
struct CarriedFunction {
    carried: CarriedCell,
    signature: Signature,
}

/// Two functions are equal if they share one cell.
impl PartialEq for CarriedFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.carried.0, &other.carried.0)
    }
}

impl Eq for CarriedFunction {}

impl Hash for CarriedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.carried.0).hash(state);
    }
}

impl ScalarUDFImpl for CarriedFunction {
    fn name(&self) -> &'static str {
        "carried"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [ColumnarValue::Scalar(ScalarValue::Utf8(Some(name))), symbol, session] =
            arguments.args.as_slice()
        else {
            return plan_err!("carried(column, symbol, session): column is a text literal");
        };
        let figures = self.carried.figures();
        let CarriedFigures { bars, columns } = figures.as_ref();
        if bars.is_empty() {
            return Ok(ColumnarValue::Scalar(ScalarValue::Float64(None)));
        }
        let Some(figures) = columns.get(name) else {
            return plan_err!("carried('{name}', ..): the table's header does not list `{name}` as carried");
        };
        let symbols = symbol.to_array(arguments.number_rows)?;
        let sessions = session.to_array(arguments.number_rows)?;
        let (symbols, sessions) = (symbols.as_string_view(), sessions.as_primitive::<Date32Type>());
        Ok(ColumnarValue::Array(Arc::new(at_bars(symbols, sessions.values(), bars, figures))))
    }
}

/// Returns, for each row, the figure of its symbol if the row is the bar of that figure, else null. Rows of a symbol are neighbours, so
/// that few look-ups are needed.
fn at_bars(
    symbols: &StringViewArray,
    sessions: &[i32],
    bars: &HashMap<String, (i32, usize)>,
    figures: &Float64Array,
) -> Float64Array {
    // Short texts are equal if their views are; a long text with another view only costs one more look-up.
    let mut last: Option<(u128, Option<(i32, usize)>)> = None;
    let rows = symbols.views().iter().zip(sessions).enumerate();
    rows.map(|(row, (view, session))| {
        if symbols.is_null(row) {
            return None;
        }
        let bar = match last {
            Some((last_view, bar)) if last_view == *view => bar,
            _ => last.insert((*view, bars.get(symbols.value(row)).copied())).1,
        };
        let (_, row) = bar.filter(|(day, _)| day == session)?;
        figures.is_valid(row).then(|| figures.value(row))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Date32Array, Int64Array};

    use super::*;
    use crate::Calendar;
    use crate::context::market_context;
    use parquote_catalogue::operation::Market;

    async fn carried(carried: Option<CarriedCell>, column: &str) -> Result<Vec<Option<f64>>> {
        let context = market_context(Market::India, &Calendar::default());
        if let Some(carried) = carried {
            context.register_udf(carried.function());
        }
        let sql = format!(
            "SELECT carried('{column}', arrow_cast(symbol, 'Utf8View'), arrow_cast(day, 'Date32'))
             FROM (VALUES ('A', 1), ('A', 2), ('B', 2), ('C', 3)) AS bars(symbol, day)"
        );
        let rows = context.sql(&sql).await?.collect().await?;
        Ok(rows.iter().flat_map(|rows| rows.column(0).as_primitive::<Float64Type>().iter()).collect())
    }

    #[tokio::test]
    async fn figures_stand_at_their_bar_and_nowhere_else() {
        let symbols: ArrayRef = Arc::new(StringViewArray::from(vec!["A", "B", "C"]));
        let sessions: ArrayRef = Arc::new(Date32Array::from(vec![2, 1, 3]));
        let averages: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.1), Some(0.2), None]));
        let stages: ArrayRef = Arc::new(Int64Array::from(vec![4, 2, 1]));
        let rows = [("symbol", symbols), ("session", sessions), ("ema", averages), ("stage", stages)];
        let rows = RecordBatch::try_from_iter_with_nullable(rows.map(|(name, column)| (name, column, true)));
        let cell = CarriedCell::default();
        cell.set(&rows.unwrap()).unwrap();
        assert_eq!(carried(Some(cell.clone()), "ema").await.unwrap(), [None, Some(0.1), None, None]);
        assert_eq!(carried(Some(cell.clone()), "stage").await.unwrap(), [None, Some(4.0), None, Some(1.0)]);
        let error = carried(Some(cell), "sma").await.unwrap_err().to_string();
        assert!(error.contains("`sma`"), "{error}");
        assert_eq!(carried(None, "sma").await.unwrap(), [None; 4]);
    }
}
