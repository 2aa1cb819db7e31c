//! Table writers, each on its own thread, so that a derivation does not wait for encoding.
//!
//! A sink buffers only a few batches. A derivation that is faster than the disk waits for it, which bounds memory.

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::error::DeriveError;
use super::table_writer::TableWriter;
use parquote_catalogue::operation::Table;

/// The writer of one table, which receives its batches in order.
pub(super) struct Sink {
    table: String,
    batches: mpsc::Sender<Vec<RecordBatch>>,
    writing: JoinHandle<Result<u64>>,
}

impl Sink {
    /// Starts writing a table.
    pub(super) fn start(table: &Table, mut writer: TableWriter) -> Self {
        /// Maximum number of groups of batches that wait for the writer.
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

    /// Sends the next batches to the writer. [`Sink::finish`] returns the errors of writing them.
    pub(super) async fn write(&self, batches: Vec<RecordBatch>) {
        let _stopped = self.batches.send(batches).await;
    }

    /// Waits until all batches are written. Returns the number of rows.
    pub(super) async fn finish(self) -> Result<u64, DeriveError> {
        drop(self.batches);
        self.writing.await?.map_err(DeriveError::row_error(&self.table))
    }
}
