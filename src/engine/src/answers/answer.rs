//! Encodes rows as an answer: one object, an array, or rows with fields around them, in the requested format.

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;

use super::format::{self, AnswerSource, Encoder, RowShape};
use super::json::{write_number, write_text};
use crate::encoded::{EncodedAnswer, Extent};
use crate::tables::market_tables::MarketTables;
use crate::updated::UpdateTimes;
use parquote_catalogue::operation::{
    Answer, AnswerFormat, Arguments, Catalogue, Operation, Value, WrapField, WrapSource, close_of, is_stale,
};

/// Encodes the batches of one answer as they arrive.
pub(crate) struct Writer<'a> {
    answer: Answer,
    format: AnswerFormat,
    encoder: Box<dyn Encoder + 'a>,
    /// Positions of the requested columns; `None` for all columns in their order.
    projection: Option<&'a [usize]>,
    /// Number of rows encoded so far.
    rows: usize,
    /// Batches after the first error are ignored.
    first_error: Option<ArrowError>,
}

/// Values for the fields around the rows.
pub(crate) struct AnswerFacts<'a> {
    pub operation: &'a Operation,
    pub arguments: &'a Arguments,
    pub catalogue: &'a Catalogue,
    pub market: &'a MarketTables,
    pub updated: &'a UpdateTimes,
    /// The id of the snapshot.
    pub snapshot: &'a str,
    pub called_at: DateTime<Utc>,
    /// Fields made by the Rust function of the operation; `None` for an operation without one.
    pub handler_fields: Option<&'a serde_json::Map<String, serde_json::Value>>,
}

impl AnswerFacts<'_> {
    pub(crate) fn last_session(&self) -> Option<NaiveDate> {
        self.market.calendar.last().and_then(parquote_functions::arrow_types::date)
    }

    /// Returns the last session of the market, as text.
    pub(crate) fn as_of(&self) -> Option<String> {
        self.last_session().map(|day| day.to_string())
    }

    /// Returns the time of a table's last update; `None` if the market lacks the table or the time is unknown.
    pub(crate) fn table_update_time(&self, table: &str) -> Option<DateTime<Utc>> {
        self.market.table(table)?;
        self.updated.last_updated(table)
    }

    /// Returns true if a table is older than its declaration allows; `None` without data or without a limit.
    fn is_stale(&self, table: &str) -> Option<bool> {
        self.is_stale_by(table, (self.table_update_time(table), self.last_session()))
    }

    /// Returns true if a table is older than its declaration allows. Its age counts from its update or the close of the last session,
    /// whichever is earlier. `None` without data or without a limit.
    pub(crate) fn is_stale_by(
        &self,
        table: &str,
        (updated, last): (Option<DateTime<Utc>>, Option<NaiveDate>),
    ) -> Option<bool> {
        let hours = self.catalogue.table(self.operation.market, table)?.stale_after_hours?;
        let oldest = updated?.min(close_of(self.operation.market, last?));
        Some(is_stale(oldest, self.called_at, hours))
    }

    /// Formats a time in the market's time zone, to the second.
    fn format_local_time(&self, at: DateTime<Utc>) -> String {
        let zone = self.operation.market.time_zone();
        at.with_timezone(&zone).to_rfc3339_opts(SecondsFormat::Secs, false)
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(format: AnswerFormat, rows: &RowShape<'a>, projection: Option<&'a [usize]>) -> Self {
        let encoder = format::encoder(format, rows);
        Self { answer: rows.answer, format, encoder, projection, rows: 0, first_error: None }
    }

    pub(crate) fn encode(&mut self, batch: RecordBatch) {
        if self.first_error.is_some() {
            return;
        }
        let batch = match self.answer {
            Answer::One if self.rows > 0 || batch.num_rows() == 0 => return,
            Answer::One if batch.num_rows() > 1 => batch.slice(0, 1),
            _ => batch,
        };
        self.rows += batch.num_rows();
        let result = match self.projection {
            None => self.encoder.encode(batch),
            Some(projection) => batch.project(projection).and_then(|batch| self.encoder.encode(batch)),
        };
        self.first_error = result.err();
    }

    /// Returns the encoded answer; `None` if an object is requested and there was no row.
    ///
    /// # Errors
    /// Rows that cannot be written in this format.
    pub(crate) fn finish(
        self,
        wrap: &[WrapField],
        facts: &AnswerFacts<'_>,
        extent: Extent,
    ) -> Result<Option<EncodedAnswer>, DataFusionError> {
        if let Some(error) = self.first_error {
            return Err(error.into());
        }
        if self.answer == Answer::One && self.rows == 0 {
            return Ok(None);
        }
        let wrapper = match self.answer {
            Answer::One | Answer::List => Vec::new(),
            Answer::Stocks => envelope_fields(wrap, facts, extent),
        };
        let source =
            AnswerSource { operation: &facts.operation.name, snapshot: facts.snapshot, as_of: facts.as_of() };
        let body = self.encoder.finish(&wrapper, &source)?.into();
        let wrapper = if self.format.is_enveloped() { Bytes::new() } else { wrapper.into() };
        let extent = (self.answer != Answer::One).then_some(extent);
        Ok(Some(EncodedAnswer { body, wrapper, extent }))
    }
}

/// Builds the JSON object of the fields around the rows.
fn envelope_fields(wrap: &[WrapField], facts: &AnswerFacts<'_>, extent: Extent) -> Vec<u8> {
    let mut fields = WrapperFields { rows: extent.rows, out: b"{\"count\":".to_vec() };
    write_number(&mut fields.out, extent.rows as f64, Some(0));
    fields.out.extend_from_slice(b",\"total\":");
    match extent.total {
        Some(total) => write_number(&mut fields.out, total as f64, Some(0)),
        None => fields.out.extend_from_slice(b"null"),
    }
    for field in wrap {
        fields.out.push(b',');
        write_text(&mut fields.out, &field.name);
        fields.out.push(b':');
        match (&field.source, facts.handler_fields.and_then(|fields| fields.get(&field.name))) {
            (WrapSource::Made, Some(value)) => fields.out.extend_from_slice(value.to_string().as_bytes()),
            (source, _) => fields.field(source, facts),
        }
    }
    fields.out.push(b'}');
    fields.out
}

struct WrapperFields {
    rows: usize,
    out: Vec<u8>,
}

impl WrapperFields {
    fn field(&mut self, source: &WrapSource, facts: &AnswerFacts<'_>) {
        let table = |name: &str| facts.catalogue.table(facts.operation.market, name);
        let text = match source {
            WrapSource::Text(text) => Some(text.clone()),
            WrapSource::TableName(name) => Some(name.clone()),
            WrapSource::TableSchedule(name) => {
                table(name).and_then(|table| table.schedule_in(facts.operation.market)).map(str::to_owned)
            }
            WrapSource::TimeZone => Some(facts.operation.market.time_zone().name().to_owned()),
            WrapSource::TableUpdated(name) => {
                facts.table_update_time(name).map(|at| facts.format_local_time(at))
            }
            WrapSource::AsOf => facts.as_of(),
            WrapSource::Made => None,
            WrapSource::Count => return write_number(&mut self.out, self.rows as f64, Some(0)),
            WrapSource::TableStaleAfterHours(name) => {
                match table(name).and_then(|table| table.stale_after_hours) {
                    Some(hours) => return write_number(&mut self.out, f64::from(hours), Some(0)),
                    None => None,
                }
            }
            WrapSource::Label(name, labels) => match facts.arguments.get(facts.operation, name) {
                Some(Value::Text(requested)) => {
                    labels.iter().find(|(word, _)| word == requested).map(|(_, label)| label.clone())
                }
                _ => None,
            },
            WrapSource::Stale(name) => match facts.is_stale(name) {
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
