//! Executor of a worker: fetches the inputs of a unit, runs it, and uploads the results.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::error::WorkersError;
use super::input_cache::InputCache;
use parquote_catalogue::causes::with_causes;
use parquote_catalogue::operation::Catalogue;
use parquote_derive::{DeriveError, MadeFile, MadeUnit, PathBelow, WorkUnit, run_unit};
use parquote_raw::cores;
use parquote_set::{SetError, TransferStore};

/// The outcome of a unit, equal on all workers.
#[derive(Debug)]
pub(super) enum UnitOutcome {
    /// The unit made files.
    Made(MadeUnit),
    /// The unit fails on every worker.
    Failed(String),
}

/// An error that leaves the outcome of a unit unknown; another worker may run the unit.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExecutorError {
    /// Files could not be fetched or uploaded.
    #[error(transparent)]
    Transfer(#[from] SetError),
    /// A failure of this machine, such as a full disk; another worker may succeed.
    #[error("this machine failed: {0}")]
    Machine(String),
}

/// The executor of a worker.
#[derive(Debug)]
pub(super) struct UnitExecutor {
    catalogue: Arc<Catalogue>,
    transfer: TransferStore,
    /// Parent of the units' working folders.
    folder: PathBuf,
    inputs: InputCache,
    /// One permit per core.
    cores: Semaphore,
    /// Runtime on which units compute.
    units: Handle,
}

impl UnitExecutor {
    /// Creates an executor that works below `folder`, with an input cache of `cache_bytes` bytes. Units compute on the runtime `units`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn new(
        catalogue: Arc<Catalogue>,
        transfer: TransferStore,
        folder: &Path,
        cache_bytes: u64,
        units: Handle,
    ) -> Result<Self, WorkersError> {
        let refused = |error: io::Error| WorkersError::File {
            path: folder.to_owned(),
            why: format!("units run below it, and it cannot be written: {error}"),
        };
        let input_folder = folder.join("inputs");
        std::fs::create_dir(&input_folder).map_err(refused)?;
        let inputs = InputCache::new(input_folder, cache_bytes);
        let cores = Semaphore::new(cores());
        Ok(Self { catalogue, transfer, folder: folder.to_owned(), inputs, cores, units })
    }

    /// Runs a unit, unless its result is already in the transfer store.
    ///
    /// # Errors
    /// Files cannot be fetched or uploaded, or the machine fails.
    pub(super) async fn run(&self, unit: &WorkUnit) -> Result<UnitOutcome, ExecutorError> {
        let name = unit.name();
        let transfer = self.transfer.for_market(unit.market);
        if let Some(made) = recorded_result(&transfer, &name).await? {
            return Ok(UnitOutcome::Made(made));
        }
        let machine_error = |error: io::Error| ExecutorError::Machine(error.to_string());
        let permit_count = if unit.uses_all_cores() { cores() } else { 1 };
        let permits = self.cores.acquire_many(permit_count as u32).await;
        let _permits = permits.map_err(|error| ExecutorError::Machine(error.to_string()))?;
        let run = tempfile::tempdir_in(&self.folder).map_err(machine_error)?;
        let (from, into) = (run.path().join("from"), run.path().join("into"));
        for folder in [&from, &into] {
            std::fs::create_dir(folder).map_err(machine_error)?;
        }
        for (path, blob) in unit.input_files() {
            self.inputs.put_file_at(blob, &transfer, &path.below(&from)).await?;
        }
        let began = Instant::now();
        let (catalogue, cloned_unit) = (Arc::clone(&self.catalogue), unit.clone());
        let folders = (from.clone(), into.clone());
        // Dropping the set aborts the unit once no client waits for it.
        let mut computing = JoinSet::new();
        computing.spawn_on(
            async move { run_unit(&catalogue, &cloned_unit, &folders.0, &folders.1).await },
            &self.units,
        );
        let Some(joined) = computing.join_next().await else {
            return Err(ExecutorError::Machine("the unit was lost".to_owned()));
        };
        let written = match joined {
            Err(lost) => return Err(ExecutorError::Machine(lost.to_string())),
            Ok(Ok(written)) => written,
            Ok(Err(error)) if is_machine_failure(&error) => {
                return Err(ExecutorError::Machine(with_causes(&error)));
            }
            Ok(Err(error)) => return Ok(UnitOutcome::Failed(with_causes(&error))),
        };
        let took = began.elapsed();
        let mut files = Vec::new();
        for (path, rows) in written {
            let blob = transfer.store_file(&path).await?;
            files.push(MadeFile {
                path: PathBelow::strip_folder(&path, &into).map_err(ExecutorError::Machine)?,
                rows,
                blob,
            });
        }
        let made = MadeUnit { files, took };
        transfer.put_note(&name, serde_json::to_vec(&made).unwrap_or_default()).await?;
        tracing::info!(unit = %unit.describe_output(), took_ms = took.as_millis() as u64, files = made.files.len(), "made");
        Ok(UnitOutcome::Made(made))
    }
}

/// Reads the recorded result of a unit; `None` if it is absent or invalid, or one of its files is missing.
pub(super) async fn recorded_result(
    transfer: &TransferStore,
    name: &str,
) -> Result<Option<MadeUnit>, SetError> {
    let Some(text) = transfer.find_note(name).await? else { return Ok(None) };
    let Ok(made) = serde_json::from_slice::<MadeUnit>(&text) else { return Ok(None) };
    for file in &made.files {
        if !transfer.has(&file.blob).await? {
            return Ok(None);
        }
    }
    Ok(Some(made))
}

/// Returns true if an error is due to the machine, such as a full disk or a lost task.
fn is_machine_failure(error: &DeriveError) -> bool {
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
