//! Announced dividends: the words that name an amount, later splits, and announcements that do not cover the whole year.

use super::SmallMarket;
use parquote_catalogue::operation::Market;
use parquote_raw::PurposeWords;

/// Returns dividends of another company, one in every `every` days of the year before the market's date.
fn dividends_of_others(every: i64) -> Vec<String> {
    let date = chrono::NaiveDate::from_ymd_opt(2025, 12, 31).unwrap();
    let days = (0..365 / every).map(|n| date - chrono::Duration::days(n * every));
    days.map(|day| event("OTHER", &day.to_string(), "DIVIDEND - RE 1 PER SH")).collect()
}

/// Returns the row of an event with the dividend that its purpose states.
fn event(symbol: &str, ex_date: &str, purpose: &str) -> String {
    let read = PurposeWords::built_in().read(purpose);
    let paid = read.dividend.flatten().map_or("NULL".to_owned(), |paid| paid.to_string());
    format!("'{symbol}', '{ex_date}', '{purpose}', CAST({paid} AS DOUBLE), NULLIF('{}', '')", read.unread())
}

async fn dividends(mut events: Vec<String>) -> Vec<String> {
    for (symbol, ex_date, purpose) in [
        ("A", "2025-03-10", "INTDIV - RS 5 PER SH"),
        ("A", "2025-09-15", "AGM/DIV-RS.2.50 PER SH/SPL DIV - RE 1 PER SH"),
        ("A", "2024-12-30", "DIVIDEND - RS 90 PER SH"),
        ("NOAMOUNT", "2025-06-02", "DIVIDEND - 25%"),
        ("NOAMOUNT", "2025-09-02", "DIVIDEND - RS 3 PER SH"),
        ("SPLIT", "2025-06-02", "FACE VALUE SPLIT (SUB-DIVISION) - FROM RS 10 PER SHARE TO RE 1 PER SHARE"),
    ] {
        events.push(event(symbol, ex_date, purpose));
    }
    let given = SmallMarket::sessions(Market::India, &["2025-12-31"]).await;
    let given = given.rows("corporate_events", "symbol, ex_date, purpose, dividend, unread", events).await;
    let actions = ["'A', '2025-06-02', 0.2", "'A', '2026-01-05', 0.5"];
    let given = given.rows("corporate_actions", "symbol, ex_date, factor", actions).await;
    let made = given.made("announced_dividends").await;
    made.lines("SELECT symbol, ROUND(dividend_12m, 6) FROM announced_dividends ORDER BY 1").await
}

#[tokio::test]
async fn a_year_of_announcements_says_what_a_share_paid() {
    // A: 5 before its split one to five, then 2.5 and 1; OTHER: 25 dividends of one rupee.
    assert_eq!(dividends(dividends_of_others(14)).await, ["A 4.5", "OTHER 26.0"]);
}

#[tokio::test]
async fn gaps_in_the_announcements_leave_all_of_them_unknown() {
    assert_eq!(dividends(dividends_of_others(60)).await, [] as [&str; 0]);
}
