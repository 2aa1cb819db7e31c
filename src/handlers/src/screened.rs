//! The stocks of a set as a table, and the grammar for their figures. Building both takes longer than parsing a sentence, so those of the
//! last sets are cached.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::handler::HandlerCall;
use super::screen_formula::FORMULAS;
use super::screen_table::ScreenTable;
use datafusion::arrow::array::Array as _;

use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;
use parquote_engine::AnswerRows;
use parquote_language::{BETWEEN_NAMES, Fields, Grammar, SnapshotWords, Vocabulary};

/// The table and the grammar of a set.
pub(super) struct ScreenedSet {
    pub table: ScreenTable,
    pub grammar: Grammar,
}

/// A cache for the last sets, each with its market and id as its name, the newest first.
#[derive(Default)]
pub(super) struct ScreenedSets(Mutex<VecDeque<(String, Arc<ScreenedSet>)>>);

impl ScreenedSets {
    /// Returns the table and the grammar of the requested set. The SELECT without formulas has no parameters, so its rows depend only on
    /// the set.
    pub(super) async fn get_or_load(
        &self,
        handler_call: &HandlerCall<'_>,
    ) -> Result<Arc<ScreenedSet>, ClientError> {
        /// Maximum number of cached sets: both markets, each before and after a refresh.
        const MOST_SCREENERS: usize = 4;
        let set =
            handler_call.snapshot.market(handler_call.market).map(|market| Arc::clone(&market.name().id));
        let name = format!("{} {}", handler_call.market, set.unwrap_or_default());
        let cache = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, screened)) = cache().iter().find(|(known, _)| *known == name) {
            return Ok(Arc::clone(screened));
        }
        // With formulas the SELECT has further columns, which have no values in a set.
        let arguments = FORMULAS.iter().fold(handler_call.arguments.clone(), |arguments, name| {
            arguments.without(handler_call.operation, name)
        });
        let rows = handler_call.rows(&arguments).await?;
        let vocabulary =
            Vocabulary::from_catalogue(handler_call.snapshot.engine().catalogue()).map_err(|mistake| {
                ClientError::from_cause(ErrorKind::Internal, "the words of the screen are not sound", mistake)
            })?;
        let grammar = Grammar::new(fields(handler_call.market, Arc::new(vocabulary), &rows));
        let table = ScreenTable::new(rows, grammar.fields())?;
        let screened = Arc::new(ScreenedSet { table, grammar });
        let mut cached = cache();
        cached.push_front((name, Arc::clone(&screened)));
        cached.truncate(MOST_SCREENERS);
        Ok(screened)
    }
}

/// Returns the fields of a snapshot's screen, with the values of text fields.
fn fields(market: Market, vocabulary: Arc<Vocabulary>, rows: &AnswerRows) -> Fields {
    // A figure that no stock has is left out, as a condition on it would match no stock and the caller could not see why.
    let is_known = |name: &str| {
        let column = rows.batch().and_then(|batch| batch.column_by_name(name));
        column.is_none_or(|column| column.is_empty() || column.null_count() < column.len())
    };
    let names = rows.columns().iter().map(|column| column.name.as_str());
    let columns: Vec<&str> = names.filter(|name| is_known(name)).collect();
    let distinct = |name: &str| -> BTreeSet<String> { rows.texts(name).into_iter().flatten().collect() };
    let [sectors, industries] =
        ["sector", "industry"].map(|name| distinct(name).into_iter().collect::<Vec<_>>());
    let lists = distinct("indices");
    let names = lists.iter().flat_map(|list| list.split(BETWEEN_NAMES)).filter(|name| !name.is_empty());
    let indices: Vec<String> = names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect();
    let known =
        SnapshotWords { columns: &columns, sectors: &sectors, industries: &industries, indices: &indices };
    Fields::new(market, vocabulary, known)
}
