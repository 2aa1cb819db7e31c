//! Table writers that run concurrently with the derivation, one thread each, so that it does not wait for encoding.
//!
//! A sink holds few batches: it blocks a derivation that is faster than the disk, which bounds memory.

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::error::DeriveError;
use super::table_writer::TableWriter;
use parquote_catalogue::operation::Table;

/// Sink of one table's batches, in order.
pub(super) struct Sink {
    table: String,
    batches: mpsc::Sender<Vec<RecordBatch>>,
    writing: JoinHandle<Result<u64>>,
}

impl Sink {
    /// Starts writing a table.
    pub(super) fn start(table: &Table, mut writer: TableWriter) -> Self {
        /// Most groups of batches that wait for a writer.
        const MOST_WAITING_GROUPS: usize = 1;
        let (batches, mut arriving) = mpsc::channel::<Vec<RecordBatch>>(MOST_WAITING_GROUPS);
        let writing = tokio::task::spawn_blocking(move || {
            while let Some(batches) = arriving.blocking_recv() {
                writer.write(&batches)?;
            }
            writer.finish()
        });
        Self { table: table.name.clone(), batches, writing }
    }

    /// Passes on the next batches; [`Sink::finish`] returns the errors of writing them.
    pub(super) async fn write(&self, batches: Vec<RecordBatch>) {
        let _stopped = self.batches.send(batches).await;
    }

    /// Waits until all is written, and returns the number of rows.
    pub(super) async fn finish(self) -> Result<u64, DeriveError> {
        drop(self.batches);
        self.writing.await?.map_err(DeriveError::row_error(&self.table))
    }
}
