//! The trait of handlers, the call that they get, and helpers to build their answers.

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

/// Computes the answer of an operation.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Answers a call with the JSON for the field `data`.
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError>;

    /// Returns the rows selected from the operation's SELECT, for operations that answer with rows; they are then written in the
    /// requested format. `None` if the operation has no rows.
    async fn rows(&self, _: &HandlerCall<'_>) -> Result<Option<FilteredRows>, ClientError> {
        Ok(None)
    }

    /// Answers a call whose rows the caller defines, in the requested format.
    async fn encoded(&self, call: &HandlerCall<'_>) -> Result<EncodedAnswer, ClientError> {
        Ok(EncodedAnswer { body: self.answer(call).await?, around: Bytes::new(), extent: None })
    }

    /// Returns true if the caller wrote the work: it runs after all other queries and is charged by processor time.
    fn is_charged_by_work(&self) -> bool {
        false
    }

    /// Returns true if identical calls of one key at the same time have one answer, of work that is charged.
    fn is_shared(&self, _: &HandlerCall<'_>) -> bool {
        false
    }

    /// Returns true if it answers from the tables of a market, and so only once they are loaded.
    fn needs_data(&self) -> bool {
        true
    }

    /// Returns true if it mostly waits for I/O, such as a provider or the state file, instead of computing.
    fn waits_for_others(&self) -> bool {
        false
    }
}

/// Rows that a handler selected from a SELECT, in its order.
pub struct FilteredRows {
    /// Selected rows.
    pub rows: RecordBatch,
    /// Fields next to the rows, which the operation declares as `made`.
    pub around: Map<String, Json>,
    /// Range of these rows among all that match.
    pub extent: Extent,
}

/// A call for a handler: its arguments are checked against the declaration and the snapshot.
pub struct HandlerCall<'a> {
    /// Operation, planned on the tables of the requested market.
    pub prepared: &'a Arc<PreparedOperation>,
    /// Operation.
    pub operation: &'a Operation,
    /// Arguments of the caller.
    pub arguments: &'a Arguments,
    /// Format of the answer.
    pub presentation: &'a Presentation,
    /// Snapshot to answer from.
    pub snapshot: &'a Arc<Snapshot>,
    /// Requested market.
    pub market: Market,
    /// Owner of everything that the call stores.
    pub owner: Owner,
    /// Time at which the call was admitted.
    pub at: DateTime<Utc>,
    /// Time by which the answer is due.
    pub deadline: Deadline,
    /// Number of matching rows to skip.
    pub offset: usize,
    /// Processes for callers' SELECTs, if there are any.
    pub selects: Option<&'a SelectProcesses>,
    /// Sum of their processor time, for the charge.
    pub spent: &'a dyn TimeSpent,
    /// Earlier days that the caller can read.
    pub past: &'a dyn PastDays,
}

/// Owner of everything that a call stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name; all keys of one owner see the same things.
    pub name: Arc<str>,
    /// Key whose runs are counted: the one used, or the one it depends on; `None` if nothing is counted.
    pub key: Option<i64>,
    /// Key used.
    pub caller: Option<i64>,
    /// Tier of the key.
    pub tier: Tier,
}

impl HandlerCall<'_> {
    /// Returns the rows of the operation's SELECT with these arguments.
    ///
    /// # Errors
    /// As for [`PreparedOperation::rows`].
    pub async fn rows(&self, arguments: &Arguments) -> Result<AnswerRows, ClientError> {
        Ok(self.prepared.rows(arguments, self.deadline).await?)
    }

    /// Encodes an answer, its fields in the order in which the operation declares them; undeclared fields come last.
    pub fn ordered(&self, answer: Json) -> Bytes {
        self.in_declared_order(answer).to_string().into()
    }

    /// Encodes an answer like [`Self::ordered`]; the field `name` gets JSON that is encoded already.
    pub(super) fn ordered_with(&self, answer: Json, name: &str, written: &[u8]) -> Bytes {
        put_written(&self.in_declared_order(answer), name, written).into()
    }

    fn in_declared_order(&self, answer: Json) -> Json {
        let names: Vec<&str> = self.operation.columns.iter().map(|column| column.name.as_str()).collect();
        in_order(answer, &names)
    }

    /// Returns a text parameter, if the caller sent it or it has a default.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns a number parameter, if the caller sent it or it has a default.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Int(number)) => Some(*number as f64),
            _ => None,
        }
    }

    /// Returns an integer parameter, if the caller sent it or it has a default.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns a date, if the caller sent it or it has a default.
    pub(super) fn date(&self, name: &str) -> Option<NaiveDate> {
        match self.arguments.get(self.operation, name) {
            Some(Value::Date(date)) => Some(*date),
            _ => None,
        }
    }

    /// Returns true if a flag is set.
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

/// Sorts the fields of an object, and of nested ones, by `names`; `a.b` is the field `b` within `a`.
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

/// Encodes an object; one of its fields gets JSON that is encoded already.
fn put_written(object: &Json, name: &str, written: &[u8]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (field, value) in object.as_object().into_iter().flatten() {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(Json::from(field.as_str()).to_string().as_bytes());
        out.push(b':');
        if field == name {
            out.extend_from_slice(written);
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
            let written = put_written(&object, "rows", br#"[{"c":1.5}]"#);
            assert_eq!(String::from_utf8(written).unwrap(), expected.to_string());
        }
    }
}
