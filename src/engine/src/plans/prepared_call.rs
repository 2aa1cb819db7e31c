//! A call of a prepared operation: its arguments, and the key of its answer in the cache and in entity tags.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use datafusion::arrow::array::RecordBatch;
use futures::future::BoxFuture;

use super::chosen_columns::ChosenColumns;
use super::drawing;
use super::prepared_operation::PreparedOperation;
use super::prepared_select::PreparedSelect;
use crate::answers::answer::{AnswerFacts, Writer};
use crate::answers::format::RowShape;
use crate::answers::object;
use crate::deadline::Deadline;
use crate::encoded::{EncodedAnswer, Extent};
use crate::error::EngineError;
use crate::tables::shared::AnswerKey;
use parquote_catalogue::operation::{Answer, AnswerFormat, Arguments, Presentation, WrapSource};
use parquote_picture::png;
use parquote_set::Set;

/// A call of an operation with its arguments and presentation.
pub struct PreparedCall {
    operation: Arc<PreparedOperation>,
    arguments: Arguments,
    presentation: Presentation,
    /// The time for facts of the answer that depend on the clock.
    at: DateTime<Utc>,
    /// The SELECT for these arguments; `None` if none serves them in this market.
    select: Option<Arc<PreparedSelect>>,
    /// The answer's key, once requested; `None` for answers of Rust functions, which are not cached.
    key: OnceLock<Option<AnswerKey>>,
}

impl PreparedCall {
    /// Creates a call with these arguments at this time.
    pub fn new(
        operation: Arc<PreparedOperation>,
        arguments: Arguments,
        presentation: Presentation,
        at: DateTime<Utc>,
    ) -> Self {
        let select = operation.select(&arguments).cloned();
        Self { operation, arguments, presentation, at, select, key: OnceLock::new() }
    }

    /// Returns the answer's key: the set, the operation, and a text with everything that its bytes depend on.
    fn key(&self) -> Option<&AnswerKey> {
        let key = || {
            let facts = self.facts();
            let clock = self.clock_facts(|table| facts.table_update_time(table), facts.last_session());
            (Arc::clone(&self.operation.data.name.id), Arc::clone(self.operation.name()), self.text(&clock))
        };
        self.key.get_or_init(|| self.operation.operation().answers_from_select().then(key)).as_ref()
    }

    /// Returns a text with everything that the answer's bytes depend on, except the set and the operation.
    fn text(&self, clock_facts: &str) -> String {
        self.arguments.canonical() + clock_facts + &self.presentation.canonical()
    }

    /// Returns the facts of the answer that depend on the clock, as text, from the update times of tables and the last session.
    fn clock_facts(
        &self,
        updated: impl Fn(&str) -> Option<DateTime<Utc>>,
        last: Option<NaiveDate>,
    ) -> String {
        let Some(select) = &self.select else { return String::new() };
        let facts = self.facts();
        let facts_on_clock = select.wrap.iter().filter_map(|field| match &field.source {
            WrapSource::Stale(table) => {
                Some(format!("{:?} ", facts.is_stale_by(table, (updated(table), last))))
            }
            // Equal content that is published again has another update time.
            WrapSource::TableUpdated(table) => Some(format!("{:?} ", updated(table))),
            _ => None,
        });
        facts_on_clock.collect()
    }

    /// Returns the operation.
    pub fn operation(&self) -> &Arc<PreparedOperation> {
        &self.operation
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Returns the presentation of the answer.
    pub fn presentation(&self) -> &Presentation {
        &self.presentation
    }

    /// Returns the format of the answer.
    pub fn format(&self) -> AnswerFormat {
        self.presentation.format()
    }

    /// Returns the number of matching rows to skip.
    pub fn offset(&self) -> usize {
        self.presentation.offset()
    }

    /// Returns the time of the call.
    pub fn at(&self) -> DateTime<Utc> {
        self.at
    }

    /// Returns the entity tag of the answer, quoted for HTTP; `None` if the same call may have another answer on the same data, so that
    /// clients must fetch it again.
    pub fn entity_tag(&self) -> Option<String> {
        let (_, _, text) = self.key()?;
        Some(self.tag(&self.operation.data.tag, text))
    }

    /// Returns the entity tag of the same call on another set of the market, from its manifest: the set need not be open.
    pub fn entity_tag_on(&self, set: &Set) -> Option<String> {
        let updated = |table: &str| set.tables.contains_key(table).then(|| set.published.content_at());
        let text = || self.text(&self.clock_facts(updated, set.as_of));
        let tag = || self.tag(&self.operation.data.engine.tag_of(&set.id), &text());
        self.operation.operation().answers_from_select().then(tag)
    }

    fn tag(&self, data: &str, text: &str) -> String {
        const LENGTH: usize = 24;
        let mut hash = blake3::Hasher::new();
        hash.update(data.as_bytes());
        hash.update(self.operation.name().as_bytes()).update(b"\0");
        hash.update(text.as_bytes());
        if self.format().is_picture() {
            // Another version may draw the same rows differently.
            hash.update(env!("CARGO_PKG_VERSION").as_bytes());
        }
        let hex = hash.finalize().to_hex();
        format!("\"{}\"", hex.get(..LENGTH).unwrap_or_default())
    }

    /// Returns the cached answer, without computing or waiting; `None` if it is not cached.
    pub fn cached_answer(&self) -> Option<EncodedAnswer> {
        let engine = &self.operation.data.engine;
        engine.answers.get(self.key()?).inspect(|_| engine.count_hit())
    }

    /// Returns true if recent calls of the same shape took at most a millisecond and a plan is idle, so that the call does not block its
    /// thread noticeably.
    pub fn is_quick(&self) -> bool {
        let writes_rows = self.operation.operation().answers_from_select() && !self.format().is_picture();
        let select = self.select.as_ref().filter(|_| writes_rows);
        let requested = (&self.arguments, self.presentation.wanted_rows());
        self.operation.missing().is_empty()
            && select.is_some_and(|select| self.operation.data.plans.is_quick(select, requested))
    }

    /// Returns the answer, cached or computed; `None` if an object is requested and there is no row.
    ///
    /// # Errors
    /// Missing tables, a deadline or memory limit, or a fault of the engine.
    pub async fn answer(&self, deadline: Deadline) -> Result<Option<EncodedAnswer>, EngineError> {
        let Some(key) = self.key() else { return self.encode(deadline).await };
        let engine = &self.operation.data.engine;
        match engine.answers.get_value_or_guard_async(key).await {
            Ok(answer) => {
                engine.count_hit();
                Ok(Some(answer))
            }
            Err(guard) => {
                engine.count_miss();
                let answer = self.encode(deadline).await?;
                if let Some(answer) = &answer {
                    let _ = guard.insert(answer.clone());
                }
                Ok(answer)
            }
        }
    }

    /// Returns true if the rows of the call can be drawn.
    pub fn has_picture(&self) -> bool {
        self.select.as_ref().is_some_and(|select| select.picture.is_some())
    }

    /// Returns the title of the picture, with the subject of the call; `None` if the rows cannot be drawn.
    pub fn picture_title(&self) -> Option<String> {
        let spec = self.select.as_ref()?.picture.as_ref()?;
        Some(drawing::title(spec, &self.facts()))
    }

    /// Returns the same call in another format.
    #[must_use]
    pub fn in_format(&self, format: AnswerFormat) -> Self {
        let presentation = self.presentation.in_format(format);
        Self::new(Arc::clone(&self.operation), self.arguments.clone(), presentation, self.at)
    }

    /// Converts the call's SVG to PNG and caches it. It occupies this thread for tens of milliseconds.
    ///
    /// # Errors
    /// An SVG that the renderer cannot read.
    pub fn rasterize(&self, svg: &EncodedAnswer) -> Result<EncodedAnswer, EngineError> {
        let body =
            png::png(&String::from_utf8_lossy(&svg.body)).map_err(|source| EngineError::Png { source })?;
        let answer = EncodedAnswer { body: body.into(), ..svg.clone() };
        if let Some(key) = self.key() {
            self.operation.data.engine.answers.insert(key.clone(), answer.clone());
        }
        Ok(answer)
    }

    /// Computes the body of the answer without the cache.
    ///
    /// # Errors
    /// Same as [`PreparedCall::answer`].
    pub async fn compute(&self) -> Result<Option<Bytes>, EngineError> {
        let answer = self.encode(self.operation.deadline()).await?;
        Ok(answer.map(|answer| answer.body))
    }

    /// Counts the rows of the answer, without the cache; `None` for an object or without an answer.
    pub(crate) async fn count_rows(&self) -> Result<Option<usize>, EngineError> {
        let answer = self.encode(self.operation.deadline()).await?;
        Ok(answer.and_then(|answer| answer.extent).map(|extent| extent.rows))
    }

    fn encode(&self, deadline: Deadline) -> BoxFuture<'_, Result<Option<EncodedAnswer>, EngineError>> {
        // Boxed: the future of a query is large, most calls are answered without one, and the compiler examines it only once.
        Box::pin(self.encode_now(deadline))
    }

    async fn encode_now(&self, deadline: Deadline) -> Result<Option<EncodedAnswer>, EngineError> {
        self.operation.check_tables()?;
        let Some(select) = &self.select else { return Ok(None) };
        if self.format().is_picture() {
            // Boxed: few calls draw a picture, and the futures of all calls would have the size of this one.
            return Box::pin(self.draw_now(select, deadline)).await;
        }
        let requested_columns = ChosenColumns::select(select, self.presentation.fields())?;
        let mut writer = self.writer(select, requested_columns.as_ref());
        let data = &self.operation.data;
        let requested = (&self.arguments, self.presentation.wanted_rows());
        let run = data.plans.run(&data.tables, select, requested, deadline, |batch| writer.encode(batch));
        let extent = run.await?;
        Ok(writer.finish(&select.wrap, &self.facts(), extent)?)
    }

    /// Encodes and caches an answer with the SELECT's rows that a Rust function selected, and with the fields that it made around them.
    ///
    /// # Errors
    /// Rows that cannot be written in the requested format.
    pub fn encode_rows(
        &self,
        rows: RecordBatch,
        fields: &serde_json::Map<String, serde_json::Value>,
        extent: Extent,
    ) -> Result<Option<EncodedAnswer>, EngineError> {
        let Some(select) = &self.select else { return Ok(None) };
        let requested_columns = ChosenColumns::select(select, self.presentation.fields())?;
        let mut writer = self.writer(select, requested_columns.as_ref());
        writer.encode(rows);
        let facts = AnswerFacts { handler_fields: Some(fields), ..self.facts() };
        let answer = writer.finish(&select.wrap, &facts, extent)?;
        if let (Some(key), Some(answer)) = (self.key(), &answer) {
            self.operation.data.engine.answers.insert(key.clone(), answer.clone());
        }
        Ok(answer)
    }

    /// Encodes the object that a Rust function made in a format without an envelope: the list that the call names as CSV, or a workbook,
    /// without the `unused` parameters.
    ///
    /// # Errors
    /// An object that cannot be written in the requested format.
    pub fn encode_object(
        &self,
        value: &serde_json::Value,
        unused: &[&str],
    ) -> Result<EncodedAnswer, EngineError> {
        let columns = self.operation.columns().first().map_or(&[][..], Vec::as_slice);
        let operation = self.operation.operation();
        let used = |arguments: Arguments, name: &&str| arguments.without(operation, name);
        let arguments = &unused.iter().fold(self.arguments.clone(), used);
        let facts = AnswerFacts { arguments, ..self.facts() };
        let body = object::encode(self.format(), columns, value, &facts)?;
        Ok(EncodedAnswer { body: body.into(), wrapper: Bytes::new(), extent: None })
    }

    fn writer<'a>(&self, select: &'a PreparedSelect, columns: Option<&'a ChosenColumns>) -> Writer<'a> {
        let answer = select.answer;
        let rows = match columns {
            None => RowShape { answer, columns: &select.columns, schema: &select.schema, json: &select.json },
            Some(columns) => {
                RowShape { answer, columns: &columns.columns, schema: &columns.schema, json: &columns.json }
            }
        };
        Writer::new(self.presentation.format(), &rows, columns.map(|columns| columns.positions.as_slice()))
    }

    async fn draw_now(
        &self,
        select: &PreparedSelect,
        deadline: Deadline,
    ) -> Result<Option<EncodedAnswer>, EngineError> {
        let mut batches = Vec::new();
        let data = &self.operation.data;
        let requested = (&self.arguments, self.presentation.wanted_rows());
        let rows = |batch| batches.push(batch);
        let extent = data.plans.run(&data.tables, select, requested, deadline, rows).await?;
        let is_one = select.answer == Answer::One;
        if is_one && extent.rows == 0 {
            return Ok(None);
        }
        let body = drawing::draw_svg(select, &batches, &self.facts(), self.presentation.drawing())?;
        let svg =
            EncodedAnswer { body: body.into(), wrapper: Bytes::new(), extent: (!is_one).then_some(extent) };
        if self.format() == AnswerFormat::Png { self.rasterize(&svg).map(Some) } else { Ok(Some(svg)) }
    }

    fn facts(&self) -> AnswerFacts<'_> {
        let data = &self.operation.data;
        AnswerFacts {
            operation: self.operation.operation(),
            arguments: &self.arguments,
            catalogue: &data.engine.catalogue,
            market: &data.tables,
            updated: &data.updated,
            snapshot: &data.name.id,
            called_at: self.at,
            handler_fields: None,
        }
    }
}
