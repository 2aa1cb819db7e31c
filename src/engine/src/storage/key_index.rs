//! Maps each key to its range of rows, in sorted rows.

use std::cmp::Ordering;
use std::ops::Range;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Date32Type, Int64Type};
use datafusion::common::ScalarValue;

/// A value of the leading sort column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum IndexKey {
    Text(Box<str>),
    Number(i64),
}

/// The keys of sorted rows, each with its first row.
#[derive(Debug, Default)]
pub(crate) struct KeyIndex {
    /// The keys, ascending.
    keys: Vec<IndexKey>,
    /// The first row of each key.
    starts: Vec<usize>,
    /// Number of rows.
    rows: usize,
}

impl KeyIndex {
    /// Returns true if columns of this type can be indexed.
    pub(crate) const fn can_index(ty: &DataType) -> bool {
        matches!(ty, DataType::Utf8View | DataType::Date32 | DataType::Int64)
    }

    /// Adds rows after those that were added before, by their values in the key column.
    ///
    /// # Errors
    /// The first row (counted over all rows added) whose key is null or less than the one before it.
    pub(crate) fn extend(&mut self, column: &ArrayRef) -> Result<(), usize> {
        match column.data_type() {
            DataType::Utf8View => {
                let texts = column.as_string_view();
                let views = texts.views();
                self.extend_by(
                    column,
                    // Equal views have equal text.
                    |row| row > 0 && views.get(row - 1) == views.get(row),
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
        let same = |key: &IndexKey, number: &i64| *key == IndexKey::Number(*number);
        self.extend_by(column, |_| false, value, same, IndexKey::Number)
    }

    fn extend_by<T>(
        &mut self,
        column: &ArrayRef,
        repeats: impl Fn(usize) -> bool,
        value: impl Fn(usize) -> T,
        same: impl Fn(&IndexKey, &T) -> bool,
        key: impl Fn(T) -> IndexKey,
    ) -> Result<(), usize> {
        let has_nulls = column.null_count() > 0;
        for row in 0..column.len() {
            if has_nulls && column.is_null(row) {
                return Err(self.rows);
            }
            if repeats(row) {
                self.rows += 1;
                continue;
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

    /// Returns the number of rows added.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the rows of a key; empty if there are none.
    pub(crate) fn range(&self, key: &ScalarValue) -> Range<usize> {
        let at = match key {
            ScalarValue::Utf8View(Some(text))
            | ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text)) => self.find_text(text),
            ScalarValue::Date32(Some(days)) => self.find_number(i64::from(*days)),
            ScalarValue::Int64(Some(number)) => self.find_number(*number),
            _ => None,
        };
        at.map_or(0..0, |at| self.rows_at(at))
    }

    /// Returns the rows of all these keys, ascending; `None` if reading all rows costs less because of the number of keys, or if their type
    /// has no index.
    pub(crate) fn rows_of(&self, keys: &[ArrayRef]) -> Option<UInt32Array> {
        /// Number of rows that can be read in the time of one search among the keys.
        const ROWS_A_SEARCH: usize = 4;
        let count: usize = keys.iter().map(Array::len).sum();
        if count * ROWS_A_SEARCH > self.rows {
            return None;
        }
        Some(self.ranges_of(keys)?.into_iter().flatten().map(|row| row as u32).collect::<Vec<_>>().into())
    }

    /// Returns the row range of each of these keys, ascending; `None` if their type has no index.
    pub(crate) fn ranges_of(&self, keys: &[ArrayRef]) -> Option<Vec<Range<usize>>> {
        let mut positions = Vec::new();
        for keys in keys {
            match keys.data_type() {
                DataType::Utf8View => {
                    positions.extend(
                        keys.as_string_view().iter().flatten().filter_map(|text| self.find_text(text)),
                    );
                }
                DataType::Date32 => {
                    let days = keys.as_primitive::<Date32Type>().iter().flatten();
                    positions.extend(days.filter_map(|days| self.find_number(i64::from(days))));
                }
                DataType::Int64 => {
                    let numbers = keys.as_primitive::<Int64Type>().iter().flatten();
                    positions.extend(numbers.filter_map(|number| self.find_number(number)));
                }
                _ => return None,
            }
        }
        positions.sort_unstable();
        positions.dedup();
        Some(positions.into_iter().map(|at| self.rows_at(at)).collect())
    }

    fn find_text(&self, text: &str) -> Option<usize> {
        let position = |key: &IndexKey| match key {
            IndexKey::Text(key) => (**key).cmp(text),
            IndexKey::Number(_) => Ordering::Less,
        };
        self.keys.binary_search_by(position).ok()
    }

    fn find_number(&self, number: i64) -> Option<usize> {
        self.keys.binary_search(&IndexKey::Number(number)).ok()
    }

    fn rows_at(&self, at: usize) -> Range<usize> {
        let start = self.starts.get(at).copied().unwrap_or(self.rows);
        start..self.starts.get(at + 1).copied().unwrap_or(self.rows)
    }

    /// Returns the text key that equals `requested` without regard to case and spaces; `None` if there is none.
    pub(crate) fn spelling(&self, requested: &str) -> Option<&str> {
        // Most requests have the exact spelling; all keys are folded only for other requests.
        if let Some(IndexKey::Text(key)) = self.find_text(requested).and_then(|at| self.keys.get(at)) {
            return Some(key);
        }
        let folded = |text: &str| {
            text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect::<String>()
        };
        let folded_request = folded(requested);
        self.texts().find(|key| folded(key) == folded_request)
    }

    /// Returns the text keys, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
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
    fn rows_of_few_keys_rise() {
        let keys = |of: &[&str]| -> ArrayRef { Arc::new(StringViewArray::from_iter_values(of)) };
        let mut index = KeyIndex::default();
        index.extend(&keys(&["A", "A", "B", "C", "D", "D", "D", "E", "F", "G", "H", "I"])).unwrap();
        let rows = |of: &[&str]| index.rows_of(&[keys(of)]).map(|rows| rows.values().to_vec());
        assert_eq!(rows(&["D", "A", "D"]), Some(vec![0, 1, 4, 5, 6]));
        assert_eq!(rows(&["Z"]), Some(vec![]));
        assert_eq!(rows(&["A", "B", "C", "D"]), None, "so many searches cost more than all rows");
        let days: ArrayRef = Arc::new(Date32Array::from(vec![3]));
        assert_eq!(index.rows_of(&[days]), Some(UInt32Array::from(Vec::<u32>::new())));
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
