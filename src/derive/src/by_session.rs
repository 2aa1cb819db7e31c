//! Table provider that returns one year of a table in session order although its file is sorted by symbol, for tables that are computed
//! session by session.
//!
//! The rows of a session stay in symbol order, so a counting sort by session is enough. Only the requested columns are read.

use std::fs::File;
use std::future::ready;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{SortOptions, concat_batches, take_record_batch};
use datafusion::arrow::datatypes::{Date32Type, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::internal_datafusion_err;
use datafusion::datasource::TableType;
use datafusion::datasource::memory::{DataSourceExec, MemorySourceConfig};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use futures::future::BoxFuture;

use parquote_functions::arrow_types::declared_columns;

/// The sort order of the returned rows.
const ORDER: [&str; 2] = ["session", "symbol"];

/// A provider of the rows of one file in session order. The file is sorted by symbol, then by session.
#[derive(Debug)]
pub(super) struct SessionOrderedFile {
    /// Path of the Parquet file.
    pub path: PathBuf,
    /// The columns of the table.
    pub schema: SchemaRef,
}

impl TableProvider for SessionOrderedFile {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    // Not an `async fn`: a future that holds the filters costs seconds of compile time.
    fn scan<'table: 'f, 'state: 'f, 'columns: 'f, 'filters: 'f, 'f>(
        &'table self,
        state: &'state dyn Session,
        projection: Option<&'columns Vec<usize>>,
        _filters: &'filters [Expr],
        _limit: Option<usize>,
    ) -> BoxFuture<'f, Result<Arc<dyn ExecutionPlan>>> {
        Box::pin(ready(self.scan_in_session_order(state.config().batch_size(), projection)))
    }
}

impl SessionOrderedFile {
    /// Returns an in-memory scan of these columns, in session order.
    fn scan_in_session_order(
        &self,
        batch_size: usize,
        projection: Option<&Vec<usize>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all = || (0..self.schema.fields().len()).collect();
        let rows = self.rows(&projection.cloned().unwrap_or_else(all))?;
        let schema = rows.schema();
        let ascending = SortOptions { descending: false, nulls_first: false };
        let order = ORDER.iter().map_while(|name| {
            let (position, _) = schema.column_with_name(name)?;
            Some(PhysicalSortExpr::new(Arc::new(Column::new(name, position)), ascending))
        });
        let order: Vec<LexOrdering> = LexOrdering::new(order.collect::<Vec<_>>()).into_iter().collect();
        let source = MemorySourceConfig::try_new(&[split_into_batches(&rows, batch_size)], schema, None)?;
        Ok(DataSourceExec::from_data_source(source.try_with_sort_information(order)?))
    }

    /// Reads these columns of all rows, in session order.
    fn rows(&self, columns: &[usize]) -> Result<RecordBatch> {
        let missing = || internal_datafusion_err!("{} has no date column `session`", self.path.display());
        let session = self.schema.index_of("session")?;
        let mut columns_read: Vec<usize> = columns.to_vec();
        columns_read.extend((!columns.contains(&session)).then_some(session));
        let schema = Arc::new(self.schema.project(&columns_read)?);
        let file = ParquetRecordBatchReaderBuilder::try_new(File::open(&self.path)?)?;
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let mask = ProjectionMask::columns(file.parquet_schema(), names);
        let all = usize::try_from(file.metadata().file_metadata().num_rows()).unwrap_or_default();
        let batches = file.with_projection(mask).with_batch_size(all.max(1)).build()?;
        let batches = batches.map(|batch| declared_columns(&batch?, &schema)).collect::<Result<Vec<_>>>()?;
        let rows = concat_batches(&schema, &batches)?;
        let sessions =
            rows.column_by_name("session").and_then(|column| column.as_primitive_opt::<Date32Type>());
        let row_order = indexes_by_session(sessions.ok_or_else(missing)?.values());
        let retained: Vec<usize> = (0..columns.len()).collect();
        Ok(take_record_batch(&rows.project(&retained)?, &UInt32Array::from(row_order))?)
    }
}

/// Returns the indices of the rows in session order. Rows of a session stay in the order of the file.
fn indexes_by_session(sessions: &[i32]) -> Vec<u32> {
    let first = sessions.iter().min().copied().unwrap_or_default();
    let last = sessions.iter().max().copied().unwrap_or_default();
    let day = |session: &i32| usize::try_from(session - first).unwrap_or_default();
    // For each day since the first one, the index of its first row in session order.
    let mut begins = vec![0_u32; day(&last) + 2];
    for session in sessions {
        if let Some(next) = begins.get_mut(day(session) + 1) {
            *next += 1;
        }
    }
    let mut sum = 0;
    for begin in &mut begins {
        sum += *begin;
        *begin = sum;
    }
    let mut row_order = vec![0; sessions.len()];
    for (row, session) in (0..).zip(sessions) {
        let Some(next) = begins.get_mut(day(session)) else { continue };
        if let Some(slot) = row_order.get_mut(*next as usize) {
            *slot = row;
        }
        *next += 1;
    }
    row_order
}

/// Splits rows into batches of at most `most` rows.
fn split_into_batches(rows: &RecordBatch, most: usize) -> Vec<RecordBatch> {
    let starts = (0..rows.num_rows()).step_by(most.max(1));
    starts.map(|start| rows.slice(start, most.min(rows.num_rows() - start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_dealt_by_session_and_keep_their_order_within() {
        assert_eq!(indexes_by_session(&[7, 8, 9, 8, 7, 9, 12]), [0, 4, 1, 3, 2, 5, 6]);
        assert_eq!(indexes_by_session(&[-3, -5]), [1, 0]);
        assert!(indexes_by_session(&[]).is_empty());
    }

    #[tokio::test]
    async fn a_file_is_read_in_the_order_of_sessions() {
        use datafusion::arrow::array::{Date32Array, Int64Array, StringViewArray};
        use datafusion::execution::context::SessionContext;
        use datafusion::parquet::arrow::ArrowWriter;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("2025.parquet");
        let symbols = StringViewArray::from(vec!["ACC", "ACC", "INFY", "TCS", "TCS"]);
        let rows = RecordBatch::try_from_iter([
            ("symbol", Arc::new(symbols) as _),
            ("session", Arc::new(Date32Array::from(vec![20_001, 20_002, 20_002, 20_001, 20_003])) as _),
            ("volume", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5])) as _),
        ])
        .unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), rows.schema(), None).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        let context = SessionContext::new();
        context.register_table("bars", Arc::new(SessionOrderedFile { path, schema: rows.schema() })).unwrap();
        let volumes = async |sql: &str| -> Vec<i64> {
            let batches = context.sql(sql).await.unwrap().collect().await.unwrap();
            let volume = |batch: &RecordBatch| batch.column_by_name("volume").unwrap().clone();
            let int64 = |column: &datafusion::arrow::array::ArrayRef| {
                column.as_primitive::<datafusion::arrow::datatypes::Int64Type>().values().to_vec()
            };
            batches.iter().flat_map(|batch| int64(&volume(batch))).collect()
        };
        assert_eq!(volumes("SELECT volume FROM bars").await, [1, 4, 2, 3, 5]);
        assert_eq!(volumes("SELECT * FROM bars ORDER BY session, symbol").await, [1, 4, 2, 3, 5]);
        assert_eq!(volumes("SELECT volume FROM bars WHERE symbol = 'TCS'").await, [4, 5]);
    }
}
