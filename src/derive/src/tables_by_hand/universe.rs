//! Lists against which ratings compare a stock: official, rebuilt, and the one in force on a session.

use super::SmallMarket;
use chrono::{Datelike, NaiveDate, Weekday};
use parquote_catalogue::operation::Market;

/// Returns the weekdays of a span.
fn weekdays(from: &str, to: &str) -> Vec<String> {
    let (from, to): (NaiveDate, NaiveDate) = (from.parse().unwrap(), to.parse().unwrap());
    let all = from.iter_days().take_while(|day| *day <= to);
    all.filter(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
        .map(|day| day.to_string())
        .collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Caps {
    Known,
    /// SMALL, which is on no list, has a cap by a later number of shares.
    Assumed,
    Absent,
}

/// Derives the universe from bars of 1 August 2024 to 15 October 2025. The official list has three members, so that a rebuilt one has the
/// three largest of the four most traded stocks.
async fn with_list(market: Market, caps: Caps, list_date: Option<&str>, days: &[String]) -> SmallMarket {
    let sessions: Vec<&str> = days.iter().map(String::as_str).collect();
    let given = SmallMarket::sessions(market, &sessions).await;
    let bars = days.iter().flat_map(|day| {
        // LARGE is not traded enough, and SMALL too small. UNKNOWN has no cap: it has ten times the median of cap to turnover, 2.2e9 and
        // then 1e9. YOUNG has too few bars in the months that count for April. BLANK has no turnover.
        let stocks = [
            ("LARGE", "9e9", "1.0"),
            ("SECOND", "3e9", "8.0"),
            ("THIRD", if day.as_str() < "2025-02-01" { "2e9" } else { "1e8" }, "9.0"),
            ("SMALL", "1e9", "7.0"),
            ("UNKNOWN", "NULL", "10.0"),
            ("YOUNG", "5e9", "50.0"),
            ("BLANK", "8e9", "NULL"),
        ];
        let listed =
            stocks.into_iter().filter(|(symbol, ..)| *symbol != "YOUNG" || day.as_str() > "2025-01-06");
        listed
            .map(move |(symbol, cap, turnover)| {
                let cap = if caps == Caps::Absent { "NULL" } else { cap };
                let is_assumed = caps == Caps::Assumed && symbol == "SMALL";
                format!("'{symbol}', '{day}', {cap}, {is_assumed}, {turnover}")
            })
            .collect::<Vec<_>>()
    });
    let given =
        given.rows("daily_prices", "symbol, session, market_cap, market_cap_assumed, turnover", bars).await;
    let members = list_date.iter().flat_map(|date| {
        ["A", "B", "C"]
            .map(|symbol| format!("'NIFTY500', '{date}', '{symbol}'"))
            .into_iter()
            .chain([format!("'NIFTY50', '{date}', 'A'")])
    });
    let given = if list_date.is_some() {
        given.rows("index_members", "index_name, list_date, symbol", members).await
    } else {
        given
    };
    given.made("universe_members").await.made("universe").await
}

const IN_FORCE: &str = "SELECT MIN(session), universe, universe_as_of, universe_assumed, COUNT(*)
    FROM universe GROUP BY universe, universe_as_of, universe_assumed ORDER BY 1";
const REBUILT: &str =
    "SELECT list_date, string_agg(symbol, ',' ORDER BY symbol), bool_or(size_assumed) FROM universe_members
    WHERE universe <> 'NIFTY500' GROUP BY list_date ORDER BY list_date";

#[tokio::test]
async fn a_list_is_rebuilt_at_each_revision_and_used_a_year_after_the_official_one() {
    let days = weekdays("2024-08-01", "2025-10-15");
    // By figures until January, and until July: 19 bars are too few for April, and THIRD has shrunk by October.
    let expected = ["2025-04-01 SECOND,THIRD,UNKNOWN false", "2025-10-01 SECOND,UNKNOWN,YOUNG false"];
    let sessions_before = |end: &str| days.iter().filter(|day| day.as_str() < end).count();
    let last = days.len() - sessions_before("2025-10-01");
    // An official list is in force for a year, also beyond a revision, and then the newest list is.
    for (official_on, rebuilt_from) in [("2024-04-01", "2025-04-01"), ("2024-04-16", "2025-04-16")] {
        let given = with_list(Market::India, Caps::Known, Some(official_on), &days).await;
        assert_eq!(given.lines(REBUILT).await, expected);
        let first = sessions_before(rebuilt_from);
        assert_eq!(
            given.lines(IN_FORCE).await,
            [
                format!("2024-08-01 NIFTY500 {official_on} false {first}"),
                format!("{rebuilt_from} NIFTY500 (rebuilt) 2025-04-01 false {}", days.len() - last - first),
                format!("2025-10-01 NIFTY500 (rebuilt) 2025-10-01 false {last}"),
            ]
        );
    }
    // Of two lists of a day the official one is in force.
    let both = with_list(Market::India, Caps::Known, Some("2025-04-01"), &days).await;
    let official = days.len() - sessions_before("2025-04-01");
    assert_eq!(both.lines(IN_FORCE).await[1..], [format!("2025-04-01 NIFTY500 2025-04-01 false {official}")]);
}

#[tokio::test]
async fn a_list_says_that_it_knows_later_numbers_of_shares() {
    let days = weekdays("2024-08-01", "2025-10-15");
    let assumed = with_list(Market::India, Caps::Assumed, Some("2024-04-01"), &days).await;
    // SMALL is among the most traded four for April alone.
    assert_eq!(
        assumed.lines(REBUILT).await,
        ["2025-04-01 SECOND,THIRD,UNKNOWN true", "2025-10-01 SECOND,UNKNOWN,YOUNG false"]
    );
    let flags = "SELECT universe_assumed, MIN(session) FROM universe GROUP BY universe_as_of, universe_assumed ORDER BY 2";
    assert_eq!(assumed.lines(flags).await, ["false 2024-08-01", "true 2025-04-01", "false 2025-10-01"]);
    // Without any number of shares, the most traded are members.
    let absent = with_list(Market::India, Caps::Absent, Some("2024-04-01"), &days).await;
    assert_eq!(
        absent.lines(REBUILT).await,
        ["2025-04-01 SECOND,THIRD,UNKNOWN false", "2025-10-01 THIRD,UNKNOWN,YOUNG false"]
    );
}

#[tokio::test]
async fn without_an_official_list_of_the_time_a_list_has_500() {
    let days = weekdays("2024-08-01", "2025-10-15");
    // The later list gives no size to lists before it: six stocks are not 500.
    let later = with_list(Market::India, Caps::Known, Some("2025-06-02"), &days).await;
    assert_eq!(later.lines(REBUILT).await, ["2025-10-01 SECOND,UNKNOWN,YOUNG false"]);
    let before = days.iter().filter(|day| day.as_str() < "2025-06-02").count();
    assert_eq!(
        later.lines(IN_FORCE).await,
        [
            format!("2024-08-01 NIFTY500 2025-06-02 true {before}"),
            format!("2025-06-02 NIFTY500 2025-06-02 false {}", days.len() - before),
        ]
    );
    // Only the lists of India are rebuilt.
    let us = with_list(Market::Us, Caps::Known, Some("2024-04-01"), &days).await;
    assert_eq!(us.lines(REBUILT).await, Vec::<String>::new());
    for market in [Market::India, Market::Us] {
        let without = with_list(market, Caps::Known, None, &days).await;
        assert_eq!(without.lines(REBUILT).await, Vec::<String>::new());
        assert_eq!(
            without.lines(IN_FORCE).await,
            [format!("2024-08-01 all common stocks - false {}", days.len())]
        );
    }
}

#[tokio::test]
async fn a_list_needs_40_sessions_of_figures() {
    let all = weekdays("2024-12-01", "2025-04-03");
    let counted = |from: &str| {
        let days: Vec<String> = all.iter().filter(|day| day.as_str() >= from).cloned().collect();
        (days.iter().filter(|day| day.as_str() < "2025-02-01").count(), days)
    };
    let mut rebuilt = Vec::new();
    for from in ["2024-12-09", "2024-12-10"] {
        let (sessions, days) = counted(from);
        let given = with_list(Market::India, Caps::Known, Some("2024-04-01"), &days).await;
        rebuilt.push((sessions, given.lines(REBUILT).await.len()));
    }
    assert_eq!(rebuilt, [(40, 1), (39, 0)]);
}
