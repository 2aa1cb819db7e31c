//! `market()`: the market for which SQL is planned, so that one table file can have the thresholds of both markets; and `has_prices()`:
//! true if its tables have at least one price, so that a market with prices need not read the list of companies without prices.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use parquote_catalogue::operation::Market;

/// Returns `market()` for a context: `india` or `us`, folded during planning.
pub fn market_function(market: Market) -> ScalarUDF {
    market_constant("market", ScalarValue::from(market.word()))
}

/// Returns `has_prices()` for a context: a Boolean, folded during planning.
pub fn prices_function(has_prices: bool) -> ScalarUDF {
    market_constant("has_prices", ScalarValue::from(has_prices))
}

fn market_constant(name: &'static str, value: ScalarValue) -> ScalarUDF {
    ScalarUDF::from(MarketConstant { name, value, signature: Signature::nullary(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct MarketConstant {
    name: &'static str,
    value: ScalarValue,
    signature: Signature,
}

impl ScalarUDFImpl for MarketConstant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(self.value.data_type())
    }

    fn invoke_with_args(&self, _arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(self.value.clone()))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::RecordBatch;

    use super::super::Calendar;
    use crate::context::market_context;
    use parquote_catalogue::operation::Market;

    #[tokio::test]
    async fn a_context_knows_its_market() {
        for market in Market::ALL {
            let context = market_context(market, &Calendar::default());
            let sql = format!("SELECT 1 WHERE market() = '{}'", market.word());
            let rows = context.sql(&sql).await.unwrap().collect().await.unwrap();
            assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 1, "{market:?}");
        }
    }
}
