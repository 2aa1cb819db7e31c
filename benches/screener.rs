//! A screen over 6,400 stocks of 59 columns: three filters, the top 50 rows of 12 columns, as JSON.
//!
//! `cargo bench --profile dev --bench screener`, in seconds with `-- --small`
//!
//! Compared, with other arguments in every call: an operation of a snapshot without the answer cache,
//! the same SQL as text with literals, a prepared logical plan, and handwritten Arrow kernels. All four must give the same bytes.

mod measure;

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringViewArray,
    UInt32Array,
};
use datafusion::arrow::compute::kernels::cmp::{gt_eq, lt_eq};
use datafusion::arrow::compute::{
    SortColumn, SortOptions, and, filter, lexsort_to_indices, prep_null_mask_filter, take,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, UInt32Type};
use datafusion::common::{ParamValues, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::LogicalPlan;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::SessionContext;
use measure::Times;
use measure::scale::Scale;
use parquote::engine::{JsonRows, LoadScope, QueryLimits, Snapshot};
use parquote::operation::{Arguments, Catalogue, Market, Operation, Tier, embedded_files};
use parquote::set::Root;
use rand::{RngExt, SeedableRng};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 6_400;
const CALLS: usize = 2_000;
const SMALL_CALLS: usize = 20;
const TOP: usize = 50;
const NUMBERS: [&str; 6] = ["cap_cr", "price_earnings", "return_equity", "return_capital", "debt", "margin"];
const EXTRA: usize = 50;
/// The alternatives, and for comparison the encoding that all of them share.
const NAMES: [&str; 5] = [
    "operation of a snapshot",
    "SQL text with literals",
    "logical plan kept",
    "Arrow kernels by hand",
    "JSON alone",
];
const SHOWN: [&str; 12] = [
    "symbol", "sector", "cap_cr", "price_earnings", "return_equity", "return_capital", "debt", "margin",
    "strength", "extra_1", "extra_2", "extra_3",
];

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Screen {
    min_capital: f64,
    max_earnings: f64,
    min_strength: i64,
}

impl Screen {
    fn for_call(call: usize) -> Self {
        Self {
            min_capital: 10.0 + (call % 200) as f64 * 0.1,
            max_earnings: 40.0 - (call % 7) as f64,
            min_strength: 70 - (call % 3) as i64,
        }
    }

    fn select(min_capital: &str, max_earnings: &str, min_strength: &str, limit: &str) -> String {
        format!(
            "SELECT {} FROM screen WHERE return_capital >= {min_capital} AND price_earnings <= {max_earnings} \
             AND strength >= {min_strength} ORDER BY strength DESC NULLS LAST, symbol LIMIT {limit}",
            SHOWN.join(", ")
        )
    }
}

fn stocks() -> anyhow::Result<RecordBatch> {
    let mut draw = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let texts = |text: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values((0..ROWS).map(text)))
    };
    let mut fields =
        vec![Field::new("symbol", DataType::Utf8View, false), Field::new("sector", DataType::Utf8View, true)];
    let mut columns = vec![texts(&|row| format!("S{row:04}")), texts(&|row| format!("Sector {}", row % 11))];
    for name in NUMBERS {
        let figure = |_| (!draw.random_bool(0.05)).then(|| draw.random_range(0.0..60.0));
        fields.push(Field::new(name, DataType::Float64, true));
        columns.push(Arc::new((0..ROWS).map(figure).collect::<Float64Array>()));
    }
    fields.push(Field::new("strength", DataType::Int64, true));
    columns.push(Arc::new((0..ROWS).map(|_| Some(draw.random_range(1..100))).collect::<Int64Array>()));
    for extra in 0..EXTRA {
        fields.push(Field::new(format!("extra_{extra}"), DataType::Float64, true));
        let figures = (0..ROWS).map(|_| Some(draw.random_range(0.0..1.0)));
        columns.push(Arc::new(figures.collect::<Float64Array>()));
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

/// Returns a catalogue of the table, the operation on it and the sessions that every market has. The other built-in files are left
/// out, because some of them read other columns of a table of this name.
fn catalogue(stocks: &RecordBatch) -> anyhow::Result<Catalogue> {
    let (table, operation) = (table_file(stocks), operation_file());
    let sessions = embedded_files().iter().copied().filter(|(path, _)| *path == "tables/sessions.sql");
    let own = [("tables/screen.sql", table.as_str()), ("api/bench/screen.sql", operation.as_str())];
    Ok(Catalogue::parse(sessions.chain(own))?)
}

/// Returns the declaration of the table.
fn table_file(stocks: &RecordBatch) -> String {
    let mut table =
        "-- Screen: stocks to screen.\n--\n-- key:    symbol\n-- sorted: symbol\n-- source: screen\n"
            .to_owned();
    for field in stocks.schema().fields() {
        let ty = match field.data_type() {
            DataType::Utf8View => "text",
            DataType::Int64 => "int",
            _ => "number",
        };
        let unit = if ty == "number" { "ratio" } else { "" };
        let null = if field.is_nullable() { "?" } else { "" };
        table.push_str(
            &["-- column:", field.name(), &format!("{ty}{null}"), unit, "\"A value.\"\n"].join(" "),
        );
    }
    table
}

/// Returns the operation on the table.
fn operation_file() -> String {
    format!(
        "-- Screens stocks.\n--\n-- tool:   screen_bench\n-- tier:   free\n-- group:  Core\n-- answer: list\n\
         -- param:  min_capital number \"Smallest.\" e.g. 10\n-- param:  max_earnings number \"Largest.\" e.g. 40\n\
         -- param:  min_strength int \"Smallest.\" e.g. 70\n-- param:  limit int = {TOP} in 1..{TOP} \"Rows.\"\n{}\n",
        Screen::select("$min_capital", "$max_earnings", "$min_strength", "$limit")
    )
}

fn save(root: &Path, stocks: &RecordBatch) -> anyhow::Result<()> {
    let folder = root.join(Market::India.word());
    std::fs::create_dir_all(&folder)?;
    let date: ArrayRef = Arc::new(datafusion::arrow::array::Date32Array::from(vec![20_000]));
    let traded: ArrayRef = Arc::new(Int64Array::from(vec![ROWS as i64]));
    let sessions = RecordBatch::try_from_iter([("session", date), ("stocks_traded", traded)])?;
    for (name, rows) in [("screen.parquet", stocks), ("sessions.parquet", &sessions)] {
        let mut writer = ArrowWriter::try_new(File::create(folder.join(name))?, rows.schema(), None)?;
        writer.write(rows)?;
        writer.close()?;
    }
    Ok(())
}

/// The four alternatives.
struct Ways {
    operation: Arc<Operation>,
    snapshot: Snapshot,
    plain: SessionContext,
    kept: LogicalPlan,
    json: JsonRows,
    stocks: RecordBatch,
}

impl Ways {
    async fn open() -> anyhow::Result<Self> {
        let stocks = stocks()?;
        let catalogue = Arc::new(catalogue(&stocks)?);
        let folder = tempfile::tempdir()?;
        save(folder.path(), &stocks)?;
        let root = Root::folder(folder.path());
        let snapshot =
            Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &QueryLimits::default()).await?;
        let operation =
            catalogue.operation("bench/screen").cloned().context("the operation is in the catalogue")?;
        let plain = SessionContext::new();
        plain.register_table(
            "screen",
            Arc::new(MemTable::try_new(stocks.schema(), vec![vec![stocks.clone()]])?),
        )?;
        let sql = Screen::select("$min_capital", "$max_earnings", "$min_strength", &TOP.to_string());
        let kept = plain.state().create_logical_plan(&sql).await?;
        let columns = snapshot.columns(&operation).first().context("the operation has columns")?;
        let json = JsonRows::new(columns);
        Ok(Self { operation, snapshot, plain, kept, json, stocks })
    }

    fn encode(&self, batches: &[RecordBatch]) -> Vec<u8> {
        let mut out = vec![b'['];
        let mut first = true;
        for batch in batches {
            self.json.write(batch, first, &mut out);
            first = first && batch.num_rows() == 0;
        }
        out.push(b']');
        out
    }

    fn arguments(&self, screen: Screen) -> anyhow::Result<Arguments> {
        let texts = [
            ("min_capital", screen.min_capital.to_string()),
            ("max_earnings", screen.max_earnings.to_string()),
            ("min_strength", screen.min_strength.to_string()),
        ];
        let pairs = texts.iter().map(|(name, text)| (*name, text.as_str()));
        Arguments::parse(&self.operation, Tier::ApiMax, pairs)
            .map_err(|refused| anyhow::anyhow!("{refused:?}"))
    }

    async fn operation(&self, arguments: &Arguments) -> anyhow::Result<Vec<u8>> {
        let call = self.snapshot.call(&self.operation, arguments.clone(), chrono::Utc::now());
        let bytes = call.context("the market is there")?.compute().await?.context("an array")?;
        Ok(bytes.into())
    }

    async fn text(&self, screen: Screen) -> anyhow::Result<Vec<u8>> {
        let sql = Screen::select(
            &format!("{:?}", screen.min_capital),
            &format!("{:?}", screen.max_earnings),
            &screen.min_strength.to_string(),
            &TOP.to_string(),
        );
        Ok(self.encode(&self.plain.sql(&sql).await?.collect().await?))
    }

    async fn kept_plan(&self, screen: Screen) -> anyhow::Result<Vec<u8>> {
        let values = ParamValues::from(vec![
            ("min_capital", ScalarValue::Float64(Some(screen.min_capital))),
            ("max_earnings", ScalarValue::Float64(Some(screen.max_earnings))),
            ("min_strength", ScalarValue::Int64(Some(screen.min_strength))),
        ]);
        let plan = self.kept.clone().with_param_values(values)?;
        Ok(self.encode(&self.plain.execute_logical_plan(plan).await?.collect().await?))
    }

    fn kernels(&self, screen: Screen) -> anyhow::Result<Vec<u8>> {
        let column = |name: &str| self.stocks.column_by_name(name).context("a column of the table");
        let capital = gt_eq(&column("return_capital")?, &Float64Array::new_scalar(screen.min_capital))?;
        let earnings = lt_eq(&column("price_earnings")?, &Float64Array::new_scalar(screen.max_earnings))?;
        let strength = gt_eq(&column("strength")?, &Int64Array::new_scalar(screen.min_strength))?;
        let mask: BooleanArray = and(&and(&capital, &earnings)?, &strength)?;
        let mask = if mask.is_nullable() { prep_null_mask_filter(&mask) } else { mask };
        let rows: UInt32Array = mask.values().set_indices_u32().collect::<Vec<_>>().into();
        let key = |name, descending| -> anyhow::Result<SortColumn> {
            let options = Some(SortOptions { descending, nulls_first: false });
            Ok(SortColumn { values: filter(column(name)?, &mask)?, options })
        };
        let top = lexsort_to_indices(&[key("strength", true)?, key("symbol", false)?], Some(TOP))?;
        let top = take(&rows, &top, None)?;
        let top = top.as_primitive::<UInt32Type>();
        let columns = SHOWN.iter().map(|name| Ok(take(column(name)?, top, None)?));
        let schema = self.stocks.schema();
        let fields = SHOWN.iter().map(|name| Ok(schema.field_with_name(name)?.clone()));
        let schema = Schema::new(fields.collect::<anyhow::Result<Vec<_>>>()?);
        let batch = RecordBatch::try_new(Arc::new(schema), columns.collect::<anyhow::Result<Vec<_>>>()?)?;
        Ok(self.encode(&[batch]))
    }
}

/// Prints each alternative's median, 99th percentile and ratio to the operation's median.
fn print(times: &mut [Times]) {
    println!("{:<44} {:>10} {:>10} {:>8}", "", "p50 us", "p99 us", "ratio");
    let first = times.first_mut().map_or(f64::NAN, |first| first.quantile(0.5));
    for (name, times) in NAMES.iter().zip(times) {
        let (p50, p99) = (times.quantile(0.5), times.quantile(0.99));
        println!("{name:<44} {p50:>10.1} {p99:>10.1} {:>8.2}", p50 / first);
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let ways = Ways::open().await?;
    let mut times: [Times; NAMES.len()] = Default::default();
    let [operation, text, kept, kernels, json] = &mut times;
    let rows = ways.plain.sql(&Screen::select("10.0", "40.0", "70", "50")).await?.collect().await?;
    for call in 0..scale.pick(CALLS, SMALL_CALLS) {
        let screen = Screen::for_call(call);
        let arguments = ways.arguments(screen)?;
        let answer = operation.call(ways.operation(&arguments)).await?;
        // The slow alternatives are called every tenth time.
        if call % 10 == 0 {
            ensure!(
                answer == text.call(ways.text(screen)).await?,
                "SQL text answers otherwise in call {call}"
            );
            ensure!(
                answer == kept.call(ways.kept_plan(screen)).await?,
                "the kept plan answers otherwise in call {call}"
            );
        }
        ensure!(
            answer == kernels.call(async { ways.kernels(screen) }).await?,
            "the kernels answer otherwise in call {call}"
        );
        json.call(async { Ok(black_box(ways.encode(&rows))) }).await?;
    }
    println!(
        "{ROWS} rows of {} columns, three filters, top {TOP} rows of {} columns",
        ways.stocks.num_columns(),
        SHOWN.len()
    );
    print(&mut times);
    Ok(())
}
