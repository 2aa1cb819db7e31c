//! The table of free symbols: read from a raw file, and retained when the file is gone.

use std::fs;
use std::path::Path;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;

use parquote::derive::{DeriveOptions, derive};
use parquote::operation::Market;
use parquote::raw::SilentProgress;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, copy_folder, derive_into, file};
use crate::tables::read;

#[test]
fn free_symbols_are_given_by_a_file_and_kept() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw.join("india"), &raw.path().join("india"));
    derive_into(raw.path(), data.path(), None);
    let first = symbols(data.path());
    assert_eq!(first.len(), 24, "all companies of the little market");

    let given = raw.path().join("india").join("free_symbols.csv");
    let two = [first[3].clone(), first[7].clone()];
    fs::write(&given, format!("Symbol\n{}\n{}\n", two[1], two[0].to_lowercase())).unwrap();
    derive_into(raw.path(), data.path(), None);
    let mut found = symbols(data.path());
    found.sort();
    assert_eq!(found, two);

    fs::remove_file(given).unwrap();
    derive_into(raw.path(), data.path(), None);
    let mut found = symbols(data.path());
    found.sort();
    assert_eq!(found, two, "what was given once is kept");
}

#[test]
fn a_past_set_has_the_free_symbols_of_the_published_one() {
    let (raw, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy_folder(&LITTLE.raw.join("india"), &raw.path().join("india"));
    derive_into(raw.path(), data.path(), None);
    let one = symbols(data.path()).swap_remove(5);
    let given = raw.path().join("india").join("free_symbols.csv");
    fs::write(&given, format!("Symbol\n{one}\n")).unwrap();
    derive_into(raw.path(), data.path(), None);
    fs::remove_file(given).unwrap();
    let past = data.path().join("past");
    let options = DeriveOptions {
        raw: raw.path().to_owned(),
        data: past.clone(),
        kept_tables_source: Some(data.path().to_owned()),
        ..DeriveOptions::default()
    };
    RUNTIME.block_on(derive(&CATALOGUE, Market::India, &options, &SilentProgress)).unwrap();
    assert_eq!(symbols(&past), [one]);
}

/// The engine computes with lists of string views, which readers such as pandas do not support.
#[test]
fn lists_of_texts_are_written_as_lists_of_plain_strings() {
    let mut lists = 0;
    for market in ["india", "us"] {
        for path in fs::read_dir(LITTLE.data.join(market)).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|extension| extension != "parquet") {
                continue;
            }
            for field in read(&path).schema().fields() {
                if let DataType::List(item) = field.data_type() {
                    assert_eq!(item.data_type(), &DataType::Utf8, "{}: {}", path.display(), field.name());
                    lists += 1;
                }
            }
        }
    }
    assert!(lists >= 8, "{lists}");
}

fn symbols(data: &Path) -> Vec<String> {
    let rows = read(&file(data, "india/free_symbols.parquet"));
    let texts = cast(rows.column(0), &DataType::Utf8).unwrap();
    texts.as_string::<i32>().iter().map(|symbol| symbol.unwrap().to_owned()).collect()
}
