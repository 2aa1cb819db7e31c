//! Makes the per-symbol tables in work units, which receive the bars of neighbouring stocks and return files of their rows.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use futures::{StreamExt as _, TryStreamExt as _};

use super::path_below::PathBelow;
use super::unit_error::UnitError;
use super::work_unit::{StocksTable, UnitRunner, Work, WorkUnit};
use crate::bars::{Bars, Chunk};
use crate::cut::YearCuts;
use crate::error::DeriveError;
use crate::partition::PartitionSpan;
use crate::published::file_path;
use crate::symbol_pass::{Output, SymbolPass};
use parquote_catalogue::operation::{Market, Table};
use parquote_functions::CarriedCell;
use parquote_functions::arrow_types::{declared_columns, table_schema};
use parquote_raw::Progress;
use parquote_set::Blob;

/// Name of the file with the bars of a unit, in its working folder. A file whose name begins with a dot is not a table.
pub(super) const CHUNK: &str = ".bars.parquet";
/// Name of the folder with a file of carried figures for each table.
pub(super) const CARRIED_FOLDER: &str = ".carried";
/// Number of files that are downloaded at the same time.
const CONCURRENT_DOWNLOADS: usize = 8;

/// The inputs for making the per-symbol tables in work units.
pub(crate) struct StockUnitInputs<'a> {
    pub tables: Vec<StocksTable>,
    /// The folder of the set being built, with the tables that the pass reads.
    pub folder: &'a Path,
    /// The folder of unit files that are not merged yet.
    pub scratch: &'a Path,
    pub cut: &'a YearCuts,
    pub rebuild_id: &'a str,
    pub runner: &'a Arc<dyn UnitRunner>,
}

/// Makes the rows of all stocks. Returns the paths of the downloaded unit files below `scratch`, in symbol order. The bars of each unit
/// also go to `bars_output`.
///
/// # Errors
/// Bars cannot be read, a unit fails, or a folder cannot be written.
pub(crate) async fn make_stocks(
    pass: &SymbolPass,
    bars: Bars,
    bars_output: &mut Output,
    inputs: StockUnitInputs<'_>,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>, DeriveError> {
    progress.start("deriving stocks on workers", bars.stocks() as u64);
    let failed = DeriveError::row_error(&pass.bars.name);
    let bars_read = pass.plans().await?.bars_read;
    let mut shared = BTreeMap::new();
    let small = pass.small.keys().map(String::as_str).chain([crate::sources::SESSIONS]);
    for name in small {
        let path = file_path(inputs.folder, name, PartitionSpan::Whole);
        shared.insert(path_below(format!("{name}.parquet"))?, inputs.runner.store_file(&path).await?);
    }
    let pieces = PieceWriter { scratch: inputs.scratch, runner: inputs.runner };
    let mut units = Vec::new();
    // A unit begins with a symbol at which parts begin in most years, so that few parts are divided between units.
    let unit_bars = inputs.runner.unit_bars(bars.bars());
    let chunks = bars.chunks_at(unit_bars, |symbol| inputs.cut.begins_most(symbol));
    let mut stocks = Vec::new();
    for chunk in chunks {
        stocks.push(chunk.stocks() as u64);
        let mut reads = shared.clone();
        for table in &pass.tables {
            let rows = pass.set_carried_figures(&table.name, &CarriedCell::default(), &chunk)?;
            if let Some(rows) = rows.filter(|rows| rows.num_rows() > 0) {
                let path = path_below(format!("{CARRIED_FOLDER}/{}.parquet", table.name))?;
                reads.insert(path, pieces.store_rows(&table.name, &rows).await?);
            }
        }
        let rows = chunk.rows(&pass.bars, pass.market, &pass.sessions, &bars_read).map_err(&failed)?;
        drop::<Chunk>(chunk);
        let names = rows.schema_ref().fields().iter().enumerate();
        let wanted = names.filter(|(_, field)| bars_read.contains(field.name())).map(|(at, _)| at);
        let piece = rows.project(&wanted.collect::<Vec<_>>()).map_err(|error| failed(error.into()))?;
        reads.insert(path_below(CHUNK.to_owned())?, pieces.store_rows(&pass.bars.name, &piece).await?);
        bars_output.add_batches(vec![rows]).await;
        let work = Work::Stocks { tables: inputs.tables.clone() };
        units.push(WorkUnit { market: pass.market, work, reads, rebuild_id: inputs.rebuild_id.to_owned() });
    }
    let made = inputs.runner.run(units).await?;
    let mut downloads = Vec::new();
    for (number, unit) in made.iter().enumerate() {
        for file in &unit.files {
            downloads.push((file.path.below(&inputs.scratch.join(number.to_string())), &file.blob));
        }
    }
    let get = |(path, blob): (PathBuf, &Blob)| {
        let blob = blob.clone();
        async move {
            inputs.runner.download(&blob, &path).await?;
            Ok::<_, DeriveError>(path)
        }
    };
    let paths = futures::stream::iter(downloads.into_iter().map(get))
        .buffered(CONCURRENT_DOWNLOADS)
        .try_collect()
        .await?;
    progress.advance(stocks.iter().sum());
    progress.finish();
    Ok(paths)
}

fn path_below(path: String) -> Result<PathBelow, UnitError> {
    PathBelow::try_from(path).map_err(UnitError::Path)
}

/// Writer of rows into the transfer store.
struct PieceWriter<'a> {
    scratch: &'a Path,
    runner: &'a Arc<dyn UnitRunner>,
}

impl PieceWriter<'_> {
    async fn store_rows(&self, table: &str, rows: &RecordBatch) -> Result<Blob, DeriveError> {
        let path = self.scratch.join("piece.parquet");
        write(&path, rows).map_err(DeriveError::row_error(table))?;
        let blob = self.runner.store_file(&path).await?;
        // The store may hold a link to the file, so the next piece needs a new file.
        fs::remove_file(&path).map_err(|source| DeriveError::Write { path, source })?;
        Ok(blob)
    }
}

/// Writes rows that are read only once, with fast compression and without statistics.
fn write(path: &Path, rows: &RecordBatch) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::None);
    let mut writer = ArrowWriter::try_new(File::create(path)?, rows.schema(), Some(properties.build()))?;
    writer.write(rows)?;
    writer.close()?;
    Ok(())
}

/// Reads rows of a table. They have the declared columns that are in the file, in their declared types.
pub(super) fn read_present_columns(path: &Path, table: &Table, market: Market) -> Result<RecordBatch> {
    let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let has = |name: &str| file.schema().column_with_name(name).is_some();
    let declared = table_schema(table, market);
    let fields = declared.fields().iter().filter(|field| has(field.name())).cloned();
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches =
        file.build()?.map(|batch| declared_columns(&batch?, &schema)).collect::<Result<Vec<_>>>()?;
    Ok(datafusion::arrow::compute::concat_batches(&schema, &batches)?)
}
