//! `parquote audit` over the demo market: what was not known on the day is found by name, and what a split or a later filing explains
//! is told apart from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::Int64Type;
use parquote::operation::Market;
use parquote::set::{Draft, Home, NewFile, SetOrigin, hash_of};
use serde_json::Value as Json;

use crate::demo_market::{SHIPPED, copy_folder};
use crate::program::run;
use crate::tables;

const MARKET: Market = Market::India;

#[test]
fn an_altered_figure_is_found_and_others_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    copy_folder(&SHIPPED.sets, &data);
    let session = alter_breadth(&data);
    let (raw, data) = (SHIPPED.raw.to_str().unwrap(), data.to_str().unwrap());
    let arguments = ["audit", "--raw", raw, "--data", data, "--market", "india", "--days", "1", "--json"];
    let (code, out, errors) = run(&arguments);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("india: past days"), "it shows how far it is: {errors}");
    let found: Json = serde_json::from_str(&out).unwrap();
    let market = &found[0];
    assert_eq!((&market["market"], market["days"].as_array().unwrap().len()), (&Json::from("india"), 1));

    let altered = difference(market, "breadth", "advances", "unexplained");
    assert_eq!(altered["rows"], 1, "one cell was altered: {altered}");
    assert_eq!(altered["first"][0]["row"], session);
    let figure = |side: &str| altered["first"][0][side].as_str().unwrap().parse::<i64>().unwrap();
    assert_eq!(figure("now"), figure("then") + 1000);

    // JOQADIHOME has a bonus of 2:1 and one of 1:1 after every day in the middle: three shares and then six of each.
    let split = difference(market, "statements", "eps_basic", "split");
    assert!(split["rows"].as_u64().unwrap() > 0);
    for row in split["first"].as_array().unwrap() {
        let figure = |side: &str| row[side].as_str().unwrap().parse::<f64>().unwrap();
        assert!(
            figure("then").abs() > 1.4 * figure("now").abs(),
            "{row}: a share of then is several of today"
        );
    }
    let restated = difference(market, "statements", "revenue", "restated");
    assert!(restated["why"].as_str().unwrap().starts_with("A later filing revised"));

    assert!(market["tables"]["rs_history"]["compared"].as_u64().unwrap() > 1000);
    assert_eq!(market["identities"].as_array().unwrap().len(), 5);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["data"], "what was derived again is removed");
}

#[test]
fn without_tables_there_is_nothing_to_audit() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, data) = (SHIPPED.raw.to_str().unwrap(), folder.path().to_str().unwrap());
    let (code, _, errors) = run(&["audit", "--raw", raw, "--data", data, "--market", "india"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("no published tables of india; derive them from raw files first"), "{errors}");
}

/// The only difference of a column and kind.
fn difference<'a>(market: &'a Json, table: &str, column: &str, kind: &str) -> &'a Json {
    let all = market["differences"].as_array().unwrap();
    let is_it = |it: &&Json| it["table"] == table && it["column"] == column && it["kind"] == kind;
    all.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} difference of {table}.{column}"))
}

/// Publishes a set with a thousand stocks more that advanced in the first session, and says which session that is.
fn alter_breadth(data: &Path) -> String {
    let home = Home::new(data);
    let first = home.newest(MARKET).unwrap().unwrap();
    let staging = home.stage(MARKET).unwrap();
    let mut altered = first.tables.clone();
    let file = &mut altered.get_mut("breadth").unwrap().files[0];
    let rows = tables::read(&home.file(MARKET, "breadth", &file.hash));
    let days = rows.column_by_name("session").unwrap();
    let session = datafusion::arrow::util::display::array_value_to_string(days, 0).unwrap();
    let rows = tables::replaced(&rows, "advances", |values| {
        let mut values = values.as_primitive::<Int64Type>().values().to_vec();
        values[0] += 1000;
        Arc::new(Int64Array::from(values)) as ArrayRef
    });
    let path = staging.path().join("breadth.parquet");
    tables::write(&path, &rows);
    file.hash = hash_of(&path).unwrap();
    file.bytes = fs::metadata(&path).unwrap().len();
    let new = NewFile { table: "breadth".to_owned(), hash: file.hash.clone(), path };
    let (as_of, origin, follows) = (first.as_of, SetOrigin::Derived, first.number);
    let inbox = first.inbox;
    let (market, tables) = (MARKET, altered);
    let draft = Draft {
        market,
        as_of,
        origin,
        forced: false,
        first_at: None,
        follows,
        tables,
        inbox,
        covered: BTreeMap::new(),
    };
    home.publish(draft, &[new], &staging).unwrap();
    session
}
