//! Where a worker runs units: it brings what a unit reads, runs the unit, and leaves what came of it.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;

use super::error::WorkersError;
use super::kept_inputs::KeptInputs;
use crate::derive::{DeriveError, MadeFile, MadeUnit, WorkUnit, run_unit};
use crate::operation::Catalogue;
use crate::raw::cores;
use crate::set::{SetError, TransferStore};

/// What came of a unit.
#[derive(Debug)]
pub(super) enum UnitOutcome {
    /// Files.
    Made(MadeUnit),
    /// Nothing: it fails wherever it runs.
    Failed(String),
}

/// Why it is not known what comes of a unit; somebody else may find out.
#[derive(Debug, thiserror::Error)]
pub(super) enum DeskError {
    /// The files could not be brought or left.
    #[error(transparent)]
    Exchange(#[from] SetError),
    /// The machine failed.
    #[error("this machine failed: {0}")]
    Machine(String),
}

/// The place of a worker.
#[derive(Debug)]
pub(super) struct Desk {
    catalogue: Arc<Catalogue>,
    transfer: TransferStore,
    /// Where units run.
    folder: PathBuf,
    inputs: KeptInputs,
    /// A permit a core.
    cores: Semaphore,
}

impl Desk {
    /// A desk in a folder of its own, which keeps so many bytes of inputs.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub(super) fn new(
        catalogue: Arc<Catalogue>,
        transfer: TransferStore,
        folder: &Path,
        kept_bytes: u64,
    ) -> Result<Self, WorkersError> {
        let refused = |error: io::Error| WorkersError::File {
            path: folder.to_owned(),
            why: format!("units run below it, and it cannot be written: {error}"),
        };
        let kept = folder.join("inputs");
        std::fs::create_dir(&kept).map_err(refused)?;
        let inputs = KeptInputs::new(kept, kept_bytes);
        Ok(Self { catalogue, transfer, folder: folder.to_owned(), inputs, cores: Semaphore::new(cores()) })
    }

    /// Runs a unit, unless somebody did it already.
    ///
    /// # Errors
    /// Files that cannot be brought or left, a machine that fails.
    pub(super) async fn run(&self, unit: &WorkUnit) -> Result<UnitOutcome, DeskError> {
        let name = unit.name();
        let transfer = self.transfer.of(unit.market);
        if let Some(made) = noted(&transfer, &name).await? {
            return Ok(UnitOutcome::Made(made));
        }
        let machine = |error: io::Error| DeskError::Machine(error.to_string());
        let wanted = if unit.uses_all_cores() { cores() } else { 1 };
        let turn = self.cores.acquire_many(wanted as u32).await;
        let _turn = turn.map_err(|error| DeskError::Machine(error.to_string()))?;
        let run = tempfile::tempdir_in(&self.folder).map_err(machine)?;
        let (from, into) = (run.path().join("from"), run.path().join("into"));
        for folder in [&from, &into] {
            std::fs::create_dir(folder).map_err(machine)?;
        }
        for (path, blob) in unit.reads() {
            self.inputs.bring(blob, &transfer, &from.join(path)).await?;
        }
        let began = Instant::now();
        let written = match run_unit(&self.catalogue, unit, &from, &into).await {
            Ok(written) => written,
            Err(error) if is_of_the_machine(&error) => return Err(DeskError::Machine(chain(&error))),
            Err(error) => return Ok(UnitOutcome::Failed(chain(&error))),
        };
        let took = began.elapsed();
        let mut files = Vec::new();
        for (path, rows) in written {
            let below = path.strip_prefix(&into).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push(MadeFile { path: below, rows, blob: transfer.put(&path).await? });
        }
        let made = MadeUnit { files, took };
        transfer.put_note(&name, serde_json::to_vec(&made).unwrap_or_default()).await?;
        tracing::info!(unit = %unit.what(), took_ms = took.as_millis() as u64, files = made.files.len(), "made");
        Ok(UnitOutcome::Made(made))
    }
}

/// What somebody made of a unit; a note that cannot be read counts as none.
pub(super) async fn noted(transfer: &TransferStore, name: &str) -> Result<Option<MadeUnit>, SetError> {
    let note = transfer.find_note(name).await?;
    Ok(note.and_then(|text| serde_json::from_slice(&text).ok()))
}

/// Whether an error says something of the machine: a full disk, a lost task.
fn is_of_the_machine(error: &DeriveError) -> bool {
    if matches!(error, DeriveError::Task(_) | DeriveError::Write { .. }) {
        return true;
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// An error with its causes.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
