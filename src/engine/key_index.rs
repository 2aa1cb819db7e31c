//! The range of rows of each key in sorted rows.

use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Date32Type, Int64Type};
use datafusion::common::ScalarValue;

/// A value of the leading sort column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum IndexKey {
    Text(Box<str>),
    Number(i64),
}

/// The keys of a sorted run of rows, each with its first row.
#[derive(Debug, Default)]
pub(super) struct KeyIndex {
    keys: Vec<IndexKey>,
    starts: Vec<usize>,
    rows: usize,
}

impl KeyIndex {
    /// Whether a column of this type can lead an index.
    pub(super) const fn serves(ty: &DataType) -> bool {
        matches!(ty, DataType::Utf8View | DataType::Date32 | DataType::Int64)
    }

    /// Adds the next rows.
    ///
    /// # Errors
    /// The first row (counted over all that was added) whose key is null or below the one before it.
    pub(super) fn extend(&mut self, column: &ArrayRef) -> Result<(), usize> {
        match column.data_type() {
            DataType::Utf8View => {
                let texts = column.as_string_view();
                self.extend_by(
                    column,
                    |row| texts.value(row),
                    |key, text| matches!(key, IndexKey::Text(k) if **k == **text),
                    |text| IndexKey::Text(text.into()),
                )
            }
            DataType::Date32 => {
                let days = column.as_primitive::<Date32Type>();
                self.extend_numbers(column, |row| i64::from(days.value(row)))
            }
            DataType::Int64 => {
                let numbers = column.as_primitive::<Int64Type>();
                self.extend_numbers(column, |row| numbers.value(row))
            }
            _ => Ok(()),
        }
    }

    fn extend_numbers(&mut self, column: &ArrayRef, value: impl Fn(usize) -> i64) -> Result<(), usize> {
        self.extend_by(column, value, |key, number| *key == IndexKey::Number(*number), IndexKey::Number)
    }

    fn extend_by<T>(
        &mut self,
        column: &ArrayRef,
        value: impl Fn(usize) -> T,
        same: impl Fn(&IndexKey, &T) -> bool,
        key: impl Fn(T) -> IndexKey,
    ) -> Result<(), usize> {
        for row in 0..column.len() {
            if column.is_null(row) {
                return Err(self.rows);
            }
            let value = value(row);
            if !self.keys.last().is_some_and(|last| same(last, &value)) {
                let key = key(value);
                if self.keys.last().is_some_and(|last| *last > key) {
                    return Err(self.rows);
                }
                self.keys.push(key);
                self.starts.push(self.rows);
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// How many rows were added.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// The rows of a key; empty if there are none.
    pub(super) fn range(&self, key: &ScalarValue) -> Range<usize> {
        let key = match key {
            ScalarValue::Utf8View(Some(text))
            | ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text)) => IndexKey::Text(text.as_str().into()),
            ScalarValue::Date32(Some(days)) => IndexKey::Number(i64::from(*days)),
            ScalarValue::Int64(Some(number)) => IndexKey::Number(*number),
            _ => return 0..0,
        };
        match self.keys.binary_search(&key) {
            Err(_) => 0..0,
            Ok(at) => {
                let start = self.starts.get(at).copied().unwrap_or(self.rows);
                start..self.starts.get(at + 1).copied().unwrap_or(self.rows)
            }
        }
    }

    /// How a text is spelt among the keys, whatever the case and the spaces it is asked with.
    pub(super) fn spelling(&self, asked: &str) -> Option<&str> {
        let folded = |text: &str| {
            text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect::<String>()
        };
        let wanted = folded(asked);
        self.texts().find(|known| folded(known) == wanted)
    }

    /// The keys that are text, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().filter_map(|key| match key {
            IndexKey::Text(text) => Some(&**text),
            IndexKey::Number(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Date32Array, StringViewArray};

    use super::*;

    #[test]
    fn ranges_cross_batches() {
        let mut index = KeyIndex::default();
        let first: ArrayRef = Arc::new(StringViewArray::from(vec!["A", "A", "B"]));
        let second: ArrayRef = Arc::new(StringViewArray::from(vec!["B", "C"]));
        index.extend(&first).unwrap();
        index.extend(&second).unwrap();
        let range = |text: &str| index.range(&ScalarValue::from(text));
        assert_eq!((range("A"), range("B"), range("C"), range("D")), (0..2, 2..4, 4..5, 0..0));
        assert_eq!(index.range(&ScalarValue::Utf8View(None)), 0..0);
    }

    #[test]
    fn disorder_and_nulls_are_found_at_their_row() {
        let mut index = KeyIndex::default();
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(3), Some(4), Some(2)]));
        assert_eq!(index.extend(&days), Err(2));
        let mut index = KeyIndex::default();
        let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(3), None]));
        assert_eq!(index.extend(&days), Err(1));
    }
}
