//! Rows of a JSON file: an array of flat objects, as screeners export them, alone or in the response object of a web service.
//!
//! The names of the first object are the columns; additional names of other objects are not read. Objects are read one by one. A record's
//! line is the position of its object, from 1.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Read};

use csv::ByteRecord;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::row_array::RowArray;
use crate::text::cells::{CellRecord, HeaderLine};
use crate::unpack_bounds::{RowBoundReader, is_refusal};

/// A row of a JSON file.
pub(crate) type Object = Map<String, Value>;

/// Content of a JSON object, up to its first row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// The object has no `data`, or the file is not JSON.
    None,
    /// An empty array of rows.
    Empty,
    /// At least one row; the header has the names of the first one.
    Rows(HeaderLine),
}

/// Returns the names of the first object of an array; `None` if `head` does not start with an array of objects.
pub(crate) fn header_of_first_object(head: &[u8]) -> Option<HeaderLine> {
    let inside = head.trim_ascii_start().strip_prefix(b"[")?;
    let first = serde_json::Deserializer::from_slice(inside).into_iter::<Object>().next()?.ok()?;
    Some(header_of(&first))
}

fn header_of(object: &Object) -> HeaderLine {
    HeaderLine::new(&object.keys().collect::<ByteRecord>())
}

/// Reads a JSON object up to the first row of its array of rows.
///
/// # Errors
/// An object whose `data` has no array of objects, or that ends before its first row.
pub(crate) fn read_envelope(reader: &mut dyn Read) -> io::Result<Envelope> {
    let mut first = None;
    let has_data = Cell::new(false);
    let outcome = read_objects(reader, &has_data, &mut |_, object| {
        first = Some(header_of(object));
        false
    });
    match (first, outcome) {
        (Some(header), _) => Ok(Envelope::Rows(header)),
        (None, Ok(())) => Ok(Envelope::Empty),
        (None, Err(error)) if has_data.get() => Err(error),
        // In supported files, the part before `data` is not longer than a row.
        (None, Err(error)) if is_json_error(&error) || is_refusal(&error) => Ok(Envelope::None),
        (None, Err(error)) => Err(error),
    }
}

/// Returns true if the text is invalid, as opposed to a failed read.
fn is_json_error(error: &io::Error) -> bool {
    let json = error.get_ref().and_then(|inner| inner.downcast_ref::<serde_json::Error>());
    json.is_some_and(|json| !json.is_io())
}

/// Returns true if a file starts with an object around an array of objects, or around an empty array.
pub(crate) fn starts_as_envelope(head: &[u8]) -> bool {
    matches!(read_envelope(&mut &*head), Ok(Envelope::Rows(_) | Envelope::Empty))
}

/// Passes each object to `each` as a record until it returns false.
pub(crate) fn records(reader: &mut dyn Read, each: &mut dyn FnMut(&CellRecord) -> bool) -> io::Result<()> {
    let mut names: Option<Vec<String>> = None;
    let mut record = CellRecord::new();
    objects(reader, &mut |line, object| {
        record.start(line);
        let names = names.get_or_insert_with(|| object.keys().cloned().collect());
        for name in names.iter() {
            record.push(&value_as_cell(object.get(name)));
        }
        each(&record)
    })
}

/// Passes each object of the array, with its position from 1, to `each` until it returns false.
///
/// # Errors
/// A file without an array of objects; objects before the fault have been passed on.
pub(crate) fn objects(reader: &mut dyn Read, each: &mut dyn FnMut(u64, &Object) -> bool) -> io::Result<()> {
    read_objects(reader, &Cell::new(false), each)
}

fn read_objects(
    reader: &mut dyn Read,
    has_data: &Cell<bool>,
    each: &mut dyn FnMut(u64, &Object) -> bool,
) -> io::Result<()> {
    let since = Cell::new(0);
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(RowBoundReader::new(reader, &since)));
    let mut is_stopped = false;
    let mut rows = Some(ObjectStream { each, since: &since, is_stopped: &mut is_stopped });
    let outcome = RowArray::new(&mut rows, has_data).deserialize(&mut json).and_then(|()| json.end());
    // Once `each` has ended the reading, errors in the rest of the file are ignored.
    if is_stopped { Ok(()) } else { outcome.map_err(io::Error::from) }
}

/// Passes objects to a callback as they are parsed.
struct ObjectStream<'a> {
    each: &'a mut dyn FnMut(u64, &Object) -> bool,
    /// Bytes since the previous object.
    since: &'a Cell<u64>,
    is_stopped: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for ObjectStream<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, array: D) -> Result<(), D::Error> {
        array.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ObjectStream<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut objects: S) -> Result<(), S::Error> {
        let mut position = 0;
        while let Some(object) = objects.next_element::<Object>()? {
            self.since.set(0);
            position += 1;
            if !(self.each)(position, &object) {
                *self.is_stopped = true;
                break;
            }
        }
        Ok(())
    }
}

/// Formats a value as a cell; empty for null, lists, objects and a missing value.
pub(crate) fn value_as_cell(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of a text, and the error that ends its reading.
    fn read(text: &str) -> (Vec<(u32, String)>, Option<String>) {
        let mut rows = Vec::new();
        let ended = records(&mut text.as_bytes(), &mut |record| {
            rows.push((record.line(), record.source_text()));
            true
        });
        (rows, ended.err().map(|error| error.to_string()))
    }

    #[test]
    fn objects_are_rows_of_the_first_ones_names() {
        let text = r#" [ {"symbol": "AAA", "lastsale": "$0.97", "volume": 12, "note": null},
                           {"volume": 7.5, "symbol": "BBB", "more": [1]} ]"#;
        assert_eq!(
            header_of_first_object(text.as_bytes()).unwrap().cells(),
            ["SYMBOL", "LASTSALE", "VOLUME", "NOTE"]
        );
        assert_eq!(read(text), (vec![(1, "AAA,$0.97,12,".to_owned()), (2, "BBB,,7.5,".to_owned())], None));
        assert!(
            header_of_first_object(b"[1, 2]").is_none() && header_of_first_object(b"{\"a\": 1}").is_none()
        );
    }

    #[test]
    fn an_array_may_lie_in_an_envelope() {
        let rows = r#"[{"symbol": "AAA", "name": "Alfa"}, {"symbol": "BBB"}]"#;
        for text in [
            format!("{{\"data\": {rows}}}"),
            format!(
                "{{\"names\": [\"x\", {{\"data\": 1}}], \"data\": {rows}, \"status\": {{\"code\": 200}}}}"
            ),
            format!(
                "{{\"data\": {{\"headers\": {{\"rows\": \"no\"}}, \"rows\": {rows}}}, \"message\": null}}"
            ),
            format!("{{\"data\": {{\"totalrecords\": 2, \"table\": {{\"asOf\": null, \"rows\": {rows}}}}}}}"),
        ] {
            assert_eq!(
                read(&text),
                (vec![(1, "AAA,Alfa".to_owned()), (2, "BBB,".to_owned())], None),
                "{text}"
            );
            let names = HeaderLine::new(&ByteRecord::from(vec!["symbol", "name"]));
            assert_eq!(read_envelope(&mut text.as_bytes()).unwrap(), Envelope::Rows(names), "{text}");
            assert!(starts_as_envelope(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn an_envelope_without_rows_is_empty_and_one_without_an_array_is_refused() {
        for text in
            ["{\"data\": []}", "{\"data\": {\"rows\": []}}", "{\"data\":{\"table\":{\"rows\":[]}}, \"x\": 1}"]
        {
            assert_eq!(read_envelope(&mut text.as_bytes()).unwrap(), Envelope::Empty, "{text}");
            assert_eq!(read(text), (vec![], None), "{text}");
        }
        for (text, words) in [
            ("{\"data\": {}}", "has no array of rows"),
            ("{\"data\": {\"list\": [{}]}}", "has no array of rows"),
            ("{\"data\": null}", "expected an array of objects under data"),
            ("{\"data\": {\"rows\": null}}", "expected an array of objects"),
            ("{\"data\": {\"table\": []}}", "under data.table.rows"),
            ("{\"data\": {\"rows\": [], \"table\": {\"rows\": []}}}", "two arrays of rows"),
            ("{\"data\": [1, 2]}", "expected a map"),
            ("{\"data\": [{\"symbol\": ", "EOF"),
            ("{\"data\": [{\"symbol\": \"A\"}, {\"sym", "EOF"),
        ] {
            assert!(read(text).1.unwrap().contains(words), "{text}: {:?}", read(text));
        }
        let refused = read_envelope(&mut &b"{\"data\": {}}"[..]).unwrap_err().to_string();
        assert!(refused.contains("data.table.rows"), "{refused}");
    }

    #[test]
    fn an_object_without_data_is_none_of_ours() {
        for text in ["{}", "{\"a\": [{}]}", "{\"rows\": [{}]}", "{\"a\": \"{\"a\": \"", "{words}"] {
            assert_eq!(read_envelope(&mut text.as_bytes()).unwrap(), Envelope::None, "{text}");
        }
        let long = format!("{{\"a\": \"{}\", \"data\": []}}", "x".repeat(9 << 20));
        assert_eq!(read_envelope(&mut long.as_bytes()).unwrap(), Envelope::None);
    }

    #[test]
    fn what_stands_before_and_behind_the_rows_is_no_longer_than_a_row() {
        let long = "x".repeat(9 << 20);
        let behind = format!("{{\"data\": [{{\"symbol\": \"A\"}}], \"more\": \"{long}\"}}");
        let (rows, error) = read(&behind);
        assert_eq!(rows.len(), 1);
        assert!(error.unwrap().contains("longer than"), "a bound");
    }
}
