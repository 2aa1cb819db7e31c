//! Rows of JSON files whose columns are known beforehand: an array of objects, or one object a line.
//!
//! Names are found in any case; an object need not have all of them. A list is its JSON text. The file is held in memory as
//! a whole. A record's line is its line in the file, in an array the position of its object, from 1.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::cells::Record;
use super::last_line::cut;
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
            // A line that ends is wrong; one that ends with the file, within an object, is cut.
            Err(error) if error.is_eof() && is_last(line, &text) => {
                return Err(cut(format!("the file is cut: its last line, {number}, ends within an object")));
            }
            Err(_) => record.broken(number, &String::from_utf8_lossy(line)),
        }
        if !each(&record) {
            break;
        }
    }
    Ok(())
}

/// Whether a line is the one at the end of a text, without an end of its own.
fn is_last(line: &[u8], text: &[u8]) -> bool {
    line.as_ptr_range().end == text.as_ptr_range().end
}

/// The names in all objects, in capitals. A line that is no object has none; it is refused when it is read.
pub(crate) fn names(encoding: Encoding, reader: &mut dyn Read) -> io::Result<BTreeSet<String>> {
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    let mut names = BTreeSet::new();
    let documents = match encoding {
        Encoding::Json => vec![text.as_slice()],
        _ => text.split(|byte| *byte == b'\n').collect(),
    };
    for document in documents {
        let mut new = BTreeSet::new();
        let mut json = serde_json::Deserializer::from_slice(document);
        let outcome = Names { seen: &names, new: &mut new }.deserialize(&mut json).and_then(|()| json.end());
        match outcome {
            Ok(()) => names.extend(new),
            Err(error) if encoding == Encoding::Json => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(names.iter().map(|name| name.trim().to_uppercase()).collect())
}

/// Gathers names of objects that were not seen before, values unread: most objects have no new one and cost no allocation.
struct Names<'a> {
    seen: &'a BTreeSet<String>,
    new: &'a mut BTreeSet<String>,
}

impl<'de> DeserializeSeed<'de> for Names<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Names<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array of objects")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        while object.next_key_seed(Name(Names { seen: self.seen, new: self.new }))?.is_some() {
            object.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut objects: S) -> Result<(), S::Error> {
        while objects.next_element_seed(Names { seen: self.seen, new: self.new })?.is_some() {}
        Ok(())
    }
}

/// One name.
struct Name<'a>(Names<'a>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        let Names { seen, new } = self.0;
        if !seen.contains(name) && !new.contains(name) {
            new.insert(name.to_owned());
        }
        Ok(())
    }
}

fn fill(record: &mut Record, line: u64, names: &[String], object: &Object) {
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

    #[test]
    fn a_last_line_that_ends_within_an_object_is_cut() {
        let ending = |text: &str| {
            let mut rows = 0;
            let mut each = |_: &Record| {
                rows += 1;
                true
            };
            let ended = records(Encoding::JsonLines, &[], &mut text.as_bytes(), &mut each);
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
        assert_eq!(found(Encoding::JsonLines, lines).unwrap(), ["RISKS", "SYMBOL", "X"]);
        let array = r#"[{"symbol": "A"}, {"Risks": ["a"], "SYMBOL": "B"}]"#;
        assert_eq!(found(Encoding::Json, array).unwrap(), ["RISKS", "SYMBOL"]);
        for broken in [r#"[{"symbol": "A"}, 7]"#, r#"[{"symbol": "A"}"#, r#"[{"symbol": "A"}] and more"#] {
            assert!(found(Encoding::Json, broken).is_err(), "{broken}");
        }
    }
}
