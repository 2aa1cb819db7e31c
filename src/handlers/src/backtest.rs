//! The operation `backtest`. Picks of past days and bars come from the snapshot; [`parquote_backtest`] computes trades and figures.

use std::collections::BTreeSet;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{Days, NaiveDate};
use serde_json::Value as Json;

use super::backtest_answer::answer_fields;
use super::backtest_bars::TestedMarket;
use super::backtest_call::{TestedDays, refusal, run_measured};
use super::backtest_picks::{PickSource, check_weights_used, period_ends, picks_of_scan, picks_of_select};
use super::backtest_screen::ScreenedDays;
use super::backtest_universe::compare_with_universe;
use super::caller_select::UserSelectOperation;
use super::handler::{Handler, HandlerCall};
use super::screener_call::ScreenerCall;
use super::tried_backtests::TriedBacktests;
use parquote_backtest::{
    Backtest, BacktestError, BacktestRules, CostSchedule, Decision, FillTime, LeftOutReason, Pick, Slippage,
    Weighting, run,
};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Arguments, Market, Value, embedded_files};

/// Maximum number of different stocks in a back-test.
const MOST_STOCKS: usize = 400;

/// Maximum number of bars in a back-test, which bounds memory: 400 stocks for six years, or 240 stocks for ten.
const MOST_BARS: usize = 600_000;

/// Number of calendar days before the first picks for which the SELECT reads bars.
const DAYS_BEFORE: u64 = 110;

/// Slippage in basis points for each percent of a session's turnover, in addition to the slippage of the call.
const IMPACT_BPS: f64 = 1.0;

/// The operation `backtest` of both markets.
#[derive(Default)]
pub(super) struct BacktestOperation {
    select: UserSelectOperation,
    screened: ScreenedDays,
    /// Counts of the back-tests of each owner; `None` if they are not stored.
    tried: Option<TriedBacktests>,
}

impl BacktestOperation {
    /// Builds the operation with stored counts of back-tests.
    pub(super) fn with_counts(tried: TriedBacktests) -> Self {
        Self { tried: Some(tried), ..Self::default() }
    }

    /// Returns the screen that makes the picks; `None` for another source of picks.
    async fn screen(
        &self,
        call: &HandlerCall<'_>,
        source: PickSource<'_>,
    ) -> Result<Option<ScreenerCall>, ClientError> {
        match source {
            PickSource::Screen(sentence) => Ok(Some(ScreenerCall::from_sentence(call, sentence)?)),
            PickSource::SavedScreen(name) => {
                let TriedBacktests(items) = self.tried.as_ref().ok_or_else(no_saved_screens)?;
                let page = items.page_of_screen(&call.owner.name, call.market, name).await?;
                Ok(Some(ScreenerCall::from_page(call, items, &page).await?))
            }
            _ => Ok(None),
        }
    }

    /// Returns the picks of a scan, a SELECT or a screen, and a warning if periods have no set to screen. Returns no picks for named
    /// stocks, as these follow from the sessions of the bars.
    async fn picks(
        &self,
        call: &HandlerCall<'_>,
        source: PickSource<'_>,
        screen: Option<&ScreenerCall>,
    ) -> Result<(Vec<Decision>, Option<String>), ClientError> {
        if let Some(screen) = screen {
            return self.screened.picks(call, screen, tested_days(call, source, &[])?).await;
        }
        let decisions = match source {
            PickSource::Scan => {
                let arguments = call.arguments.without(call.operation, "random");
                picks_of_scan(&call.rows(&arguments).await?, call.int("top"))
            }
            PickSource::Select(sql) => picks_of_select(&self.select.json_rows(call, sql).await?)?,
            _ => Vec::new(),
        };
        Ok((decisions, None))
    }
}

#[async_trait]
impl Handler for BacktestOperation {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let source = PickSource::of_call(call)?;
        let rules = rules_of_call(call, source)?;
        let costs = costs_of_call(call)?;
        let screen = self.screen(call, source).await?;
        let (decisions, warning) = self.picks(call, source, screen.as_ref()).await?;
        check_weights_used(&decisions, call.text("weight"))?;
        let days = tested_days(call, source, &decisions)?;
        let (mut decisions, outside): (Vec<Decision>, Vec<Decision>) =
            decisions.into_iter().partition(|decision| days.contains(decision.date));
        let symbols = picked_symbols(call, source, &decisions)?;
        check_size(call, &symbols, days)?;
        let rows = call.rows(&arguments_of_bars(call, &symbols, days)).await?;
        let (market, mut test) = run_measured(call, || {
            let market = TestedMarket::from_rows(&rows)?;
            if let PickSource::Symbols(symbols) = source {
                decisions = constant_picks(symbols, call.text("every").unwrap_or_default(), &market, days)?;
            }
            if call.text("weight") == Some("cap") {
                market.weigh_by_cap(&mut decisions);
            }
            let test = run(&market.history, &decisions, &rules, &costs)?;
            Ok((market, test))
        })?;
        check_filled(&test, &symbols)?;
        add_outside(&mut test, &outside);
        let comparison = compare_with_universe(call, &market.history, &decisions, &rules).await?;
        if let Some(tried) = &self.tried {
            tried.add(call, screen.as_ref()).await;
        }
        let mut answer = answer_fields(call, source, &market, &test, comparison.as_ref())?;
        if let Some(warnings) = answer.get_mut("warnings").and_then(Json::as_array_mut) {
            let of_call = warning.into_iter().chain(late_begin(call, &decisions)).chain(unheld(call));
            warnings.extend(of_call.map(Json::from));
        }
        Ok(call.ordered(answer))
    }

    fn is_charged_by_work(&self) -> bool {
        true
    }

    fn unused_parameters(&self, call: &HandlerCall<'_>) -> &'static [&'static str] {
        PickSource::of_call(call).map_or(&[], PickSource::unused_parameters)
    }

    /// A saved screen may be changed between two calls with its name.
    fn is_shared(&self, call: &HandlerCall<'_>) -> bool {
        call.text("saved").is_none()
    }
}

fn no_saved_screens() -> ClientError {
    let message = "`saved`: no screens are stored here; a server that `parquote serve` started stores them";
    ClientError::new(ErrorKind::NotFound, message)
}

fn rules_of_call(call: &HandlerCall<'_>, source: PickSource<'_>) -> Result<BacktestRules, ClientError> {
    let weighting = match call.text("weight") {
        Some("given") => Weighting::Given,
        Some("cap") => Weighting::Proportional,
        Some("inverse_volatility") => Weighting::InverseVolatility,
        _ => Weighting::Equal,
    };
    if weighting == Weighting::Given && !matches!(source, PickSource::Select(_)) {
        return Err(refusal(
            "`weight=given` takes the column weight of `sql`; choose another weight or give `sql`",
        ));
    }
    let fill = if call.text("fill") == Some("close") { FillTime::Close } else { FillTime::Open };
    let count = |name: &str| call.int(name).and_then(|number| usize::try_from(number).ok());
    let defaults = BacktestRules::default();
    Ok(BacktestRules {
        capital: call.number("capital").unwrap_or(defaults.capital),
        fill,
        weighting,
        hold: count("hold"),
        stop_pct: call.number("stop"),
        target_pct: call.number("target"),
        wait: count("wait").unwrap_or(defaults.wait),
        volume_share: call.number("volume_pct").map(|pct| pct / 100.0),
        slippage: Slippage { bps: call.number("slippage_bps").unwrap_or(0.0), impact_bps: IMPACT_BPS },
        ..defaults
    })
}

/// Returns the charges of the market by date, with the brokerage of the call. `costs=none` has only the brokerage.
fn costs_of_call(call: &HandlerCall<'_>) -> Result<CostSchedule, ClientError> {
    let path = match call.market {
        Market::India => "costs/india.toml",
        Market::Us => "costs/us.toml",
    };
    let file = embedded_files().iter().find(|(known, _)| *known == path).map_or("", |(_, text)| *text);
    let schedule = match call.text("costs") {
        Some("none") => CostSchedule::default(),
        _ => CostSchedule::parse(file).map_err(|error| {
            ClientError::from_cause(ErrorKind::Internal, "the server failed on its costs", error)
        })?,
    };
    let brokerage = call.number("brokerage_pct").unwrap_or(0.0);
    schedule.with_brokerage(brokerage).map_err(|error| refusal(error.to_string()))
}

/// Returns the days of the call. Without `from`, the first day is the first date of a SELECT, and a year before the last day for other
/// picks.
fn tested_days(
    call: &HandlerCall<'_>,
    source: PickSource<'_>,
    decisions: &[Decision],
) -> Result<TestedDays, ClientError> {
    let no_session = || ClientError::new(ErrorKind::NoData, "this market has no session yet");
    let newest = call.snapshot.as_of(call.market).ok_or_else(no_session)?;
    let to = call.date("to").map_or(newest, |to| to.min(newest));
    let first = decisions.iter().map(|decision| decision.date).min();
    let earliest = first.filter(|_| matches!(source, PickSource::Select(_)));
    let year_before = to.checked_sub_days(Days::new(365)).unwrap_or(to);
    let from = call.date("from").or(earliest).unwrap_or(year_before);
    if from < to {
        return Ok(TestedDays { from, to });
    }
    Err(refusal(match call.date("from") {
        Some(_) => format!("`from`: {from} is not before {to}, the last day; give an earlier day"),
        None => format!(
            "`sql`: the first picks are of {from}, and orders fill in a session after it, up to {to}; give earlier days of picks"
        ),
    }))
}

/// Returns a warning if the comparison with random portfolios leaves out rules that end positions.
fn unheld(call: &HandlerCall<'_>) -> Option<String> {
    let rules = ["hold", "stop", "target"].into_iter().filter(|name| call.number(name).is_some());
    let rules: Vec<String> = rules.map(|name| format!("`{name}`")).collect();
    (call.int("random").is_some() && !rules.is_empty()).then(|| {
        format!(
            "The comparison with random portfolios is without {}: all are held from one day of picks to the next.",
            rules.join(" and ")
        )
    })
}

/// Returns a warning if the first picks are of a day long after the requested one.
fn late_begin(call: &HandlerCall<'_>, decisions: &[Decision]) -> Option<String> {
    /// Number of days after which picks are late, more than a quarter.
    const LATE_DAYS: i64 = 100;
    let (from, first) = (call.date("from")?, decisions.iter().map(|decision| decision.date).min()?);
    let is_late = (first - from).num_days() > LATE_DAYS;
    is_late.then(|| {
        format!("The first picks are of {first}, as `from`, {from}, is before the first bars or picks.")
    })
}

/// Adds the picks of days outside of the back-test to the picks that were left out.
fn add_outside(test: &mut Backtest, outside: &[Decision]) {
    let before = test.left_out.len();
    test.left_out
        .extend(outside.iter().flat_map(|decision| decision.left_out_picks(LeftOutReason::OutsideDays)));
    test.counts.picks_outside += test.left_out.len() - before;
    test.left_out.sort();
}

/// Returns the picked symbols, ascending.
fn picked_symbols(
    call: &HandlerCall<'_>,
    source: PickSource<'_>,
    decisions: &[Decision],
) -> Result<Vec<String>, ClientError> {
    let picks = decisions.iter().flat_map(|decision| &decision.picks);
    let picked: BTreeSet<String> = match source {
        PickSource::Symbols(symbols) => symbols.iter().cloned().collect(),
        _ => picks.map(|pick| pick.symbol.clone()).collect(),
    };
    if picked.is_empty() {
        let hint = match source {
            PickSource::Scan => {
                "scans are known for the last 63 sessions: use `every=weekly`, another `scan`, or `sql`"
            }
            PickSource::Symbols(_) => "name stocks in `symbols`, or a `list` that has some",
            PickSource::Select(_) => "give a SELECT with rows between `from` and `to`",
            PickSource::Screen(_) | PickSource::SavedScreen(_) => {
                "the screen lists no stock in the sets of these days; drop or relax a condition"
            }
        };
        let age = match source {
            PickSource::Scan => call
                .prepared
                .row_age()
                .without(&["corporate_events", "benchmark", "limit_hits"])
                .no_rows_message(),
            _ => None,
        };
        let age = age.map(|age| format!(". {age}")).unwrap_or_default();
        return Err(refusal(format!("no stock was picked; {hint}{}", age.trim_end_matches('.'))));
    }
    Ok(picked.into_iter().collect())
}

/// Checks that there are not too many stocks and bars, before the bars are read.
fn check_size(call: &HandlerCall<'_>, symbols: &[String], days: TestedDays) -> Result<(), ClientError> {
    let first = call.snapshot.first_session(call.market).map_or(days.from, |first| first.max(days.from));
    let calendar_days = (days.to - first).num_days().max(0).unsigned_abs() + DAYS_BEFORE;
    let bars = symbols.len() as u64 * calendar_days * 5 / 7;
    if symbols.len() > MOST_STOCKS || bars > MOST_BARS as u64 {
        let message = format!(
            "{} different stocks were picked, with about {bars} bars; at most {MOST_STOCKS} stocks and {MOST_BARS} bars are allowed: \
             pick fewer, or test fewer years",
            symbols.len()
        );
        return Err(refusal(message));
    }
    Ok(())
}

/// Returns the arguments of the SELECT of bars.
fn arguments_of_bars(call: &HandlerCall<'_>, symbols: &[String], days: TestedDays) -> Arguments {
    let mut arguments = call.arguments.clone();
    let values = [
        ("symbols", Value::List(symbols.to_vec())),
        ("from", Value::Date(days.from)),
        ("to", Value::Date(days.to)),
    ];
    for (name, value) in values {
        if let Some(index) = call.operation.params.iter().position(|param| param.name == name) {
            arguments.spell(index, value);
        }
    }
    arguments
}

/// Checks that at least one pick is of a stock with prices, as an answer with nothing but cash would look like a result.
fn check_filled(test: &Backtest, symbols: &[String]) -> Result<(), ClientError> {
    if test.equity.len() < 2 {
        return Err(refusal("the picks are of the last session, and would fill after it; give earlier days"));
    }
    let picks = test.counts.picks;
    if picks > 0 && test.counts.unknown_picks == picks {
        let example = symbols.first().map_or("", String::as_str);
        return Err(refusal(format!(
            "no pick, such as `{example}`, has a bar in this market up to its day; give symbols as the table stocks spells them, and days on \
             which they traded"
        )));
    }
    Ok(())
}

/// Returns the same picks on the last session of each period.
fn constant_picks(
    symbols: &[String],
    every: &str,
    market: &TestedMarket,
    days: TestedDays,
) -> Result<Vec<Decision>, BacktestError> {
    let sessions = market.history.sessions();
    let ends: Vec<NaiveDate> =
        period_ends(sessions, every).into_iter().filter(|date| *date >= days.from).collect();
    if ends.is_empty() && !sessions.is_empty() {
        return Err(BacktestError::NoDecision { first: days.from, last: days.to });
    }
    let picks: Vec<Pick> =
        symbols.iter().map(|symbol| Pick { symbol: symbol.clone(), weight: None }).collect();
    Ok(ends.into_iter().map(|date| Decision { date, picks: picks.clone() }).collect())
}
