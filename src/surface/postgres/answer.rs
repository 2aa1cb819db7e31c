//! Statements answered: a SELECT of tables is a call of the operation `query`, with all that this means; a question to the catalogue costs
//! nothing.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::sync::Semaphore;

use super::catalogue::functions::setting;
use super::catalogue::{CatalogueRows, ClientCatalogue, Fact};
use super::failure::SqlFailure;
use super::kind::PgKind;
use super::statement::{ClientStatement, CopyForm};
use crate::call::{Call, CallOptions, Caller, MeteredCall, Service};
use crate::engine::{TypedCell, TypedRows};
use crate::error::{ClientError, ErrorKind};
use crate::operation::{AnswerFormat, Market, Offer};
use crate::thread_priority;

/// The operation that answers SELECTs.
const QUERY: &str = "query";
/// The most rows that are asked for; a tier has a most of its own.
const MOST_ROWS: &str = "10000";
/// Questions to catalogues at once.
static QUESTIONS: Semaphore = Semaphore::const_new(2);

/// What a statement takes and answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// The types of its values; none where the statement does not tell.
    pub values: Vec<Option<PgKind>>,
    /// Its columns; none where it answers no rows.
    pub columns: Option<Vec<(String, PgKind)>>,
}

/// The answer of a statement.
#[derive(Debug)]
pub(super) enum StatementAnswer {
    /// Nothing was asked.
    Empty,
    /// Rows.
    Rows(AnsweredRows),
    /// Rows that are copied.
    Copied(AnsweredRows, CopyForm),
    /// It is done, with its tag.
    Done(&'static str),
}

/// Rows with their columns.
#[derive(Debug)]
pub(super) struct AnsweredRows {
    /// Names and types.
    pub columns: Vec<(String, PgKind)>,
    /// What stands before their number when they are told.
    pub tag: &'static str,
    /// What is told beside them.
    pub warning: Option<String>,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Tables(TypedRows),
    Catalogue(Vec<Vec<Fact>>),
}

impl AnsweredRows {
    /// The cells of rows, some of them passed over.
    pub(super) fn from(&self, first: usize) -> Box<dyn Iterator<Item = Vec<TypedCell<'_>>> + Send + '_> {
        match &self.cells {
            Cells::Tables(rows) => Box::new(rows.rows().skip(first).map(Iterator::collect)),
            Cells::Catalogue(rows) => {
                Box::new(rows.iter().skip(first).map(|row| row.iter().map(Fact::cell).collect()))
            }
        }
    }

    fn of_catalogue(found: CatalogueRows) -> Self {
        Self { columns: found.columns, tag: "SELECT", warning: None, cells: Cells::Catalogue(found.rows) }
    }
}

/// Who asks, and of what.
#[derive(Clone)]
pub(super) struct Asking {
    pub service: Arc<Service>,
    pub caller: Caller,
    pub market: Market,
    /// The name of the database.
    pub database: Arc<str>,
}

impl Asking {
    /// Answers a statement. The cost of a call that was taken already is not taken again.
    ///
    /// # Errors
    /// As every door has them.
    pub(super) async fn answer(
        &self,
        statement: &ClientStatement,
        values: &[Json],
        entered: Option<MeteredCall>,
    ) -> Result<StatementAnswer, SqlFailure> {
        Ok(match statement {
            ClientStatement::Empty => StatementAnswer::Empty,
            ClientStatement::Select(sql) => StatementAnswer::Rows(self.select(sql, values, entered).await?),
            ClientStatement::Catalogue(sql) => StatementAnswer::Rows(self.question(sql, values).await?),
            ClientStatement::Copy(select, form) => match &**select {
                ClientStatement::Select(sql) => {
                    StatementAnswer::Copied(self.select(sql, values, entered).await?, *form)
                }
                ClientStatement::Catalogue(sql) => {
                    StatementAnswer::Copied(self.question(sql, values).await?, *form)
                }
                _ => StatementAnswer::Empty,
            },
            ClientStatement::Show(name) => StatementAnswer::Rows(self.setting(name)?),
            ClientStatement::Begin => StatementAnswer::Done("BEGIN"),
            ClientStatement::End(tag) | ClientStatement::Nothing(tag) | ClientStatement::Forget(tag) => {
                StatementAnswer::Done(tag)
            }
        })
    }

    /// What a statement takes and answers. The cost of a call is taken where a SELECT is planned for it, and comes back to be used when it
    /// runs.
    ///
    /// # Errors
    /// As every door has them.
    pub(super) async fn shape(
        &self,
        statement: &ClientStatement,
    ) -> Result<(Shape, Option<MeteredCall>), SqlFailure> {
        match statement {
            ClientStatement::Select(sql) => {
                let metered = self.enter().await?;
                let told = async { self.service.shape(&self.call(&metered, sql, &[]).await?).await };
                match told.await {
                    Ok(shape) => {
                        let of = |(name, ty)| (name, PgKind::of(ty));
                        let columns = Some(shape.columns.into_iter().map(of).collect());
                        let values = shape.values.into_iter().map(|ty| ty.map(PgKind::of)).collect();
                        Ok((Shape { values, columns }, Some(metered)))
                    }
                    Err(refused) => Err(settled(metered, &refused)),
                }
            }
            ClientStatement::Catalogue(sql) => {
                let sql = sql.clone();
                let (columns, count) = self.of_catalogue(move |catalogue| catalogue.shape(&sql)).await?;
                Ok((Shape { values: vec![None; count], columns: Some(columns) }, None))
            }
            ClientStatement::Show(name) => {
                Ok((Shape { values: Vec::new(), columns: Some(self.setting(name)?.columns) }, None))
            }
            _ => Ok((Shape::default(), None)),
        }
    }

    async fn enter(&self) -> Result<MeteredCall, SqlFailure> {
        let operation = self.service.catalogue().operation(QUERY);
        let operation = operation.ok_or_else(|| {
            SqlFailure::new("0A000", "this server has no operation `query`, which answers SELECTs")
        })?;
        self.service.enter(operation, &self.caller).await.map_err(|refused| SqlFailure::of(&refused))
    }

    async fn call(&self, metered: &MeteredCall, sql: &str, values: &[Json]) -> Result<Call, ClientError> {
        let values = if values.is_empty() { String::new() } else { Json::from(values).to_string() };
        let pairs = [("sql", sql), ("market", self.market.word()), ("limit", MOST_ROWS), ("params", &values)];
        let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        self.service.admit(metered, pairs, CallOptions::new(Offer::any(AnswerFormat::Arrow))).await
    }

    async fn select(
        &self,
        sql: &str,
        values: &[Json],
        entered: Option<MeteredCall>,
    ) -> Result<AnsweredRows, SqlFailure> {
        let metered = match entered {
            Some(entered) => entered,
            None => self.enter().await?,
        };
        let answered = async { self.service.run(&self.call(&metered, sql, values).await?).await };
        let encoded = match answered.await {
            Ok(encoded) => encoded,
            Err(refused) => return Err(settled(metered, &refused)),
        };
        metered.commit();
        let rows = TypedRows::read(&encoded.body).map_err(|error| {
            tracing::error!(%error, "an answer cannot be read back");
            SqlFailure::new("XX000", "the server failed on this statement")
        })?;
        let columns = rows.columns.iter().map(|(name, ty)| (name.clone(), PgKind::of(*ty))).collect();
        let extent = encoded.extent.filter(|extent| extent.more);
        let warning = extent.map(|extent| {
            format!(
                "more rows follow: {} are the most of one SELECT of the tier {}; go on with ORDER BY, LIMIT and OFFSET",
                extent.rows,
                self.caller.tier()
            )
        });
        Ok(AnsweredRows { columns, tag: "SELECT", warning, cells: Cells::Tables(rows) })
    }

    async fn question(&self, sql: &str, values: &[Json]) -> Result<AnsweredRows, SqlFailure> {
        let (sql, values) = (sql.to_owned(), values.to_vec());
        let found = self.of_catalogue(move |catalogue| catalogue.answer(&sql, &values)).await?;
        Ok(AnsweredRows::of_catalogue(found))
    }

    /// Asks the catalogue, on a thread of its own: parsing goes down as deep as a text is nested.
    async fn of_catalogue<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&ClientCatalogue) -> Result<T, SqlFailure> + Send + 'static,
    ) -> Result<T, SqlFailure> {
        const STACK_BYTES: usize = 16 << 20;
        let unavailable = || SqlFailure::new("53000", "the catalogue cannot answer now; try again");
        let turn = QUESTIONS.acquire().await.map_err(|_| unavailable())?;
        let asking = self.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("catalogue".to_owned()).stack_size(STACK_BYTES);
        let asked = thread.spawn(move || {
            // A question costs nothing, so that whatever is paid for goes first. Its turn ends with it, also where nobody waits any more.
            thread_priority::lower(thread_priority::BACKGROUND);
            let _turn = turn;
            let tables = asking.service.readable(&asking.caller);
            let catalogue = ClientCatalogue::of(tables, asking.market, &asking.database);
            let answer = match catalogue {
                Ok(catalogue) => ask(&catalogue),
                Err(error) => {
                    tracing::error!(%error, "there is no catalogue");
                    Err(SqlFailure::new("XX000", "the server failed on this statement"))
                }
            };
            let _ = tell.send(answer);
        });
        asked.map_err(|_| unavailable())?;
        told.await.map_err(|_| unavailable())?
    }

    fn setting(&self, name: &str) -> Result<AnsweredRows, SqlFailure> {
        let value = match name.to_lowercase().as_str() {
            "search_path" => self.market.word(),
            name => setting(name).ok_or_else(|| {
                SqlFailure::new(
                    "42704",
                    format!("there is no setting `{name}` here; this server has none of its own"),
                )
            })?,
        };
        let columns = vec![(name.replace(' ', "_"), PgKind::Text)];
        let rows = vec![vec![Fact::Text(value.to_owned())]];
        Ok(AnsweredRows { tag: "SHOW", ..AnsweredRows::of_catalogue(CatalogueRows { columns, rows }) })
    }
}

/// Ends a call that was refused: an answer of what is wrong with it counts, and a fault of ours costs nothing.
fn settled(metered: MeteredCall, refused: &ClientError) -> SqlFailure {
    if refused.kind.counts() {
        metered.commit();
    } else {
        metered.refund();
    }
    if let Some(cause) = refused.source.as_deref().filter(|_| refused.kind == ErrorKind::Internal) {
        tracing::error!(%cause, "a statement failed");
    }
    SqlFailure::of(refused)
}
