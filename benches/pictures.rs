//! Cost of a picture of prices: the rows of a year and of five as SVG, and that SVG as PNG, in both sizes.
//!
//! `cargo bench --profile dev --bench pictures`, in seconds with `-- --small`
//!
//! The bars are generated: prices, volume, RS line and two averages, as in `explore/chart`. Milliseconds are the median of the
//! calls; sizes are those of the files, the SVG's also compressed with gzip.

mod measure;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context;
use datafusion::arrow::array::{ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch};
use measure::Times;
use measure::scale::Scale;
use parquote::engine::{PictureRows, PictureSetting};
use parquote::operation::{Market, Unit};
use parquote::picture::png::png;
use parquote::picture::sheet::{PictureSize, PictureWords};
use parquote::picture::spec::PictureSpec;
use parquote::picture::theme::Theme;
use rand::{RngExt, SeedableRng};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SPEC: &str = "candles date=session open=open high=high low=low close=close volume=volume rs=rs_line rs_high=rs_high_first average=sma_50,sma_200";
/// Sessions of a year and of five.
const BARS: [usize; 2] = [250, 1_250];
const CALLS: usize = 60;
const SMALL_CALLS: usize = 3;

/// Returns random-walk bars from a fixed seed.
fn bars(count: usize) -> anyhow::Result<RecordBatch> {
    let mut random = rand::rngs::StdRng::seed_from_u64(7);
    let mut columns: [Vec<f64>; 8] = Default::default();
    let mut close: f64 = 1_000.0;
    for _ in 0..count {
        let open = close * random.random_range(0.997..1.003);
        close = open * random.random_range(0.985..1.0155);
        let high = open.max(close) * random.random_range(1.0..1.01);
        let low = open.min(close) * random.random_range(0.99..1.0);
        let volume = random.random_range(4e4..1.4e5);
        let values = [open, high, low, close, volume, close / 24_000.0, close * 0.97, close * 0.92];
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    let names = ["open", "high", "low", "close", "volume", "rs_line", "sma_50", "sma_200"];
    let sessions = (0..count as i32).map(|at| 18_631 + at / 5 * 7 + at % 5);
    let session: ArrayRef = Arc::new(Date32Array::from_iter_values(sessions));
    let is_high: ArrayRef = Arc::new((0..count).map(|at| Some(at % 40 == 7)).collect::<BooleanArray>());
    let figures = names.into_iter().zip(columns).map(|(name, column)| {
        let column: ArrayRef = Arc::new(Float64Array::from(column));
        (name, column)
    });
    Ok(RecordBatch::try_from_iter(
        [("session", session), ("rs_high_first", is_high)].into_iter().chain(figures),
    )?)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Some(scale) = Scale::from_arguments()? else { return Ok(()) };
    let calls = scale.pick(CALLS, SMALL_CALLS);
    let spec = PictureSpec::parse(SPEC)?;
    let words =
        PictureWords { id: "p", lang: "en", title: "Prices", description: "Prices.", footnote: "Bench" };
    println!(
        "{:>6}  {:<10} {:>8} {:>8} {:>10} {:>9} {:>9}",
        "bars", "size", "SVG ms", "PNG ms", "SVG bytes", "gzip", "PNG bytes"
    );
    for count in BARS {
        let rows = bars(count)?;
        for (name, size) in [("960x540", PictureSize::Regular), ("1600x900", PictureSize::Large)] {
            let setting =
                PictureSetting { spec: &spec, words, size, theme: Theme::Light, market: Market::India };
            let (mut of_svg, mut of_png) = (Times::default(), Times::default());
            let (mut svg, mut image) = (String::new(), Vec::new());
            for _ in 0..calls {
                let draw = async {
                    let held =
                        PictureRows::from_batches(std::slice::from_ref(&rows), &spec, |_| Some(Unit::Price))?;
                    Ok(held.svg(&setting)?)
                };
                svg = of_svg.call(draw).await?;
                image = of_png.call(async { png(&svg).context("a PNG") }).await?;
            }
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            packed.write_all(svg.as_bytes())?;
            println!(
                "{count:>6}  {name:<10} {:>8.2} {:>8.2} {:>10} {:>9} {:>9}",
                of_svg.quantile(0.5) / 1e3,
                of_png.quantile(0.5) / 1e3,
                svg.len(),
                packed.finish()?.len(),
                image.len()
            );
        }
    }
    Ok(())
}
