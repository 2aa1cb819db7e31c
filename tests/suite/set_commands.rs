//! Sets on the command line: published from plain files, listed, compared, rolled back, checked without a server.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, StringArray};
use parquote::operation::Market;
use parquote::set::{Home, SetOrigin};
use serde_json::Value as Json;

use crate::demo_market::LITTLE;
use crate::program::run;
use crate::tables::{change, read, replaced, without};

/// Returns the output of a command that must succeed, or must fail.
fn says(arguments: &[&str], succeeds: bool) -> String {
    let (code, out, errors) = run(arguments);
    assert_eq!(code == Some(0), succeeds, "{arguments:?}: {out}{errors}");
    out + &errors
}

/// Renames the first company.
fn rename(stocks: &Path) {
    change(stocks, |rows| {
        let names = |row: usize| if row == 0 { "Renamed".to_owned() } else { format!("Company {row}") };
        replaced(&rows, "company_name", |old| {
            Arc::new((0..old.len()).map(|row| Some(names(row))).collect::<StringArray>())
        })
    });
}

#[test]
fn plain_files_become_sets_that_are_listed_compared_and_gone_back_to() {
    let copy = LITTLE.copy();
    let (data, home) = (copy.path().to_str().unwrap(), Home::new(copy.path()));
    let stocks = copy.path().join("india/stocks.parquet");
    assert!(says(&["sets", "--data", data], true).contains("has no sets"));
    let told = says(&["publish", "--data", data], true);
    assert!(told.contains("india: published as set 1") && told.contains("us: published as set 1"), "{told}");
    assert!(says(&["publish", "--data", data], true).contains("india: set 1 has all plain files already"));

    rename(&stocks);
    let told = says(&["check", data], true);
    assert!(told.contains("(plain files)") && told.contains("us: as of 2026-10-30 (set 1)"), "{told}");
    assert_eq!(home.numbers(Market::India).unwrap(), [1], "a check publishes nothing");
    let told = says(&["publish", "--data", data], true);
    assert!(told.contains("india: published as set 2") && told.contains("us: set 1 has all"), "{told}");
    let listed = says(&["sets", "--data", data], true);
    assert!(listed.contains("plain files") && listed.contains("admitted"), "{listed}");
    let manifests = says(&["sets", "--data", data, "--json"], true);
    let first: Json = serde_json::from_str(manifests.lines().next().unwrap()).unwrap();
    assert_eq!((&first["number"], &first["market"]), (&2.into(), &"india".into()));

    let rows = read(&stocks).num_rows();
    let told = says(&["diff", "--data", data, "1", "2"], true);
    assert!(
        told.contains(&format!("stocks: {rows} -> {rows} rows; 0 added, 0 removed, {rows} changed")),
        "{told}"
    );
    // Tables that read the changed one are compared too.
    assert!(told.contains("company_profiles: ") && told.contains("tables differ"), "{told}");
    let told = says(&["diff", "--data", data, "2", "1", "companies", "limit=3"], true);
    assert!(told.contains("company_name \"Company "), "{told}");
    assert!(says(&["diff", "--data", data, "1", "9"], false).contains("has no set `9`"));

    let told = says(&["rollback", "--data", data, "--market", "india"], true);
    assert!(told.contains("india: set 3 has the content of set 1"), "{told}");
    let [one, three] = [1, 3].map(|number| home.read(Market::India, number).unwrap());
    assert_eq!((one.id, three.published.origin), (three.id, SetOrigin::RolledBack { to: 1 }));
    // The plain files were already published and are not loaded again after a rollback.
    assert!(says(&["publish", "--data", data], true).contains("india: set 3 has all plain files already"));
    let told = says(&["rollback", "--data", data, "--market", "india", "--to", "9"], false);
    assert!(told.contains("india has no set 9; the available sets are 1 to 3"), "{told}");
    let kept = ["publish", "--data", data, "--keep-sets", "2"];
    rename(&copy.path().join("us/stocks.parquet"));
    says(&kept, true);
}

#[test]
fn faulty_files_are_refused_and_published_when_somebody_insists() {
    let copy = LITTLE.copy();
    let (data, home) = (copy.path().to_str().unwrap(), Home::new(copy.path()));
    says(&["publish", "--data", data, "--market", "india"], true);
    // `--force` publishes without a missing table, but not with an unreadable file.
    fs::remove_file(copy.path().join("india/deals.parquet")).unwrap();
    let told = says(&["publish", "--data", data, "--market", "india"], false);
    assert!(told.contains("india.deals") && told.contains("refused") && told.contains("--force"), "{told}");
    assert_eq!(home.numbers(Market::India).unwrap(), [1]);
    let told = says(&["publish", "--data", data, "--market", "india", "--force"], true);
    assert!(told.contains("set 2") && told.contains("although it is faulty"), "{told}");
    let set = home.read(Market::India, 2).unwrap();
    assert!(set.published.forced && !set.tables.contains_key("deals"));
    assert!(says(&["sets", "--data", data], true).contains("forced"));

    change(&copy.path().join("india/stocks.parquet"), |rows| without(&rows, "price_cmp"));
    says(&["publish", "--data", data, "--market", "india", "--force"], true);
    let stocks = |number: u64| home.read(Market::India, number).unwrap().tables["stocks"].clone();
    assert_eq!(stocks(3), stocks(2), "what cannot be loaded stays as it was");
}

/// After a forced set, other tables are published as before; the broken rule refuses only the next file that it reads.
#[test]
fn a_rule_that_the_served_set_breaks_refuses_only_what_it_reads() {
    let copy = LITTLE.copy();
    let publish = ["publish", "--data", copy.path().to_str().unwrap(), "--market", "india"];
    let advances = |count: i64| {
        change(&copy.path().join("india/breadth.parquet"), |rows| {
            replaced(&rows, "advances", |old| Arc::new(Int64Array::from(vec![count; old.len()])))
        });
    };
    let rule = "rule breadth_of_the_day";
    advances(1_000);
    let told = says(&[&publish[..], &["--force"]].concat(), true);
    assert!(told.contains("although it is faulty") && told.contains(rule), "{told}");
    rename(&copy.path().join("india/stocks.parquet"));
    let told = says(&publish, true);
    assert!(told.contains("set 2") && !told.contains(rule), "{told}");
    advances(2_000);
    let told = says(&publish, false);
    assert!(told.contains(rule), "{told}");
}

#[test]
fn a_check_tells_machines_what_it_tells_people() {
    let copy = LITTLE.copy();
    change(&copy.path().join("india/stocks.parquet"), |rows| without(&rows, "price_cmp"));
    let (code, out, _) = run(&["check", copy.path().to_str().unwrap(), "--json"]);
    let told: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(1));
    assert_eq!((&told["india"]["admitted"], &told["us"]["admitted"]), (&false.into(), &true.into()));
    let finding = &told["india"]["findings"][0];
    assert_eq!((&finding["table"], &finding["column"]), (&"stocks".into(), &"price_cmp".into()));
    assert_eq!(finding["level"], "error");
    let broken = finding["operations"].as_array().unwrap();
    assert!(broken.contains(&"market/momentum".into()), "{finding}");
    assert!(!copy.path().join("india/sets").exists(), "a check writes nothing");
}
