//! Breadth, breakout conditions, rotation and the stages of industries.

use super::vectors::{Vectors, assert_figures};
use super::{SmallMarket, days, texts};
use parquote_catalogue::operation::Market;

#[tokio::test]
async fn breadth_counts_and_its_oscillator_agrees_with_ta_lib() {
    let file = Vectors::read();
    let advances = file.whole_numbers("breadth", "advances");
    let declines = file.whole_numbers("breadth", "declines");
    let days = days(advances.len() as i64);
    let mut rows = Vec::new();
    for ((day, up), down) in days.iter().zip(&advances).zip(&declines) {
        let moves = [(up.unwrap(), 1.5), (down.unwrap(), -0.5), (1, 0.0)];
        for (count, change) in moves {
            rows.extend((0..count).map(|stock| format!("'{change}{stock}', '{day}', {change}")));
        }
    }
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let given =
        given.rows("indicators", "symbol, session, change_pct", rows).await.made("session_breadth").await;
    let given = given.made("breadth").await;
    let oscillator = given.figures("SELECT mcclellan FROM breadth ORDER BY session").await;
    assert_figures(&oscillator, &file.optional_figures("breadth", "mcclellan"));
    let sums: i64 = advances.iter().flatten().sum::<i64>() - declines.iter().flatten().sum::<i64>();
    let last = "SELECT advances, declines, unchanged, ad_line FROM breadth ORDER BY session DESC LIMIT 1";
    let (up, down) = (advances[59].unwrap(), declines[59].unwrap());
    assert_eq!(given.lines(last).await, [format!("{up} {down} 1 {sums}")]);
}

#[tokio::test]
async fn highs_lows_and_averages_are_counted_of_those_that_have_them() {
    let given = SmallMarket::sessions(Market::Us, &["2026-01-02"]).await;
    let columns = "symbol, session, change_pct, adj_close, sma_50, is_new_high, is_new_low";
    let rows = [
        "'A', '2026-01-02', 1.0, 10.0, 9.0, TRUE, FALSE",
        "'B', '2026-01-02', 1.0, 10.0, 10.0, TRUE, FALSE",
        "'C', '2026-01-02', 0.0, 10.0, 11.0, FALSE, TRUE",
        "'D', '2026-01-02', NULL, 10.0, NULL, NULL, NULL",
    ];
    let given = given.rows("indicators", columns, rows).await.made("session_breadth").await;
    let given = given.made("breadth").await;
    let sql =
        "SELECT new_highs, new_lows, round(pct_above_sma50, 3), pct_above_sma200, mcclellan FROM breadth";
    assert_eq!(given.lines(sql).await, ["2 1 33.333 - -"]);
}

/// Returns a column of the breakout conditions in the last two sessions, the newest first, for a benchmark with these closes.
async fn conditions(market: Market, column: &str, closes: &[f64]) -> String {
    let days = days(closes.len() as i64 + 1);
    let rows: Vec<String> =
        days.iter().zip(closes).map(|(day, close)| format!("'{day}', 'X', {close}")).collect();
    let given = SmallMarket::sessions(market, &texts(&days)).await;
    let given = given.rows("benchmark", "session, benchmark, benchmark_close", rows).await;
    let given = given.made("breakout_conditions").await;
    let sql = format!("SELECT {column} FROM breakout_conditions ORDER BY session DESC LIMIT 2");
    given.lines(&sql).await.join(" ")
}

#[tokio::test]
async fn breakout_conditions_hold_the_benchmark_against_its_averages() {
    let (flat, long) = (vec![100.0; 30], vec![100.0; 220]);
    let then = |closes: &[f64], last: &[f64]| [closes, last].concat();
    // The last session has no benchmark close, so no condition.
    let india = |closes: Vec<f64>| async move { conditions(Market::India, "ema_condition", &closes).await };
    assert_eq!(india(then(&flat, &[101.0])).await, "- ABOVE_BOTH");
    assert_eq!(india(flat.clone()).await, "- BELOW_BOTH");
    // After five sessions at 130 ema_10 is 119.0 and ema_21 111.4; 115 is between them, also after the update.
    assert_eq!(india(then(&flat, &[130.0, 130.0, 130.0, 130.0, 130.0, 115.0])).await, "- ABOVE_21_ONLY");
    assert_eq!(india(vec![100.0; 20]).await, "- -");
    let us = |closes: Vec<f64>| async move { conditions(Market::Us, "sma_condition", &closes).await };
    assert_eq!(us(then(&long, &[101.0])).await, "- BULL_CONFIRMED");
    assert_eq!(us(long.clone()).await, "- BEAR_CONFIRMED");
    // 150 sessions at 100 and 50 at 50, but the last at 80: the means are 50.6 and 87.65.
    let fallen = then(&[100.0; 150], &[50.0; 49]);
    assert_eq!(us(then(&fallen, &[80.0])).await, "- ABOVE_SMA50_ONLY");
    assert_eq!(us(vec![100.0; 199]).await, "- -");
}

/// No word covers a close above only the faster average (India) or above only the slower average (US). The flags tell them apart.
#[tokio::test]
async fn breakout_conditions_say_which_average_the_close_is_above() {
    let then = |closes: &[f64], last: &[f64]| [closes, last].concat();
    let columns = "concat_ws(' ', ema_condition, above_ema_10, above_ema_21)";
    let india = |closes: Vec<f64>| async move { conditions(Market::India, columns, &closes).await };
    // After five sessions at 70 ema_10 is 81.0 and ema_21 88.6; 85 is between them, also after the update.
    let fallen = then(&[100.0; 30], &[70.0; 5]);
    assert!(india(then(&fallen, &[85.0])).await.ends_with("BELOW_BOTH true false"));
    assert!(india(then(&fallen, &[80.0])).await.ends_with("BELOW_BOTH false false"));
    assert!(india(then(&fallen, &[99.0])).await.ends_with("ABOVE_BOTH true true"));
    let columns = "concat_ws(' ', sma_condition, above_sma_50, above_sma_200)";
    let us = |closes: Vec<f64>| async move { conditions(Market::Us, columns, &closes).await };
    // 150 sessions at 50 and 50 at 100, but the last at 80: the means are 99.6 and 62.4.
    let risen = then(&[50.0; 150], &[100.0; 49]);
    assert!(us(then(&risen, &[80.0])).await.ends_with("BEAR_CONFIRMED false true"));
    assert!(us(then(&risen, &[101.0])).await.ends_with("BULL_CONFIRMED true true"));
}

#[tokio::test]
async fn rotation_agrees_with_the_definition_written_in_python() {
    let file = Vectors::read();
    let first = chrono::NaiveDate::from_ymd_opt(2024, 1, 1).unwrap();
    let days: Vec<String> = file
        .whole_numbers("rotation", "day")
        .iter()
        .map(|day| (first + chrono::TimeDelta::days(day.unwrap())).to_string())
        .collect();
    let rows = |figure: &str, name: &str| -> Vec<String> {
        let levels = file.figures("rotation", figure);
        days.iter().zip(levels).map(|(day, level)| format!("'{name}', '{day}', {level}")).collect()
    };
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let given = given.rows("sector_indices", "sector, session, index_level", rows("level", "Power")).await;
    let given = given.rows("benchmark", "benchmark, session, benchmark_close", rows("benchmark", "X")).await;
    let given = given.made("sector_rotation").await;
    for figure in ["rs_ratio", "rs_momentum"] {
        let ours = given.figures(&format!("SELECT {figure} FROM sector_rotation ORDER BY session")).await;
        assert_figures(&ours, &file.optional_figures("rotation", figure));
    }
    let wrong = "SELECT count(*) FROM sector_rotation WHERE (quadrant IS DISTINCT FROM (
        CASE WHEN rs_ratio IS NULL THEN NULL ELSE
        CASE rs_ratio > 100 WHEN TRUE THEN CASE rs_momentum > 100 WHEN TRUE THEN 'Leading' ELSE 'Weakening' END
        ELSE CASE rs_momentum > 100 WHEN TRUE THEN 'Improving' ELSE 'Lagging' END END END))
        OR date_part('dow', week_start) <> 1 OR week_start > session OR session >= week_start + INTERVAL '7 days'";
    assert_eq!(given.lines(wrong).await, ["0"]);
    let quadrants = "SELECT count(DISTINCT quadrant) FROM sector_rotation";
    assert_eq!(given.lines(quadrants).await, ["4"]);
}

/// Returns the stages of industries, each given by its name and its index levels on consecutive sessions.
async fn stages(industries: &[(&str, Vec<f64>)]) -> Vec<String> {
    let days = days(640);
    let rows: Vec<String> = industries
        .iter()
        .flat_map(|(name, levels)| {
            let from = days.iter().skip(640 - levels.len());
            from.zip(levels).map(move |(day, level)| format!("'{name}', '{day}', {level}"))
        })
        .collect();
    let stocks = industries.iter().map(|(name, _)| format!("'{name}', '{name}', '{}'", days[639]));
    let given = SmallMarket::sessions(Market::India, &texts(&days)).await;
    let given = given.rows("industry_indices", "industry, session, index_level", rows).await;
    let given = given.rows("stocks", "symbol, industry, session", stocks).await.made("industry_stages").await;
    let sql = "SELECT industry, stage, raw_stage, stage_reason, stock_count FROM industry_stages ORDER BY 1";
    given.lines(sql).await
}

#[tokio::test]
async fn all_stages_are_zero_when_no_industry_advances() {
    let file = Vectors::read();
    let levels = file.figures("stage", "close");
    let expected = file.whole_numbers("stage", "stage");
    let until = |stage: i64| -> Vec<f64> {
        let last = expected.iter().rposition(|known| *known == Some(stage)).unwrap();
        levels[..=last].to_vec()
    };
    let (falling, topping, young) = (until(4), until(3), vec![100.0; 169]);
    let others = [("Falling", falling), ("Flat", vec![100.0; 300]), ("Topping", topping), ("Young", young)];
    assert_eq!(
        stages(&others).await,
        [
            "Falling 0 4 Broad correction: no industry is in stage 2. 1",
            "Flat 0 - Broad correction: no industry is in stage 2. There was no clear trend yet. 1",
            "Topping 0 3 Broad correction: no industry is in stage 2. 1",
            "Young 0 - Broad correction: no industry is in stage 2. The history is too short. 1",
        ]
    );
    let with_one: Vec<(&str, Vec<f64>)> = others.into_iter().chain([("Rising", until(2))]).collect();
    assert_eq!(
        stages(&with_one).await,
        [
            "Falling 4 4 - 1",
            "Flat - - There was no clear trend yet. 1",
            "Rising 2 2 - 1",
            "Topping 3 3 - 1",
            "Young - - The history is too short. 1",
        ]
    );
    // If no industry has a known stage, there is no correction either.
    let young = [("Young", vec![100.0; 169])];
    assert_eq!(stages(&young).await, ["Young - - The history is too short. 1"]);
}
