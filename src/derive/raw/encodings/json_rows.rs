//! Rows of a JSON file: an array of flat objects, as screeners hand them out.
//!
//! The names of the first object are the columns; what another object has beside them is not read. Objects are read one by
//! one. A record's line is the position of its object, from 1.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Read};

use csv::ByteRecord;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::derive::raw::encodings::unpack_bounds::Rowed;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};

/// A row of a JSON file.
pub(crate) type Object = Map<String, Value>;

/// The names of the first object of an array whose beginning this is.
pub(crate) fn header(head: &[u8]) -> Option<HeaderLine> {
    let inside = head.trim_ascii_start().strip_prefix(b"[")?;
    let first = serde_json::Deserializer::from_slice(inside).into_iter::<Object>().next()?.ok()?;
    Some(HeaderLine::new(&first.keys().collect::<ByteRecord>()))
}

/// Hands each object to `each` as a record until it says stop.
pub(crate) fn records(reader: &mut dyn Read, each: &mut dyn FnMut(&CellRecord) -> bool) -> io::Result<()> {
    let mut names: Option<Vec<String>> = None;
    let mut record = CellRecord::new();
    objects(reader, &mut |line, object| {
        record.start(line);
        let names = names.get_or_insert_with(|| object.keys().cloned().collect());
        for name in names.iter() {
            record.push(&text(object.get(name)));
        }
        each(&record)
    })
}

/// Hands each object of an array, with its position from 1, to `each` until it says stop.
///
/// # Errors
/// What is no array of objects; objects before the fault have been handed on.
pub(crate) fn objects(reader: &mut dyn Read, each: &mut dyn FnMut(u64, &Object) -> bool) -> io::Result<()> {
    let since = Cell::new(0);
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(Rowed::new(reader, &since)));
    let mut is_stopped = false;
    let visitor = ObjectStream { each, since: &since, is_stopped: &mut is_stopped };
    let outcome = json.deserialize_seq(visitor).and_then(|()| json.end());
    // Who wants no more is not told what comes then.
    if is_stopped { Ok(()) } else { outcome.map_err(io::Error::from) }
}

/// Objects as they come.
struct ObjectStream<'a> {
    each: &'a mut dyn FnMut(u64, &Object) -> bool,
    /// Bytes since the object before.
    since: &'a Cell<u64>,
    is_stopped: &'a mut bool,
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

/// A value as a cell; what is no single value is nothing.
fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_rows_of_the_first_ones_names() {
        let text = br#" [ {"symbol": "AAA", "lastsale": "$0.97", "volume": 12, "note": null},
                           {"volume": 7.5, "symbol": "BBB", "more": [1]} ]"#;
        assert_eq!(header(text).unwrap().cells(), ["SYMBOL", "LASTSALE", "VOLUME", "NOTE"]);
        let mut rows = Vec::new();
        records(&mut text.as_slice(), &mut |record| {
            rows.push((record.line(), record.source_text()));
            true
        })
        .unwrap();
        assert_eq!(rows, [(1, "AAA,$0.97,12,".to_owned()), (2, "BBB,,7.5,".to_owned())]);
        assert!(header(b"[1, 2]").is_none() && header(b"{\"a\": 1}").is_none());
    }
}
