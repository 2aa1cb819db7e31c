//! A piece of a file as an Arrow batch of one row: each column has the values of the piece as a list.
//!
//! Columns are found by name. A missing column, or one of another type, makes the batch invalid.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, ListArray, PrimitiveArray, RecordBatch,
    StringArray,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{Field, Schema, UInt64Type};
use datafusion::arrow::error::ArrowError;

use crate::accounts::ending::FileEnding;
use crate::accounts::refused::RefusedRows;

/// Builder of a batch.
#[derive(Default)]
pub(crate) struct PieceBatch {
    columns: Vec<(&'static str, ArrayRef)>,
}

/// The part of a piece that the accounts need.
#[derive(Debug)]
pub(crate) struct PieceAccount {
    /// Rows read.
    pub(crate) read: u64,
    pub(crate) refused: RefusedRows,
    /// End of the file, set in its last piece. A file that ends with a fault is not cached.
    pub(crate) ending: FileEnding,
}

/// Reader of a batch.
#[derive(Clone, Copy)]
pub(crate) struct PieceValues<'a>(pub(crate) &'a RecordBatch);

impl PieceBatch {
    /// Adds a column of numbers.
    pub(crate) fn values<T: ArrowPrimitiveType>(
        self,
        name: &'static str,
        values: impl Iterator<Item = T::Native>,
    ) -> Self {
        self.with(name, Arc::new(PrimitiveArray::<T>::from_iter_values(values)))
    }

    /// Adds a column of numbers that may be missing.
    pub(crate) fn optional<T: ArrowPrimitiveType>(
        self,
        name: &'static str,
        values: impl Iterator<Item = Option<T::Native>>,
    ) -> Self {
        self.with(name, Arc::new(values.collect::<PrimitiveArray<T>>()))
    }

    pub(crate) fn texts<'t>(self, name: &'static str, texts: impl Iterator<Item = &'t str>) -> Self {
        self.with(name, Arc::new(StringArray::from_iter_values(texts)))
    }

    pub(crate) fn bytes<'t>(self, name: &'static str, bytes: impl Iterator<Item = &'t [u8]>) -> Self {
        self.with(name, Arc::new(BinaryArray::from_iter_values(bytes)))
    }

    /// Adds the account of the piece; the texts of refused rows stay packed.
    pub(crate) fn account(self, account: &PieceAccount) -> Self {
        let counts = account.refused.counts();
        self.values::<UInt64Type>("read", std::iter::once(account.read))
            .values::<UInt64Type>("is_open", std::iter::once(u64::from(account.ending == FileEnding::Open)))
            .texts("refused_reason", counts.keys().map(String::as_str))
            .values::<UInt64Type>("refused_rows", counts.values().copied())
            .bytes("refused_text", std::iter::once(account.refused.member()))
    }

    fn with(mut self, name: &'static str, values: ArrayRef) -> Self {
        self.columns.push((name, values));
        self
    }

    pub(crate) fn batch(self) -> Result<RecordBatch, ArrowError> {
        let (mut fields, mut lists) = (Vec::new(), Vec::<ArrayRef>::new());
        for (name, values) in self.columns {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            let list = ListArray::try_new(item, OffsetBuffer::from_lengths([values.len()]), values, None)?;
            fields.push(Field::new(name, list.data_type().clone(), false));
            lists.push(Arc::new(list));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), lists)
    }
}

impl PieceValues<'_> {
    /// Returns the numbers of a column.
    pub(crate) fn values<T: ArrowPrimitiveType>(self, name: &str) -> Option<PrimitiveArray<T>> {
        self.column(name)?.as_primitive_opt::<T>().cloned()
    }

    pub(crate) fn texts(self, name: &str) -> Option<StringArray> {
        self.column(name)?.as_string_opt::<i32>().cloned()
    }

    pub(crate) fn bytes(self, name: &str) -> Option<BinaryArray> {
        self.column(name)?.as_binary_opt::<i32>().cloned()
    }

    /// Returns the single number of a column.
    pub(crate) fn one<T: ArrowPrimitiveType>(self, name: &str) -> Option<T::Native> {
        self.values::<T>(name)?.values().first().copied()
    }

    pub(crate) fn account(self) -> Option<PieceAccount> {
        let (reasons, rows) = (self.texts("refused_reason")?, self.values::<UInt64Type>("refused_rows")?);
        let reasons = reasons.iter().flatten().map(str::to_owned);
        let counts: BTreeMap<String, u64> = reasons.zip(rows.values().iter().copied()).collect();
        let text = self.bytes("refused_text")?.iter().flatten().next()?.to_vec();
        let is_open = self.one::<UInt64Type>("is_open")? > 0;
        Some(PieceAccount {
            read: self.one::<UInt64Type>("read")?,
            refused: RefusedRows::from_packed(counts, text),
            ending: if is_open { FileEnding::Open } else { FileEnding::Whole },
        })
    }

    fn column(self, name: &str) -> Option<ArrayRef> {
        let lists = self.0.column_by_name(name)?.as_list_opt::<i32>()?;
        (lists.len() == 1).then(|| lists.value(0))
    }
}
