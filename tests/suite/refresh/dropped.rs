//! Plain files over a derived market: they survive further derivations, and when they are removed, the derived files return. Refusals are
//! repeated at each start, and a refused set can be forced.

use std::fs;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, StringViewArray};
use datafusion::arrow::datatypes::Float64Type;
use parquote::derive::{RederiveOptions, derive_figures};
use parquote::operation::Market;
use parquote::raw::SilentProgress;
use parquote::set::{Home, Set};

use crate::demo_market::{CATALOGUE, RUNTIME, copy_folder};
use crate::plain_folder::plain_market;
use crate::refreshed_server::{Fixture, on_request};
use crate::tables::{change, read, replaced};

/// Starts a server over a derived market; its former plain files stay.
fn over_derived() -> Fixture {
    let server = Fixture::over(on_request(), plain_market);
    derive_again(&server);
    server.refresh();
    assert_eq!((server.refused().as_str(), server.set()), ("", 2));
    assert!(newest(&server).covered.is_empty());
    server
}

fn newest(server: &Fixture) -> Set {
    Home::new(server.data()).newest(Market::India).unwrap().unwrap()
}

/// Returns the sum of a column of a single-file table in the newest set.
fn sum(server: &Fixture, table: &str, column: &str) -> f64 {
    let set = newest(server);
    let file = &set.tables[table].files[0];
    let rows = read(&Home::new(server.data()).file_path(Market::India, table, &file.hash));
    rows.column_by_name(column).unwrap().as_primitive::<Float64Type>().iter().flatten().sum()
}

fn halved(values: &ArrayRef) -> ArrayRef {
    let values = values.as_primitive::<Float64Type>().iter();
    Arc::new(values.map(|value| value.map(|value| value / 2.0)).collect::<Float64Array>())
}

/// Halves the values of a column in a plain file.
fn halve(server: &Fixture, table: &str, column: &str) {
    change(&server.file(&format!("{table}.parquet")), |rows| replaced(&rows, column, halved));
}

fn derive_again(server: &Fixture) {
    let again = RederiveOptions { full: true, ..RederiveOptions::default() };
    RUNTIME
        .block_on(derive_figures(&CATALOGUE, Market::India, &server.data(), &again, &SilentProgress))
        .unwrap();
}

#[test]
fn a_dropped_table_lives_through_derivations_and_leaves_as_it_came() {
    let server = over_derived();
    let (whole, latest) =
        (sum(&server, "pledges", "pledge_pct"), sum(&server, "latest_pledges", "pledge_pct"));
    halve(&server, "pledges", "pledge_pct");
    server.refresh();
    assert_eq!(server.refused(), "");
    let half = |server: &Fixture| {
        assert!((sum(server, "pledges", "pledge_pct") - whole / 2.0).abs() < 1e-6);
        assert!((sum(server, "latest_pledges", "pledge_pct") - latest / 2.0).abs() < 1e-6, "it follows");
    };
    half(&server);
    for _ in 0..2 {
        derive_again(&server);
        half(&server);
        server.refresh();
        assert_eq!((server.refused().as_str(), server.set()), ("", newest(&server).number));
    }
    fs::remove_file(server.file("pledges.parquet")).unwrap();
    // A new file arrives while this one is removed.
    halve(&server, "deals", "price");
    server.refresh();
    server.refresh();
    assert_eq!(server.refused(), "");
    assert!((sum(&server, "pledges", "pledge_pct") - whole).abs() < 1e-6, "as it was derived");
    assert!((sum(&server, "latest_pledges", "pledge_pct") - latest).abs() < 1e-6);
    assert_eq!(newest(&server).covered.keys().collect::<Vec<_>>(), ["deals"]);
    fs::remove_file(server.file("deals.parquet")).unwrap();
    derive_again(&server);
    server.refresh();
    assert_eq!(server.refused(), "");
    let last = newest(&server);
    assert!(last.covered.is_empty() && !last.inbox.contains_key("deals.parquet"), "{:?}", last.inbox.keys());
}

/// The table was never derived: without its file there is nothing to return to, which is reported, and new files are loaded nevertheless.
#[test]
fn a_table_that_goes_keeps_none_waiting_that_comes() {
    let server = Fixture::over(on_request(), plain_market);
    fs::remove_file(server.file("breadth.parquet")).unwrap();
    halve(&server, "pledges", "pledge_pct");
    server.refresh();
    assert_eq!(server.set(), 2);
    server.refresh();
    assert!(server.refused().contains("breadth") && server.set() == 2, "{}", server.refused());
    halve(&server, "pledges", "pledge_pct");
    server.refresh();
    assert_eq!(server.set(), 3);
}

#[test]
fn a_row_that_contradicts_itself_is_named_and_many_refuse_their_file() {
    let server = Fixture::over(on_request(), plain_market);
    change(&server.file("stocks.parquet"), |rows| {
        replaced(&rows, "ema_alignment", |old| {
            let kept = old.as_string_view().iter();
            Arc::new(
                kept.enumerate()
                    .map(|(row, word)| if row == 0 { Some("BEARISH") } else { word })
                    .collect::<StringViewArray>(),
            )
        })
    });
    change(&server.file("stocks.parquet"), |rows| {
        let raised = |values: &ArrayRef| {
            let values = values.as_primitive::<Float64Type>().iter().enumerate();
            Arc::new(
                values.map(|(row, value)| if row == 0 { Some(1.0) } else { value }).collect::<Float64Array>(),
            ) as ArrayRef
        };
        replaced(&rows, "ema_10", raised)
    });
    server.refresh();
    let warnings = server.now().warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!((server.refused().as_str(), server.set()), ("", 2));
    assert!(
        warnings.contains("averages_and_alignment: ") && warnings.contains("broken by 1 row"),
        "{warnings}"
    );
    for year in fs::read_dir(server.file("rs_history")).unwrap() {
        change(&year.unwrap().path(), |rows| {
            replaced(&rows, "rs_rating", |old| Arc::new(Int64Array::from(vec![Some(100); old.len()])))
        });
    }
    server.refresh();
    let refused = server.refused();
    assert!(server.set() == 2 && refused.contains("rule rs_ratings_in_bounds"), "{refused}");
}

#[test]
fn a_set_that_was_refused_is_told_at_each_start_and_asked_again_by_other_rules() {
    let server = over_derived();
    let home = Home::new(server.data());
    let first = newest(&server).number;
    let again = home.roll_back(Market::India, first, true).unwrap();
    assert!(again.number == first + 1 && again.id == newest(&server).id && again.published.forced);
    // As a set that was found faulty and not forced.
    let path = server.file(&format!("sets/{}.json", again.number));
    let text = fs::read_to_string(&path).unwrap().replace("\"forced\": true", "\"forced\": false");
    fs::write(&path, text.replace(&format!("{{\n        \"to\": {first}\n      }}"), "{ \"to\": 99 }"))
        .unwrap();
    let refusal = |rules: &str| {
        let found = serde_json::json!({"level": "error", "market": "india", "message": "seven rows too many", "remedy": "derive again"});
        let record = serde_json::json!({"id": again.id, "admitted": false, "rules": rules, "at": "2026-11-20T08:00:00Z", "findings": [found]});
        fs::write(server.file(&format!("sets/{}.admission.json", again.number)), record.to_string()).unwrap();
    };
    let of_now = home.admission(Market::India, 1).unwrap().rules;
    assert!(!of_now.is_empty());
    refusal(&of_now);
    let restarted = Fixture::over(on_request(), |data| copy_folder(&server.file(""), &data.join("india")));
    assert_eq!(restarted.set(), first);
    assert!(restarted.refused().contains("seven rows too many"), "{}", restarted.refused());
    assert!(restarted.ready().to_string().contains("seven rows too many"));
    // Another version of the program checks again.
    refusal("0.0.1 of another day");
    let restarted = Fixture::over(on_request(), |data| copy_folder(&server.file(""), &data.join("india")));
    assert_eq!(
        (restarted.set(), restarted.refused().as_str()),
        (first, ""),
        "the newest that was admitted starts"
    );
    restarted.refresh();
    assert_eq!(restarted.set(), again.number);
}
