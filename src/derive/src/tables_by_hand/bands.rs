//! Circuits: price limits, ticks, and the choice of the list of price bands.

use super::SmallMarket;
use parquote_catalogue::operation::Market;

const BARS: &str =
    "symbol, session, price_segment, high, low, close, volume, turnover, cumulative_split_factor";
const CIRCUITS: &str =
    "SELECT symbol, direction, limit_price, previous_close, locked FROM circuits ORDER BY 1, 2 DESC";

/// Returns the circuits of two sessions. A stock is (symbol, close of the first session, `high, low, close` of the second, band in
/// percent).
async fn circuits(days: [&str; 2], stocks: &[(&str, f64, &str, f64)]) -> Vec<String> {
    let mut bars = Vec::new();
    for (symbol, previous, bar, _) in stocks {
        bars.push(format!("'{symbol}', '{}', 0, {previous}, {previous}, {previous}, 1, 1.0, 1.0", days[0]));
        bars.push(format!("'{symbol}', '{}', 0, {bar}, 1, 1.0, 1.0", days[1]));
    }
    let bands = stocks.iter().map(|(symbol, _, _, band)| format!("'{symbol}', '{}', {band}", days[0]));
    let given = SmallMarket::sessions(Market::India, &days).await.rows("daily_prices", BARS, bars).await;
    with_circuits(given.rows("price_bands", "symbol, band_date, band_pct", bands).await)
        .await
        .lines(CIRCUITS)
        .await
}

/// Derives the circuits and their input tables.
async fn with_circuits(given: SmallMarket) -> SmallMarket {
    let changes = "SELECT * EXCEPT (change_pct), 100 * (close * cumulative_split_factor / LAG(close * cumulative_split_factor) \
                   OVER (PARTITION BY symbol, price_segment ORDER BY session) - 1) AS change_pct FROM daily_prices";
    given
        .replaced("daily_prices", changes)
        .await
        .made("band_days")
        .await
        .made("limit_hits")
        .await
        .made("circuits")
        .await
}

#[tokio::test]
async fn limits_are_rounded_inwards_to_the_tick() {
    let stocks = [
        // 101.35 x 1.05 = 106.4175 and x 0.95 = 96.2825, ticks of a paisa.
        ("A", 101.35, "106.41, 96.29, 100.0", 5.0),
        // 1,234.5 x 1.1 = 1,357.95, ticks of ten paise: 1,357.90; the low stays above 1,111.10.
        ("B", 1234.5, "1357.9, 1111.2, 1357.9", 10.0),
        // 100 x 1.2 falls on a tick, and one paisa below it is no hit.
        ("C", 100.0, "119.99, 90.0, 119.99", 20.0),
        ("D", 100.0, "120.0, 90.0, 119.0", 20.0),
        // 600 x 0.98 = 588, ticks of five paise.
        ("E", 600.0, "600.0, 588.0, 588.0", 2.0),
    ];
    assert_eq!(
        circuits(["2025-12-16", "2025-12-17"], &stocks).await,
        [
            "A upper 106.41 101.35 false",
            "A lower 96.29 101.35 false",
            "B upper 1357.9 1234.5 true",
            "D upper 120.0 100.0 false",
            "E lower 588.0 600.0 true",
        ]
    );
}

/// 0.45 x 1.02 = 0.459 and x 0.98 = 0.441 are both 0.45 in ticks: the stock cannot move, and an unchanged price is not a hit.
#[tokio::test]
async fn a_band_below_a_tick_has_no_limit() {
    let stocks = [
        ("A", 0.45, "0.45, 0.45, 0.45", 2.0),
        ("B", 0.9, "0.9, 0.85, 0.85", 5.0),
        ("C", 1.0, "1.0, 0.99, 1.0", 1.0),
    ];
    // B's lower limit is 0.855, rounded up to 0.90 in the old ticks of five paise. In ticks of a paisa C has limits of 0.99 and 1.01.
    assert!(circuits(["2024-05-30", "2024-05-31"], &stocks[..2]).await.is_empty());
    assert_eq!(
        circuits(["2025-12-16", "2025-12-17"], &stocks).await,
        ["B lower 0.86 0.9 true", "C lower 0.99 1.0 false"]
    );
}

#[tokio::test]
async fn ticks_are_those_of_the_day() {
    // 101.35 x 1.05 = 106.4175: below 250, ticks are a paisa since June 2024, five paise before.
    for (day, limit) in [(["2024-05-30", "2024-05-31"], 106.4), (["2024-05-31", "2024-06-03"], 106.41)] {
        let lines = circuits(day, &[("A", 101.35, "107.0, 100.0, 100.0", 5.0)]).await;
        assert_eq!(lines, [format!("A upper {limit} 101.35 false")]);
    }
    // 12,345 x 1.05 = 12,962.25: ticks are five paise before April 2025, one rupee after.
    for (day, limit) in
        [(["2025-03-27", "2025-03-28"], "12962.25"), (["2025-04-01", "2025-04-02"], "12962.0")]
    {
        let lines = circuits(day, &[("A", 12345.0, "12963.0, 12345.0, 12345.0", 5.0)]).await;
        assert_eq!(lines, [format!("A upper {limit} 12345.0 false")]);
    }
}

#[tokio::test]
async fn a_split_moves_the_close_before_and_old_lists_and_missing_bands_say_nothing() {
    let days = ["2025-12-16", "2025-12-17"];
    let given = SmallMarket::sessions(Market::India, &days).await;
    let given = given
        .rows(
            "daily_prices",
            BARS,
            [
                "'A', '2025-12-16', 0, 200.0, 200.0, 200.0, 1, 1.0, 1.0",
                "'A', '2025-12-17', 0, 105.0, 100.0, 105.0, 1, 1.0, 2.0",
                "'B', '2025-12-16', 0, 100.0, 100.0, 100.0, 1, 1.0, 1.0",
                "'B', '2025-12-17', 0, 150.0, 100.0, 150.0, 1, 1.0, 1.0",
                "'C', '2025-12-16', 0, 100.0, 100.0, 100.0, 1, 1.0, 1.0",
                "'C', '2025-12-17', 1, 150.0, 100.0, 150.0, 1, 1.0, 1.0",
            ],
        )
        .await;
    let banded = |date: &str| {
        [format!("'A', '{date}', 5.0"), format!("'B', '{date}', NULL"), format!("'C', '{date}', 5.0")]
    };
    let columns = "symbol, band_date, band_pct";
    let given = with_circuits(given.rows("price_bands", columns, banded("2025-12-01")).await).await;
    assert_eq!(given.lines(CIRCUITS).await, ["A upper 105.0 100.0 true"]);
    let given = with_circuits(given.rows("price_bands", columns, banded("2025-11-16")).await).await;
    assert!(given.lines(CIRCUITS).await.is_empty());
    let given = with_circuits(given.rows("price_bands", columns, banded("2025-12-18")).await).await;
    assert!(given.lines(CIRCUITS).await.is_empty());
}

/// The change of a day is from the close of the previous session, even if that session has no file.
#[tokio::test]
async fn limits_are_of_the_close_of_the_session_before() {
    let days = ["2025-12-16", "2025-12-18"];
    let columns = format!("{BARS}, change_pct");
    let bars = [
        "'A', '2025-12-16', 0, 100.0, 100.0, 100.0, 1, 1.0, 1.0, NULL",
        "'A', '2025-12-18', 0, 115.5, 110.0, 115.5, 1, 1.0, 1.0, 5.0",
        "'B', '2025-12-16', 0, 100.0, 100.0, 100.0, 1, 1.0, 1.0, NULL",
        "'B', '2025-12-18', 0, 105.0, 100.0, 105.0, 1, 1.0, 1.0, NULL",
    ];
    let given = SmallMarket::sessions(Market::India, &days).await.rows("daily_prices", &columns, bars).await;
    let bands = ["'A', '2025-12-16', 5.0", "'B', '2025-12-16', 5.0"];
    let given = given.rows("price_bands", "symbol, band_date, band_pct", bands).await;
    let given = given.made("band_days").await.made("limit_hits").await.made("circuits").await;
    // 110 x 1.05 = 115.5; the change of B is unknown.
    assert_eq!(given.lines(CIRCUITS).await, ["A upper 115.5 110.0 true"]);
}
