//! The flag of tradable stocks, by the turnover and the age of their last bars.

use super::{SmallMarket, days, texts};
use parquote_catalogue::operation::Market;

/// Returns the flags of stocks. A stock is (symbol, age of its last bar in sessions, turnovers in multiples of the market's threshold).
async fn tradable(market: Market, stocks: &[(&str, usize, Vec<f64>)]) -> Vec<String> {
    let floor = if market == Market::India { 5e6 } else { 5e5 };
    let days = days(40);
    let (mut bars, mut spans, mut companies) = (Vec::new(), Vec::new(), Vec::new());
    for (symbol, ago, turnovers) in stocks {
        let first = 40 - ago - turnovers.len();
        for (day, turnover) in days.iter().skip(first).zip(turnovers) {
            let turnover = turnover * floor;
            bars.push(format!("'{symbol}', '{day}', 0, 10.0, 10.0, 10.0, 10.0, 1, {turnover}, 1.0"));
        }
        let (first, last) = (&days[first], &days[39 - ago]);
        spans.push(format!("'{symbol}', '{first}', '{last}', {}, 1.0", turnovers.len()));
        companies.push(format!("'{symbol}'"));
    }
    let columns =
        "symbol, session, price_segment, open, high, low, close, volume, turnover, cumulative_split_factor";
    let given = SmallMarket::sessions(market, &texts(&days)).await;
    let given = given.rows("daily_prices", columns, bars).await;
    let given = given
        .rows("bar_spans", "symbol, first_bar, last_bar, bar_count, cumulative_split_factor_now", spans)
        .await;
    let given = given.rows("companies", "symbol", companies).await;
    let given = given.made("indicators").await.made("latest_bars").await.made("stocks").await;
    let given = given.made("session_prices").await;
    given
        .lines(
            "SELECT s.symbol, s.is_tradable, p.is_tradable AS in_that_session
             FROM stocks s JOIN session_prices p ON p.symbol = s.symbol AND p.session = s.session ORDER BY s.symbol",
        )
        .await
}

#[tokio::test]
async fn a_stock_is_tradable_by_the_median_of_its_last_twenty_bars() {
    let uneven = |low: usize, high: usize| [vec![0.9; low], vec![50.0; high]].concat();
    let stocks = [
        ("A-AT-IT", 0, vec![1.0; 30]),
        ("B-BELOW", 0, vec![0.999; 30]),
        ("C-FEW-BUSY", 0, uneven(11, 9)),
        ("D-MANY-BUSY", 0, uneven(9, 11)),
        // Bars before the last twenty do not count.
        ("E-WAS-BUSY", 0, [vec![50.0; 20], vec![0.1; 20]].concat()),
        ("F-YOUNG", 0, vec![3.0, 0.5, 3.0]),
        ("G-FOUR-AGO", 4, vec![9.0; 30]),
        ("H-FIVE-AGO", 5, vec![9.0; 30]),
    ];
    for market in Market::ALL {
        assert_eq!(
            tradable(market, &stocks).await,
            [
                "A-AT-IT true true", "B-BELOW false false", "C-FEW-BUSY false false",
                "D-MANY-BUSY true true", "E-WAS-BUSY false false", "F-YOUNG true true",
                "G-FOUR-AGO true true",
                // The stock was tradable in its own last session.
                "H-FIVE-AGO false true",
            ],
            "{market:?}"
        );
    }
}
