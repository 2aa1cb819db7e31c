//! Rows of JSON files whose columns are known beforehand: an array of objects, or one object a line.
//!
//! Names are found in any case; an object need not have all of them. A list is its JSON text. The file is held in memory as
//! a whole. A record's line is its line in the file, in an array the position of its object, from 1.

use std::io::{self, Read};

use serde_json::{Map, Value};

use super::cells::Record;
use super::rows::Encoding;

type Object = Map<String, Value>;

/// Hands each object to `each` as a record of `names`, which are in capitals, until it says stop.
pub(crate) fn records(
    encoding: Encoding,
    names: &[String],
    reader: &mut dyn Read,
    each: &mut dyn FnMut(&Record) -> bool,
) -> io::Result<()> {
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    let mut record = Record::new();
    if encoding == Encoding::Json {
        let objects: Vec<Object> = serde_json::from_slice(&text)?;
        for (line, object) in (1..).zip(&objects) {
            fill(&mut record, line, names, object);
            if !each(&record) {
                break;
            }
        }
        return Ok(());
    }
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Object>(line) {
            Ok(object) => fill(&mut record, number, names, &object),
            Err(_) => record.broken(number, &String::from_utf8_lossy(line)),
        }
        if !each(&record) {
            break;
        }
    }
    Ok(())
}

fn fill(record: &mut Record, line: u64, names: &[String], object: &Object) {
    record.start(line);
    for name in names {
        let value = object.iter().find(|(key, _)| key.trim().to_uppercase() == *name).map(|(_, value)| value);
        match value {
            None | Some(Value::Null) => record.push(""),
            Some(Value::String(text)) => record.push(text),
            Some(other) => record.push(&other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(encoding: Encoding, text: &str) -> Vec<(u32, bool, String)> {
        let names = ["SYMBOL".to_owned(), "RISKS".to_owned()];
        let mut rows = Vec::new();
        records(encoding, &names, &mut text.as_bytes(), &mut |record| {
            rows.push((record.line(), record.is_broken(), record.source_text()));
            true
        })
        .unwrap();
        rows
    }

    #[test]
    fn objects_need_not_have_all_names() {
        let rows = read(Encoding::Json, r#"[{"Symbol": "A", "x": 1}, {"risks": ["a", "b"], "symbol": "B"}]"#);
        assert_eq!(rows, [(1, false, "A,".into()), (2, false, r#"B,["a","b"]"#.into())]);
    }

    #[test]
    fn a_line_that_is_no_object_is_told_apart() {
        let rows = read(Encoding::JsonLines, "{\"symbol\": \"A\"}\n\n{\"symbol\":\n{\"symbol\": \"B\"}\n");
        assert_eq!(
            rows,
            [(1, false, "A,".into()), (3, true, "{\"symbol\":".into()), (4, false, "B,".into())]
        );
    }
}
