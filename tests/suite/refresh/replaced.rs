//! A single replaced table: the tables that read it are made again, and the set equals a derivation of all figures.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::Float64Type;
use parquote::derive::{RederiveOptions, derive_figures};
use parquote::operation::Market;
use parquote::raw::SilentProgress;
use parquote::set::{Home, Set};

use crate::demo_market::{CATALOGUE, RUNTIME, copy_folder};
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::{change, nulled, picked, read, replaced};

/// File hashes by table and part.
type Files = BTreeMap<(String, Option<String>), String>;

fn newest(server: &Fixture) -> Set {
    Home::new(server.data()).newest(Market::India).unwrap().unwrap()
}

/// Returns the hashes of the files of each table of the newest set.
fn hashes(server: &Fixture) -> Files {
    newest(server)
        .files()
        .map(|(table, file)| ((table.to_owned(), file.part.clone()), file.hash.clone()))
        .collect()
}

/// Returns a column with each number halved.
fn halved(values: &ArrayRef) -> ArrayRef {
    Arc::new(
        values
            .as_primitive::<Float64Type>()
            .iter()
            .map(|value| value.map(|value| value / 2.0))
            .collect::<Float64Array>(),
    )
}

/// Returns the tables whose rows differ from before; all their files are retained.
fn other(server: &Fixture, before: &Files, now: &Files) -> Vec<String> {
    let home = Home::new(server.data());
    // Without a file's metadata.
    let rows = |table: &str, hash: &str| read(&home.file_path(Market::India, table, hash)).columns().to_vec();
    let is_other = |(key, hash): &(&(String, Option<String>), &String)| {
        before.get(*key).is_none_or(|before| before != *hash && rows(&key.0, before) != rows(&key.0, hash))
    };
    let mut tables: Vec<String> = now.iter().filter(is_other).map(|((table, _), _)| table.clone()).collect();
    tables.dedup();
    tables
}

#[test]
fn a_source_table_alone_makes_what_reads_it_again() {
    let server = Fixture::over(on_request(), plain_market);
    let before = hashes(&server);
    change(&server.file("pledges.parquet"), |rows| replaced(&rows, "pledge_pct", halved));
    server.refresh();
    assert_eq!((server.refused().as_str(), server.set()), ("", 2));
    let now = hashes(&server);
    assert_eq!(other(&server, &before, &now), ["company_profiles", "latest_pledges", "pledges"]);

    // Corporate actions affect statements and all tables made from them; the set equals a full derivation.
    change(&server.file("corporate_actions.parquet"), |rows| picked(&rows, 1..rows.num_rows()));
    server.refresh();
    assert_eq!(server.refused(), "");
    let on_drop = hashes(&server);
    let again = RederiveOptions { full: true, ..RederiveOptions::default() };
    RUNTIME
        .block_on(derive_figures(&CATALOGUE, Market::India, &server.data(), &again, &SilentProgress))
        .unwrap();
    assert_eq!(other(&server, &on_drop, &hashes(&server)), Vec::<String>::new());
}

#[test]
fn a_derived_table_alone_stands_and_what_reads_it_follows() {
    let server = Fixture::over(on_request(), plain_market);
    let before = hashes(&server);
    change(&server.file("statements.parquet"), |rows| replaced(&rows, "pat", halved));
    server.refresh();
    assert_eq!((server.refused().as_str(), server.set()), ("", 2));
    let changed = other(&server, &before, &hashes(&server));
    for table in ["statements", "fundamentals", "ratios", "earnings"] {
        assert!(changed.iter().any(|name| name == table), "{table}: {changed:?}");
    }
    assert!(!changed.iter().any(|name| name == "statement_lines"), "{changed:?}");
    change(&server.file("order_wins.parquet"), |rows| picked(&rows, 1..rows.num_rows()));
    server.refresh();
    assert_eq!((server.refused().as_str(), server.set()), ("", 3));
}

#[test]
fn what_contradicts_its_own_source_is_refused_with_the_command_that_makes_it() {
    let server = Fixture::over(on_request(), plain_market);
    let before = hashes(&server);
    change(&server.file("stocks.parquet"), |rows| replaced(&rows, "price_cmp", halved));
    server.refresh();
    let refused = server.refused();
    assert!(
        refused.contains("stocks_have_their_bar") && refused.contains("parquote derive --raw raw"),
        "{refused}"
    );
    assert_eq!(hashes(&server), before);
}

/// Changed deliveries of a bar break no rule, but tables made from bars would be outdated.
#[test]
fn bars_alone_are_refused_with_the_command_that_makes_the_rest() {
    // The source market is in an admitted set, without plain files.
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/demo/india");
    let server = Fixture::over(on_request(), |data| copy_folder(&shipped, &data.join("india")));
    let bars = newest(&server).files().find_map(|(table, file)| {
        (table == "daily_prices" && file.part.as_deref() == Some("2026"))
            .then(|| Home::new(server.data()).file_path(Market::India, table, &file.hash))
    });
    fs::create_dir_all(server.file("daily_prices")).unwrap();
    fs::copy(bars.unwrap(), server.file("daily_prices/2026.parquet")).unwrap();
    let before = hashes(&server);
    change(&server.file("daily_prices/2026.parquet"), |rows| {
        replaced(&rows, "delivered", |values| nulled(values, &[7]))
    });
    server.refresh();
    let refused = server.refused();
    for words in ["read `daily_prices` and are made from raw files", "`breadth`", "parquote derive --raw raw"]
    {
        assert!(refused.contains(words), "{words}: {refused}");
    }
    assert_eq!(hashes(&server), before);
}
