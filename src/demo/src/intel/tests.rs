//! Checks the intelligence files against the announcements and lists.
//!
//! Plain arithmetic on the cells is the reference, not the model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::tests::{india, minor};

fn promoters() -> BTreeMap<String, i64> {
    india("shareholding.csv").into_iter().map(|row| (row[0].clone(), minor(&row[2]))).collect()
}

#[test]
fn a_group_holds_no_more_than_the_promoters() {
    let (promoters, members) = (promoters(), india("conglomerate_groups.csv"));
    let mut by_group: BTreeMap<String, Vec<&Vec<String>>> = BTreeMap::new();
    for member in &members {
        by_group.entry(member[0].clone()).or_default().push(member);
        assert!(minor(&member[3]) <= promoters[&member[1]], "{member:?}");
    }
    assert!(by_group.len() >= 5, "{}", by_group.len());
    for (group, members) in by_group {
        let flagships: Vec<_> = members.iter().filter(|member| member[2] == "flagship").collect();
        assert!(members.len() >= 2 && flagships.len() == 1, "{group}");
        let root = group.trim_end_matches(" Group").to_uppercase();
        assert!(flagships[0][1].starts_with(&root), "{group}");
    }
    let symbols: BTreeSet<&String> = members.iter().map(|member| &member[1]).collect();
    assert_eq!(symbols.len(), members.len(), "a company is in one group");
}

#[test]
fn pledged_shares_are_part_of_the_promoters() {
    let pledges = india("pledges.csv");
    let count = pledges.iter().filter(|pledge| minor(&pledge[3]) > 0).count();
    assert!(count > 100 && count < pledges.len() / 2, "{count} of {}", pledges.len());
    for pledge in &pledges {
        assert!((0..=10_000).contains(&minor(&pledge[3])), "{pledge:?}");
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let wait = (date(&pledge[5]) - date(&pledge[1])).num_days();
        assert!((8..=21).contains(&wait), "{pledge:?}");
    }
}

#[test]
fn ratios_of_lenders_are_those_of_their_amounts() {
    let quarters = india("banking_kpis.csv");
    assert!(quarters.iter().any(|it| it[2] == "bank") && quarters.iter().any(|it| it[2] == "lender"));
    for quarter in &quarters {
        let figure = |column: usize| quarter[column].parse::<f64>().unwrap();
        // gross bad loans x (100 % - coverage) = net bad loans; net bad loans are in percent of advances less provisions.
        let (gross, net, cover) = (figure(8), figure(9), figure(10));
        let expected = gross * (100.0 - cover) / (100.0 - gross * cover / 100.0);
        assert!((net - expected).abs() < 0.03, "{quarter:?}: {expected}");
        if quarter[2] == "bank" {
            assert!((figure(15) - 100.0 * figure(3) / figure(4)).abs() < 0.006, "{quarter:?}");
        } else {
            assert!(quarter[4].is_empty() && quarter[7].is_empty(), "{quarter:?}");
        }
    }
}

#[test]
fn orders_say_in_words_what_their_cells_say() {
    let orders = india("order_wins.csv");
    let words: BTreeSet<&str> = orders.iter().map(|order| order[9].as_str()).collect();
    assert_eq!(words, BTreeSet::from(["high", "low", "medium"]));
    for order in &orders {
        let [title, client, value, summary] = [2, 3, 6, 8].map(|column| order[column].as_str());
        assert_eq!(client.is_empty(), title.ends_with("a customer that is not named"), "{order:?}");
        assert!(title.ends_with(client), "{order:?}");
        assert_eq!(value.is_empty(), summary.contains("undisclosed"), "{order:?}");
        assert!(value.is_empty() || summary.contains(&format!("INR {value} crore")), "{order:?}");
    }
}
