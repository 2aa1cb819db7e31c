//! Computes the answer of one admitted call. It owns all of its inputs, so that it can be sent to another thread.

use std::sync::Arc;
use std::time::Instant;

use super::admitted::Call;
use super::earlier_sets::EarlierSets;
use super::processor_time::ProcessorTime;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Operation, ParamType, Value};
use parquote_engine::{Deadline, EncodedAnswer};
use parquote_handlers::{FilteredRows, Handler, HandlerCall, Handlers};
use parquote_select_process::{SelectProcesses, TimeSpent};

/// An admitted call with everything that is needed to compute its answer.
pub(super) struct AnswerInputs {
    pub handlers: Arc<Handlers>,
    pub call: Call,
    pub past: EarlierSets,
    pub deadline: Deadline,
    /// Processes for user-written SELECTs.
    pub selects: Option<Arc<SelectProcesses>>,
    /// Processor time of a user-written SELECT.
    pub processor_time: ProcessorTime,
}

impl AnswerInputs {
    /// Computes the answer, with the errors of [`super::Service::run`].
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
        self.handler().is_some_and(|handler| handler.is_charged_by_work())
    }

    /// Returns true if identical calls of one key at the same time have one answer.
    pub(super) fn is_shared(&self) -> bool {
        self.handler().is_some_and(|handler| handler.is_shared(&self.handler_call()))
    }

    /// Returns true if the handler mostly waits for I/O, such as a language model provider or the state file, instead of computing.
    pub(super) fn waits_for_io(&self) -> bool {
        self.handler().is_some_and(|handler| handler.waits_for_io())
    }

    /// Runs a call that a handler answers.
    async fn run_handler(&self, name: &str) -> Result<EncodedAnswer, ClientError> {
        let prepared = &self.call.prepared;
        let handler = self.handlers.get(name).ok_or_else(missing_handler_error)?;
        let call = self.handler_call();
        if self.operation().answers_from_select()
            && let Some(FilteredRows { rows, around, extent }) = handler.rows(&call).await?
        {
            let not_found = || ClientError::new(ErrorKind::NotFound, "no statement answers this call");
            return prepared.encode_rows(rows, &around, extent)?.ok_or_else(not_found);
        }
        let answer = handler.encoded(&call).await?;
        if !self.operation().has_workbook || prepared.format().is_enveloped() {
            return Ok(answer);
        }
        let started = Instant::now();
        let unused = handler.unused_parameters(&call);
        let encoded = prepared.encode_object(&answer.parse_body(&self.operation().name)?, unused)?;
        self.processor_time.add(started.elapsed());
        Ok(encoded)
    }

    /// Returns the handler of the operation; `None` if it has none, or if the handler is not available.
    fn handler(&self) -> Option<&Arc<dyn Handler>> {
        self.handlers.get(self.operation().run.as_deref()?)
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
            admitted_at: prepared.at(),
            deadline: self.deadline,
            offset: prepared.offset(),
            selects: self.selects.as_deref(),
            spent: &self.processor_time,
            past: &self.past,
        }
    }

    /// Builds the error for a missing object. If the call named a period, the error lists the available periods, which the answer without a
    /// period has under `quarters`.
    async fn missing_object_error(&self) -> ClientError {
        let (call, operation) = (&self.call, self.operation());
        let arguments = call.prepared.arguments();
        let for_symbol =
            arguments.symbol(operation).map_or_else(String::new, |symbol| format!(" for {symbol}"));
        let missing = |message: String| ClientError::new(ErrorKind::NotFound, message);
        let requested =
            operation.params.iter().zip(arguments.values()).find_map(|(param, value)| match value {
                Some(Value::Text(requested)) if param.ty == ParamType::Period => {
                    Some((param.name.as_str(), requested))
                }
                _ => None,
            });
        let Some((param, requested)) = requested else {
            let age = call.row_age().no_rows_message().map(|age| format!(". {age}")).unwrap_or_default();
            return missing(format!(
                "this snapshot has nothing of {}{for_symbol}{}",
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
            return missing(format!(
                "this snapshot has nothing of {}{for_symbol}, for any period",
                operation.name
            ));
        };
        let periods = listed_periods(&latest.body);
        let hint =
            if periods.is_empty() { String::new() } else { format!("; there are {}", periods.join(", ")) };
        missing(format!("`{param}`: there is no `{requested}`{for_symbol}{hint}"))
    }

    fn operation(&self) -> &Operation {
        self.call.prepared.operation().operation()
    }
}

/// Builds the error for an operation whose handler is not available.
fn missing_handler_error() -> ClientError {
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
