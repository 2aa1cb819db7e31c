//! Every operation with its examples, and point lookups of many symbols, on a snapshot.
//!
//! `PARQUOTE_BENCH_DATA=DIR cargo bench --profile dev --bench operations`, in seconds with `-- --small`
//!
//! `DIR` contains derived tables, as `parquote derive` or `parquote demo` write them; without it the built-in demo market is read.
//! An operation (engine and JSON, without the answer cache) is compared with the same SELECT with literals in a plain
//! context over the same tables: small ones in memory, those split by year as Parquet files. Both must give the same rows.

#[path = "measure/demo_data.rs"]
mod demo_data;
mod measure;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Date32Type, Field, Schema, SchemaRef};
use datafusion::datasource::MemTable;
use datafusion::prelude::{DataFrame, ParquetReadOptions, SessionContext, lit};
use datafusion::scalar::ScalarValue;
use measure::Times;
use measure::scale::Scale;
use parquote::engine::{JsonRows, LoadScope, QueryLimits, Snapshot};
use parquote::functions::{
    Calendar, calendar_functions, has_words, market_function, prices_function, search_rank, window,
};
use parquote::operation::{Arguments, Catalogue, Column, ColumnType, Market, Operation, Table, Tier, Value};
use parquote::set::{Home, Root};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of calls.
#[derive(Clone, Copy)]
struct Sizes {
    /// Calls of each example. The second is the first that reuses a plan.
    calls: usize,
    /// Calls of each example in a plain context, which is slower; a divisor of `calls`.
    plain_calls: usize,
    /// Symbols to look up, each once.
    symbols: usize,
}

const FULL: Sizes = Sizes { calls: 200, plain_calls: 20, symbols: 500 };
const SMALL: Sizes = Sizes { calls: 2, plain_calls: 1, symbols: 3 };

/// One market's snapshot, its plain context and the symbols to request.
struct Bench {
    sizes: Sizes,
    catalogue: Arc<Catalogue>,
    snapshot: Snapshot,
    market: Market,
    plain: SessionContext,
    symbols: Vec<String>,
}

/// One example of an operation.
struct Example<'a> {
    operation: &'a Operation,
    arguments: Arguments,
    name: String,
}

impl Bench {
    async fn open(data: &Path, market: Market, sizes: Sizes) -> anyhow::Result<Self> {
        let catalogue = Arc::new(Catalogue::with_overlay(&[])?);
        let root = Root::folder(data);
        let snapshot =
            Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &QueryLimits::default()).await?;
        let plain = SessionContext::new();
        for table in catalogue.tables_in(market).filter(|table| !table.is_view()) {
            register(&plain, data, table, market).await?;
        }
        // Views of both markets read tables that only one market has.
        for table in catalogue.foreign_tables(market) {
            let schema = arrow_schema(table.columns_anywhere());
            plain.register_table(
                table.name.as_str(),
                Arc::new(MemTable::try_new(schema, vec![Vec::new()])?),
            )?;
        }
        for function in calendar_functions(&calendar(&plain).await?) {
            plain.register_udf(function);
        }
        plain.register_udf(market_function(market));
        plain.register_udf(prices_function(true));
        plain.register_udf(search_rank());
        plain.register_udf(has_words());
        for function in window::indicators() {
            plain.register_udwf(function.as_ref().clone());
        }
        views(&plain, catalogue.tables_in(market).filter(|table| table.is_view()).collect()).await?;
        let symbols = symbols(&plain, sizes.symbols).await?;
        Ok(Self { sizes, catalogue, snapshot, market, plain, symbols })
    }

    /// Returns an operation's example with required parameters and its full example, with an existing symbol.
    fn examples<'a>(&'a self, operation: &'a Operation) -> Vec<Example<'a>> {
        let mut examples: Vec<Example<'a>> = Vec::new();
        for whole in [false, true] {
            let mut pairs = operation.example_pairs(whole);
            for (_, value) in pairs.iter_mut().filter(|(name, _)| *name == "symbol") {
                if let Some(known) = self.symbols.first() {
                    value.clone_from(known);
                }
            }
            let texts = pairs.iter().map(|(name, value)| (*name, value.as_str()));
            let Ok(arguments) = Arguments::parse(operation, Tier::ApiMax, texts) else { continue };
            if examples.iter().all(|known| known.arguments != arguments) {
                let shown: Vec<String> =
                    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
                let name =
                    format!("{} {}", operation.name, shown.join(" ")).trim_end().chars().take(70).collect();
                examples.push(Example { operation, arguments, name });
            }
        }
        examples
    }

    async fn served(&self, operation: &Operation, arguments: &Arguments) -> anyhow::Result<Vec<u8>> {
        let call = self.snapshot.call(operation, arguments.clone(), chrono::Utc::now());
        Ok(call.context("the market is there")?.compute().await?.map(Vec::from).unwrap_or_default())
    }

    async fn text(&self, example: &Example<'_>) -> anyhow::Result<Vec<u8>> {
        let (at, select) = example.operation.select(&example.arguments).context("a select")?;
        let sql = literal_sql(example.operation, &example.arguments, &select.sql);
        let omitted: Vec<&str> = select.omit.iter().map(String::as_str).collect();
        let batches = self.plain.sql(&sql).await?.drop_columns(&omitted)?.collect().await?;
        let columns = self.snapshot.columns(example.operation).get(at).context("columns")?;
        let json = JsonRows::new(columns);
        let mut out = Vec::new();
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            json.write(batch, out.is_empty(), &mut out);
        }
        Ok(out)
    }

    async fn operations(&self) -> anyhow::Result<()> {
        println!("{:<72} {:>9} {:>9} {:>11} {:>7}", "operation", "p50 us", "p99 us", "as text us", "ratio");
        let mut others = Vec::new();
        for operation in self.catalogue.operations() {
            // A Rust function that filters rows returns others than its SELECT.
            let is_plain = operation.answers_from_select() && operation.run.is_none();
            let here = operation.market == self.market && is_plain;
            if !here || !self.snapshot.missing(operation).is_empty() {
                continue;
            }
            for example in self.examples(operation) {
                if !self.operation(&example).await.with_context(|| example.name.clone())? {
                    others.push(example.name);
                }
            }
        }
        ensure!(
            others.is_empty(),
            "rows are others than those of the same SQL as text: {}",
            others.join(", ")
        );
        Ok(())
    }

    /// Measures an example; returns true if both ways gave the same rows.
    async fn operation(&self, example: &Example<'_>) -> anyhow::Result<bool> {
        let (mut own, mut plain) = (Times::default(), Times::default());
        // With several partitions DataFusion cannot plan a sort by a CASE of literals; with one it can.
        let usual = self.plain.state().config().target_partitions();
        let rows = if let Ok(rows) = self.text(example).await {
            rows
        } else {
            self.plain.sql("SET datafusion.execution.target_partitions = 1").await?;
            self.text(example).await?
        };
        let mut same = true;
        for call in 0..self.sizes.calls {
            let answer = own.call(self.served(example.operation, &example.arguments)).await?;
            same &= rows.is_empty() || answer.windows(rows.len()).any(|part| part == rows);
            if call % (self.sizes.calls / self.sizes.plain_calls) == 0 {
                same &= rows == plain.call(self.text(example)).await?;
            }
        }
        let (p50, text) = (own.quantile(0.5), plain.quantile(0.5));
        let mark = if same { "" } else { "  OTHER ROWS" };
        self.plain.sql(&format!("SET datafusion.execution.target_partitions = {usual}")).await?;
        println!(
            "{:<72} {p50:>9.1} {:>9.1} {text:>11.1} {:>7.1}{mark}",
            example.name,
            own.quantile(0.99),
            text / p50
        );
        Ok(same)
    }

    /// Measures lookups of different symbols, after a first round that loads the pages into memory.
    async fn look_ups(&self) -> anyhow::Result<()> {
        let last = self.snapshot.as_of(self.market).context("the market has sessions")?;
        let far = last - chrono::Days::new(1800);
        let near = far + chrono::Days::new(60);
        let (far, near) = (far.to_string(), near.to_string());
        let asked = [
            ("small table", "company/profile", vec![]),
            ("long table, newest 60", "company/daily-prices", vec![]),
            ("long table, newest 365", "company/daily-prices", vec![("limit", "365")]),
            ("long table, a month long ago", "company/daily-prices", vec![("from", &far), ("to", &near)]),
            (
                "long table, since long ago, newest 365",
                "company/daily-prices",
                vec![("from", &far), ("limit", "365")],
            ),
            ("long table, newest 1", "company/daily-prices", vec![("limit", "1")]),
        ];
        println!("\n{:<72} {:>9} {:>9}", "look-ups of different symbols", "p50 us", "p99 us");
        for (what, name, pairs) in asked {
            let name = format!("{}{name}", if self.market == Market::Us { "us/" } else { "" });
            let Some(operation) = self.catalogue.operation(&name) else { continue };
            let mut times = Times::default();
            for round in 0..2 {
                for symbol in &self.symbols {
                    let pairs = pairs.iter().copied().chain([("symbol", symbol.as_str())]);
                    let Ok(arguments) = Arguments::parse(operation, Tier::ApiMax, pairs) else {
                        bail!("{name} refuses {symbol}");
                    };
                    let run = self.served(operation, &arguments);
                    if round == 0 { drop(run.await?) } else { drop(times.call(run).await?) }
                }
            }
            println!(
                "{:<72} {:>9.1} {:>9.1}",
                format!("{name}: {what}"),
                times.quantile(0.5),
                times.quantile(0.99)
            );
        }
        Ok(())
    }
}

/// Returns the files of a table in the newest set, or in a plain folder.
fn files(folder: &Path, table: &Table, market: Market) -> anyhow::Result<Vec<String>> {
    let home = Home::new(folder);
    let mut paths = Vec::new();
    match home.newest(market)? {
        Some(set) => {
            let of_table = set.files().filter(|(name, _)| *name == table.name);
            paths.extend(of_table.map(|(name, file)| home.file_path(market, name, &file.hash)));
        }
        None if table.yearly => {
            let years = std::fs::read_dir(home.market_path(market).join(&table.name));
            paths.extend(years.into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        None => {
            let path = home.market_path(market).join(format!("{}.parquet", table.name));
            paths.extend(path.is_file().then_some(path));
        }
    }
    let text = |path: PathBuf| path.into_os_string().into_string();
    paths.into_iter().map(|path| text(path).map_err(|_| anyhow::anyhow!("a file has an odd name"))).collect()
}

async fn register(
    plain: &SessionContext,
    folder: &Path,
    table: &Table,
    market: Market,
) -> anyhow::Result<()> {
    let name = table.name.as_str();
    let paths = files(folder, table, market)?;
    if paths.is_empty() {
        let empty = MemTable::try_new(arrow_schema(table.columns_in(market)), vec![Vec::new()])?;
        plain.register_table(name, Arc::new(empty))?;
        return Ok(());
    }
    let rows = with_columns(plain.read_parquet(paths, ParquetReadOptions::default()).await?, table, market)?;
    if table.yearly {
        plain.register_table(name, rows.into_view())?;
    } else {
        let schema = Arc::clone(rows.schema().inner());
        let in_memory = MemTable::try_new(schema, vec![rows.collect().await?])?;
        plain.register_table(name, Arc::new(in_memory))?;
    }
    Ok(())
}

/// Adds optional columns that the table's file was written without, as nulls.
fn with_columns(mut rows: DataFrame, table: &Table, market: Market) -> anyhow::Result<DataFrame> {
    for column in table.columns_in(market) {
        if rows.schema().field_with_unqualified_name(&column.name).is_err() {
            ensure!(
                column.nullable,
                "the file of {} lacks the column {}; derive it again",
                table.name,
                column.name
            );
            let nulls = lit(ScalarValue::try_new_null(&arrow_type(column.ty))?);
            rows = rows.with_column(&column.name, nulls)?;
        }
    }
    Ok(rows)
}

fn arrow_schema<'a>(columns: impl Iterator<Item = &'a Column>) -> SchemaRef {
    let field = |column: &Column| Field::new(&column.name, arrow_type(column.ty), column.nullable);
    Arc::new(Schema::new(columns.map(field).collect::<Vec<_>>()))
}

fn arrow_type(ty: ColumnType) -> DataType {
    match ty {
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Int => DataType::Int64,
        ColumnType::Number => DataType::Float64,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Texts => DataType::new_list(DataType::Utf8View, true),
        // These types occur only in answers, not in tables.
        ColumnType::Row | ColumnType::Rows => DataType::Null,
    }
}

/// Returns the calendar of the market's sessions.
async fn calendar(plain: &SessionContext) -> anyhow::Result<Calendar> {
    let rows = plain.sql("SELECT session FROM sessions ORDER BY session").await?.collect().await?;
    let days = rows.iter().flat_map(|batch| batch.column(0).as_primitive::<Date32Type>().values().to_vec());
    Ok(Calendar::new(days.collect()))
}

/// Registers views, each as soon as its inputs are registered.
async fn views(plain: &SessionContext, mut waiting: Vec<&Table>) -> anyhow::Result<()> {
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut later = Vec::new();
        for view in waiting {
            match plain.sql(view.sql().unwrap_or_default()).await {
                Ok(rows) => drop(plain.register_table(view.name.as_str(), rows.into_view())?),
                Err(error) => later.push((view, error)),
            }
        }
        if later.len() == before {
            let said: Vec<String> =
                later.iter().map(|(view, error)| format!("{}: {error}", view.name)).collect();
            bail!("views that do not plan in a plain context: {}", said.join("; "));
        }
        waiting = later.into_iter().map(|(view, _)| view).collect();
    }
    Ok(())
}

/// Returns `count` symbols, spread over the market.
async fn symbols(plain: &SessionContext, count: usize) -> anyhow::Result<Vec<String>> {
    let rows = plain.sql("SELECT symbol FROM stocks ORDER BY symbol").await?.collect().await?;
    let all: Vec<String> = rows
        .iter()
        .flat_map(|batch| batch.column(0).as_string_view().iter().flatten().map(str::to_owned))
        .collect();
    let step = all.len().div_ceil(count).max(1);
    Ok(all.into_iter().skip(step / 2).step_by(step).collect())
}

/// Returns the SELECT with its placeholders replaced by literals.
fn literal_sql(operation: &Operation, arguments: &Arguments, sql: &str) -> String {
    let mut parts = sql.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        text += &literal(arguments.get(operation, name));
        text += rest;
    }
    text
}

fn literal(value: Option<&Value>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match value {
        None => "NULL".to_owned(),
        Some(Value::Text(text)) => quoted(text),
        Some(Value::Int(number)) => number.to_string(),
        Some(Value::Number(number)) => format!("{number:?}"),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Date(date)) => format!("DATE '{date}'"),
        Some(Value::List(items)) => {
            format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let sizes = scale.pick(FULL, SMALL);
    let data = if let Some(data) = std::env::var_os("PARQUOTE_BENCH_DATA") {
        PathBuf::from(data)
    } else {
        println!(
            "PARQUOTE_BENCH_DATA is not set: measured on the demo, whose figures say little of a real market"
        );
        PathBuf::from(demo_data::FOLDER)
    };
    for market in Market::ALL.into_iter().filter(|market| data.join(market.word()).is_dir()) {
        let bench = Bench::open(&data, market, sizes).await?;
        println!("\n{} tables, as of {:?}", market, bench.snapshot.as_of(market));
        for (table, rows) in bench.snapshot.tables(market) {
            println!("  {table:<20} {rows:>12} rows");
        }
        bench.operations().await?;
        bench.look_ups().await?;
    }
    Ok(())
}
