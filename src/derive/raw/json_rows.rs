//! Rows of a JSON file: an array of flat objects, as screeners hand them out.
//!
//! The names of the first object are the columns; what another object has beside them is not read. The file is held in
//! memory as a whole. A record's line is the position of its object, from 1.

use std::io::{self, BufReader, Read};

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::cells::{Header, Record};

type Object = Map<String, Value>;

/// The names of the first object of an array whose beginning this is.
pub(crate) fn header(head: &[u8]) -> Option<Header> {
    let inside = head.trim_ascii_start().strip_prefix(b"[")?;
    let first = serde_json::Deserializer::from_slice(inside).into_iter::<Object>().next()?.ok()?;
    Some(Header::new(&first.keys().collect::<ByteRecord>()))
}

/// Hands each object to `each` as a record until it says stop.
pub(crate) fn records(reader: &mut dyn Read, each: &mut dyn FnMut(&Record) -> bool) -> io::Result<()> {
    let objects: Vec<Object> = serde_json::from_reader(BufReader::new(reader))?;
    let names: Vec<&String> = objects.first().map(|first| first.keys().collect()).unwrap_or_default();
    let mut record = Record::new();
    for (line, object) in (1..).zip(&objects) {
        record.start(line);
        for name in &names {
            record.push(&text(object.get(*name)));
        }
        if !each(&record) {
            break;
        }
    }
    Ok(())
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
