//! The answer of the operation `backtest`, with the detail that the call requests.

use chrono::{Datelike, NaiveDate};
use serde_json::{Value as Json, json};

use super::backtest_bars::TestedMarket;
use super::backtest_picks::PickSource;
use super::handler::{HandlerCall, set_field};
use super::rounding::round_fractions;
use parquote_backtest::{
    Activity, Backtest, CurveStatistics, EquityDay, LeftOutPick, PicksComparison, RoundTrip,
    curve_statistics, year_statistics,
};
use parquote_catalogue::digits::counted;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;

/// Maximum number of trades, and of picks that were left out, in an answer of standard detail.
const STANDARD_ROWS: usize = 40;

/// A curve of values, ascending by session.
type Curve = Vec<(NaiveDate, f64)>;

/// Returns the answer, with rounded figures.
pub(super) fn answer_fields(
    call: &HandlerCall<'_>,
    source: PickSource<'_>,
    market: &TestedMarket,
    test: &Backtest,
    comparison: Option<&PicksComparison>,
) -> Result<Json, ClientError> {
    let curve: Curve = test.equity.iter().map(|day| (day.session, day.equity)).collect();
    let benchmark = benchmark_curve(market, &curve);
    let detail = call.text("detail").unwrap_or_default();
    let trades = listed_trades(test, detail);
    let mut answer = json!({
        "market": call.market.word(),
        "source": source.word(),
        "from": curve.first().map(|(date, _)| date),
        "to": curve.last().map(|(date, _)| date),
        "decisions": test.counts.decisions,
        "statistics": curve_statistics(&curve, 0.0).map(|figures| statistics_fields(&figures)),
        "benchmark": benchmark_fields(market, &benchmark),
        "comparison": comparison,
        "years": year_rows(&curve, &benchmark),
        "activity": Activity::from_backtest(test),
        "counts": test.counts,
        "picks_left_out": listed_left_out(test, detail),
        "charges": test.charges,
        "equity": equity_rows(test, market, detail),
        "trades_left_out": test.round_trips.len() - trades.len(),
        "trades": trades,
    });
    let warnings = [warnings(source, test, &curve), warnings_of_data(call, test)].concat();
    set_field(&mut answer, "warnings", warnings.into());
    if let Some(counts) = answer.get_mut("counts").and_then(Json::as_object_mut) {
        // The answer has the number of decisions in a field of its own.
        counts.shift_remove("decisions");
    }
    round_fractions(&answer).map_err(|error| {
        ClientError::from_cause(ErrorKind::Internal, "the server failed to write the answer", error)
    })
}

/// Returns the benchmark from the first to the last session of a curve.
fn benchmark_curve(market: &TestedMarket, curve: &[(NaiveDate, f64)]) -> Curve {
    let (Some((first, _)), Some((last, _))) = (curve.first(), curve.last()) else { return Vec::new() };
    market.benchmark.iter().filter(|(date, _)| date >= first && date <= last).copied().collect()
}

fn statistics_fields(figures: &CurveStatistics) -> Json {
    let fall = figures.max_drawdown;
    json!({
        "returns": figures.returns,
        "total_return_pct": figures.total_return_pct,
        "cagr_pct": figures.cagr_pct,
        "volatility_pct": figures.volatility_pct,
        "sharpe": figures.sharpe,
        "mean_return_pct": figures.mean_return_pct,
        "mean_return_low_pct": figures.mean_return_low_pct,
        "mean_return_high_pct": figures.mean_return_high_pct,
        "max_drawdown_pct": fall.map(|fall| fall.depth_pct),
        "drawdown_from": fall.map(|fall| fall.peak),
        "drawdown_to": fall.map(|fall| fall.trough),
        "recovered_on": fall.and_then(|fall| fall.recovered),
    })
}

fn benchmark_fields(market: &TestedMarket, benchmark: &[(NaiveDate, f64)]) -> Option<Json> {
    let (name, figures) = (market.benchmark_name.as_ref()?, curve_statistics(benchmark, 0.0)?);
    Some(json!({
        "name": name,
        "total_return_pct": figures.total_return_pct,
        "cagr_pct": figures.cagr_pct,
        "volatility_pct": figures.volatility_pct,
        "sharpe": figures.sharpe,
        "max_drawdown_pct": figures.max_drawdown.map(|fall| fall.depth_pct),
    }))
}

fn year_rows(curve: &[(NaiveDate, f64)], benchmark: &[(NaiveDate, f64)]) -> Vec<Json> {
    let benchmark_years = year_statistics(benchmark);
    let row = |year: parquote_backtest::YearStatistics| {
        let benchmark_year = benchmark_years.iter().find(|other| other.year == year.year);
        json!({
            "year": year.year,
            "return_pct": year.return_pct,
            "max_drawdown_pct": year.max_drawdown_pct,
            "benchmark_return_pct": benchmark_year.map(|other| other.return_pct),
        })
    };
    year_statistics(curve).into_iter().map(row).collect()
}

/// Returns every session for full detail, the last session of each month for standard detail, and none for a summary.
fn equity_rows(test: &Backtest, market: &TestedMarket, detail: &str) -> Vec<Json> {
    if detail == "summary" {
        return Vec::new();
    }
    let close = |day: &EquityDay| {
        let at = market.benchmark.binary_search_by_key(&day.session, |(date, _)| *date).ok()?;
        market.benchmark.get(at).map(|(_, close)| *close)
    };
    let closes: Vec<Option<f64>> = test.equity.iter().map(close).collect();
    let equity: Vec<Option<f64>> = test.equity.iter().map(|day| Some(day.equity)).collect();
    let falls = drawdowns_pct(&equity).into_iter().zip(drawdowns_pct(&closes));
    let month = |day: &EquityDay| (day.session.year(), day.session.month());
    let is_listed = |at: usize, day: &EquityDay| {
        detail == "full" || test.equity.get(at + 1).is_none_or(|next| month(next) != month(day))
    };
    let days = test.equity.iter().zip(closes).zip(falls).enumerate();
    let listed_days = days.filter(|(at, ((day, _), _))| is_listed(*at, day));
    listed_days
        .map(|(_, ((day, close), (fall, benchmark_fall)))| {
            json!({
                "session": day.session,
                "equity": day.equity,
                "cash": day.cash,
                "positions": day.positions,
                "drawdown_pct": fall,
                "benchmark_close": close,
                "benchmark_drawdown_pct": benchmark_fall,
            })
        })
        .collect()
}

/// Returns the fall of each value from the highest value up to it, in percent; `None` for a missing value.
fn drawdowns_pct(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut high = 0.0_f64;
    let mut fall = |value: f64| {
        high = high.max(value);
        (1.0 - value / high) * 100.0
    };
    values.iter().map(|value| value.map(&mut fall)).collect()
}

/// Returns the picks that were left out: all for full detail, the first 40 for standard detail, and none for a summary.
fn listed_left_out<'a>(test: &'a Backtest, detail: &str) -> Vec<&'a LeftOutPick> {
    let most = match detail {
        "summary" => 0,
        "full" => usize::MAX,
        _ => STANDARD_ROWS,
    };
    test.left_out.iter().take(most).collect()
}

/// Returns the trades: all in the order of their end for full detail, at most the 40 with the largest profits and losses for standard
/// detail, and none for a summary.
fn listed_trades<'a>(test: &'a Backtest, detail: &str) -> Vec<&'a RoundTrip> {
    let mut trades: Vec<&RoundTrip> = test.round_trips.iter().collect();
    match detail {
        "summary" => trades.clear(),
        detail if detail != "full" && trades.len() > STANDARD_ROWS => {
            trades.sort_by(|one, other| other.profit.abs().total_cmp(&one.profit.abs()));
            trades.truncate(STANDARD_ROWS);
        }
        _ => {}
    }
    trades
}

fn warnings(source: PickSource<'_>, test: &Backtest, curve: &[(NaiveDate, f64)]) -> Vec<String> {
    let mut warnings = Vec::new();
    if curve.len() < 252 {
        warnings.push(format!(
            "{} too few to tell skill from luck; see the interval of the mean return.",
            counted(curve.len(), "session is", "sessions are")
        ));
    }
    if matches!(source, PickSource::Symbols(_)) {
        warnings.push("These stocks were chosen today, with what is known today.".to_owned());
    }
    if matches!(source, PickSource::Select(_)) {
        warnings.push(
            "Only tables by session hold what was known on a day; a SELECT over tables of the present, or over a market cap where \
             market_cap_assumed is true, knows what came later."
                .to_owned(),
        );
    }
    if test.counts.unknown_picks > 0 {
        let (unknown, picks) = (test.counts.unknown_picks, test.counts.picks);
        warnings.push(format!("{unknown} of {picks} picks had no bar up to their day and stayed cash."));
    }
    if test.counts.unweighted_picks > 0 {
        let (unweighted, picks) = (test.counts.unweighted_picks, test.counts.picks);
        warnings.push(format!("Picks without a weight: {unweighted} of {picks}. They were not bought."));
    }
    if test.counts.positions_gone > 0 {
        let gone = test.counts.positions_gone;
        warnings.push(format!(
            "Positions that ceased to trade: {gone}. They count with their last close; a holder may have received less."
        ));
    }
    warnings
}

/// Returns warnings about data that the tables of the market lack.
fn warnings_of_data(call: &HandlerCall<'_>, test: &Backtest) -> Vec<String> {
    let mut warnings = Vec::new();
    let has_limits =
        call.snapshot.tables(call.market).iter().any(|(table, rows)| table == "limit_hits" && *rows > 0);
    if call.market == Market::India && !has_limits {
        warnings.push("No limits of price bands are known here, so that orders fill at them too.".to_owned());
    }
    let trips = &test.round_trips;
    if !trips.is_empty() && trips.iter().all(|trip| trip.dividends <= 0.0) {
        warnings.push(
            "No dividend on these positions is known; returns leave out those that were paid.".to_owned(),
        );
    }
    warnings
}
