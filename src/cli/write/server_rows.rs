//! Rows that runs of a server write, by the plan, the replies and the files of the command.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::documents::DocumentReader;
use super::plan::{WritePlan, wanted_prompts};
use super::row_author::RowAuthor;
use super::words::{left_out, result_line, row_places, totals_words};
use crate::agents::job::{JobProgress, ProviderUsage, StepLog, WorkError};
use crate::agents::provider::{LanguageModel, Providers, TokenPrice, Usage};
use crate::digits::counted;
use crate::engine::Snapshot;
use crate::error::{ClientError, ErrorKind};
use crate::handlers::{RowWriter, WriteSpec};
use crate::operation::{Catalogue, Market};
use crate::{blocking, causes};
use parquote_write::{
    Ask, AskError, JobResult, ModelReply, RowState, Totals, WriteBudget, WriteError, WriteFolders, WriteJob,
    WriteRequest, estimate, write_all,
};

/// The folder of raw files in messages to callers, who need not know its path.
const RAW: &str = "raw";
/// Message about an error of a file.
const FILE_FAULT: &str =
    "a file of the written rows cannot be read or written; the operator finds it in the log";

/// Writes rows into the folder of raw files of a server.
pub(super) struct RawFolderRows {
    catalogue: Arc<Catalogue>,
    providers: Arc<Providers>,
    raw: PathBuf,
}

/// A run whose replies and results are recorded. A reply is recorded before it is stored in the folders.
struct RecordedRun<'a> {
    folders: WriteFolders,
    author: RowAuthor,
    budget: WriteBudget,
    log: &'a dyn StepLog,
    /// Error of the log, which ends the run after the reply is stored.
    fault: Mutex<Option<WorkError>>,
}

impl RawFolderRows {
    pub(super) fn new(catalogue: &Arc<Catalogue>, providers: &Arc<Providers>, raw: &Path) -> Self {
        Self { catalogue: Arc::clone(catalogue), providers: Arc::clone(providers), raw: raw.to_owned() }
    }

    /// Opens the folders of a market, for one run or process at a time.
    fn open_folders(&self, market: Market) -> Result<WriteFolders, ClientError> {
        let is_there = self.raw.join(market.word()).is_dir();
        match is_there.then(|| WriteFolders::open(&self.raw, market)) {
            Some(Ok(folders)) => Ok(folders),
            Some(Err(WriteError::Busy(_))) => {
                let message =
                    "a `parquote write` works in the folder of raw files; start this when it has ended";
                Err(ClientError::new(ErrorKind::TooManyRequests, message).with_retry_after(60))
            }
            _ => Err(ClientError::new(
                ErrorKind::BadRequest,
                format!(
                    "this server cannot write raw files of {market}; its operator names their folder with --raw (PARQUOTE_RAW), or \
                     runs `parquote write`"
                ),
            )),
        }
    }

    /// Reads the documents from a snapshot; returns the plan with the last session.
    async fn plan(
        &self,
        spec: &WriteSpec,
        snapshot: &Snapshot,
    ) -> anyhow::Result<(WritePlan<'_>, Option<NaiveDate>)> {
        let prompts = wanted_prompts(&self.catalogue, spec.market, &spec.tables)?;
        let reader = DocumentReader::over(Arc::clone(&self.catalogue), snapshot.clone(), spec.market);
        let plan = Box::pin(WritePlan::read(&self.catalogue, prompts, spec, &reader)).await?;
        Ok((plan, reader.as_of))
    }

    fn price(&self, spec: &WriteSpec) -> Option<TokenPrice> {
        self.providers.get(&spec.provider)?.price(&spec.model)
    }

    /// Estimates the jobs of a plan, by table.
    fn estimates(&self, spec: &WriteSpec, plan: &WritePlan<'_>) -> anyhow::Result<Json> {
        let folders = self.open_folders(spec.market)?;
        let (selected, mut estimates) = (plan.select(RAW)?, Vec::new());
        for ((prompt, _), selected) in plan.declared.iter().zip(&selected) {
            let sum = estimate(&folders, &selected.jobs, (spec.provider.as_str(), spec.model.as_str()))
                .map_err(|error| ClientError::from_cause(ErrorKind::Internal, FILE_FAULT, error))?;
            let usage = Usage { input_tokens: sum.input_tokens, output_tokens: sum.output_tokens };
            estimates.push(json!({
                "table": prompt.table,
                "documents": sum.documents,
                "stored": sum.stored,
                "skipped": sum.skipped,
                "input_tokens": sum.input_tokens,
                "output_tokens": sum.output_tokens,
                "cost_usd": self.price(spec).map(|price| price.cost_usd(usage)),
            }));
        }
        Ok(json!({"estimates": estimates, "left_out": left_out(&selected)}))
    }
}

#[async_trait]
impl RowWriter for RawFolderRows {
    fn check(&self, spec: &WriteSpec) -> Result<(), ClientError> {
        wanted_prompts(&self.catalogue, spec.market, &spec.tables).map_err(client_error)?;
        self.open_folders(spec.market).map(drop)
    }

    async fn estimate(&self, spec: &WriteSpec, snapshot: &Snapshot) -> Result<Json, ClientError> {
        let (plan, _) = self.plan(spec, snapshot).await.map_err(client_error)?;
        blocking::wait(|| self.estimates(spec, &plan)).map_err(client_error)
    }

    async fn write(
        &self,
        spec: &WriteSpec,
        snapshot: &Snapshot,
        model: Arc<dyn LanguageModel>,
        log: &dyn StepLog,
    ) -> Result<Json, WorkError> {
        let failed = |error: anyhow::Error| WorkError::Failed(error.to_string());
        let folders = self.open_folders(spec.market).map_err(|error| match error.kind {
            // The job is put back, and tried again.
            ErrorKind::TooManyRequests => WorkError::Record(error.message),
            _ => WorkError::Failed(error.message),
        })?;
        let (plan, as_of) = self.plan(spec, snapshot).await.map_err(failed)?;
        let deleted = blocking::wait(|| plan.withdraw_corrected(&folders)).map_err(|error| fault(&error))?;
        let selected = blocking::wait(|| plan.select(RAW)).map_err(failed)?;
        let left_out = left_out(&selected);
        let author = RowAuthor::of_run(model, self.price(spec)).with_session(as_of);
        let budget = WriteBudget { usd: spec.budget_usd, spent_usd: 0.0, price: author.price() };
        let run = RecordedRun { folders, author, budget, log, fault: Mutex::default() };
        let jobs: Vec<WriteJob<'_>> = selected.into_iter().flat_map(|selected| selected.jobs).collect();
        let (totals, lines) = run.write_jobs(&jobs).await?;
        let mut counts = json!(totals);
        if let (None, Some(counts)) = (run.budget.price, counts.as_object_mut()) {
            counts.insert("cost_usd".to_owned(), Json::Null);
        }
        Ok(json!({
            "preset": "write",
            "goal": spec.goal(),
            "market": spec.market.word(),
            "as_of": as_of,
            "summary": run.summary(&totals, spec.market)?,
            "counts": counts,
            "documents": lines,
            "left_out": left_out,
            "deleted": deleted,
            "model": spec.model,
            "provider": spec.provider,
        }))
    }
}

impl RecordedRun<'_> {
    /// Works through jobs until they are done or the run stops; returns the counts, and the results in words.
    async fn write_jobs(&self, jobs: &[WriteJob<'_>]) -> Result<(Totals, Vec<String>), WorkError> {
        let (mut totals, mut lines) = (Totals::default(), Vec::new());
        let progress = |step: String, done: usize| JobProgress {
            step,
            agents_done: done as u32,
            agents: jobs.len() as u32,
        };
        for (n, job) in jobs.iter().enumerate() {
            let step = format!("{} {}", job.prompt.table, job.document.symbol);
            let (more, line) = self.run_job(job, progress(step, n)).await?;
            totals.add(more);
            lines.extend(line);
            if totals.stopped.is_some() {
                totals.remaining = jobs.len() - n;
                break;
            }
        }
        self.log.progress(progress("done".to_owned(), jobs.len() - totals.remaining)).await;
        Ok((totals, lines))
    }

    /// Runs a job, or returns its recorded end. A job whose file is done or belongs to a person is not recorded.
    async fn run_job(
        &self,
        job: &WriteJob<'_>,
        progress: JobProgress,
    ) -> Result<(Totals, Option<String>), WorkError> {
        let step = format!("{}.rows", self.key(&WriteRequest::new(job)));
        if let Some(recorded) = self.log.recorded_output(&step).await? {
            return serde_json::from_value(recorded).map_err(|error| {
                WorkError::Failed(format!("the record of the run cannot be read: {error}"))
            });
        }
        let is_open = self.folders.state(job).map_err(|error| fault(&error))? == RowState::Open;
        if is_open {
            self.log.progress(progress).await;
        }
        let budget = WriteBudget { spent_usd: self.log.spent().cost_microusd as f64 / 1e6, ..self.budget };
        let mut line = None;
        let mut note = |job: &WriteJob<'_>, result: &JobResult| line = result_line(job, result);
        let totals = write_all(&self.folders, slice::from_ref(job), self, budget, &mut note).await;
        let totals = totals.map_err(|error| fault(&error))?;
        if let Some(fault) = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(fault);
        }
        let ended = (totals, line);
        if is_open && ended.0.stopped.is_none() {
            self.log.record(&step, &json!(ended), ProviderUsage::default()).await?;
        }
        Ok(ended)
    }

    fn key(&self, request: &WriteRequest) -> String {
        let (provider, model) = self.author.identity();
        request.key(provider, model)
    }

    /// Returns the counts in words.
    ///
    /// # Errors
    /// The run stopped before anything was written or paid.
    fn summary(&self, totals: &Totals, market: Market) -> Result<String, WorkError> {
        let cost_usd = self.budget.price.map(|_| self.log.spent().cost_microusd as f64 / 1e6);
        let [rows, claims] = totals_words(totals, cost_usd);
        let mut sentences = vec![format!("{rows}. {claims}.")];
        if totals.written > 0 {
            let derive = "`parquote refresh` or `parquote derive` takes them into the tables";
            sentences.push(format!("The {}; {derive}.", row_places(RAW, market)));
        }
        if let Some(reason) = &totals.stopped {
            if totals.written + totals.without_row == 0 {
                return Err(WorkError::Failed(reason.clone()));
            }
            let remaining = counted(totals.remaining, "document remains", "documents remain");
            sentences.push(format!("{remaining}: {reason}; the same run, started again, continues there."));
        }
        Ok(sentences.join(" "))
    }
}

impl Ask for RecordedRun<'_> {
    fn identity(&self) -> (&str, &str) {
        self.author.identity()
    }

    async fn ask(&self, request: &WriteRequest) -> Result<ModelReply, AskError> {
        let step = self.key(request);
        // A killed run may have recorded the reply without storing it.
        if let Ok(Some(recorded)) = self.log.recorded_output(&step).await
            && let Ok(reply) = serde_json::from_value(recorded)
        {
            return Ok(reply);
        }
        let answered = self.author.ask(request).await;
        let billed = match &answered {
            Ok(reply) => Some(reply),
            Err(AskError::Refused { reply, .. }) => Some(&**reply).filter(|reply| reply.output_tokens > 0),
            Err(AskError::Unavailable(_)) => None,
        };
        if let Some(reply) = billed {
            let spent = ProviderUsage {
                input_tokens: reply.input_tokens,
                output_tokens: reply.output_tokens,
                cost_microusd: (reply.cost_usd.unwrap_or_default() * 1e6).round() as u64,
            };
            let recorded = self.log.record(&step, &json!(reply), spent).await;
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = recorded.err();
        }
        answered
    }
}

/// Returns the error for the caller: that of an operation, or the text of another one.
fn client_error(error: anyhow::Error) -> ClientError {
    error.downcast().unwrap_or_else(|error| ClientError::new(ErrorKind::BadRequest, error.to_string()))
}

/// Logs an error of a file, whose path a caller need not know.
fn fault(error: &WriteError) -> WorkError {
    tracing::error!(cause = causes::with_causes(error), "a run that writes rows ends");
    WorkError::Failed(FILE_FAULT.to_owned())
}
