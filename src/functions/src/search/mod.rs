//! `search_rank(text, symbol, name)`: how well a company matches a typed text, from 0 (best); null without a match.
//!
//! Rank 0: the text is the symbol. 1: it is the symbol except for punctuation. 2: it is the whole name, with or without a legal form. 3: a
//! symbol or name begins with it. 4: each of its words begins a word of the name. 5: it is inside the symbol, or some of its words are only
//! inside words of the name. The caller orders equal ranks.

mod rank;
mod words;

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Int64Array, StringViewArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

pub use rank::{Ranker, SearchText};

/// Returns the function `search_rank`.
pub fn search_rank() -> ScalarUDF {
    let signature = Signature::exact(vec![DataType::Utf8View; 3], Volatility::Immutable);
    ScalarUDF::from(SearchRank { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SearchRank {
    signature: Signature,
}

impl ScalarUDFImpl for SearchRank {
    fn name(&self) -> &'static str {
        "search_rank"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let mut columns = arrays.iter().map(AsArray::as_string_view);
        let (Some(texts), Some(symbols), Some(names)) = (columns.next(), columns.next(), columns.next())
        else {
            return Ok(ColumnarValue::Array(Arc::new(Int64Array::new_null(arguments.number_rows))));
        };
        let (mut requested, mut ranker) = (SearchText::default(), Ranker::default());
        let ranks = texts.iter().enumerate().map(|(row, text)| {
            let text = text?;
            if requested.text != text {
                requested = SearchText::parse(text);
            }
            ranker.rank(&requested, cell(symbols, row), cell(names, row))
        });
        Ok(ColumnarValue::Array(Arc::new(ranks.collect::<Int64Array>())))
    }
}

fn cell(column: &StringViewArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}
