//! Checks the announcement files against the price files.
//!
//! Expected values come from plain arithmetic on the cells, not from the model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::{india, india_bars, minor};

fn day(text: &str) -> NaiveDate {
    NaiveDate::parse_from_str(text.split(' ').next().unwrap(), "%d-%b-%Y").unwrap()
}

/// Returns low, high and volume by symbol and date.
fn ranges() -> BTreeMap<(String, NaiveDate), (i64, i64, i64)> {
    let bars_of_symbol = |(symbol, rows): (String, Vec<(NaiveDate, Vec<String>)>)| {
        rows.into_iter().map(move |(date, row)| {
            ((symbol.clone(), date), (minor(&row[6]), minor(&row[5]), row[10].parse().unwrap()))
        })
    };
    india_bars().into_iter().flat_map(bars_of_symbol).collect()
}

#[test]
fn deals_are_within_the_prices_and_volume_of_the_day() {
    let ranges = ranges();
    for file in ["deals/bulk.csv", "deals/block.csv"] {
        let deals = india(file);
        assert!(deals.len() >= 4, "{file}: {}", deals.len());
        for deal in deals {
            let (low, high, volume) = ranges[&(deal[1].clone(), day(&deal[0]))];
            assert!((low..=high).contains(&minor(&deal[6])), "{deal:?}");
            assert!((1..volume).contains(&deal[5].parse().unwrap()), "{deal:?}");
        }
    }
}

#[test]
fn every_block_is_bought_and_sold() {
    let mut balances: BTreeMap<(String, String, String), i64> = BTreeMap::new();
    for deal in india("deals/block.csv") {
        let sign = if deal[4] == "BUY" { 1 } else { -1 };
        *balances.entry((deal[0].clone(), deal[1].clone(), deal[6].clone())).or_default() +=
            sign * deal[5].parse::<i64>().unwrap();
    }
    assert!(balances.values().all(|quantity| *quantity == 0));
}

#[test]
fn insiders_hold_what_they_sell() {
    let ranges = ranges();
    let trades = india("insider_trading.csv");
    let modes: BTreeSet<&str> = trades.iter().map(|trade| trade[18].as_str()).collect();
    assert!(modes.len() >= 6, "{modes:?}");
    for trade in &trades {
        let number = |column: usize| trade[column].parse::<i64>().unwrap();
        let (shares, before, after) = (number(6), number(9), number(13));
        let change = match trade[7].as_str() {
            "Buy" => shares,
            "Sell" => -shares,
            _ => 0,
        };
        assert_eq!(before + change, after, "{trade:?}");
        assert!(shares > 0 && shares <= before.max(after), "{trade:?}");
        let (on, filed) = (day(&trade[15]), day(&trade[4]));
        assert!(filed > on, "{trade:?}");
        if trade[18].starts_with("Market") {
            let (low, high, volume) = ranges[&(trade[0].clone(), on)];
            let paise = number(11) * 100 / shares;
            assert!((low - 1..=high).contains(&paise) && shares < volume, "{trade:?}");
        }
    }
}

#[test]
fn holders_add_up_to_a_hundred() {
    let quarters = india("shareholding.csv");
    assert!(quarters.len() > 500);
    for quarter in &quarters {
        let parts = [2, 3, 10].map(|cell| minor(&quarter[cell]));
        assert_eq!(parts.iter().sum::<i64>(), 10_000, "{quarter:?}");
    }
}

#[test]
fn announced_splits_and_bonuses_are_those_of_the_list() {
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    let announced: BTreeSet<_> = india("bc.csv")
        .into_iter()
        .filter(|row| row[9].starts_with("FV SPLT") || row[9].starts_with("BONUS"))
        .map(|row| (row[1].clone(), date(&row[6])))
        .collect();
    let listed: BTreeSet<_> =
        india("corporate_actions.csv").into_iter().map(|row| (row[0].clone(), date(&row[1]))).collect();
    assert_eq!(announced, listed);
    let purposes: Vec<String> = india("bc.csv").into_iter().map(|row| row[9].clone()).collect();
    for word in ["DIVIDEND", "INTDIV", "RIGHTS", "BUY BACK"] {
        assert!(purposes.iter().any(|purpose| purpose.starts_with(word)), "{word}");
    }
}
