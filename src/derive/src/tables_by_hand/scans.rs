//! Last bars, RS lines, and the scans over them.

use super::{SmallMarket, days, texts};
use parquote_catalogue::operation::Market;

/// Returns the RS line of a stock that rose by 1 with every bar over `bars` bars. The benchmark is 100, and missing on the day `missing`.
async fn rs_line(bars: i64, missing: Option<usize>) -> Vec<String> {
    let days = days(bars);
    let closes = (0..bars).map(|bar| 200 + bar);
    let rows = days
        .iter()
        .zip(closes)
        .map(|(day, close)| format!("'A', '{day}', 0, {close}, {close}, {close}, {close}, 10, 1.0, 1.0"));
    let levels = days.iter().enumerate().filter(|(day, _)| Some(*day) != missing);
    let levels = levels.map(|(_, day)| format!("'{day}', 'X', 100.0"));
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let columns =
        "symbol, session, price_segment, open, high, low, close, volume, turnover, cumulative_split_factor";
    let given = given.rows("daily_prices", columns, rows).await;
    let span = format!("'A', '{}', '{}', {bars}, 1.0", days[0], days[days.len() - 1]);
    let given = given
        .rows("bar_spans", "symbol, first_bar, last_bar, bar_count, cumulative_split_factor_now", [span])
        .await;
    let given = given.rows("benchmark", "session, benchmark, benchmark_close", levels).await;
    let given = given.made("indicators").await.made("latest_bars").await.made("rs_lines").await;
    given.lines("SELECT rs_line, rs_line_high, rs_line_new_high FROM rs_lines").await
}

#[tokio::test]
async fn the_rs_line_has_a_high_over_252_bars_with_a_benchmark() {
    assert_eq!(rs_line(252, None).await, ["4.51 4.51 true"]);
    assert_eq!(rs_line(251, None).await, ["4.5 - -"]);
    assert_eq!(rs_line(260, Some(8)).await, ["4.59 - -"]);
    assert_eq!(rs_line(260, Some(7)).await, ["4.59 4.59 true"]);
    assert_eq!(rs_line(252, Some(251)).await, ["- - -"]);
}

const BARS: &str = "symbol, session, price_segment, adj_close, change_pct, sma_50, sma_150, sma_200, sma_200_change, \
    wk52_high, wk52_low, high_252, rvol_20, roc_63, roc_126, roc_252, stage, vcp_pivot, first_bar, bar_count";

/// Returns a market with the scans of five stocks with a bar on the last day, and of one stock that stopped trading.
async fn scans_of_five() -> SmallMarket {
    scans_with_rating("30").await
}

/// Returns the market of [`scans_of_five`] with this rating of the recent listing `D`.
async fn scans_with_rating(listing: &str) -> SmallMarket {
    let days = days(300);
    let last = &days[299];
    let bars = [
        // All eight conditions, at the high, on high volume.
        format!(
            "'A', '{last}', 0, 100.0, 2.0, 90.0, 80.0, 70.0, 1.0, 100.0, 50.0, 100.0, 3.0, 50.0, 50.0, 50.0, 2, 98.0, '{}', 300",
            days[0]
        ),
        // Stage 2, 4 % below the high, on low volume, and 5.5 % above the pivot of its pattern.
        format!(
            "'B', '{last}', 0, 96.0, -1.0, 90.0, 80.0, 70.0, 1.0, 100.0, 50.0, 100.0, 1.0, 40.0, 40.0, 40.0, 2, 91.0, '{}', 300",
            days[0]
        ),
        // Declining, far below the high.
        format!(
            "'C', '{last}', 0, 50.0, -1.0, 60.0, 70.0, 80.0, -1.0, 100.0, 49.0, 100.0, 0.5, 10.0, 10.0, 10.0, 4, NULL, '{}', 300",
            days[0]
        ),
        // Recent listing: no long averages, 14 % below its high.
        format!(
            "'D', '{last}', 0, 86.0, 1.0, NULL, NULL, NULL, NULL, 100.0, 80.0, 100.0, 2.0, NULL, NULL, NULL, NULL, NULL, '{}', 40",
            days[260]
        ),
        // As stock D, but 16 % below.
        format!(
            "'E', '{last}', 0, 84.0, 0.0, NULL, NULL, NULL, NULL, 100.0, 80.0, 100.0, 2.5, NULL, NULL, NULL, NULL, NULL, '{}', 40",
            days[260]
        ),
        // Five sessions without a bar.
        format!(
            "'F', '{}', 0, 100.0, 2.0, 90.0, 80.0, 70.0, 1.0, 100.0, 50.0, 100.0, 9.0, 90.0, 90.0, 90.0, 2, 98.0, '{}', 290",
            days[294], days[0]
        ),
    ];
    let ratings = [("A", "95"), ("B", "60"), ("C", "20"), ("D", listing), ("E", "40"), ("F", "NULL")];
    let stocks = ratings.map(|(symbol, rating)| format!("'{symbol}', {rating}"));
    let given = SmallMarket::sessions(Market::Us, &texts(&days)).await;
    let given = given.rows("latest_bars", BARS, bars).await.rows("stocks", "symbol, rs_rating", stocks).await;
    given.made("scans").await
}

#[tokio::test]
async fn flags_with_a_missing_input_are_null_and_so_are_their_counts() {
    let given = scans_of_five().await;
    let sql = "SELECT symbol, template_count, trend_template, above_sma_150_200, near_high_25, rs_70, vcp,
        round(vcp_pivot_distance, 3) FROM scans ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        [
            "A 8 true true true true true 2.041",
            "B 7 false true true false false 5.495",
            "C 0 false false false false false -",
            "D - - - true false - -",
            "E - - - true false - -",
            "F - - true true - true 2.041",
        ]
    );
}

#[tokio::test]
async fn scans_are_for_stocks_that_trade() {
    let given = scans_of_five().await;
    let sql = "SELECT symbol, in_near_high, in_stage2, in_high_vol, in_volume, in_ipo, in_stage2_near_high,
        in_all_three, in_any FROM scans ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        [
            "A true true true true false true true true",
            "B true true false false false true false true",
            "C false false false false false false false -",
            "D false - - true true false false -",
            "E false - false true false false false -",
            "F false false false false false false false false",
        ]
    );
}

#[tokio::test]
async fn readiness_and_score_are_made_of_percentiles_among_those_that_trade() {
    let given = scans_of_five().await;
    // Momentum has three stocks, fewer than five: no percentile, so no readiness and no count of scans.
    assert_eq!(
        given.lines("SELECT count(brs), count(scan_count) FROM scans WHERE is_eligible").await,
        ["0 0"]
    );
    // Ratings 95 60 20 30 40 are 100 75 0 25 50; nearness 1 .96 .5 .86 .84 is 100 75 0 50 25;
    // volumes 3 1 .5 2 2.5 are 100 25 0 50 75. The pattern of A would lift it above 100.
    let sql = "SELECT symbol, round(score, 4), round(effective_score, 4) FROM scans ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        ["A 100.0 100.0", "B 58.3333 58.3333", "C 0.0 0.0", "D 41.6667 41.6667", "E 50.0 50.0", "F - -"]
    );
    // Without D's rating four stocks are left, too few for percentiles. Recent listings are then scored by the other two measures.
    let unrated = scans_with_rating("NULL").await;
    assert_eq!(unrated.lines(sql).await, ["A - -", "B - -", "C - -", "D - -", "E - -", "F - -"]);
    assert_eq!(
        unrated.lines("SELECT symbol, ipo_score FROM scans ORDER BY symbol").await,
        ["A 100.0", "B 50.0", "C 0.0", "D 50.0", "E 50.0", "F -"]
    );
}

#[tokio::test]
async fn readiness_adds_up_its_five_parts() {
    let days = days(300);
    let last = &days[299];
    // Percentiles of momentum: 0, 25, 50, 75, 100 from V to Z. Nearness 0.9 is 0.6 of the way from 0.75 to 1.
    let bar = |symbol: &str, roc: i32, close: f64, stage: &str, rvol: f64, pivot: &str| {
        format!(
            "'{symbol}', '{last}', 0, {close}, 1.0, 80.0, 70.0, 60.0, 1.0, 100.0, 40.0, 100.0, {rvol}, {roc}, {roc}, {roc}, {stage}, {pivot}, '{}', 300",
            days[0]
        )
    };
    let bars = [
        bar("V", 1, 90.0, "2", 1.0, "NULL"),
        bar("W", 2, 90.0, "2", 1.5, "NULL"),
        bar("X", 3, 90.0, "2", 1.0, "95.0"),
        bar("Y", 4, 74.0, "3", 1.0, "NULL"),
        bar("Z", 5, 100.0, "NULL", 1.0, "NULL"),
    ];
    let stocks = ["V", "W", "X", "Y", "Z"].map(|symbol| format!("'{symbol}', 80"));
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let given = given.rows("latest_bars", BARS, bars).await.rows("stocks", "symbol, rs_rating", stocks).await;
    let given = given.made("scans").await;
    // V: 25 + 0 + 12 + 20 + 0. W: 25 + 6.25 + 12 + 20 + 10. X: 25 + 12.5 + 12 + 20 + 10.
    // Y: 5 of 7 (below sma_50, more than 25 % below the high): 17.857 + 18.75. Z has no stage.
    let sql = "SELECT symbol, round(brs, 3), in_brs, scan_count FROM scans ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        ["V 57.0 false 1", "W 73.25 true 3", "X 79.5 true 3", "Y 36.607 false 0", "Z - - -"]
    );
}

/// A stock stays in a scan by its last bar for four sessions without a bar; the first 17 of the 80 sessions are not scanned.
#[tokio::test]
async fn spells_are_runs_of_sessions_with_a_bar_that_is_not_too_old() {
    let days = days(80);
    // At its high of 100, except for bars 70 to 72, which are 10 % below; no bar after bar 73.
    let close = |bar: usize| if (70..73).contains(&bar) { 90.0 } else { 100.0 };
    let bars = days.iter().enumerate().take(74).map(|(bar, day)| {
        let close = close(bar);
        format!("'A', '{day}', 0, {close}, {close}, {close}, {close}, 10, 1.0, 1.0")
    });
    let columns =
        "symbol, session, price_segment, open, high, low, close, volume, turnover, cumulative_split_factor";
    let given =
        SmallMarket::sessions(Market::India, &texts(&days)).await.rows("daily_prices", columns, bars).await;
    let span = format!("'A', '{}', '{}', 74, 1.0", days[0], days[73]);
    let given = given
        .rows("bar_spans", "symbol, first_bar, last_bar, bar_count, cumulative_split_factor_now", [span])
        .await;
    let given = given.made("indicators").await.made("latest_bars").await.made("scan_spells").await;
    let sql = "SELECT entered_on, left_on, days_in_scan FROM scan_spells WHERE scan_name = 'nearHigh' ORDER BY entered_on";
    assert_eq!(
        given.lines(sql).await,
        [format!("{} {} 53", days[17], days[70]), format!("{} {} 5", days[73], days[78])]
    );
    let others = "SELECT DISTINCT scan_name FROM scan_spells ORDER BY scan_name";
    assert_eq!(given.lines(others).await, ["all", "nearHigh"], "its averages and its stage are not known");
}

/// A high 365 days before the last day counts and a high 366 days before it does not, also with a bar only on every second or fifth day.
#[tokio::test]
async fn the_52_weeks_reach_back_365_days() {
    let days = days(400);
    for (step, spike, wanted) in
        [(1, 34, "50.0 2.0"), (1, 33, "10.0 10.0"), (5, 34, "50.0 2.0"), (2, 33, "10.0 10.0")]
    {
        let traded: Vec<usize> = (0..400).rev().step_by(step).collect();
        let bars = traded.iter().map(|day| {
            let (high, low) = if *day == spike { (50.0, 2.0) } else { (10.0, 10.0) };
            format!("'A', '{}', 0, 10.0, {high}, {low}, 10.0, 10, 1.0, 1.0", days[*day])
        });
        let columns = "symbol, session, price_segment, open, high, low, close, volume, turnover, cumulative_split_factor";
        let given = SmallMarket::sessions(Market::India, &texts(&days))
            .await
            .rows("daily_prices", columns, bars)
            .await;
        let span = format!("'A', '{}', '{}', {}, 1.0", days[0], days[399], traded.len());
        let spans = "symbol, first_bar, last_bar, bar_count, cumulative_split_factor_now";
        let given =
            given.rows("bar_spans", spans, [span]).await.made("indicators").await.made("latest_bars").await;
        let last = format!("SELECT wk52_high, wk52_low FROM indicators WHERE session = '{}'", days[399]);
        for sql in [last.as_str(), "SELECT wk52_high, wk52_low FROM latest_bars"] {
            assert_eq!(given.lines(sql).await, [wanted], "every {step} days, {spike}: {sql}");
        }
    }
}

/// 0.1 + 0.2 is 0.30000000000000004, and 0.75 x 0.4 should equal 0.3.
#[tokio::test]
async fn a_last_digit_decides_no_condition() {
    let days = days(300);
    let bar = |symbol: &str, close: &str, means: &str, range: &str| {
        format!(
            "'{symbol}', '{}', 0, {close}, 1.0, {means}, 0.0, {range}, 1.5, 1.0, 1.0, 1.0, 2, NULL, '{}', 30",
            days[299], days[270]
        )
    };
    let bars = [
        // On its averages and on the limits of the 52-week range, except for the last digit, above or below.
        bar("A", "0.30000000000000004", "0.3, 0.3, 0.3", "0.4, 0.23076923076923078, 0.35294117647058826"),
        bar("B", "0.29999999999999993", "0.3, 0.3, 0.3", "0.4, 0.23076923076923078, 0.35294117647058826"),
        bar("C", "0.2999", "0.3, 0.3, 0.3", "0.4, 0.23076923076923078, 0.35294117647058826"),
        bar("D", "0.3001", "0.3, 0.3, 0.3", "0.4, 0.23076923076923078, 0.35294117647058826"),
    ];
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let stocks = ["A", "B", "C", "D"].map(|symbol| format!("'{symbol}', 80"));
    let given = given.rows("latest_bars", BARS, bars).await.rows("stocks", "symbol, rs_rating", stocks).await;
    let given = given.made("scans").await;
    let sql = "SELECT symbol, above_sma_150_200, above_sma_50, above_low_30, near_high_25, in_ipo FROM scans ORDER BY symbol";
    assert_eq!(
        given.lines(sql).await,
        [
            "A false false true true true",
            "B false false true true true",
            "C false false false false false",
            "D true true true true true"
        ]
    );
}
