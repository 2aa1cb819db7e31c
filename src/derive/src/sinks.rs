//! Writers that work beside the derivation, a thread each, so that the derivation does not wait for encoding.
//!
//! A sink holds a few batches at the most: a derivation that is faster than the disk is slowed down, so that memory does not fill.

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::error::DeriveError;
use super::table_writer::TableWriter;
use parquote_catalogue::operation::Table;

/// Takes the batches of one table in their order.
pub(super) struct Sink {
    table: String,
    batches: mpsc::Sender<Vec<RecordBatch>>,
    writing: JoinHandle<Result<u64>>,
}

impl Sink {
    /// Starts writing a table.
    pub(super) fn start(table: &Table, mut writer: TableWriter) -> Self {
        /// Handfuls of batches that wait for a writer.
        const WAITING: usize = 1;
        let (batches, mut arriving) = mpsc::channel::<Vec<RecordBatch>>(WAITING);
        let writing = tokio::task::spawn_blocking(move || {
            while let Some(batches) = arriving.blocking_recv() {
                writer.write(&batches)?;
            }
            writer.finish()
        });
        Self { table: table.name.clone(), batches, writing }
    }

    /// Hands over the next batches; what went wrong with earlier ones is told by [`Sink::finish`].
    pub(super) async fn write(&self, batches: Vec<RecordBatch>) {
        let _stopped = self.batches.send(batches).await;
    }

    /// Waits until all is written; the number of rows is returned.
    pub(super) async fn finish(self) -> Result<u64, DeriveError> {
        drop(self.batches);
        self.writing.await?.map_err(DeriveError::rows(&self.table))
    }
}
