//! What makes the answer of one admitted call. It owns all that it needs, so that it can be sent to another thread.

use std::sync::Arc;

use bytes::Bytes;

use super::Call;
use crate::engine::Encoded;
use crate::error::{ClientError, ErrorKind};
use crate::native::{Asked, Natives};
use crate::operation::{Catalogue, Operation, ParamType, Presentation, Value};

/// A call with what answers it.
pub(super) struct Answering {
    pub catalogue: Arc<Catalogue>,
    pub natives: Arc<Natives>,
    pub call: Call,
}

impl Answering {
    /// Makes the answer.
    ///
    /// # Errors
    /// As [`super::Service::run`].
    pub(super) async fn answer(&self) -> Result<Encoded, ClientError> {
        let call = &self.call;
        let operation = self.operation()?;
        if let Some(name) = &operation.run {
            return self.run_native(name, operation).await;
        }
        let answer = call.snapshot.answer(call.index, &call.arguments, &call.presentation, call.at).await;
        match answer? {
            Some(answer) => Ok(answer),
            None => Err(self.not_there(operation).await),
        }
    }

    /// Whether it waits for others, such as a provider of language models or the state file, more than it computes.
    pub(super) fn waits_for_others(&self) -> bool {
        let name = self.operation().ok().and_then(|operation| operation.run.as_deref());
        name.and_then(|name| self.natives.get(name)).is_some_and(|native| native.waits_for_others())
    }

    /// Runs a call that a Rust function answers.
    async fn run_native(&self, name: &str, operation: &Operation) -> Result<Encoded, ClientError> {
        let call = &self.call;
        let native = self.natives.get(name).ok_or_else(|| {
            let message = "this needs the state file of a server: ask one that `parquote serve` started, or give \
                           `parquote mcp` a --key";
            ClientError::new(ErrorKind::Unavailable, message)
        })?;
        let asked = Asked {
            index: call.index,
            operation,
            arguments: &call.arguments,
            snapshot: &call.snapshot,
            market: call.market,
            owner: call.caller.owner(),
            at: call.at,
        };
        let body = native.answer(&asked).await?;
        Ok(Encoded { body, around: Bytes::new(), extent: None })
    }

    /// What a client is told where an object is asked for and there is none: also which periods there are, if it asked for
    /// one and the answer without it lists them under `quarters`.
    async fn not_there(&self, operation: &Operation) -> ClientError {
        let call = &self.call;
        let of = call.arguments.symbol(operation).map_or_else(String::new, |symbol| format!(" for {symbol}"));
        let missing = |message: String| ClientError::new(ErrorKind::NotFound, message);
        let asked =
            operation.params.iter().zip(call.arguments.values()).find_map(|(param, value)| match value {
                Some(Value::Text(asked)) if param.ty == ParamType::Period => {
                    Some((param.name.as_str(), asked))
                }
                _ => None,
            });
        let Some((param, asked)) = asked else {
            return missing(format!("this snapshot has nothing of {}{of}", operation.name));
        };
        let latest = call.arguments.without(operation, param);
        let latest = call.snapshot.answer(call.index, &latest, &Presentation::default(), call.at).await;
        let Ok(Some(latest)) = latest else {
            return missing(format!("this snapshot has nothing of {}{of}, for any period", operation.name));
        };
        let there = periods(&latest.body);
        let hint = if there.is_empty() { String::new() } else { format!("; there are {}", there.join(", ")) };
        missing(format!("`{param}`: there is no `{asked}`{of}{hint}"))
    }

    fn operation(&self) -> Result<&Operation, ClientError> {
        self.catalogue
            .operations()
            .get(self.call.index)
            .ok_or_else(|| ClientError::new(ErrorKind::Internal, "there is no such operation"))
    }
}

/// The periods that an encoded answer lists under `quarters`.
fn periods(answer: &[u8]) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Listed {
        quarters: Vec<String>,
    }
    serde_json::from_slice(answer).map_or_else(|_| Vec::new(), |listed: Listed| listed.quarters)
}
