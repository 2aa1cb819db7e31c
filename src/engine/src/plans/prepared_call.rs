//! A call of a prepared operation: its arguments, and the one text that names the answer, in the cache and in entity tags alike.

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
use crate::deadline::Deadline;
use crate::encoded::{Encoded, Extent};
use crate::error::EngineError;
use crate::tables::shared::AnswerKey;
use parquote_catalogue::operation::{Answer, AnswerFormat, Arguments, Presentation, WrapSource};
use parquote_picture::png;
use parquote_set::Set;

/// What is asked of an operation.
pub struct PreparedCall {
    operation: Arc<PreparedOperation>,
    arguments: Arguments,
    presentation: Presentation,
    /// What an answer says of the present is said of this moment.
    at: DateTime<Utc>,
    /// The SELECT that answers.
    select: Option<Arc<PreparedSelect>>,
    /// What names the answer, once it was asked for; none of what a Rust function answers, which is not kept.
    key: OnceLock<Option<AnswerKey>>,
}

impl PreparedCall {
    /// A call with these arguments at this moment.
    pub fn new(
        operation: Arc<PreparedOperation>,
        arguments: Arguments,
        presentation: Presentation,
        at: DateTime<Utc>,
    ) -> Self {
        let select = operation.select(&arguments).cloned();
        Self { operation, arguments, presentation, at, select, key: OnceLock::new() }
    }

    /// What names the answer: the set, the operation, and in one text all that its bytes depend on.
    fn key(&self) -> Option<&AnswerKey> {
        let key = || {
            let facts = self.facts();
            let clock = self.clock_facts(|table| facts.updated(table), facts.last_session());
            (Arc::clone(&self.operation.data.name.id), Arc::clone(self.operation.name()), self.text(&clock))
        };
        self.key.get_or_init(|| self.operation.operation().is_read().then(key)).as_ref()
    }

    /// All that the bytes of the answer depend on, beside the set and the operation.
    fn text(&self, clock_facts: &str) -> String {
        self.arguments.canonical() + clock_facts + &self.presentation.canonical()
    }

    /// What the answer says that depends on the clock, as text, by when a table was updated and by the last session.
    fn clock_facts(
        &self,
        updated: impl Fn(&str) -> Option<DateTime<Utc>>,
        last: Option<NaiveDate>,
    ) -> String {
        let Some(select) = &self.select else { return String::new() };
        let facts = self.facts();
        let said = select.wrap.iter().filter_map(|field| match &field.source {
            WrapSource::Stale(table) => {
                Some(format!("{:?} ", facts.is_stale_by(table, (updated(table), last))))
            }
            // Equal content that is published again was updated at another time.
            WrapSource::TableUpdated(table) => Some(format!("{:?} ", updated(table))),
            _ => None,
        });
        said.collect()
    }

    /// The operation that is called.
    pub fn operation(&self) -> &Arc<PreparedOperation> {
        &self.operation
    }

    /// What is asked of it.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// How the answer is to be written.
    pub fn presentation(&self) -> &Presentation {
        &self.presentation
    }

    /// The format of the answer.
    pub fn format(&self) -> AnswerFormat {
        self.presentation.format()
    }

    /// How many of the rows that match are passed over.
    pub fn offset(&self) -> usize {
        self.presentation.offset()
    }

    /// When it was made.
    pub fn at(&self) -> DateTime<Utc> {
        self.at
    }

    /// The entity tag of the answer, quoted as HTTP wants it; none where the same call may give another answer on the same
    /// data, so that who has it must get it again.
    pub fn entity_tag(&self) -> Option<String> {
        let (_, _, text) = self.key()?;
        Some(self.tag(&self.operation.data.tag, text))
    }

    /// The entity tag that the same call has on another set of the market, by its manifest: the set need not be open.
    pub fn entity_tag_on(&self, set: &Set) -> Option<String> {
        let updated = |table: &str| set.tables.contains_key(table).then(|| set.published.content_at());
        let text = || self.text(&self.clock_facts(updated, set.as_of));
        let tag = || self.tag(&self.operation.data.engine.tag_of(&set.id), &text());
        self.operation.operation().is_read().then(tag)
    }

    fn tag(&self, data: &str, text: &str) -> String {
        const LENGTH: usize = 24;
        let mut hash = blake3::Hasher::new();
        hash.update(data.as_bytes());
        hash.update(self.operation.name().as_bytes()).update(b"\0");
        hash.update(text.as_bytes());
        if self.format().is_picture() {
            // The same rows are drawn in another way by another version.
            hash.update(env!("CARGO_PKG_VERSION").as_bytes());
        }
        let hex = hash.finalize().to_hex();
        format!("\"{}\"", hex.get(..LENGTH).unwrap_or_default())
    }

    /// The answer, if it is kept from an earlier call; nothing is computed, and nobody waited for.
    pub fn kept(&self) -> Option<Encoded> {
        let engine = &self.operation.data.engine;
        engine.answers.get(self.key()?).inspect(|_| engine.hit())
    }

    /// Whether calls of the same shape took no more than a millisecond lately and a plan is at hand: such a call holds up
    /// nobody.
    pub fn is_quick(&self) -> bool {
        let is_written = self.operation.operation().is_read() && !self.format().is_picture();
        let select = self.select.as_ref().filter(|_| is_written);
        let asked = (&self.arguments, self.presentation.offset());
        self.operation.missing().is_empty()
            && select.is_some_and(|select| self.operation.data.plans.is_quick(select, asked))
    }

    /// The answer, kept or computed; `None` where an object is asked for and there is none.
    ///
    /// # Errors
    /// Missing tables, a deadline or memory limit, or a fault of the engine.
    pub async fn answer(&self, deadline: Deadline) -> Result<Option<Encoded>, EngineError> {
        let Some(key) = self.key() else { return self.encode(deadline).await };
        let engine = &self.operation.data.engine;
        match engine.answers.get_value_or_guard_async(key).await {
            Ok(answer) => {
                engine.hit();
                Ok(Some(answer))
            }
            Err(guard) => {
                engine.missed();
                let answer = self.encode(deadline).await?;
                if let Some(answer) = &answer {
                    let _ = guard.insert(answer.clone());
                }
                Ok(answer)
            }
        }
    }

    /// Whether the rows that answer it can be drawn.
    pub fn has_picture(&self) -> bool {
        self.select.as_ref().is_some_and(|select| select.picture.is_some())
    }

    /// What stands over its picture, and of what it is; nothing where its rows are not drawn.
    pub fn picture_title(&self) -> Option<String> {
        let spec = self.select.as_ref()?.picture.as_ref()?;
        Some(drawing::title(spec, &self.facts()))
    }

    /// The same call in another format.
    #[must_use]
    pub fn in_format(&self, format: AnswerFormat) -> Self {
        let presentation = self.presentation.in_format(format);
        Self::new(Arc::clone(&self.operation), self.arguments.clone(), presentation, self.at)
    }

    /// The PNG of what the call answers as SVG, kept from now on. It takes tens of milliseconds of this thread.
    ///
    /// # Errors
    /// An SVG that is not one of ours.
    pub fn rasterized(&self, svg: &Encoded) -> Result<Encoded, EngineError> {
        let body =
            png::png(&String::from_utf8_lossy(&svg.body)).map_err(|source| EngineError::Png { source })?;
        let answer = Encoded { body: body.into(), ..svg.clone() };
        if let Some(key) = self.key() {
            self.operation.data.engine.answers.insert(key.clone(), answer.clone());
        }
        Ok(answer)
    }

    /// The body of the answer, computed in any case.
    ///
    /// # Errors
    /// As [`PreparedCall::answer`].
    pub async fn compute(&self) -> Result<Option<Bytes>, EngineError> {
        let answer = self.encode(self.operation.deadline()).await?;
        Ok(answer.map(|answer| answer.body))
    }

    /// How many rows the answer has; none where it is an object, or there is no answer.
    pub(crate) async fn rows(&self) -> Result<Option<usize>, EngineError> {
        let answer = self.encode(self.operation.deadline()).await?;
        Ok(answer.and_then(|answer| answer.extent).map(|extent| extent.rows))
    }

    fn encode(&self, deadline: Deadline) -> BoxFuture<'_, Result<Option<Encoded>, EngineError>> {
        // Boxed here: the future of a query is large, most calls are answered without one, and the compiler looks into it once.
        Box::pin(self.encode_now(deadline))
    }

    async fn encode_now(&self, deadline: Deadline) -> Result<Option<Encoded>, EngineError> {
        self.operation.check_tables()?;
        let Some(select) = &self.select else { return Ok(None) };
        if self.format().is_picture() {
            // Boxed: few calls are pictures, and all would carry the room for it.
            return Box::pin(self.draw_now(select, deadline)).await;
        }
        let chosen = ChosenColumns::select(select, self.presentation.fields())?;
        let mut writer = self.writer(select, chosen.as_ref());
        let data = &self.operation.data;
        let asked = (&self.arguments, self.presentation.offset());
        let run = data.plans.run(&data.tables, select, asked, deadline, |batch| writer.rows(batch));
        let extent = run.await?;
        Ok(writer.finish(&select.wrap, &self.facts(), extent)?)
    }

    /// The answer with rows that a Rust function kept of those of the SELECT, and with what it made to stand around them; kept from now
    /// on.
    ///
    /// # Errors
    /// Rows that cannot be written in the format that is asked for.
    pub fn made(
        &self,
        rows: RecordBatch,
        around: &serde_json::Map<String, serde_json::Value>,
        extent: Extent,
    ) -> Result<Option<Encoded>, EngineError> {
        let Some(select) = &self.select else { return Ok(None) };
        let chosen = ChosenColumns::select(select, self.presentation.fields())?;
        let mut writer = self.writer(select, chosen.as_ref());
        writer.rows(rows);
        let facts = AnswerFacts { made: Some(around), ..self.facts() };
        let answer = writer.finish(&select.wrap, &facts, extent)?;
        if let (Some(key), Some(answer)) = (self.key(), &answer) {
            self.operation.data.engine.answers.insert(key.clone(), answer.clone());
        }
        Ok(answer)
    }

    fn writer<'a>(&self, select: &'a PreparedSelect, chosen: Option<&'a ChosenColumns>) -> Writer<'a> {
        let answer = select.answer;
        let rows = match chosen {
            None => RowShape { answer, columns: &select.columns, schema: &select.schema, json: &select.json },
            Some(chosen) => {
                RowShape { answer, columns: &chosen.columns, schema: &chosen.schema, json: &chosen.json }
            }
        };
        Writer::new(self.presentation.format(), &rows, chosen.map(|chosen| chosen.places.as_slice()))
    }

    async fn draw_now(
        &self,
        select: &PreparedSelect,
        deadline: Deadline,
    ) -> Result<Option<Encoded>, EngineError> {
        let mut batches = Vec::new();
        let data = &self.operation.data;
        let asked = (&self.arguments, self.presentation.offset());
        let rows = |batch| batches.push(batch);
        let extent = data.plans.run(&data.tables, select, asked, deadline, rows).await?;
        let is_one = select.answer == Answer::One;
        if is_one && extent.rows == 0 {
            return Ok(None);
        }
        let body = drawing::svg(select, &batches, &self.facts(), self.presentation.drawing())?;
        let svg = Encoded { body: body.into(), around: Bytes::new(), extent: (!is_one).then_some(extent) };
        if self.format() == AnswerFormat::Png { self.rasterized(&svg).map(Some) } else { Ok(Some(svg)) }
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
            now: self.at,
            made: None,
        }
    }
}
