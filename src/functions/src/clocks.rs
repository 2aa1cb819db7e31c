//! Refuses functions that read a clock or random numbers: a plan is made once and reused, so that it would always have their first value.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Returns one function for each refused name; they replace DataFusion's.
pub fn refused_functions() -> Vec<ScalarUDF> {
    const NAMES: [&str; 7] =
        ["now", "current_timestamp", "current_date", "today", "current_time", "random", "uuid"];
    let function = |name: &str| {
        ScalarUDF::from(RefusedClock {
            name: Arc::from(name),
            signature: Signature::nullary(Volatility::Stable),
        })
    };
    NAMES.into_iter().map(function).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct RefusedClock {
    name: Arc<str>,
    signature: Signature,
}

impl RefusedClock {
    fn refuse<T>(&self) -> Result<T> {
        plan_err!(
            "`{}()` must not be in a query file: plans are cached, so its value would freeze; the market's date is `as_of()`",
            self.name
        )
    }
}

impl ScalarUDFImpl for RefusedClock {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        self.refuse()
    }

    fn invoke_with_args(&self, _arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.refuse()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Calendar;
    use crate::context::market_context;
    use parquote_catalogue::operation::Market;

    #[tokio::test]
    async fn clocks_do_not_plan() {
        let context = market_context(Market::India, &Calendar::default());
        for sql in [
            "SELECT now()",
            "SELECT current_date",
            "SELECT today()",
            "SELECT random()",
            "SELECT current_timestamp",
        ] {
            let error = context.sql(sql).await.map(drop).unwrap_err().to_string();
            assert!(error.contains("as_of()"), "{sql}: {error}");
        }
    }
}
