//! Rows that are copied: `COPY (SELECT ...) TO STDOUT`, as text, CSV or binary.

use bytes::{BufMut as _, Bytes, BytesMut};
use pgwire::messages::PgWireBackendMessage as Told;
use pgwire::messages::copy::{CopyData, CopyDone, CopyOutResponse};

use super::answer::AnsweredRows;
use super::kind::PgKind;
use super::statement::CopyForm;
use super::wire::{Wire, WireError};
use crate::engine::TypedCell;

/// Sends all rows; how many there were.
pub(super) async fn copied(wire: &mut Wire, rows: &AnsweredRows, form: CopyForm) -> Result<usize, WireError> {
    let code = i8::from(form == CopyForm::Binary);
    let columns = rows.columns.len();
    let formats = vec![code.into(); columns];
    wire.send(&Told::CopyOutResponse(CopyOutResponse::new(code, columns as i16, formats))).await?;
    let mut count = 0;
    let mut head = BytesMut::new();
    if form == CopyForm::Binary {
        head.put_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
    }
    for row in rows.from(0) {
        let mut bytes = std::mem::take(&mut head);
        if form == CopyForm::Binary {
            bytes.put_i16(columns as i16);
        }
        for (at, (cell, (_, kind))) in row.iter().zip(&rows.columns).enumerate() {
            write(form, at, cell, *kind, &mut bytes);
        }
        if form != CopyForm::Binary {
            bytes.put_u8(b'\n');
        }
        wire.send(&Told::CopyData(CopyData::new(bytes.freeze()))).await?;
        count += 1;
    }
    if form == CopyForm::Binary {
        head.put_i16(-1);
        wire.send(&Told::CopyData(CopyData::new(head.freeze()))).await?;
    }
    wire.send(&Told::CopyDone(CopyDone::new())).await?;
    Ok(count)
}

fn write(form: CopyForm, at: usize, cell: &TypedCell<'_>, kind: PgKind, bytes: &mut BytesMut) {
    if form == CopyForm::Binary {
        return kind.write(cell, true, bytes);
    }
    if at > 0 {
        bytes.put_u8(if form == CopyForm::Csv { b',' } else { b'\t' });
    }
    let text = text_of(cell, kind);
    let written = match (text, form) {
        (None, CopyForm::Csv) => String::new(),
        (None, _) => "\\N".to_owned(),
        (Some(text), CopyForm::Csv) => {
            let is_plain = !text.is_empty() && !text.contains([',', '"', '\n', '\r']);
            if is_plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
        }
        (Some(text), _) => {
            let text = text.replace('\\', "\\\\").replace('\t', "\\t");
            text.replace('\n', "\\n").replace('\r', "\\r")
        }
    };
    bytes.put_slice(written.as_bytes());
}

/// A value as text; none of none.
fn text_of(cell: &TypedCell<'_>, kind: PgKind) -> Option<String> {
    if *cell == TypedCell::Null {
        return None;
    }
    let mut bytes = BytesMut::new();
    kind.write(cell, false, &mut bytes);
    let bytes: Bytes = bytes.split_off(4).freeze();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_as_postgres_copies_them() {
        let line = |form| {
            let mut bytes = BytesMut::new();
            let cells = [
                (TypedCell::Text("a,\"b\"\tc"), PgKind::Text),
                (TypedCell::Null, PgKind::Int8),
                (TypedCell::Int(7), PgKind::Int8),
            ];
            for (at, (cell, kind)) in cells.iter().enumerate() {
                write(form, at, cell, *kind, &mut bytes);
            }
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        assert_eq!(line(CopyForm::Text), "a,\"b\"\\tc\t\\N\t7");
        assert_eq!(line(CopyForm::Csv), "\"a,\"\"b\"\"\tc\",,7");
    }
}
