//! Returns after recorded picks, across splits, jumps and a delisting, and the mean return of all stocks.

use parquote_catalogue::operation::Market;

use super::{SmallMarket, days, texts};

/// A rises by 1 a day from 100. B is at 50 until a split 1:2 before its fifth bar, then at 27.5 from the eighth bar, and has its last bar,
/// at 30, on the eleventh day. C has an unexplained jump from 10 to 100 before its sixth bar. All are picked on the third of 30 days.
#[tokio::test]
async fn returns_are_those_of_the_last_close_within_the_horizon() {
    let days = days(30);
    let mut bars = Vec::new();
    for (at, day) in days.iter().enumerate() {
        bars.push(format!("'A', '{day}', 0, {}.0, 1.0", 100 + at));
        let (close, factor) = match at {
            0..=3 => (50.0, 1.0),
            4..=6 => (25.0, 2.0),
            7..=9 => (27.5, 2.0),
            _ => (30.0, 2.0),
        };
        if at <= 10 {
            bars.push(format!("'B', '{day}', 0, {close:?}, {factor:?}"));
        }
        let (close, segment) = if at < 5 { (10.0, 0) } else { (100.0, 1) };
        bars.push(format!("'C', '{day}', {segment}, {close:?}, 1.0"));
    }
    let pick =
        |symbol: &str, scan: &str, day: usize| format!("'{symbol}', '{scan}', '{}', 1, 1.0", days[day]);
    let picks = [
        pick("A", "all", 2),
        pick("A", "vcp", 2),
        pick("B", "vcp", 2),
        pick("C", "vcp", 2),
        // It has no bar on that day, and fewer than five sessions follow this one.
        pick("B", "all", 12),
        pick("C", "all", 25),
    ];
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let columns = "symbol, session, price_segment, close, cumulative_split_factor";
    let given = given.rows("daily_prices", columns, bars).await;
    let columns = "symbol, scan_name, entered_on, entry_number, recorded_close";
    let given = given.rows("ledger_picks", columns, picks).await.made("ledger_results").await;
    let sql =
        "SELECT symbol, entered_on, session_number, sessions_after, round(return_pct, 2) FROM ledger_results
               ORDER BY symbol, sessions_after";
    assert_eq!(
        given.lines(sql).await,
        [
            "A 2024-01-03 3 5 4.9",
            "A 2024-01-03 3 21 20.59",
            "B 2024-01-03 3 5 10.0",
            "B 2024-01-03 3 21 20.0",
            "C 2024-01-03 3 5 0.0",
            "C 2024-01-03 3 21 0.0",
        ]
    );
    // (4.902 + 10 + 0) / 3 and (20.588 + 20 + 0) / 3; two of three rose.
    let sql = "SELECT DISTINCT sessions_after, round(base_return_pct, 2), round(base_rising_pct, 2) FROM ledger_results ORDER BY sessions_after";
    assert_eq!(given.lines(sql).await, ["5 4.97 66.67", "21 13.53 66.67"]);
}
