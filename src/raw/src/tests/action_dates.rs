//! Dates of actions that prices contradict.

use super::*;

/// Eight days: one share becomes ten on 5 January.
const SPLIT: &[f64] = &[1000.0, 1010.0, 1000.0, 990.0, 100.0, 101.0, 99.0, 100.0];

fn with_rows(prices: &[f64], rows: &str) -> RawMarket {
    Raw::new()
        .days(&[("AROHI", prices), ("BELA", &[50.0; 8])])
        .file("actions.csv", &format!("symbol,ex_date,action,factor\n{rows}"))
        .india()
}

/// Returns the factors of AROHI with these rows of a list, and the exceptions of the report.
fn read(prices: &[f64], rows: &str) -> (Vec<f64>, String) {
    let market = with_rows(prices, rows);
    (market.factors("AROHI"), market.report.exceptions.join("\n"))
}

#[test]
fn an_action_of_another_day_has_the_day_on_which_prices_moved() {
    let of_the_fifth = [0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0, 1.0];
    let near =
        |factors: &[f64]| factors.iter().zip(of_the_fifth).all(|(one, other)| (one - other).abs() < 1e-9);
    for rows in [
        "AROHI,2025-01-05,split 1:10,0.1\n",
        "AROHI,2025-01-08,split 1:10,0.1\n",
        "AROHI,2025-01-02,split 1:10,0.1\n",
        "AROHI,2025-01-07,split 1:2,0.5\nAROHI,2025-01-07,bonus 4:1,0.2\n",
    ] {
        let (factors, message) = read(SPLIT, rows);
        assert!(near(&factors), "{rows}{factors:?}");
        assert!(!message.contains("contradicted"), "{rows}{message}");
        let is_moved = !rows.contains("2025-01-05");
        assert_eq!(message.contains("1 date of an action is moved"), is_moved, "{rows}{message}");
    }
    let (_, message) = read(SPLIT, "AROHI,2025-01-08,split 1:10,0.1\n");
    assert!(message.contains("AROHI from 2025-01-08 to 2025-01-05"), "{message}");
    for (day, origin) in [("2025-01-08", ActionOrigin::Moved), ("2025-01-05", ActionOrigin::Given)] {
        let market = with_rows(SPLIT, &format!("AROHI,{day},split 1:10,0.1\n"));
        assert_eq!(
            (market.actions[0].ex_date.to_string().as_str(), market.actions[0].origin),
            ("2025-01-05", origin)
        );
    }
}

#[test]
fn an_action_keeps_its_day_where_prices_have_no_other() {
    // Cases: the stated day has the move; no day has the move; two days have it; another action explains it; any day could have it.
    let twice = &[1000.0, 1000.0, 100.0, 100.0, 1000.0, 100.0, 100.0, 100.0];
    for (prices, rows, first) in [
        (SPLIT, "AROHI,2025-01-05,split 1:9,0.1111\n", 0.1111),
        (SPLIT, "AROHI,2025-01-08,split 1:5,0.2\n", 0.2),
        (twice.as_slice(), "AROHI,2025-01-08,split 1:10,0.1\n", 0.1),
        (SPLIT, "AROHI,2025-01-05,split 1:10,0.1\nAROHI,2025-01-08,rights,0.1\n", 0.01),
        (SPLIT, "AROHI,2025-01-08,bonus 1:4,0.8\n", 0.8),
        // Before the first bar nothing is adjusted, and after the last one the action is not in force.
        (SPLIT, "AROHI,2024-12-20,split 1:10,0.1\n", 1.0),
        (SPLIT, "AROHI,2025-01-20,split 1:10,0.1\n", 1.0),
    ] {
        let (factors, message) = read(prices, rows);
        assert!((factors[0] - first).abs() < 1e-9, "{rows}{factors:?}");
        assert!(!message.contains("are moved"), "{rows}{message}");
    }
}

/// Rows of one split that are too far apart to be one action for a list. The second one keeps its day.
#[test]
fn two_rows_do_not_move_to_one_session() {
    let prices: Vec<f64> = (0..30).map(|day| if day < 15 { 1000.0 } else { 100.0 }).collect();
    let rows = "AROHI,2025-01-03,split 1:10,0.1\nAROHI,2025-01-29,split 1:10,0.1\n";
    let (_, message) = read(&prices, rows);
    assert!(message.contains("AROHI from 2025-01-03 to 2025-01-16"), "{message}");
    assert!(!message.contains("AROHI from 2025-01-29"), "{message}");
}

#[test]
fn two_actions_of_one_kind_within_days_are_both_in_force_if_prices_moved_twice() {
    let twice = &[1000.0, 1010.0, 100.0, 102.0, 101.0, 53.0, 54.0, 53.0];
    let [first, second] = ["AROHI,2025-01-03,bonus 9:1,0.1\n", "AROHI,2025-01-06,bonus 9:10,0.526316\n"];
    // An action that a third row repeats on a day without a move, and one of a size that any day may have.
    let others = "AROHI,2025-01-07,bonus 9:10,0.526316\nAROHI,2025-01-05,bonus 1:50,0.980392\n";
    for rows in [format!("{first}{second}"), format!("{first}{second}{others}")] {
        let (factors, _) = read(twice, &rows);
        assert!(
            (factors[0] - 0.052_631_6).abs() < 1e-9 && (factors[2] - 0.526_316).abs() < 1e-9,
            "{rows}{factors:?}"
        );
        assert!((factors[5] - 1.0).abs() < 1e-9, "{rows}{factors:?}");
    }
    // Prices that moved once have one of them, on the day of the move.
    let (factors, message) = read(SPLIT, "AROHI,2025-01-05,bonus 9:1,0.1\nAROHI,2025-01-08,bonus 9:1,0.1\n");
    assert!((factors[0] - 0.1).abs() < 1e-9, "{factors:?}");
    assert!(message.contains("not 0.100000 on 2025-01-08"), "{message}");
}
