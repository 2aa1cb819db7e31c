//! Records by their type, as they are read: the code that processes a type of record takes them from here.
//!
//! The store does not depend on the types of records, so that a new type changes nothing here.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

use crate::records::positioned_row::{PositionedRow, RecordPosition};

#[derive(Default)]
pub(crate) struct RecordStore(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl RecordStore {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, row: T, at: &RecordPosition<'_>) {
        let rows_of_type =
            self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(Vec::<PositionedRow<T>>::new()));
        if let Some(rows) = rows_of_type.downcast_mut::<Vec<PositionedRow<T>>>() {
            rows.push(PositionedRow { row, file: at.file, line: at.line });
        }
    }

    /// Returns all records of a type, in the order in which they were added.
    pub(crate) fn rows<T: 'static>(&self) -> &[PositionedRow<T>] {
        let rows =
            self.0.get(&TypeId::of::<T>()).and_then(|rows| rows.downcast_ref::<Vec<PositionedRow<T>>>());
        rows.map_or(&[], Vec::as_slice)
    }

    /// Returns all records of a type for modification.
    pub(crate) fn rows_mut<T: 'static>(&mut self) -> &mut [PositionedRow<T>] {
        let rows =
            self.0.get_mut(&TypeId::of::<T>()).and_then(|rows| rows.downcast_mut::<Vec<PositionedRow<T>>>());
        rows.map_or(&mut [], Vec::as_mut_slice)
    }

    /// Takes all records of a type, in the order in which they were added.
    pub(crate) fn take_rows<T: 'static>(&mut self) -> Vec<PositionedRow<T>> {
        let rows =
            self.0.remove(&TypeId::of::<T>()).and_then(|rows| rows.downcast::<Vec<PositionedRow<T>>>().ok());
        rows.map(|rows| *rows).unwrap_or_default()
    }
}

impl fmt::Debug for RecordStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records of {} types", self.0.len())
    }
}
