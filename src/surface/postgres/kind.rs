//! The types of Postgres that answers have, their numbers, and how a value of each is written and read.

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::{Value as Json, json};

use super::failure::SqlFailure;
use crate::engine::TypedCell;
use crate::engine::arrow_types::date;
use crate::operation::ColumnType;

/// Days from 1970-01-01 to 2000-01-01, from which Postgres counts.
const EPOCH_DAYS: i32 = 10_957;

/// A type of Postgres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PgKind {
    Bool,
    Char,
    Name,
    Int8,
    Int2,
    Int4,
    Text,
    Oid,
    Number,
    Date,
    Texts,
}

impl PgKind {
    /// Its number in `pg_type`.
    pub(super) const fn oid(self) -> u32 {
        match self {
            Self::Bool => 16,
            Self::Char => 18,
            Self::Name => 19,
            Self::Int8 => 20,
            Self::Int2 => 21,
            Self::Int4 => 23,
            Self::Text => 25,
            Self::Oid => 26,
            Self::Number => 701,
            Self::Texts => 1009,
            Self::Date => 1082,
        }
    }

    /// Its length in bytes; negative where values differ.
    pub(super) const fn length(self) -> i16 {
        match self {
            Self::Bool | Self::Char => 1,
            Self::Int2 => 2,
            Self::Int4 | Self::Oid | Self::Date => 4,
            Self::Int8 | Self::Number => 8,
            Self::Name => 64,
            Self::Text | Self::Texts => -1,
        }
    }

    /// The type of a declared column.
    pub(super) const fn of(ty: ColumnType) -> Self {
        match ty {
            ColumnType::Int => Self::Int8,
            ColumnType::Number => Self::Number,
            ColumnType::Bool => Self::Bool,
            ColumnType::Date => Self::Date,
            ColumnType::Texts => Self::Texts,
            ColumnType::Text | ColumnType::Row | ColumnType::Rows => Self::Text,
        }
    }

    /// A type by its name in capitals.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "BOOL" | "BOOLEAN" => Self::Bool,
            "CHAR" => Self::Char,
            "NAME" => Self::Name,
            "INT8" | "BIGINT" => Self::Int8,
            "INT2" | "SMALLINT" => Self::Int2,
            "INT4" | "INT" | "INTEGER" => Self::Int4,
            "TEXT" | "VARCHAR" => Self::Text,
            "OID" => Self::Oid,
            "FLOAT4" | "FLOAT8" | "NUMERIC" | "DOUBLE PRECISION" | "REAL" => Self::Number,
            _ => return None,
        })
    }

    /// Writes a value with its length before it.
    pub(super) fn write(self, cell: &TypedCell<'_>, is_binary: bool, out: &mut BytesMut) {
        if *cell == TypedCell::Null {
            out.put_i32(-1);
            return;
        }
        let at = out.len();
        out.put_i32(0);
        if is_binary {
            self.write_binary(cell, out);
        } else {
            write_text(cell, out);
        }
        let length = (out.len() - at - 4) as i32;
        if let Some(place) = out.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
    }

    fn write_binary(self, cell: &TypedCell<'_>, out: &mut BytesMut) {
        match (cell, self) {
            (TypedCell::Bool(flag), _) => out.put_u8((*flag).into()),
            (TypedCell::Int(number), Self::Int2) => out.put_i16(*number as i16),
            (TypedCell::Int(number), Self::Int4 | Self::Oid) => out.put_i32(*number as i32),
            (TypedCell::Int(number), _) => out.put_i64(*number),
            (TypedCell::Number(number), _) => out.put_f64(*number),
            (TypedCell::Date(days), _) => out.put_i32(days - EPOCH_DAYS),
            (TypedCell::Text(text), _) => out.put_slice(text.as_bytes()),
            (TypedCell::Texts(texts), _) => {
                let has_nulls = texts.iter().any(Option::is_none);
                let dimensions = i32::from(!texts.is_empty());
                out.put_i32(dimensions);
                out.put_i32(has_nulls.into());
                out.put_u32(Self::Text.oid());
                if !texts.is_empty() {
                    out.put_i32(texts.len() as i32);
                    out.put_i32(1);
                }
                for text in texts {
                    Self::Text.write(&text.map_or(TypedCell::Null, TypedCell::Text), true, out);
                }
            }
            (TypedCell::Null, _) => {}
        }
    }
}

fn write_text(cell: &TypedCell<'_>, out: &mut BytesMut) {
    match cell {
        TypedCell::Null => {}
        TypedCell::Bool(flag) => out.put_slice(if *flag { b"t" } else { b"f" }),
        TypedCell::Int(number) => out.put_slice(itoa::Buffer::new().format(*number).as_bytes()),
        TypedCell::Number(number) => out.put_slice(number.to_string().as_bytes()),
        TypedCell::Date(days) => {
            out.put_slice(date(*days).map(|date| date.to_string()).unwrap_or_default().as_bytes());
        }
        TypedCell::Text(text) => out.put_slice(text.as_bytes()),
        TypedCell::Texts(texts) => {
            let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            let each = texts.iter().map(|text| text.map_or_else(|| "NULL".to_owned(), quoted));
            out.put_slice(format!("{{{}}}", each.collect::<Vec<_>>().join(",")).as_bytes());
        }
    }
}

/// A bound value as JSON, from its type and bytes.
///
/// # Errors
/// Bytes that are no value of the type, and types that are not taken.
pub(super) fn value(oid: u32, is_binary: bool, bytes: Option<&Bytes>) -> Result<Json, SqlFailure> {
    let Some(bytes) = bytes else { return Ok(Json::Null) };
    let wrong = || SqlFailure::new("22P02", format!("a value is not of the type {oid} that was said of it"));
    if !is_binary {
        let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
        return Ok(match oid {
            20 | 21 | 23 | 26 => json!(text.trim().parse::<i64>().map_err(|_| wrong())?),
            700 | 701 => json!(text.trim().parse::<f64>().map_err(|_| wrong())?),
            16 => json!(matches!(text, "t" | "true" | "1" | "on" | "yes")),
            _ => json!(text),
        });
    }
    let whole = |bytes: &[u8]| -> Option<i64> {
        Some(match bytes.len() {
            2 => i16::from_be_bytes(bytes.try_into().ok()?).into(),
            4 if oid == 26 => u32::from_be_bytes(bytes.try_into().ok()?).into(),
            4 => i32::from_be_bytes(bytes.try_into().ok()?).into(),
            8 => i64::from_be_bytes(bytes.try_into().ok()?),
            _ => return None,
        })
    };
    Ok(match oid {
        16 => json!(bytes.first().is_some_and(|byte| *byte != 0)),
        20 | 21 | 23 | 26 => json!(whole(bytes).ok_or_else(wrong)?),
        700 => json!(f32::from_be_bytes(bytes.as_ref().try_into().map_err(|_| wrong())?)),
        701 => json!(f64::from_be_bytes(bytes.as_ref().try_into().map_err(|_| wrong())?)),
        1082 => {
            let days = whole(bytes).and_then(|days| i32::try_from(days).ok()).ok_or_else(wrong)?;
            let day = days.checked_add(EPOCH_DAYS).and_then(date).ok_or_else(wrong)?;
            json!(day.to_string())
        }
        0 | 18 | 19 | 25 | 705 | 1042 | 1043 => json!(std::str::from_utf8(bytes).map_err(|_| wrong())?),
        _ => {
            let message = format!(
                "values of the type {oid} are not taken in binary; send whole numbers, numbers, flags, texts and dates, or text"
            );
            return Err(SqlFailure::new("0A000", message));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: PgKind, cell: &TypedCell<'_>, is_binary: bool) -> Vec<u8> {
        let mut out = BytesMut::new();
        kind.write(cell, is_binary, &mut out);
        out.to_vec()
    }

    #[test]
    fn values_are_written_as_postgres_writes_them() {
        assert_eq!(written(PgKind::Text, &TypedCell::Null, false), [255, 255, 255, 255]);
        assert_eq!(written(PgKind::Bool, &TypedCell::Bool(true), false), [0, 0, 0, 1, b't']);
        assert_eq!(written(PgKind::Int4, &TypedCell::Int(258), true), [0, 0, 0, 4, 0, 0, 1, 2]);
        // 2000-01-02 is day 1 of Postgres.
        assert_eq!(written(PgKind::Date, &TypedCell::Date(10_958), true), [0, 0, 0, 4, 0, 0, 0, 1]);
        assert_eq!(&written(PgKind::Date, &TypedCell::Date(10_958), false)[4..], b"2000-01-02");
        let texts = TypedCell::Texts(vec![Some("a\"b"), None]);
        assert_eq!(&written(PgKind::Texts, &texts, false)[4..], br#"{"a\"b",NULL}"#);
        let binary = written(PgKind::Texts, &TypedCell::Texts(vec![Some("ab")]), true);
        let expected = [
            0, 0, 0, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, b'a', b'b',
        ];
        assert_eq!(binary, expected);
    }

    #[test]
    fn bound_values_are_read_by_their_types() {
        let read =
            |oid, is_binary, bytes: &'static [u8]| value(oid, is_binary, Some(&Bytes::from_static(bytes)));
        assert_eq!(read(23, true, &[0, 0, 1, 2]).unwrap(), json!(258));
        assert_eq!(read(20, false, b"-7").unwrap(), json!(-7));
        assert_eq!(read(1082, true, &[0, 0, 0, 1]).unwrap(), json!("2000-01-02"));
        assert_eq!(read(25, true, b"x' OR 1=1").unwrap(), json!("x' OR 1=1"));
        assert_eq!(value(25, true, None).unwrap(), Json::Null);
        for (oid, bytes) in [(23, &b"abc"[..]), (701, b"1"), (1082, &[127, 255, 255, 255]), (1700, b"1")] {
            assert!(read(oid, true, bytes).is_err(), "{oid}");
        }
    }
}
