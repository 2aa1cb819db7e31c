//! A call whose arguments are valid in the snapshot that will answer it; it has done no work yet.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::NaiveDate;

use super::caller::Caller;
use super::payer::Payer;
use super::renamed::SymbolRenames;
use parquote_catalogue::operation::{AnswerFormat, Market, Value};
use parquote_engine::{Deadline, Extent, PreparedCall, ResultColumn, RowAge, Snapshot};
use parquote_picture::spec::PictureSpec;

/// Version of the data that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataVersion {
    /// Ids of the sets of both markets.
    pub snapshot: String,
    /// Market of the call.
    pub market: Market,
    /// Last session of the market; `None` if it has no data.
    pub as_of: Option<NaiveDate>,
    /// True if the market is the fictional demo market.
    pub is_invented: bool,
}

/// Returns true if a snapshot's data of a market is the fictional demo data.
pub fn is_invented(snapshot: &Snapshot, market: Market) -> bool {
    snapshot.has_symbol(market, market.invented_symbol()) == Some(true)
}

/// A call whose arguments are parsed and admitted.
#[derive(Clone)]
pub struct Call {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) prepared: Arc<PreparedCall>,
    pub(super) renamed: SymbolRenames,
    pub(super) caller: Caller,
    /// Deadline of the answer, if the call had to open a set and it runs already.
    pub(super) deadline: Option<Deadline>,
    /// Payer of the work, if that has a separate price.
    pub(super) payer: Option<Payer>,
}

impl Call {
    /// Returns the entity tag of the answer, quoted as in HTTP; `None` if the same call may give another answer on the same data, so that
    /// it cannot be revalidated.
    pub fn entity_tag(&self) -> Option<String> {
        self.prepared.entity_tag()
    }

    /// Returns the format of the answer.
    pub fn format(&self) -> AnswerFormat {
        self.prepared.format()
    }

    /// Returns the same call in another format, admitted as this one is.
    #[must_use]
    pub fn in_format(&self, format: AnswerFormat) -> Self {
        Self { prepared: Arc::new(self.prepared.in_format(format)), ..self.clone() }
    }

    /// Returns the snapshot that answers.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Returns the version of the data that answers.
    pub fn data_version(&self) -> DataVersion {
        let market = self.market();
        let as_of = self.snapshot.as_of(market);
        let is_invented = is_invented(&self.snapshot, market);
        DataVersion { snapshot: self.snapshot.id().to_owned(), market, as_of, is_invented }
    }

    /// Returns the columns of the answer: the columns of the SELECT for these arguments, and those that a handler adds.
    pub fn columns(&self) -> Vec<ResultColumn> {
        let prepared = self.prepared.operation();
        let chosen = prepared.columns_for(self.prepared.arguments());
        let has_handler = !prepared.operation().answers_from_select();
        let added = prepared.columns().first().filter(|_| has_handler).map_or(&[][..], Vec::as_slice);
        let is_new = |column: &&ResultColumn| added.iter().all(|other| other.name != column.name);
        added.iter().chain(chosen.iter().filter(is_new)).cloned().collect()
    }

    /// Returns the specification of the answer's picture; `None` if its rows are not drawn.
    pub fn picture(&self) -> Option<&PictureSpec> {
        self.prepared.operation().picture_for(self.prepared.arguments())
    }

    /// Returns the title of the answer's picture, with the subject; `None` if its rows are not drawn.
    pub fn picture_title(&self) -> Option<String> {
        self.prepared.picture_title()
    }

    /// Returns the symbols among the arguments that are answered by another symbol of the same company.
    pub fn symbol_renames(&self) -> &SymbolRenames {
        &self.renamed
    }

    /// Returns the number of stocks without a sector, which the answer omits, and the number of all stocks of the market. `None` if the
    /// call does not filter by sector, or if all stocks have a sector.
    pub fn without_sector(&self) -> Option<(usize, usize)> {
        let operation = self.prepared.operation().operation();
        self.prepared.arguments().get(operation, "sector")?;
        self.snapshot.without_sector(self.market())
    }

    /// Returns notes for the caller in addition to the answer.
    pub fn notes(&self) -> Vec<String> {
        let renamed = Some(&self.renamed).filter(|renamed| !renamed.is_empty()).map(SymbolRenames::words);
        let omitted = self.without_sector().map(|(none, all)| {
            format!(
                "{none} of the {all} stocks of {} have no sector here and are in no answer for one.",
                self.market()
            )
        });
        renamed.into_iter().chain(omitted).collect()
    }

    /// Returns the age of the rows that the operation reads, and its tables without rows of the stocks that the call names.
    pub fn row_age(&self) -> Cow<'_, RowAge> {
        let prepared = self.prepared.operation();
        let one = self.prepared.arguments().symbol(prepared.operation()).into_iter();
        let symbols: Vec<&str> = one.chain(self.symbols().iter().map(String::as_str)).collect();
        prepared.row_age_for(&symbols)
    }

    /// Returns a note on the age of a list: the date since which it has no rows, or that its newest rows are old. `None` for other answers.
    /// The age of `unread` tables, on which the answer does not depend, is left out.
    pub fn age_note(&self, unread: &[&str], extent: Option<Extent>) -> Option<String> {
        let Extent { rows, offset, .. } = extent?;
        let as_of = self.snapshot.as_of(self.market());
        let age = self.row_age().without(unread);
        if rows == 0 && offset == 0 { age.no_rows_message() } else { age.old_rows_message(as_of?) }
    }

    /// Returns a note with matches in the other market, for a company search without matches; `None` for other calls.
    pub fn other_market_note(&self) -> Option<String> {
        let operation = self.prepared.operation().operation();
        let text = self.prepared.arguments().get(operation, operation.search.as_ref()?)?;
        let Value::Text(text) = text else { return None };
        let (market, symbols) = self.snapshot.find_in_other_market(self.market(), text)?;
        Some(format!("No company of {} is found; {market} has {}.", self.market(), symbols.join(", ")))
    }

    /// Returns the stocks that the caller named in a list parameter.
    pub fn symbols(&self) -> &[String] {
        self.prepared.arguments().symbols(self.prepared.operation().operation()).unwrap_or_default()
    }

    /// Returns the market of the call.
    pub fn market(&self) -> Market {
        self.prepared.operation().market()
    }
}
