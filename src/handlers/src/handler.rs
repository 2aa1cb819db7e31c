//! The trait of handlers, the call that they answer, and functions that build their answers.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use datafusion::arrow::array::RecordBatch;
use serde_json::{Map, Value as Json};

use super::past_days::PastDays;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Arguments, Market, Operation, Presentation, Tier, Value};
use parquote_engine::{AnswerRows, Deadline, EncodedAnswer, Extent, PreparedOperation, Snapshot};
use parquote_select_process::{SelectProcesses, TimeSpent};

/// A Rust function that makes the answer of an operation.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Answers a call with encoded JSON for the field `data`.
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError>;

    /// Returns the rows of the operation's SELECT that the handler has selected, which the caller of this function writes in the requested
    /// format. `None` if the operation does not answer with rows.
    async fn rows(&self, _: &HandlerCall<'_>) -> Result<Option<FilteredRows>, ClientError> {
        Ok(None)
    }

    /// Answers a call with rows that the caller's SELECT defines, encoded in the requested format.
    async fn encoded(&self, call: &HandlerCall<'_>) -> Result<EncodedAnswer, ClientError> {
        Ok(EncodedAnswer { body: self.answer(call).await?, wrapper: Bytes::new(), extent: None })
    }

    /// Returns true if the caller decides how much work there is. Such a call runs after all other queries and is charged by processor
    /// time.
    fn is_charged_by_work(&self) -> bool {
        false
    }

    /// Returns true if identical concurrent calls of one key share one computation. This applies to calls that are charged by processor
    /// time.
    fn is_shared(&self, _: &HandlerCall<'_>) -> bool {
        false
    }

    /// Returns the parameters that the call does not use, as its source needs none of them: a workbook leaves them out.
    fn unused_parameters(&self, _: &HandlerCall<'_>) -> &'static [&'static str] {
        &[]
    }

    /// Returns true if it answers from the tables of a market, and so only once they are loaded.
    fn needs_data(&self) -> bool {
        true
    }

    /// Returns true if it mostly waits for I/O, such as a provider or the state file, instead of computing.
    fn waits_for_io(&self) -> bool {
        false
    }
}

/// Rows that a handler has selected from those of a SELECT, in the order of the SELECT.
pub struct FilteredRows {
    /// The selected rows.
    pub rows: RecordBatch,
    /// Fields next to the rows, which the operation declares as `made`.
    pub around: Map<String, Json>,
    /// The range of these rows among all rows that match.
    pub extent: Extent,
}

/// A call for a handler, with arguments that were checked against the declaration and the snapshot.
pub struct HandlerCall<'a> {
    /// The operation, planned on the tables of the requested market.
    pub prepared: &'a Arc<PreparedOperation>,
    /// The declaration of the operation.
    pub operation: &'a Operation,
    /// Arguments of the caller.
    pub arguments: &'a Arguments,
    /// Requested presentation of the answer.
    pub presentation: &'a Presentation,
    /// Snapshot from which the call is answered.
    pub snapshot: &'a Arc<Snapshot>,
    /// Requested market.
    pub market: Market,
    /// Owner of everything that the call stores.
    pub owner: Owner,
    /// Time at which the call was admitted.
    pub admitted_at: DateTime<Utc>,
    /// Time by which the answer is due.
    pub deadline: Deadline,
    /// Number of matching rows to skip.
    pub offset: usize,
    /// Processes that run SELECTs of callers; `None` if there are none.
    pub selects: Option<&'a SelectProcesses>,
    /// Sum of the processor time that the call has used, by which it is charged.
    pub spent: &'a dyn TimeSpent,
    /// Earlier days that the caller can read.
    pub past: &'a dyn PastDays,
}

/// Owner of everything that a call stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name of the owner. All keys of an owner have access to the same stored items.
    pub name: Arc<str>,
    /// Number of the key whose runs are counted, which is the key of the call or the key that it depends on; `None` if runs are not
    /// counted.
    pub key: Option<i64>,
    /// Number of the key of the call; `None` for a call without a key.
    pub caller: Option<i64>,
    /// Tier of the key of the call.
    pub tier: Tier,
    /// True for an admin key, and for a local caller.
    pub is_admin: bool,
}

impl HandlerCall<'_> {
    /// Returns the rows of the operation's SELECT with these arguments.
    ///
    /// # Errors
    /// Those of [`PreparedOperation::rows`].
    pub async fn rows(&self, arguments: &Arguments) -> Result<AnswerRows, ClientError> {
        Ok(self.prepared.rows(arguments, self.deadline).await?)
    }

    /// Encodes an answer with its fields in the order of their declaration. Undeclared fields come last.
    pub fn ordered(&self, answer: Json) -> Bytes {
        self.in_declared_order(answer).to_string().into()
    }

    /// Encodes an answer as [`Self::ordered`] does. The value of the field `name` is JSON that is already encoded.
    pub(super) fn ordered_with(&self, answer: Json, name: &str, encoded_value: &[u8]) -> Bytes {
        encode_with(&self.in_declared_order(answer), name, encoded_value).into()
    }

    fn in_declared_order(&self, answer: Json) -> Json {
        let names: Vec<&str> = self.operation.columns.iter().map(|column| column.name.as_str()).collect();
        in_order(answer, &names)
    }

    /// Returns the text of a parameter, or its default; `None` if it has neither.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the number of a parameter, or its default; `None` if it has neither.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Int(number)) => Some(*number as f64),
            _ => None,
        }
    }

    /// Returns the integer of a parameter, or its default; `None` if it has neither.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns the date of a parameter, or its default; `None` if it has neither.
    pub(super) fn date(&self, name: &str) -> Option<NaiveDate> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        }
    }

    /// Returns true if a flag is true.
    pub fn is_set(&self, name: &str) -> bool {
        matches!(self.arguments.get(self.operation, name), Some(Value::Bool(true)))
    }

    /// Returns the values of a list; empty if the caller sent none.
    pub fn list(&self, name: &str) -> &[String] {
        self.list_sent(name).unwrap_or_default()
    }

    /// Returns the values of a list, which may be empty; `None` if the caller sent no list.
    pub fn list_sent(&self, name: &str) -> Option<&[String]> {
        match self.arguments.get(self.operation, name) {
            Some(Value::List(items)) => Some(items),
            _ => None,
        }
    }
}

/// Returns a field of an object; null if it is missing.
pub(super) fn field(object: &Json, name: &str) -> Json {
    object.get(name).cloned().unwrap_or_default()
}

pub(super) fn set_field(object: &mut Json, name: &str, value: Json) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// Sorts the fields of an object and of nested objects by `names`, in which `a.b` is the field `b` within `a`.
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

/// Encodes an object. The value of the field `name` is JSON that is already encoded.
fn encode_with(object: &Json, name: &str, encoded_value: &[u8]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (field, value) in object.as_object().into_iter().flatten() {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(Json::from(field.as_str()).to_string().as_bytes());
        out.push(b':');
        if field == name {
            out.extend_from_slice(encoded_value);
        } else {
            out.extend_from_slice(value.to_string().as_bytes());
        }
    }
    out.push(b'}');
    out
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

    #[test]
    fn what_is_written_stands_in_the_place_of_its_field() {
        for object in
            [json!({"a \"b\"": [1, null], "rows": null, "z": "\u{e9}"}), json!({"rows": null}), json!({})]
        {
            let mut expected = object.clone();
            if let Some(rows) = expected.get_mut("rows") {
                *rows = json!([{"c": 1.5}]);
            }
            let encoded = encode_with(&object, "rows", br#"[{"c":1.5}]"#);
            assert_eq!(String::from_utf8(encoded).unwrap(), expected.to_string());
        }
    }
}
