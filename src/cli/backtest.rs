//! `parquote backtest`: runs a back-test and prints its figures beside those of the benchmark.

use std::path::Path;

use clap::Args;
use serde_json::Value;

use super::named_operation::{name_in_market, operation};
use super::output::{self, say};
use super::{catalogue, query, table};
use crate::config::DataRoot;
use crate::operation::Market;

/// Figures of the back-test and of the benchmark, by their headings.
const COMPARED: [(&str, &str); 5] = [
    ("return %", "total_return_pct"),
    ("growth % a year", "cagr_pct"),
    ("volatility %", "volatility_pct"),
    ("Sharpe ratio", "sharpe"),
    ("deepest fall %", "max_drawdown_pct"),
];

/// Figures of the trades, by their headings.
const OF_TRADES: [(&str, &str); 8] = [
    ("days of picks", "/decisions"),
    ("picks", "/counts/picks"),
    ("filled orders", "/activity/fills"),
    ("positions sold", "/activity/round_trips"),
    ("with profit %", "/activity/hit_rate_pct"),
    ("turnover % a year", "/activity/turnover_pct_a_year"),
    ("costs % a year", "/activity/costs_pct_a_year"),
    ("better than random %", "/comparison/random/percentile"),
];

/// Arguments of `backtest`.
#[derive(Debug, Args)]
pub(super) struct BacktestArgs {
    #[command(flatten)]
    data: DataRoot,
    /// The market of the picks.
    #[arg(long, value_name = "india|us", default_value = "india")]
    market: Market,
    /// Print the whole answer as JSON.
    #[arg(long)]
    json: bool,
    /// Parameters of the operation backtest, such as scan=nearHigh, every=weekly, from=2026-09-01 or stop=10; format=xlsx writes a
    /// workbook to the standard output.
    #[arg(value_name = "NAME=VALUE")]
    arguments: Vec<String>,
}

pub(super) async fn run(queries: Option<&Path>, args: &BacktestArgs) -> anyhow::Result<()> {
    let all = catalogue::read(queries)?;
    let name = name_in_market(args.market, "backtest");
    let (format, body) =
        query::answer(queries, &args.data, &all, operation(&all, &name)?, &args.arguments).await?;
    if !format.is_enveloped() {
        output::bytes(&body);
        return Ok(());
    }
    if args.json {
        return query::print(&body);
    }
    say!("{}", summary(&serde_json::from_slice(&body)?).trim_end());
    Ok(())
}

/// Returns the figures as a table, with the warnings below it.
fn summary(answer: &Value) -> String {
    let cell = |path: &str| match answer.pointer(path) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let comparison = |head: String, [test, benchmark]: [String; 2]| [head, cell(&test), cell(&benchmark)];
    let figures = COMPARED.iter().map(|(head, field)| {
        comparison((*head).to_owned(), ["statistics", "benchmark"].map(|part| format!("/{part}/{field}")))
    });
    let years = (0..answer.get("years").and_then(Value::as_array).map_or(0, Vec::len)).map(|year| {
        let head = format!("return % in {}", cell(&format!("/years/{year}/year")));
        comparison(head, ["return_pct", "benchmark_return_pct"].map(|field| format!("/years/{year}/{field}")))
    });
    let trades = OF_TRADES.iter().map(|(head, path)| [(*head).to_owned(), cell(path), String::new()]);
    let trades = trades.filter(|[_, figure, _]| figure != "-");
    let rows: Vec<[String; 3]> = figures.chain(years).chain(trades).collect();
    let period = format!("{} to {}", cell("/from"), cell("/to"));
    let table = table::draw([&period, "back-test", &cell("/benchmark/name")], &rows);
    let warnings =
        answer.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    warnings.fold(table, |text, warning| format!("{text}\n{warning}"))
}
