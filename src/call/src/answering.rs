//! Computes the answer of one admitted call. It owns all of its inputs, so that it can be sent to another thread.

use std::sync::Arc;
use std::time::Instant;

use super::admitted::Call;
use super::earlier_sets::EarlierSets;
use super::processor_time::ProcessorTime;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Operation, ParamType, Value};
use parquote_engine::{Deadline, EncodedAnswer};
use parquote_handlers::{FilteredRows, HandlerCall, Handlers};
use parquote_select_process::{SelectProcesses, TimeSpent};

/// A call with everything that answers it.
pub(super) struct AnswerInputs {
    pub handlers: Arc<Handlers>,
    pub call: Call,
    /// Sets of earlier days.
    pub past: EarlierSets,
    pub deadline: Deadline,
    /// Processes for user-written SELECTs.
    pub selects: Option<Arc<SelectProcesses>>,
    /// Processor time of a user-written SELECT.
    pub processor_time: ProcessorTime,
}

impl AnswerInputs {
    /// Computes the answer.
    ///
    /// # Errors
    /// As [`super::Service::run`].
    pub(super) async fn answer(&self) -> Result<EncodedAnswer, ClientError> {
        if let Some(name) = &self.operation().run {
            return self.run_handler(name).await;
        }
        match self.call.prepared.answer(self.deadline).await? {
            Some(answer) => Ok(answer),
            None => Err(self.missing_object_error().await),
        }
    }

    /// Returns true if the caller pays for the work by its time.
    pub(super) fn is_charged_by_work(&self) -> bool {
        let handler = self.operation().run.as_deref().and_then(|name| self.handlers.get(name));
        handler.is_some_and(|handler| handler.is_charged_by_work())
    }

    /// Returns true if identical calls of one key at the same time have one answer.
    pub(super) fn is_shared(&self) -> bool {
        let handler = self.operation().run.as_deref().and_then(|name| self.handlers.get(name));
        handler.is_some_and(|handler| handler.is_shared(&self.handler_call()))
    }

    /// Returns true if it waits for something else, such as a language model provider or the state file, more than it computes.
    pub(super) fn waits_for_others(&self) -> bool {
        let handler = self.operation().run.as_deref().and_then(|name| self.handlers.get(name));
        handler.is_some_and(|handler| handler.waits_for_others())
    }

    /// Runs a call that a Rust function answers.
    async fn run_handler(&self, name: &str) -> Result<EncodedAnswer, ClientError> {
        let prepared = &self.call.prepared;
        let handler = self.handlers.get(name).ok_or_else(no_handler)?;
        let requested = self.handler_call();
        if self.operation().is_read()
            && let Some(FilteredRows { rows, around, extent }) = handler.rows(&requested).await?
        {
            let none = || ClientError::new(ErrorKind::NotFound, "no statement answers this call");
            return prepared.encode_made(rows, &around, extent)?.ok_or_else(none);
        }
        let answer = handler.encoded(&requested).await?;
        if !self.operation().has_workbook || prepared.format().is_enveloped() {
            return Ok(answer);
        }
        let started = Instant::now();
        let encoded = prepared.encode_object(&answer.parse_body(&self.operation().name)?)?;
        self.processor_time.add(started.elapsed());
        Ok(encoded)
    }

    fn handler_call(&self) -> HandlerCall<'_> {
        let Call { snapshot, prepared, caller, .. } = &self.call;
        HandlerCall {
            prepared: prepared.operation(),
            operation: self.operation(),
            arguments: prepared.arguments(),
            presentation: prepared.presentation(),
            snapshot,
            market: self.call.market(),
            owner: caller.owner(),
            at: prepared.at(),
            deadline: self.deadline,
            offset: prepared.offset(),
            selects: self.selects.as_deref(),
            spent: &self.processor_time,
            past: &self.past,
        }
    }

    /// Builds the error for a missing object; it lists the available periods if the call named one and the answer without it lists them
    /// under `quarters`.
    async fn missing_object_error(&self) -> ClientError {
        let (call, operation) = (&self.call, self.operation());
        let arguments = call.prepared.arguments();
        let of = arguments.symbol(operation).map_or_else(String::new, |symbol| format!(" for {symbol}"));
        let missing = |message: String| ClientError::new(ErrorKind::NotFound, message);
        let requested =
            operation.params.iter().zip(arguments.values()).find_map(|(param, value)| match value {
                Some(Value::Text(requested)) if param.ty == ParamType::Period => {
                    Some((param.name.as_str(), requested))
                }
                _ => None,
            });
        let Some((param, requested)) = requested else {
            let age = call.row_age().of_nothing().map(|age| format!(". {age}")).unwrap_or_default();
            return missing(format!(
                "this snapshot has nothing of {}{of}{}",
                operation.name,
                age.trim_end_matches('.')
            ));
        };
        let latest = call.snapshot.call(operation, arguments.without(operation, param), call.prepared.at());
        let latest = match &latest {
            Some(latest) => latest.answer(self.deadline).await.ok().flatten(),
            None => None,
        };
        let Some(latest) = latest else {
            return missing(format!("this snapshot has nothing of {}{of}, for any period", operation.name));
        };
        let there = listed_periods(&latest.body);
        let hint = if there.is_empty() { String::new() } else { format!("; there are {}", there.join(", ")) };
        missing(format!("`{param}`: there is no `{requested}`{of}{hint}"))
    }

    fn operation(&self) -> &Operation {
        self.call.prepared.operation().operation()
    }
}

/// Builds the error for a missing Rust function.
fn no_handler() -> ClientError {
    let message = "this needs the state file of a server: ask one that `parquote serve` started, or give \
                   `parquote mcp` a --key";
    ClientError::new(ErrorKind::Unavailable, message)
}

/// Returns the periods that an encoded answer lists under `quarters`.
fn listed_periods(answer: &[u8]) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct ListedPeriods {
        quarters: Vec<String>,
    }
    serde_json::from_slice(answer).map_or_else(|_| Vec::new(), |listed: ListedPeriods| listed.quarters)
}
