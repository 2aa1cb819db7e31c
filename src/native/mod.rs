//! Operations that need Rust around their SQL: `run: name` in an operation's file names one of them.
//!
//! They are declared and called as all others are; this module only makes their answers. A native operation is one file, or a
//! folder where it is long. None knows a protocol, a quota or a query string.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use crate::engine::{AnswerRows, Deadline, PreparedOperation, Snapshot};
use crate::error::ClientError;
use crate::operation::{Access, Arguments, Catalogue, Market, Operation, Tier, Value};

// What operations stand on.
mod runner;
mod rounding;

// Operations on the snapshot alone.
pub mod committee;
mod fast_scan;
pub mod risk;
mod risk_audit;
pub mod natural_language;
mod screen_by_words;

// Operations on what callers keep: keys of providers, and runs of agents.
mod account;
pub mod agents;
pub mod presets;
mod owner_contexts;
mod runs;
mod stateful;
mod usage;

pub use account::Account;
pub use runner::{Pinned, Runner, Runners};
pub use runs::{COMMITTEE, PRESET};
pub use stateful::{Stateful, StatefulParts};
pub use usage::AccountUsage;

/// The name behind `run:` of the one operation that is no call: adapters answer it with a static payload.
const HEALTH: &str = "status";

/// Makes the answer of an operation.
#[async_trait]
pub trait Native: Send + Sync {
    /// Answers a call: the JSON that stands under `data`.
    ///
    /// # Errors
    /// The client error.
    async fn answer(&self, asked: &NativeCall<'_>) -> Result<Bytes, ClientError>;

    /// Whether it mostly waits for I/O, such as a provider or the state file, instead of computing.
    fn waits_for_others(&self) -> bool {
        false
    }
}

/// A call as a native operation sees it: its arguments are checked against the declaration and the snapshot.
pub struct NativeCall<'a> {
    /// The operation, ready on the tables of the market that is asked.
    pub prepared: &'a Arc<PreparedOperation>,
    /// The operation.
    pub operation: &'a Operation,
    /// What the caller asks.
    pub arguments: &'a Arguments,
    /// The snapshot that answers.
    pub snapshot: &'a Arc<Snapshot>,
    /// The market that is asked.
    pub market: Market,
    /// Who owns what the call keeps.
    pub owner: Owner,
    /// When the call was admitted.
    pub at: DateTime<Utc>,
    /// By when it must be answered.
    pub deadline: Deadline,
}

/// The owner of what a call stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The name: all keys of one owner see the same things.
    pub name: Arc<str>,
    /// The key whose runs are counted: the one that was used, or the one that it depends on; `None` where nothing is counted.
    pub key: Option<i64>,
    /// The key that was used.
    pub caller: Option<i64>,
    /// The tier of the key.
    pub tier: Tier,
}

/// All native operations, by the name behind `run:`.
#[derive(Default)]
pub struct Natives(BTreeMap<&'static str, Arc<dyn Native>>);

impl Natives {
    /// Those that answer from the snapshot alone.
    pub fn of_tables() -> Self {
        Self::default()
            .with("fast_scan", fast_scan::FastScanOperation)
            .with("risk_audit", risk_audit::RiskAudit)
            .with("risk_allocate", risk_audit::RiskAllocation)
            .with("natural_language", screen_by_words::ScreenByWords::default())
    }

    /// Adds one, or puts it in the place of the one of its name.
    #[must_use]
    fn with(mut self, name: &'static str, native: impl Native + 'static) -> Self {
        self.0.insert(name, Arc::new(native));
        self
    }

    /// The same with the usage of keys.
    #[must_use]
    pub fn with_usage(self, usage: AccountUsage) -> Self {
        self.with("account_usage", usage)
    }

    /// The one of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Native>> {
        self.0.get(name)
    }

    /// The operations of a catalogue that name a function which is not here, each with its file. What needs no key is answered
    /// by the adapters themselves.
    pub fn unknown<'a>(&self, catalogue: &'a Catalogue) -> Vec<(&'a str, &'a str)> {
        let called = catalogue.operations().iter().filter(|operation| operation.access != Access::Public);
        let named = called
            .filter_map(|operation| operation.run.as_deref().map(|name| (operation.file.as_str(), name)));
        named.filter(|(_, name)| *name != HEALTH && self.get(name).is_none()).collect()
    }
}

impl NativeCall<'_> {
    /// The rows of the operation's own SELECT with these arguments.
    ///
    /// # Errors
    /// As [`PreparedOperation::rows`].
    pub async fn rows(&self, arguments: &Arguments) -> Result<AnswerRows, ClientError> {
        Ok(self.prepared.rows(arguments, self.deadline).await?)
    }

    /// An answer as bytes, its fields in the order in which the operation declares them; what is not declared comes last.
    pub fn ordered(&self, answer: Json) -> Bytes {
        let names: Vec<&str> = self.operation.columns.iter().map(|column| column.name.as_str()).collect();
        in_order(answer, &names).to_string().into()
    }

    /// The text of a parameter, if the caller sent it or it has a default.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number of a parameter, if the caller sent it or it has a default.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Int(number)) => Some(*number as f64),
            _ => None,
        }
    }

    /// The whole number of a parameter, if the caller sent it or it has a default.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    /// Whether a flag is set.
    pub fn is_set(&self, name: &str) -> bool {
        matches!(self.arguments.get(self.operation, name), Some(Value::Bool(true)))
    }

    /// The values of a list; empty if the caller sent none.
    pub fn list(&self, name: &str) -> &[String] {
        match self.arguments.get(self.operation, name) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }
}

/// A field of an object; null if it has none of this name.
fn field(object: &Json, name: &str) -> Json {
    object.get(name).cloned().unwrap_or_default()
}

/// Puts a field into an object, in the place of the one of its name.
fn put(object: &mut Json, name: &str, value: Json) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// The fields of an object, and of those within it, in the order of their names; `a.b` is the field `b` within `a`.
fn in_order(value: Json, names: &[&str]) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(|item| in_order(item, names)).collect(),
        Json::Object(mut fields) => {
            let mut ordered = Map::with_capacity(fields.len());
            for name in names.iter().filter(|name| !name.contains('.')) {
                let Some(field) = fields.shift_remove(*name) else { continue };
                let within: Vec<&str> =
                    names.iter().filter_map(|path| path.strip_prefix(name)?.strip_prefix('.')).collect();
                ordered.insert(
                    (*name).to_owned(),
                    if within.is_empty() { field } else { in_order(field, &within) },
                );
            }
            ordered.extend(fields);
            Json::Object(ordered)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_as_they_are_declared() {
        let given = json!({"z": 1, "rows": [{"b": 1, "x": 0, "a": {"d": 1, "c": 2}}], "count": 1});
        let names = ["count", "rows", "rows.a", "rows.a.c", "rows.a.d", "rows.b"];
        let expected = r#"{"count":1,"rows":[{"a":{"c":2,"d":1},"b":1,"x":0}],"z":1}"#;
        assert_eq!(in_order(given, &names).to_string(), expected);
    }
}
