//! The benchmark and the sector indices: choice of the series, and chaining.

use super::SmallMarket;
use parquote_catalogue::operation::Market;

const DAYS: [&str; 3] = ["2026-01-01", "2026-01-02", "2026-01-05"];
const CHANGES: &str = "symbol, session, change_pct, market_cap_before";
const BENCHMARK: &str =
    "SELECT session, benchmark, round(benchmark_close, 6) FROM benchmark ORDER BY session";

async fn with_index(rows: &[&str]) -> Vec<String> {
    let given = SmallMarket::sessions(Market::India, &DAYS).await;
    let given = given.rows("index_prices", "index_name, session, close, factor", rows).await;
    given.made("benchmark").await.lines(BENCHMARK).await
}

#[tokio::test]
async fn the_index_is_the_benchmark_where_it_covers_all_sessions_else_its_etf() {
    let etf = ["'NIFTYBEES', '2026-01-01', 2800.0, 0.1", "'NIFTYBEES', '2026-01-05', 290.0, 1.0"];
    let index = |day: &str| format!("'NIFTY50', '{day}', 26000.0, 1.0");
    let (first, second, third) = (index(DAYS[0]), index(DAYS[1]), index(DAYS[2]));
    assert_eq!(
        with_index(&[etf[0], &first, &second, etf[1]]).await,
        ["2026-01-01 NIFTYBEES 280.0", "2026-01-05 NIFTYBEES 290.0"]
    );
    assert_eq!(
        with_index(&[etf[0], &first, &second, &third]).await,
        ["2026-01-01 NIFTY50 26000.0", "2026-01-02 NIFTY50 26000.0", "2026-01-05 NIFTY50 26000.0"]
    );
}

#[tokio::test]
async fn without_either_it_is_a_chain_of_the_members_of_the_day() {
    let given = SmallMarket::sessions(Market::Us, &DAYS).await;
    let given = given
        .rows(
            "index_members",
            "index_name, list_date, symbol",
            [
                "'SP500', '2026-01-02', 'A'",
                "'SP500', '2026-01-02', 'B'",
                "'SP500', '2026-01-05', 'A'",
                "'SP500', '2026-01-05', 'C'",
                "'DOW30', '2026-01-02', 'C'",
            ],
        )
        .await;
    let given = given.rows("companies", "symbol", ["'A'", "'B'", "'C'"]).await;
    // Caps 300 and 100: (300 x 10 - 100 x 5)/400 = 6.25 %. Without caps A and C: (4 + 2)/2 = 3 %.
    let changes = [
        "'A', '2026-01-01', NULL, NULL",
        "'A', '2026-01-02', 10.0, 300.0",
        "'B', '2026-01-02', -5.0, 100.0",
        "'C', '2026-01-02', 90.0, 500.0",
        "'A', '2026-01-05', 4.0, NULL",
        "'B', '2026-01-05', 50.0, NULL",
        "'C', '2026-01-05', 2.0, NULL",
    ];
    let given = given.rows("indicators", CHANGES, changes).await.made("benchmark").await;
    assert_eq!(
        given.lines(BENCHMARK).await,
        ["2026-01-02 SP500 members 1062.5", "2026-01-05 SP500 members 1094.375"]
    );
}

#[tokio::test]
async fn members_are_added_up_in_the_order_of_symbols_whatever_the_batches() {
    let members: Vec<(String, f64, f64)> = (0..60)
        .map(|number| {
            let step = f64::from(number);
            (format!("S{number:02}"), (step * 0.7).sin() * 9.1, (step * 1.3).cos().abs() * 1e5 + 0.1)
        })
        .collect();
    let (mut weighed, mut caps) = (0.0, 0.0);
    for (_, change, cap) in &members {
        weighed += cap * change;
        caps += cap;
    }
    let expected: f64 = 1000.0 * (weighed / caps / 100.0_f64 + 1.0).ln().exp();
    for batch in [5, 7, 16, 8192] {
        let given = SmallMarket::sessions(Market::Us, &DAYS).await.in_batches(batch).await;
        let listed = members.iter().map(|(symbol, ..)| format!("'SP500', '2026-01-01', '{symbol}'"));
        let given = given.rows("index_members", "index_name, list_date, symbol", listed).await;
        let companies = members.iter().map(|(symbol, ..)| format!("'{symbol}'"));
        let given = given.rows("companies", "symbol", companies).await;
        let changes = members
            .iter()
            .map(|(symbol, change, cap)| format!("'{symbol}', '2026-01-02', {change:?}, {cap:?}"));
        let given = given.rows("indicators", CHANGES, changes).await.made("benchmark").await;
        // Equal to the last bit.
        assert_eq!(given.figures("SELECT benchmark_close FROM benchmark").await, [expected], "{batch}");
    }
}

#[tokio::test]
async fn a_stock_without_a_cap_weighs_as_the_median_and_all_equally_where_there_are_none() {
    let given = SmallMarket::sessions(Market::India, &DAYS).await;
    let given = given
        .rows("listings", "symbol, sector", ["'A', 'Power'", "'B', 'Power'", "'C', 'Power'", "'D', NULL"])
        .await;
    // First session: A and B by caps, C has none and weighs 200: (3,000 - 500 + 14,000) / 600 = 27.5. Second session: none has a cap.
    let changes = [
        "'A', '2026-01-01', NULL, NULL",
        "'A', '2026-01-02', 10.0, 300.0",
        "'B', '2026-01-02', -5.0, 100.0",
        "'C', '2026-01-02', 70.0, NULL",
        "'D', '2026-01-02', 70.0, 900.0",
        "'A', '2026-01-05', -1.0, NULL",
        "'C', '2026-01-05', 3.0, NULL",
    ];
    let given = given.rows("indicators", CHANGES, changes).await.made("sector_growths").await;
    let given = given.made("sector_indices").await;
    let sql = "SELECT sector, session, round(index_level, 6), stocks_counted FROM sector_indices ORDER BY 2";
    assert_eq!(given.lines(sql).await, ["Power 2026-01-02 1275.0 3", "Power 2026-01-05 1287.75 2"]);
}
