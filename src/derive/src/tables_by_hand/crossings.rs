//! A stock's figures at the bar before its last one, and its 52-week highs in the last five bars.

use super::{SmallMarket, days, texts};
use parquote_catalogue::operation::Market;

/// Indicators of a bar: (index of the session, price segment, close, 50-bar average, true for a new high).
type CrossingBar = (usize, i64, f64, f64, bool);

/// Returns the row of `bars_before` for each stock, which is (symbol, cumulative split factor of today, bars).
async fn rows_before(stocks: &[(&str, f64, &[CrossingBar])]) -> Vec<String> {
    let days = days(20);
    let (mut bars, mut last) = (Vec::new(), Vec::new());
    for (symbol, factor, rows) in stocks {
        for (day, segment, close, average, is_high) in *rows {
            bars.push(format!(
                "'{symbol}', '{}', {segment}, {close}, {average}, 1, 50.0, {is_high}, false",
                days[*day]
            ));
        }
        last.push(format!("'{symbol}', {}, {factor}", rows.last().unwrap().1));
    }
    let columns = "symbol, session, price_segment, adj_close, sma_50, stage, rsi_14, is_new_high, is_new_low";
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let given = given.rows("indicators", columns, bars).await;
    let given = given.rows("latest_bars", "symbol, price_segment, cumulative_split_factor_now", last).await;
    given
        .made("bars_before")
        .await
        .lines("SELECT symbol, price_cmp_before, sma_50_before, stage_before, made_high, made_high_5 FROM bars_before ORDER BY symbol")
        .await
}

#[tokio::test]
async fn the_bar_before_is_that_of_the_stock_in_shares_of_today() {
    let stocks: [(&str, f64, &[CrossingBar]); 4] = [
        // No trade in the session before its last bar.
        ("A-GAP", 1.0, &[(10, 0, 9.0, 8.0, true), (15, 0, 10.0, 8.5, false)]),
        // One share of that time has become two shares.
        ("B-SPLIT", 2.0, &[(18, 0, 40.0, 30.0, false), (19, 0, 42.0, 31.0, true)]),
        // Bars before a new segment are not comparable.
        ("C-JUMP", 1.0, &[(18, 0, 40.0, 30.0, true), (19, 1, 4.0, 4.0, false)]),
        // Highs are searched in five bars.
        (
            "D-OLD-HIGH",
            1.0,
            &[
                (14, 0, 9.0, 8.0, true),
                (15, 0, 8.0, 8.0, false),
                (16, 0, 8.0, 8.0, false),
                (17, 0, 8.0, 8.0, false),
                (18, 0, 7.0, 8.0, false),
                (19, 0, 8.0, 8.0, false),
            ],
        ),
    ];
    assert_eq!(
        rows_before(&stocks).await,
        [
            "A-GAP 9.0 8.0 1 false true",
            "B-SPLIT 20.0 15.0 1 true true",
            "C-JUMP - - - false true",
            "D-OLD-HIGH 7.0 8.0 1 false false",
        ]
    );
}
