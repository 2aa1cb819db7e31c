//! Figures derived from published bars equal those derived from raw files, byte for byte.

use std::fs;
use std::path::Path;

use parquote::derive::{RederiveOptions, derive_figures};
use parquote::operation::Market;
use parquote::raw::SilentProgress;

use crate::demo_market::{CATALOGUE, LITTLE, RUNTIME, file};
use crate::tables;

#[test]
fn figures_derived_again_are_the_same() {
    let copy = LITTLE.copy();
    for market in Market::ALL {
        RUNTIME
            .block_on(derive_figures(
                &CATALOGUE,
                market,
                copy.path(),
                &RederiveOptions { full: true, ..RederiveOptions::default() },
                &SilentProgress,
            ))
            .unwrap();
    }
    let compared = same_files(&LITTLE.data, copy.path());
    assert!(compared > 40, "only {compared} files were compared");
}

#[test]
fn only_the_wanted_tables_are_derived_again() {
    let copy = LITTLE.copy();
    let plain = |table: &str| copy.path().join(format!("us/{table}.parquet"));
    let file = |table: &str| file(copy.path(), &format!("us/{table}.parquet"));
    for table in ["breadth", "stocks"] {
        tables::change(&plain(table), |rows| rows.slice(0, 1));
    }
    // A lean set lacks the tables that only derivation reads.
    fs::remove_file(plain("statement_lines")).unwrap();
    let again = |table: &str| {
        let again =
            RederiveOptions { only: vec![table.to_owned()], full: true, ..RederiveOptions::default() };
        RUNTIME.block_on(derive_figures(&CATALOGUE, Market::Us, copy.path(), &again, &SilentProgress))
    };
    again("breadth").unwrap();
    let published = LITTLE.data.join("us/breadth.parquet");
    assert_eq!(fs::read(file("breadth")).unwrap(), fs::read(published).unwrap(), "breadth is made again");
    assert_eq!(tables::read(&file("stocks")).num_rows(), 1, "the stocks stay as they were");
    assert!(file("statements").is_file(), "and what could not be made again");
    let refused = again("breath").unwrap_err().to_string();
    assert!(refused.contains("`breath`") && refused.contains("breadth"), "{refused}");
}

#[test]
fn without_published_tables_there_is_nothing_to_derive_from() {
    let empty = tempfile::tempdir().unwrap();
    let refused = RUNTIME.block_on(derive_figures(
        &CATALOGUE,
        Market::Us,
        empty.path(),
        &RederiveOptions::default(),
        &SilentProgress,
    ));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("us") && message.contains("raw files"), "{message}");
}

/// Compares two folders, whose files must be the same and equal; returns their number.
fn same_files(one: &Path, other: &Path) -> usize {
    let mut compared = 0;
    for entry in fs::read_dir(one).unwrap() {
        let path = entry.unwrap().path();
        let twin = other.join(path.file_name().unwrap());
        if path.is_dir() {
            compared += same_files(&path, &twin);
        } else {
            assert!(fs::read(&path).unwrap() == fs::read(&twin).unwrap(), "{} differs", twin.display());
            compared += 1;
        }
    }
    compared
}
