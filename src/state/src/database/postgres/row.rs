//! A row of PostgreSQL.

use tokio_postgres::types::Type;

use super::super::value::{DatabaseValue, ValueKind};
use super::{DatabaseError, Result};

pub(crate) struct PostgresRow(pub(super) tokio_postgres::Row);

impl PostgresRow {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.columns().iter().map(tokio_postgres::Column::name)
    }

    /// Returns the value of a column by its index, from 0.
    pub(crate) fn value(&self, index: usize) -> Result<DatabaseValue<'_>> {
        let null = DatabaseValue::Null(ValueKind::OfColumn);
        let column_type = self.0.columns().get(index).map(tokio_postgres::Column::type_);
        Ok(match column_type {
            Some(&Type::INT8) => {
                self.0.try_get::<_, Option<i64>>(index)?.map_or(null, DatabaseValue::Integer)
            }
            Some(&Type::INT4) => {
                self.0.try_get::<_, Option<i32>>(index)?.map_or(null, |it| DatabaseValue::Integer(it.into()))
            }
            Some(&Type::BOOL) => {
                self.0.try_get::<_, Option<bool>>(index)?.map_or(null, |it| DatabaseValue::Integer(it.into()))
            }
            Some(&Type::TEXT) => self.0.try_get::<_, Option<&str>>(index)?.map_or(null, DatabaseValue::Text),
            Some(&Type::BYTEA) => {
                self.0.try_get::<_, Option<&[u8]>>(index)?.map_or(null, DatabaseValue::Bytes)
            }
            _ => return Err(DatabaseError::Kind),
        })
    }
}
