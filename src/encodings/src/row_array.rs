//! The array of rows in a JSON file: the file itself, or the value at `data`, `data.rows` or `data.table.rows` of an object, as in
//! responses of web services.
//!
//! Other values of an object are skipped. An object without `data`, or whose `data` has no array, is an error.

use std::cell::Cell;
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Finds the array and deserializes it with a seed.
pub(super) struct RowArray<'a, S> {
    /// The seed; `None` after it has read the array.
    rows: &'a mut Option<S>,
    position: ArrayPosition,
    /// Set to true if the file has `data`.
    has_data: &'a Cell<bool>,
}

/// Position of the current value in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayPosition {
    /// The value that is the file.
    File,
    /// `data`.
    Data,
    /// `data.table`.
    Table,
    /// `data.rows` or `data.table.rows`.
    Rows,
}

impl ArrayPosition {
    /// Returns the position of a named value; `None` if it does not lead to rows.
    fn child(self, name: &str) -> Option<Self> {
        match (self, name) {
            (Self::File, "data") => Some(Self::Data),
            (Self::Data, "table") => Some(Self::Table),
            (Self::Data | Self::Table, "rows") => Some(Self::Rows),
            _ => None,
        }
    }
}

impl<'a, S> RowArray<'a, S> {
    /// Creates a search for the array, which `rows` reads.
    pub(super) const fn new(rows: &'a mut Option<S>, has_data: &'a Cell<bool>) -> Self {
        Self { rows, position: ArrayPosition::File, has_data }
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> DeserializeSeed<'de> for RowArray<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.position == ArrayPosition::Rows {
            json.deserialize_seq(self)
        } else {
            json.deserialize_any(self)
        }
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> Visitor<'de> for RowArray<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.position {
            ArrayPosition::File => {
                "an array of objects, or an object that has one under data, data.rows or data.table.rows"
            }
            ArrayPosition::Data => "an array of objects under data, data.rows or data.table.rows",
            ArrayPosition::Table => "an array of objects under data.table.rows",
            ArrayPosition::Rows => "an array of objects",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<(), A::Error> {
        if self.position == ArrayPosition::Table {
            return Err(A::Error::custom(
                "data.table is an array; its rows are expected under data.table.rows",
            ));
        }
        let rows = self.rows.take();
        let rows = rows.ok_or_else(|| A::Error::custom("it has two arrays of rows; one is expected"))?;
        rows.deserialize(SeqAccessDeserializer::new(array))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        let Self { rows, position, has_data } = self;
        while let Some(name) = object.next_key::<String>()? {
            let Some(position) = position.child(&name) else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            has_data.set(true);
            object.next_value_seed(RowArray { rows: &mut *rows, position, has_data })?;
        }
        if position == ArrayPosition::File && rows.is_some() {
            return Err(M::Error::custom(
                "the JSON object has no array of rows; one is expected under data, data.rows or data.table.rows",
            ));
        }
        Ok(())
    }
}
