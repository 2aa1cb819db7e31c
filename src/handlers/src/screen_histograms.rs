//! Histograms of the figures that the conditions of a screen limit, which help to choose a limit.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Float64Type;
use serde_json::{Value as Json, json};

use super::screen_table::ScreenTable;
use parquote_language::{Filter, Test};

/// Number of bars of a histogram.
const BAR_COUNT: usize = 20;

/// Percentage of the stocks at each end whose figures may be outside of all bars. The first and the last bar count them too.
const BEYOND_PCT: usize = 2;

/// A bar, which counts the figures from `from` (included) to `to` (excluded).
#[derive(Debug, Clone, Copy, PartialEq)]
struct HistogramBar {
    from: f64,
    to: f64,
    count: usize,
}

/// Returns the bars of the histogram for a condition on a number, over the rows for which `is_counted` returns true. `number` is the number
/// of the condition. Returns no bars for other conditions, and for figures that are all equal, apart from those beyond the bars.
pub(super) fn histogram(
    table: &ScreenTable,
    number: usize,
    filter: &Filter,
    is_counted: impl Fn(usize) -> bool,
) -> Vec<Json> {
    let Filter::Number { field, test } = filter else { return Vec::new() };
    let column = table.columns.column_by_name(field);
    let Some(figures) = column.and_then(|column| column.as_primitive_opt::<Float64Type>()) else {
        return Vec::new();
    };
    let counted = figures.iter().enumerate().filter(|(row, _)| is_counted(*row));
    let bars = bars(counted.filter_map(|(_, figure)| figure.filter(|it| it.is_finite())).collect());
    bars.into_iter().map(|bar| bar_json(number, *test, bar)).collect()
}

fn bar_json(number: usize, test: Test, bar: HistogramBar) -> Json {
    json!({
        "of_condition": number,
        "bar_from": round_edge(bar.from),
        "bar_to": round_edge(bar.to),
        "stock_count": bar.count,
        "is_within": test.holds(f64::midpoint(bar.from, bar.to)),
    })
}

fn round_edge(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Counts figures in bars of the same width.
fn bars(mut figures: Vec<f64>) -> Vec<HistogramBar> {
    figures.sort_unstable_by(f64::total_cmp);
    let beyond = figures.len() * BEYOND_PCT / 100;
    let ends = figures.get(beyond).zip(figures.iter().nth_back(beyond));
    let Some((low, high)) = ends.map(|(low, high)| (*low, *high)).filter(|(low, high)| high > low) else {
        return Vec::new();
    };
    let width = (high - low) / BAR_COUNT as f64;
    let edge = |number: usize| low + number as f64 * width;
    // The figures are sorted, so those below the end of a bar come first.
    let below = |number: usize| match number {
        0 => 0,
        BAR_COUNT => figures.len(),
        _ => figures.partition_point(|figure| *figure < edge(number)),
    };
    let bar = |number: usize| HistogramBar {
        from: edge(number),
        to: edge(number + 1),
        count: below(number + 1) - below(number),
    };
    (0..BAR_COUNT).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_same_width_and_count_every_figure() {
        // 100 figures from 1 to 100: the ends are the third ones from below and from above, 3 and 98, and a bar is 4.75 wide.
        let all = bars((1..=100).rev().map(f64::from).collect());
        assert_eq!(all.len(), BAR_COUNT);
        assert_eq!((all[0].from, all[0].to), (3.0, 7.75));
        // 1 to 7, then 8 to 12 (below 12.5), and in the last one 94 to 100 (from 93.25).
        assert_eq!((all[0].count, all[1].count, all[19].count), (7, 5, 7));
        assert_eq!(all.iter().map(|bar| bar.count).sum::<usize>(), 100);
    }

    #[test]
    fn figures_that_are_alike_have_no_bars() {
        for figures in [vec![], vec![5.0], vec![5.0; 30]] {
            assert!(bars(figures).is_empty());
        }
        let two = bars(vec![1.0, 2.0]);
        assert_eq!((two[0].count, two[19].count), (1, 1));
    }
}
