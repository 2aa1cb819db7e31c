//! From rows to the encoded `data` of an answer: one object, an array, or rows with fields around them.

use chrono::{DateTime, Utc};
use datafusion::arrow::array::RecordBatch;

use super::json::{JsonRows, write_number, write_text};
use super::market_tables::MarketTables;
use crate::operation::{Answer, Arguments, Catalogue, Operation, Value, WrapField, WrapSource, is_stale};

/// Writes rows as they come.
pub(super) struct Writer<'a> {
    answer: Answer,
    json: &'a JsonRows,
    out: Vec<u8>,
    rows: usize,
}

/// What fields around the rows speak of.
pub(super) struct Facts<'a> {
    pub operation: &'a Operation,
    pub arguments: &'a Arguments,
    pub catalogue: &'a Catalogue,
    pub market: &'a MarketTables,
    pub now: DateTime<Utc>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(answer: Answer, json: &'a JsonRows) -> Self {
        const TYPICAL_ANSWER: usize = 8192;
        let mut out = Vec::with_capacity(TYPICAL_ANSWER);
        out.extend_from_slice(match answer {
            Answer::One => b"",
            Answer::List => b"[",
            Answer::Stocks => b"{\"stocks\":[",
        });
        Self { answer, json, out, rows: 0 }
    }

    pub(super) fn rows(&mut self, batch: &RecordBatch) {
        let first = self.rows == 0;
        if self.answer == Answer::One {
            if first && batch.num_rows() > 0 {
                self.json.write(&batch.slice(0, 1), true, &mut self.out);
                self.rows = 1;
            }
            return;
        }
        self.json.write(batch, first, &mut self.out);
        self.rows += batch.num_rows();
    }

    /// The encoded answer; `None` where an object is asked for and there was no row.
    pub(super) fn finish(mut self, wrap: &[WrapField], facts: &Facts<'_>) -> Option<Vec<u8>> {
        match self.answer {
            Answer::One => return (self.rows > 0).then_some(self.out),
            Answer::List => self.out.push(b']'),
            Answer::Stocks => {
                self.out.extend_from_slice(b"],\"count\":");
                write_number(&mut self.out, self.rows as f64, Some(0));
                for field in wrap {
                    self.out.push(b',');
                    write_text(&mut self.out, &field.name);
                    self.out.push(b':');
                    self.field(&field.source, facts);
                }
                self.out.push(b'}');
            }
        }
        Some(self.out)
    }

    fn field(&mut self, source: &WrapSource, facts: &Facts<'_>) {
        let table = |name: &str| facts.catalogue.table(facts.operation.market, name);
        let text = match source {
            WrapSource::Text(text) => Some(text.clone()),
            WrapSource::TableName(name) => Some(name.clone()),
            WrapSource::TableSchedule(name) => table(name).and_then(|table| table.schedule.clone()),
            WrapSource::TableUpdated(name) => facts.market.last_updated(name).map(str::to_owned),
            WrapSource::AsOf => {
                facts.market.calendar.last().and_then(super::arrow_types::date).map(|d| d.to_string())
            }
            WrapSource::Count => return write_number(&mut self.out, self.rows as f64, Some(0)),
            WrapSource::TableStaleAfterHours(name) => {
                match table(name).and_then(|table| table.stale_after_hours) {
                    Some(hours) => return write_number(&mut self.out, f64::from(hours), Some(0)),
                    None => None,
                }
            }
            WrapSource::Label(name, labels) => match facts.arguments.get(facts.operation, name) {
                Some(Value::Text(asked)) => {
                    labels.iter().find(|(word, _)| word == asked).map(|(_, label)| label.clone())
                }
                _ => None,
            },
            WrapSource::Stale(name) => match stale(facts, name) {
                Some(flag) => return self.out.extend_from_slice(flag.to_string().as_bytes()),
                None => None,
            },
            WrapSource::Param(name) => match facts.arguments.get(facts.operation, name) {
                Some(Value::Int(number)) => return write_number(&mut self.out, *number as f64, Some(0)),
                Some(Value::Number(number)) => return write_number(&mut self.out, *number, None),
                Some(Value::Bool(flag)) => return self.out.extend_from_slice(flag.to_string().as_bytes()),
                Some(value) => {
                    let mut text = String::new();
                    value.write(&mut text);
                    Some(text)
                }
                None => None,
            },
        };
        match text {
            Some(text) => write_text(&mut self.out, &text),
            None => self.out.extend_from_slice(b"null"),
        }
    }
}

/// Whether a table's data is older than its file allows; `None` without data or without a limit.
pub(super) fn stale(facts: &Facts<'_>, table: &str) -> Option<bool> {
    let hours = facts.catalogue.table(facts.operation.market, table)?.stale_after_hours?;
    let updated = chrono::DateTime::parse_from_rfc3339(facts.market.last_updated(table)?).ok()?;
    Some(is_stale(updated, facts.now, hours))
}
