//! Statements answered: a SELECT of tables is a call of the operation `query`, with all that this means; a question to the catalogue costs
//! nothing.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::sync::Semaphore;

use super::catalogue::functions::setting;
use super::catalogue::{Catalogue, CatalogueRows, Fact};
use super::failure::Failure;
use super::kind::Kind;
use super::statement::{CopyForm, Statement};
use crate::call::{Call, CallOptions, Caller, MeteredCall, Service};
use crate::engine::{Cell, TypedRows};
use crate::error::{ClientError, ErrorKind};
use crate::operation::{AnswerFormat, Market, Offer};

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
    pub values: Vec<Option<Kind>>,
    /// Its columns; none where it answers no rows.
    pub columns: Option<Vec<(String, Kind)>>,
}

/// The answer of a statement.
#[derive(Debug)]
pub(super) enum StatementAnswer {
    /// Nothing was asked.
    Empty,
    /// Rows.
    Rows(Rows),
    /// Rows that are copied.
    Copied(Rows, CopyForm),
    /// It is done, with its tag.
    Done(&'static str),
}

/// Rows with their columns.
#[derive(Debug)]
pub(super) struct Rows {
    /// Names and types.
    pub columns: Vec<(String, Kind)>,
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

impl Rows {
    /// The cells of rows, some of them passed over.
    pub(super) fn from(&self, first: usize) -> Box<dyn Iterator<Item = Vec<Cell<'_>>> + Send + '_> {
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
        statement: &Statement,
        values: &[Json],
        entered: Option<MeteredCall>,
    ) -> Result<StatementAnswer, Failure> {
        Ok(match statement {
            Statement::Empty => StatementAnswer::Empty,
            Statement::Select(sql) => StatementAnswer::Rows(self.select(sql, values, entered).await?),
            Statement::Catalogue(sql) => StatementAnswer::Rows(self.question(sql, values).await?),
            Statement::Copy(select, form) => match &**select {
                Statement::Select(sql) => {
                    StatementAnswer::Copied(self.select(sql, values, entered).await?, *form)
                }
                Statement::Catalogue(sql) => {
                    StatementAnswer::Copied(self.question(sql, values).await?, *form)
                }
                _ => StatementAnswer::Empty,
            },
            Statement::Show(name) => StatementAnswer::Rows(self.setting(name)?),
            Statement::Begin => StatementAnswer::Done("BEGIN"),
            Statement::End(tag) | Statement::Nothing(tag) | Statement::Forget(tag) => {
                StatementAnswer::Done(tag)
            }
        })
    }

    /// What a statement takes and answers. The cost of a call is taken where a SELECT is planned for it, and comes back to be used when it
    /// runs.
    ///
    /// # Errors
    /// As every door has them.
    pub(super) async fn shape(&self, statement: &Statement) -> Result<(Shape, Option<MeteredCall>), Failure> {
        match statement {
            Statement::Select(sql) => {
                let metered = self.enter().await?;
                let told = async { self.service.shape(&self.call(&metered, sql, &[]).await?).await };
                match told.await {
                    Ok(shape) => {
                        let of = |(name, ty)| (name, Kind::of(ty));
                        let columns = Some(shape.columns.into_iter().map(of).collect());
                        let values = shape.values.into_iter().map(|ty| ty.map(Kind::of)).collect();
                        Ok((Shape { values, columns }, Some(metered)))
                    }
                    Err(refused) => Err(settled(metered, &refused)),
                }
            }
            Statement::Catalogue(sql) => {
                let sql = sql.clone();
                let (columns, count) = self.of_catalogue(move |catalogue| catalogue.shape(&sql)).await?;
                Ok((Shape { values: vec![None; count], columns: Some(columns) }, None))
            }
            Statement::Show(name) => {
                Ok((Shape { values: Vec::new(), columns: Some(self.setting(name)?.columns) }, None))
            }
            _ => Ok((Shape::default(), None)),
        }
    }

    async fn enter(&self) -> Result<MeteredCall, Failure> {
        let operation = self.service.catalogue().operation(QUERY);
        let operation = operation.ok_or_else(|| {
            Failure::new("0A000", "this server has no operation `query`, which answers SELECTs")
        })?;
        self.service.enter(operation, &self.caller).await.map_err(|refused| Failure::of(&refused))
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
    ) -> Result<Rows, Failure> {
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
            Failure::new("XX000", "the server failed on this statement")
        })?;
        let columns = rows.columns.iter().map(|(name, ty)| (name.clone(), Kind::of(*ty))).collect();
        let extent = encoded.extent.filter(|extent| extent.more);
        let warning = extent.map(|extent| {
            format!(
                "more rows follow: {} are the most of one SELECT of the tier {}; go on with ORDER BY, LIMIT and OFFSET",
                extent.rows,
                self.caller.tier()
            )
        });
        Ok(Rows { columns, tag: "SELECT", warning, cells: Cells::Tables(rows) })
    }

    async fn question(&self, sql: &str, values: &[Json]) -> Result<Rows, Failure> {
        let (sql, values) = (sql.to_owned(), values.to_vec());
        let found = self.of_catalogue(move |catalogue| catalogue.answer(&sql, &values)).await?;
        Ok(Rows::of_catalogue(found))
    }

    /// Asks the catalogue, on a thread of its own: parsing goes down as deep as a text is nested.
    async fn of_catalogue<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Catalogue) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        const STACK_BYTES: usize = 16 << 20;
        let unavailable = || Failure::new("53000", "the catalogue cannot answer now; try again");
        let turn = QUESTIONS.acquire().await.map_err(|_| unavailable())?;
        let asking = self.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("catalogue".to_owned()).stack_size(STACK_BYTES);
        let asked = thread.spawn(move || {
            // It ends with the question, also where nobody waits for it any more.
            let _turn = turn;
            let tables = asking.service.readable(&asking.caller);
            let catalogue = Catalogue::of(tables, asking.market, &asking.database);
            let answer = match catalogue {
                Ok(catalogue) => ask(&catalogue),
                Err(error) => {
                    tracing::error!(%error, "there is no catalogue");
                    Err(Failure::new("XX000", "the server failed on this statement"))
                }
            };
            let _ = tell.send(answer);
        });
        asked.map_err(|_| unavailable())?;
        told.await.map_err(|_| unavailable())?
    }

    fn setting(&self, name: &str) -> Result<Rows, Failure> {
        let value = match name.to_lowercase().as_str() {
            "search_path" => self.market.word(),
            name => setting(name).ok_or_else(|| {
                Failure::new(
                    "42704",
                    format!("there is no setting `{name}` here; this server has none of its own"),
                )
            })?,
        };
        let columns = vec![(name.replace(' ', "_"), Kind::Text)];
        let rows = vec![vec![Fact::Text(value.to_owned())]];
        Ok(Rows { tag: "SHOW", ..Rows::of_catalogue(CatalogueRows { columns, rows }) })
    }
}

/// Ends a call that was refused: an answer of what is wrong with it counts, and a fault of ours costs nothing.
fn settled(metered: MeteredCall, refused: &ClientError) -> Failure {
    if refused.kind.counts() {
        metered.commit();
    } else {
        metered.refund();
    }
    if let Some(cause) = refused.source.as_deref().filter(|_| refused.kind == ErrorKind::Internal) {
        tracing::error!(%cause, "a statement failed");
    }
    Failure::of(refused)
}
