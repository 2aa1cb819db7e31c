//! A row of PostgreSQL.

use tokio_postgres::types::Type;

use super::super::value::{DatabaseValue, ValueKind};
use super::{DatabaseError, Result};

pub(crate) struct PostgresRow(pub(super) tokio_postgres::Row);

impl PostgresRow {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.columns().iter().map(tokio_postgres::Column::name)
    }

    /// Returns the value of the column at a position.
    pub(crate) fn value(&self, nth: usize) -> Result<DatabaseValue<'_>> {
        let null = DatabaseValue::Null(ValueKind::OfColumn);
        let of = self.0.columns().get(nth).map(tokio_postgres::Column::type_);
        Ok(match of {
            Some(&Type::INT8) => self.0.try_get::<_, Option<i64>>(nth)?.map_or(null, DatabaseValue::Integer),
            Some(&Type::INT4) => {
                self.0.try_get::<_, Option<i32>>(nth)?.map_or(null, |it| DatabaseValue::Integer(it.into()))
            }
            Some(&Type::BOOL) => {
                self.0.try_get::<_, Option<bool>>(nth)?.map_or(null, |it| DatabaseValue::Integer(it.into()))
            }
            Some(&Type::TEXT) => self.0.try_get::<_, Option<&str>>(nth)?.map_or(null, DatabaseValue::Text),
            Some(&Type::BYTEA) => self.0.try_get::<_, Option<&[u8]>>(nth)?.map_or(null, DatabaseValue::Bytes),
            _ => return Err(DatabaseError::Kind),
        })
    }
}
