//! What a handler is, what it is told of a call, and how it puts its answer together.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use datafusion::arrow::array::RecordBatch;
use serde_json::{Map, Value as Json};

use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::{Arguments, Market, Operation, Presentation, Tier, Value};
use parquote_engine::{AnswerRows, Deadline, Encoded, Extent, PreparedOperation, Snapshot};
use parquote_select_process::{SelectProcesses, TimeSpent};

/// Makes the answer of an operation.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Answers a call: the JSON that stands under `data`.
    ///
    /// # Errors
    /// The client error.
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError>;

    /// The rows that it keeps of those of the operation's SELECT, where the operation answers with rows: they are written in the format
    /// that is asked for.
    ///
    /// # Errors
    /// The client error.
    async fn rows(&self, _: &HandlerCall<'_>) -> Result<Option<KeptRows>, ClientError> {
        Ok(None)
    }

    /// Answers a call with rows of its caller's choice, in the format that is asked for.
    ///
    /// # Errors
    /// The client error.
    async fn encoded(&self, call: &HandlerCall<'_>) -> Result<Encoded, ClientError> {
        Ok(Encoded { body: self.answer(call).await?, around: Bytes::new(), extent: None })
    }

    /// What a call takes and answers, where the caller wrote it; nothing is run.
    ///
    /// # Errors
    /// The client error.
    /// Whether its work is a caller's own: it runs behind all other queries, and is charged by the time of the processor that it takes.
    fn is_charged_by_work(&self) -> bool {
        false
    }

    /// Whether it answers from the tables of a market, and so not before there are any.
    fn needs_data(&self) -> bool {
        true
    }

    /// Whether it mostly waits for I/O, such as a provider or the state file, instead of computing.
    fn waits_for_others(&self) -> bool {
        false
    }
}

/// Rows that a handler keeps of those of a SELECT, in its order.
pub struct KeptRows {
    /// The rows.
    pub rows: RecordBatch,
    /// The fields around them that the operation declares as `made`.
    pub around: Map<String, Json>,
    /// Which of the rows that match they are.
    pub extent: Extent,
}

/// A call as a handler sees it: its arguments are checked against the declaration and the snapshot.
pub struct HandlerCall<'a> {
    /// The operation, ready on the tables of the market that is asked.
    pub prepared: &'a Arc<PreparedOperation>,
    /// The operation.
    pub operation: &'a Operation,
    /// What the caller asks.
    pub arguments: &'a Arguments,
    /// How the answer is to be written.
    pub presentation: &'a Presentation,
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
    /// How many of the rows that match are passed over.
    pub offset: usize,
    /// The processes for SELECTs of callers, where there are some.
    pub selects: Option<&'a SelectProcesses>,
    /// The sum of their processor time, for the charge.
    pub spent: &'a dyn TimeSpent,
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

impl HandlerCall<'_> {
    /// The rows of the operation's own SELECT with these arguments.
    ///
    /// # Errors
    /// As [`PreparedOperation::rows`].
    pub async fn rows(&self, arguments: &Arguments) -> Result<AnswerRows, ClientError> {
        Ok(self.prepared.rows(arguments, self.deadline).await?)
    }

    /// An answer as bytes, its fields in the order in which the operation declares them; what is not declared comes last.
    pub fn ordered(&self, answer: Json) -> Bytes {
        self.in_declared_order(answer).to_string().into()
    }

    /// The same, with JSON that is written already in the place of the field of a name.
    pub(super) fn ordered_with(&self, answer: Json, written: (&str, &[u8])) -> Bytes {
        put_written(&self.in_declared_order(answer), written).into()
    }

    fn in_declared_order(&self, answer: Json) -> Json {
        let names: Vec<&str> = self.operation.columns.iter().map(|column| column.name.as_str()).collect();
        in_order(answer, &names)
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
        self.list_sent(name).unwrap_or_default()
    }

    /// The values of a list, of which there may be none; `None` if the caller sent no list.
    pub fn list_sent(&self, name: &str) -> Option<&[String]> {
        match self.arguments.get(self.operation, name) {
            Some(Value::List(items)) => Some(items),
            _ => None,
        }
    }
}

/// A field of an object; null if it has none of this name.
pub(super) fn field(object: &Json, name: &str) -> Json {
    object.get(name).cloned().unwrap_or_default()
}

/// Puts a field into an object, in the place of the one of its name.
pub(super) fn put(object: &mut Json, name: &str, value: Json) {
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

/// An object as JSON, with what is written already in the place of one of its fields.
fn put_written(object: &Json, (name, written): (&str, &[u8])) -> Vec<u8> {
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
            let written = put_written(&object, ("rows", br#"[{"c":1.5}]"#));
            assert_eq!(String::from_utf8(written).unwrap(), expected.to_string());
        }
    }
}
