//! Writes the rows of a SELECT to a file (Parquet, CSV or Arrow) as they arrive, so that memory does not grow with their number.
//!
//! Values are not rounded by their units, unlike those of answers. The file appears only when all of its rows are written.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt as _;

use super::format::{CsvRows, widened_type};
use super::json::JsonRows;
use super::result_column::ResultColumn;
use parquote_catalogue::operation::{ColumnType, Unit};
use parquote_functions::arrow_types::column_type;

parquote_catalogue::word_enum! {
    /// Format of a file of rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FileForm {
        /// Parquet.
        Parquet = "parquet",
        /// CSV, in the form of answers.
        Csv = "csv",
        /// An Arrow IPC file.
        Arrow = "arrow",
    }
    const ALL "All forms.";
    fn word "Returns the name, which is also the file extension.";
}

impl FileForm {
    /// Returns the format by the extension of a path, in any case; `None` if no format has it.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|form| form.word().eq_ignore_ascii_case(extension))
    }
}

/// Writes all rows of a stream to a file and returns their number.
pub(crate) async fn write(mut rows: SendableRecordBatchStream, path: &Path, form: FileForm) -> Result<u64> {
    let temporary = TemporaryFile::create_beside(path)?;
    let mut writer = RowsFile::create(&temporary.0, form, &rows.schema())?;
    let mut count = 0;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        count += batch.num_rows() as u64;
        writer.write(batch)?;
    }
    writer.finish()?;
    fs::rename(&temporary.0, path)?;
    Ok(count)
}

/// Temporary file; it is deleted unless it is renamed to its final name.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn create_beside(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".unfinished");
        Ok(Self(path.with_file_name(name)))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Removes the file of a failed write; a finished one was renamed.
        drop(fs::remove_file(&self.0));
    }
}

enum RowsFile {
    Parquet(SchemaRef, Box<ArrowWriter<File>>),
    Csv(JsonRows, BufWriter<File>),
    Arrow(SchemaRef, Box<FileWriter<BufWriter<File>>>),
}

impl RowsFile {
    fn create(path: &Path, form: FileForm, schema: &SchemaRef) -> Result<Self> {
        let file = File::create(path)?;
        // Types that every reader of Arrow and Parquet understands.
        let fields = schema.fields().iter();
        let fields =
            fields.map(|field| field.as_ref().clone().with_data_type(widened_type(field.data_type())));
        let written_schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(match form {
            FileForm::Parquet => {
                let properties =
                    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
                let writer =
                    ArrowWriter::try_new(file, Arc::clone(&written_schema), Some(properties.build()))?;
                Self::Parquet(written_schema, Box::new(writer))
            }
            FileForm::Csv => {
                let columns = describe_columns(schema)?;
                let mut out = BufWriter::new(file);
                out.write_all(&CsvRows::header_line(&columns))?;
                Self::Csv(JsonRows::new(&columns), out)
            }
            FileForm::Arrow => {
                let writer = FileWriter::try_new(BufWriter::new(file), &written_schema)?;
                Self::Arrow(written_schema, Box::new(writer))
            }
        })
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            Self::Parquet(schema, writer) => writer.write(&cast_columns(&batch, schema)?)?,
            Self::Csv(json, out) => out.write_all(&CsvRows::encode_lines(json, batch)?)?,
            Self::Arrow(schema, writer) => writer.write(&cast_columns(&batch, schema)?)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Parquet(_, writer) => drop(writer.close()?),
            Self::Csv(_, mut out) => out.flush()?,
            Self::Arrow(_, mut writer) => writer.finish()?,
        }
        Ok(())
    }
}

fn cast_columns(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns =
        columns.map(|(column, field)| Ok(cast(column, field.data_type())?)).collect::<Result<_>>()?;
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Describes the columns of a SELECT as columns of an answer, without units.
fn describe_columns(schema: &SchemaRef) -> Result<Vec<ResultColumn>> {
    let columns = schema.fields().iter().map(|field| {
        let ty =
            column_type(field.data_type()).filter(|ty| !matches!(ty, ColumnType::Row | ColumnType::Rows));
        let Some(ty) = ty else {
            return plan_err!(
                "the column `{}`, of type {}, has no form in CSV; write it as parquet or arrow, or cast it",
                field.name(),
                field.data_type()
            );
        };
        let (name, nullable) = (field.name().clone(), field.is_nullable());
        Ok(ResultColumn { name, ty, nullable, unit: Unit::None, words: String::new(), fields: Vec::new() })
    });
    columns.collect()
}
