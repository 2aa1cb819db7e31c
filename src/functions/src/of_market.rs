//! `market()`: the market that SQL is planned for, so that one table file has the thresholds of both; and `has_prices()`: true if its
//! tables have a stock with a price, so that a market with prices need not read the list of companies without prices.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use parquote_catalogue::operation::Market;

/// Returns the function of a context: `india` or `us`, folded during planning.
pub fn market_function(market: Market) -> ScalarUDF {
    of_market("market", ScalarValue::from(market.word()))
}

/// Returns the function of a context with or without prices, also folded.
pub fn prices_function(has_prices: bool) -> ScalarUDF {
    of_market("has_prices", ScalarValue::from(has_prices))
}

fn of_market(name: &'static str, value: ScalarValue) -> ScalarUDF {
    ScalarUDF::from(OfMarket { name, value, signature: Signature::nullary(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OfMarket {
    name: &'static str,
    value: ScalarValue,
    signature: Signature,
}

impl ScalarUDFImpl for OfMarket {
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
