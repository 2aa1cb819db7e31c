//! Rows of JSON files with known columns: an array of objects, or one object per line.
//!
//! Names match in any case; an object need not have all of them. A list is its JSON text. Objects are read one by one. A record's line is
//! its line in the file; in an array, the position of its object, from 1.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::json_rows::{self, Object};
use crate::last_line::truncated_file;
use crate::row_array::RowArray;
use crate::rows::RowEncoding;
use crate::text::cells::CellRecord;
use crate::unpack_bounds::{RowBoundReader, refusal};

/// Maximum number of distinct names in a file; a table has some dozens of columns.
const MOST_NAMES: usize = 10_000;

/// Passes each object to `each` as a record of `names`, which are in upper case, until it returns false.
pub fn records(
    encoding: RowEncoding,
    names: &[String],
    reader: &mut dyn Read,
    each: &mut dyn FnMut(&CellRecord) -> bool,
) -> io::Result<()> {
    let mut record = CellRecord::new();
    if encoding == RowEncoding::Json {
        return json_rows::objects(reader, &mut |line, object| {
            fill_record(&mut record, line, names, object);
            each(&record)
        });
    }
    read_lines(reader, &mut |number, line, is_open| {
        match serde_json::from_slice::<Object>(line) {
            Ok(object) => fill_record(&mut record, number, names, &object),
            // A complete line is wrong; a last line that ends inside an object is cut.
            Err(error) if error.is_eof() && is_open => {
                return Err(truncated_file(format!(
                    "the file is cut: its last line, {number}, ends within an object"
                )));
            }
            Err(_) => record.set_broken(number, &String::from_utf8_lossy(line)),
        }
        Ok(each(&record))
    })
}

/// Receives the number of a line, its bytes, and true if the file ends without its line end; returns false to end the reading.
type EachLine<'a> = dyn FnMut(u64, &[u8], bool) -> io::Result<bool> + 'a;

/// Passes each line that is not blank to `each`.
fn read_lines(reader: &mut dyn Read, each: &mut EachLine<'_>) -> io::Result<()> {
    let since = Cell::new(0);
    let mut reader = BufReader::new(RowBoundReader::new(reader, &since));
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        since.set(0);
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_open = line.last() != Some(&b'\n');
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if !text.trim_ascii().is_empty() && !each(number, text, is_open)? {
            break;
        }
    }
    Ok(())
}

/// Returns the names in all objects, trimmed and in upper case. A line that is not an object has none; [`records`] marks it as broken.
pub fn names(encoding: RowEncoding, reader: &mut dyn Read) -> io::Result<BTreeSet<String>> {
    let mut seen = BTreeSet::new();
    if encoding == RowEncoding::Json {
        let since = Cell::new(0);
        let mut json =
            serde_json::Deserializer::from_reader(BufReader::new(RowBoundReader::new(reader, &since)));
        let none = BTreeSet::new();
        let mut objects = Some(ObjectNames { seen: &none, new: &mut seen, since: &since });
        RowArray::new(&mut objects, &Cell::new(false)).deserialize(&mut json).and_then(|()| json.end())?;
    } else {
        read_lines(reader, &mut |_, line, _| {
            let (mut new, since) = (BTreeSet::new(), Cell::new(0));
            let mut json = serde_json::Deserializer::from_slice(line);
            let outcome = ObjectNames { seen: &seen, new: &mut new, since: &since }.deserialize(&mut json);
            if outcome.and_then(|()| json.end()).is_ok() {
                seen.append(&mut new);
            }
            if seen.len() > MOST_NAMES {
                return Err(refusal(format!("its objects have more than {MOST_NAMES} names")));
            }
            Ok(true)
        })?;
    }
    Ok(seen.iter().map(|name| name.trim().to_uppercase()).collect())
}

/// Adds the names of objects that are not in `seen` to `new`. Values are not read, and an object without new names costs no allocation.
struct ObjectNames<'a> {
    seen: &'a BTreeSet<String>,
    new: &'a mut BTreeSet<String>,
    /// Bytes since the previous object.
    since: &'a Cell<u64>,
}

impl<'de> DeserializeSeed<'de> for ObjectNames<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ObjectNames<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array of objects")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        let ObjectNames { seen, new, since } = self;
        while object.next_key_seed(ObjectName(ObjectNames { seen, new: &mut *new, since }))?.is_some() {
            object.next_value::<IgnoredAny>()?;
        }
        since.set(0);
        let too_many = || M::Error::custom(format!("its objects have more than {MOST_NAMES} names"));
        if new.len() > MOST_NAMES { Err(too_many()) } else { Ok(()) }
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut objects: S) -> Result<(), S::Error> {
        let ObjectNames { seen, new, since } = self;
        while objects.next_element_seed(ObjectNames { seen, new: &mut *new, since })?.is_some() {}
        Ok(())
    }
}

/// Adds one name of an object.
struct ObjectName<'a>(ObjectNames<'a>);

impl<'de> DeserializeSeed<'de> for ObjectName<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for ObjectName<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        let ObjectNames { seen, new, .. } = self.0;
        if !seen.contains(name) && !new.contains(name) {
            new.insert(name.to_owned());
        }
        Ok(())
    }
}

fn fill_record(record: &mut CellRecord, line: u64, names: &[String], object: &Object) {
    record.start(line);
    for name in names {
        let value =
            object.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value);
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

    fn read(encoding: RowEncoding, text: &str) -> Vec<(u32, bool, String)> {
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
        let rows =
            read(RowEncoding::Json, r#"[{"Symbol": "A", "x": 1}, {"risks": ["a", "b"], "symbol": "B"}]"#);
        assert_eq!(rows, [(1, false, "A,".into()), (2, false, r#"B,["a","b"]"#.into())]);
    }

    #[test]
    fn a_line_that_is_no_object_is_broken() {
        let rows = read(RowEncoding::JsonLines, "{\"symbol\": \"A\"}\n\n{\"symbol\":\n{\"symbol\": \"B\"}\n");
        assert_eq!(
            rows,
            [(1, false, "A,".into()), (3, true, "{\"symbol\":".into()), (4, false, "B,".into())]
        );
    }

    #[test]
    fn a_last_line_that_ends_within_an_object_is_cut() {
        let ending = |text: &str| {
            let mut rows = 0;
            let mut each = |_: &CellRecord| {
                rows += 1;
                true
            };
            let ended = records(RowEncoding::JsonLines, &[], &mut text.as_bytes(), &mut each);
            (rows, ended.is_ok())
        };
        assert_eq!(ending("{\"a\": 1}\n{\"a\": 2}"), (2, true));
        assert_eq!(ending("{\"a\": 1}\n{\"a\": 2"), (1, false));
        assert_eq!(ending("{\"a\": 1}\n{\"a\": 2\n"), (2, true), "a wrong line");
        assert_eq!(ending("{\"a\": 1}\nwords"), (2, true), "a wrong line");
    }

    #[test]
    fn all_names_are_found_but_those_of_a_line_that_is_no_object() {
        let found = |encoding, text: &str| names(encoding, &mut text.as_bytes()).map(Vec::from_iter);
        let lines = "{\"Symbol\": \"A\", \"x\": {\"y\": 1}}\n\n{\"broken\": 1,\n{\"symbol\": null, \" Risks \": [\"r\"]}";
        assert_eq!(found(RowEncoding::JsonLines, lines).unwrap(), ["RISKS", "SYMBOL", "X"]);
        let array = r#"[{"symbol": "A"}, {"Risks": ["a"], "SYMBOL": "B"}]"#;
        assert_eq!(found(RowEncoding::Json, array).unwrap(), ["RISKS", "SYMBOL"]);
        let answer = r#"{"status": 1, "data": [{"symbol": "A"}, {"Risks": ["a"]}]}"#;
        assert_eq!(found(RowEncoding::Json, answer).unwrap(), ["RISKS", "SYMBOL"]);
        assert!(found(RowEncoding::Json, r#"{"data": []}"#).unwrap().is_empty());
        for broken in [r#"[{"symbol": "A"}, 7]"#, r#"[{"symbol": "A"}"#, r#"[{"symbol": "A"}] and more"#] {
            assert!(found(RowEncoding::Json, broken).is_err(), "{broken}");
        }
    }
}
