//! Runs that write rows from documents: their start, their estimate and their work. They are listed, polled and cancelled with the runs of
//! presets.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use super::handler::{HandlerCall, field, set_field};
use super::owner_contexts::OwnerContexts;
use super::row_writer::{RowWriter, WriteSpec};
use super::runs::{RunOperation, WRITE};
use parquote_agents::job::{Budget, JobHandler, StepLog, WorkError};
use parquote_agents::provider::{HAS_CLIENT, Provider};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::features::missing_feature;

/// Seconds after which a start is tried again while another run writes.
const BUSY_S: i64 = 60;

/// The job handler of runs that write rows.
pub(super) struct WriteWork {
    pub contexts: Arc<OwnerContexts>,
    pub rows: Arc<dyn RowWriter>,
}

#[async_trait]
impl JobHandler for WriteWork {
    async fn run(&self, spec: &Json, log: &dyn StepLog) -> Result<Json, WorkError> {
        let write = WriteSpec::deserialize(&field(spec, "write"))
            .map_err(|error| WorkError::Failed(format!("the run cannot be read: {error}")))?;
        let (snapshot, context) = self.contexts.open_pinned(spec, write.market).await?;
        self.rows.write(&write, &snapshot, context.model, log).await
    }
}

impl RunOperation {
    /// Starts a run that writes rows, or estimates it.
    pub(super) async fn start_writing(&self, call: &HandlerCall<'_>) -> Result<Json, ClientError> {
        let is_dry = call.is_set("dry_run");
        let rows = self.runs.rows.as_ref().ok_or_else(without_rows)?;
        // Its rows are in the answers of all callers.
        if !is_dry && !call.owner.is_admin {
            let message = "a run that writes rows is started with an admin key (`parquote keys issue --admin`); dry_run=true estimates it \
                           with any key";
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        // An estimate needs no key.
        let provider = match call.text("provider") {
            Some(name) if is_dry => self.provider(name)?,
            _ => self.run_provider(call).await?,
        };
        let spec = write_spec(call, &provider)?;
        let (pinned, origin) = self.pin(call, &provider, &spec.model).await?;
        if is_dry {
            let mut answer = rows.estimate(&spec, &pinned.snapshot).await?;
            for (name, value) in [
                ("vibe_run_id", Json::Null),
                ("status", json!("dry_run")),
                ("provider", json!(spec.provider)),
                ("model", json!(spec.model)),
                ("runs_left", json!(self.runs_left(&call.owner, WRITE).await?)),
            ] {
                set_field(&mut answer, name, value);
            }
            return Ok(answer);
        }
        if self.runs.jobs.has_running(WRITE).await? {
            let message = "another run writes rows; start this one when it has ended";
            return Err(ClientError::new(ErrorKind::TooManyRequests, message).with_retry_after(BUSY_S));
        }
        rows.check(&spec)?;
        let cost_microusd = spec.budget_usd.map(|usd| (usd * 1e6) as u64);
        let about = json!({"preset": WRITE, "goal": spec.goal(), "write": spec});
        let mut answer =
            self.begin(call, WRITE, about, &origin, Budget { tokens: None, cost_microusd }).await?;
        for name in ["estimates", "left_out"] {
            set_field(&mut answer, name, json!([]));
        }
        Ok(answer)
    }
}

/// Returns the specification of a requested run.
fn write_spec(call: &HandlerCall<'_>, provider: &Provider) -> Result<WriteSpec, ClientError> {
    let refuse = |message: String| Err(ClientError::new(ErrorKind::BadRequest, message));
    let spec = WriteSpec {
        market: call.market,
        tables: call.list("tables").to_vec(),
        symbols: call.list("symbols").to_vec(),
        list: call.text("list").map(str::to_owned),
        since: call.date("since"),
        provider: provider.name.clone(),
        model: call.text("model").unwrap_or(&provider.model).to_owned(),
        budget_usd: call.number("budget_usd"),
    };
    if spec.symbols.is_empty() && spec.list.is_none() {
        return refuse("name companies by `symbols`, or an index by `list`".to_owned());
    }
    match (spec.budget_usd, provider.price(&spec.model)) {
        (Some(_), None) => refuse(format!(
            "the price of {} is not known, so that `budget_usd` cannot be held; leave it out, or name another model",
            spec.model
        )),
        (None, Some(_)) if !call.is_set("dry_run") => refuse(
            "`budget_usd` is missing, the most US dollars that the run may cost; `dry_run=true` estimates it"
                .to_owned(),
        ),
        _ => Ok(spec),
    }
}

/// Returns the refusal of a server without a folder of raw files, or without models.
fn without_rows() -> ClientError {
    let message = if HAS_CLIENT {
        "this server had no folder of raw files when it started, into which rows could be written; its operator names the folder with \
         --raw (PARQUOTE_RAW), or runs `parquote write`"
            .to_owned()
    } else {
        missing_feature("asking a language model", "agents")
    };
    ClientError::new(ErrorKind::BadRequest, message)
}
