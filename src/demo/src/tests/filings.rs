//! Checks the SEC files against the price files and statements.
//!
//! Expected values come from plain arithmetic on the cells, not from the model.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use chrono::NaiveDate;

use super::{MARKET, files, minor, rows, us};

/// Returns the members of an archive, by name.
pub(super) fn members(file: &str) -> BTreeMap<String, String> {
    let file = std::fs::File::open(MARKET.path().join("us/sec").join(file)).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    (0..archive.len())
        .map(|position| {
            let mut member = archive.by_index(position).unwrap();
            let mut text = String::new();
            member.read_to_string(&mut text).unwrap();
            (member.name().unwrap().to_string(), text)
        })
        .collect()
}

/// Returns low, high, close in cents and volume, by symbol and date.
fn bars() -> BTreeMap<(String, NaiveDate), [i64; 4]> {
    let us = MARKET.path().join("us");
    let prices = files(&us)
        .into_iter()
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("prices_"));
    prices
        .flat_map(|path| rows(&path))
        .map(|row| {
            let bar = [minor(&row[4]), minor(&row[3]), minor(&row[5]), row[6].parse().unwrap()];
            ((row[0].clone(), row[1].parse().unwrap()), bar)
        })
        .collect()
}

/// Returns the first text between two tags.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(inside, _)| inside)
}

#[test]
fn insiders_trade_at_the_days_prices_what_they_hold() {
    let bars = bars();
    let splits: BTreeSet<String> =
        us("corporate_actions.csv").into_iter().map(|row| row[0].clone()).collect();
    let mut holdings: BTreeMap<(String, String), i64> = BTreeMap::new();
    let trades = us("sec/insider_transactions.csv");
    let codes: BTreeSet<&str> = trades.iter().map(|row| row[12].as_str()).collect();
    assert_eq!(codes, BTreeSet::from(["A", "F", "G", "M", "P", "S"]));
    for row in &trades {
        let date = NaiveDate::parse_from_str(&row[11], "%d-%b-%Y").unwrap();
        let filed = NaiveDate::parse_from_str(&row[1], "%d-%b-%Y").unwrap();
        assert!(filed > date, "{row:?}");
        let (shares, after): (i64, i64) = (row[13].parse().unwrap(), row[15].parse().unwrap());
        let [low, high, _, volume] = bars[&(row[5].clone(), date)];
        if row[12] == "P" || (row[12] == "S" && !row[14].is_empty()) {
            assert!((low..=high).contains(&minor(&row[14])), "{row:?}");
        }
        if row[12] == "P" || row[12] == "S" {
            assert!((1..volume.max(2)).contains(&shares) || row[10].contains("Option"), "{row:?}");
        }
        if row[10] != "Common Stock" || splits.contains(&row[5]) {
            continue;
        }
        let change = if matches!(row[12].as_str(), "P" | "A" | "M") { shares } else { -shares };
        let before = holdings.insert((row[6].clone(), row[5].clone()), after);
        assert!(
            after >= 0 && before.is_none_or(|before| before + change == after),
            "{row:?} after {before:?}"
        );
    }
}

#[test]
fn positions_are_shares_at_the_close_of_the_quarter() {
    let bars = bars();
    let names: BTreeMap<String, String> =
        us("sec/cusips.csv").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let mut compared = 0;
    for (name, text) in members("form13f.zip") {
        let [month, day, year] =
            between(&text, "<reportCalendarOrQuarter>", "</").split('-').collect::<Vec<_>>()[..]
        else {
            panic!("{name}")
        };
        let quarter: NaiveDate = format!("{year}-{month}-{day}").parse().unwrap();
        let mut total = 0;
        for line in text.split("<infoTable>").skip(1) {
            let (value, shares): (i64, i64) = (
                between(line, "<value>", "</").parse().unwrap(),
                between(line, "<sshPrnamt>", "</").parse().unwrap(),
            );
            total += value;
            let Some(symbol) = names.get(between(line, "<cusip>", "</")) else { continue };
            let close = (0..10).find_map(|back| {
                bars.get(&(symbol.clone(), quarter - chrono::Days::new(back))).map(|bar| bar[2])
            });
            // In cents, rounded half up to the dollar.
            assert_eq!(value, (shares * close.unwrap() + 50) / 100, "{name} {line}");
            compared += 1;
        }
        assert_eq!(total.to_string(), between(&text, "<tableValueTotal>", "</"), "{name}");
    }
    assert!(compared > 500, "{compared}");
    assert_eq!(us("sec/investors.csv").len(), 14);
}

#[test]
fn reports_are_filed_on_the_days_of_the_statements() {
    let us_folder = MARKET.path().join("us");
    let statements: BTreeSet<(String, String)> = files(&us_folder.join("statements"))
        .iter()
        .flat_map(|path| {
            let mut reader = csv::Reader::from_path(path).unwrap();
            let header = reader.headers().unwrap().clone();
            let column_index = |name: &str| header.iter().position(|column| column == name).unwrap();
            let (symbol, filed) = (column_index("symbol"), column_index("filed_at"));
            reader
                .records()
                .map(|row| row.unwrap())
                .map(|row| (row[symbol].to_owned(), row[filed].to_owned()))
                .collect::<Vec<_>>()
        })
        .collect();
    let mut reports = 0;
    for (name, text) in members("submissions.zip") {
        let company: serde_json::Value = serde_json::from_str(&text).unwrap();
        let (symbol, lists) = (company["tickers"][0].as_str().unwrap(), &company["filings"]["recent"]);
        let forms = lists["form"].as_array().unwrap();
        let numbers: BTreeSet<&str> = lists["accessionNumber"]
            .as_array()
            .unwrap()
            .iter()
            .map(|number| number.as_str().unwrap())
            .collect();
        assert_eq!(numbers.len(), forms.len(), "{name}");
        for (position, form) in forms.iter().enumerate() {
            let filed = lists["filingDate"][position].as_str().unwrap().to_owned();
            if ["10-Q", "10-K"].contains(&form.as_str().unwrap()) {
                assert!(statements.contains(&(symbol.to_owned(), filed.clone())), "{symbol} {form} {filed}");
                reports += 1;
            }
        }
    }
    assert!(reports > 200, "{reports}");
}
