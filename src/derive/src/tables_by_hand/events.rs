//! Returns after entries: runs of a state, windows that end early, the base, and the interval of the median.

use super::{SmallMarket, days, texts};
use parquote_catalogue::operation::Market;

/// A stock with a bar on every day from the first day on.
struct Bars {
    symbol: &'static str,
    /// Adjusted closes.
    closes: Vec<f64>,
    /// Indices of the bars with a 52-week high.
    highs: Vec<usize>,
    /// Index of the first bar of a second price segment; `usize::MAX` for none.
    jump: usize,
    is_liquid: bool,
    /// Number of shares that one share of the first bar has become by the last day.
    factor_now: f64,
}

impl Bars {
    fn new(symbol: &'static str, closes: Vec<f64>, highs: &[usize]) -> Self {
        Self { symbol, closes, highs: highs.to_vec(), jump: usize::MAX, is_liquid: true, factor_now: 1.0 }
    }

    fn segment(&self, bar: usize) -> usize {
        usize::from(bar >= self.jump)
    }
}

/// Returns a market of 100 days with the returns after entries of these stocks, all of which have the year of bars that entries need.
async fn market_of(stocks: &[Bars]) -> SmallMarket {
    let days = days(100);
    let (mut figures, mut prices, mut latest) = (Vec::new(), Vec::new(), Vec::new());
    for stock in stocks {
        let symbol = stock.symbol;
        for (bar, (day, close)) in days.iter().zip(&stock.closes).enumerate() {
            let (segment, is_high) = (stock.segment(bar), stock.highs.contains(&bar));
            figures.push(format!(
                "'{symbol}', '{day}', {segment}, {close:?}, 1.0, {}, {is_high}",
                stock.is_liquid
            ));
            prices.push(format!("'{symbol}', '{day}', {close:?}, {close:?}, 10, 1.0"));
        }
        let last = stock.closes.len() - 1;
        let (day, segment) = (&days[last], stock.segment(last));
        let (close, factor) = (stock.closes[last] / stock.factor_now, stock.factor_now);
        latest.push(format!("'{symbol}', '{day}', {segment}, {close:?}, {factor:?}"));
    }
    SmallMarket::sessions(Market::India, &texts(&days))
        .await
        .rows(
            "indicators",
            "symbol, session, price_segment, adj_close, roc_252, is_liquid, is_new_high",
            figures,
        )
        .await
        .rows("daily_prices", "symbol, session, high, low, volume, cumulative_split_factor", prices)
        .await
        .rows("latest_bars", "symbol, session, price_segment, adj_close, cumulative_split_factor_now", latest)
        .await
        .made("event_returns")
        .await
}

#[tokio::test]
async fn a_run_counts_once_and_a_window_ends_with_the_last_close_of_a_stock_that_ceased() {
    let given = market_of(&[
        // Two bars in a row are one entry; +10 % after the first, 0 % after bar 20.
        Bars::new("A", [vec![100.0; 15], vec![110.0; 85]].concat(), &[10, 11, 20]),
        // A jump cuts the windows.
        Bars { jump: 13, ..Bars::new("B", [vec![100.0; 13], vec![20.0; 87]].concat(), &[10]) },
        // The last bar is 69 sessions old: its close is half that of the entry. Each share has become two.
        Bars { factor_now: 2.0, ..Bars::new("C", [vec![100.0; 30], vec![50.0]].concat(), &[28]) },
        // Two bars follow the entry.
        Bars::new("D", vec![100.0; 100], &[97]),
        // Too small a turnover: neither an entry nor in the base.
        Bars { is_liquid: false, ..Bars::new("E", [vec![100.0; 15], vec![300.0; 85]].concat(), &[10]) },
    ])
    .await;
    let sql = "SELECT event, horizon, entry_count, entry_days, complete_count, incomplete_count, ceased_count, \
        round(lower_quartile_return_pct, 2) AS lower, round(median_return_pct, 2) AS middle, \
        round(upper_quartile_return_pct, 2) AS upper, median_return_low_pct, median_return_high_pct, \
        round(positive_pct, 2) AS positive, round(base_median_return_pct, 2) AS base, \
        round(base_positive_pct, 2) AS base_positive, round(beat_pct, 2) AS beat, first_entry, last_entry \
        FROM event_returns ORDER BY horizon";
    let days = days(100);
    let wanted = [5, 21, 63].map(|horizon| {
        // Of the base, A rose after bar 10, and B has no return: one of three, then none twice.
        format!(
            "newHigh {horizon} 5 3 3 2 1 -25.0 0.0 5.0 - - 33.33 0.0 11.11 33.33 {} {}",
            days[10], days[97]
        )
    });
    assert_eq!(given.lines(sql).await, wanted);
}

/// For ten values, tables of the interval by the binomial distribution have the second and the ninth (Campbell and Gardner 1988).
#[tokio::test]
async fn the_interval_of_the_median_has_the_ranks_of_published_tables() {
    let stock =
        |symbol, rise: f64| Bars::new(symbol, [vec![100.0; 15], vec![100.0 + rise; 85]].concat(), &[10]);
    let symbols = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];
    for (count, wanted) in [(5, "- -"), (6, "1.0 6.0"), (10, "2.0 9.0")] {
        let stocks: Vec<Bars> = symbols
            .into_iter()
            .take(count)
            .zip(1_i32..)
            .map(|(symbol, rise)| stock(symbol, f64::from(rise)))
            .collect();
        let sql = "SELECT round(median_return_low_pct, 2) AS low, round(median_return_high_pct, 2) AS high \
            FROM event_returns WHERE horizon = 5";
        assert_eq!(market_of(&stocks).await.lines(sql).await, [wanted], "{count} returns");
    }
}
