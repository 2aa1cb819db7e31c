//! `market()`: the market that SQL is planned for, so that one table file has the thresholds of both.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::operation::Market;

/// The function of a context: `india` or `us`, folded while planning.
pub(crate) fn market_function(market: Market) -> ScalarUDF {
    ScalarUDF::from(OfMarket { word: market.word(), signature: Signature::nullary(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OfMarket {
    word: &'static str,
    signature: Signature,
}

impl ScalarUDFImpl for OfMarket {
    fn name(&self) -> &'static str {
        "market"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, _arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(ScalarValue::from(self.word)))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::RecordBatch;

    use super::super::Calendar;
    use crate::engine::context::market_context;
    use crate::operation::Market;

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
