//! A call whose arguments are right in the snapshot that will answer it; it has done no work yet.

use std::sync::Arc;

use chrono::NaiveDate;

use super::caller::Caller;
use super::payer::Payer;
use super::renamed::Renamed;
use parquote_catalogue::operation::{AnswerFormat, Market, Value};
use parquote_engine::{Deadline, Extent, PreparedCall, ResultColumn, RowAge, Snapshot};
use parquote_picture::spec::PictureSpec;

/// The searches of companies, each with the parameter of its text.
const SEARCHES: [(&str, &str); 2] = [("companies", "q"), ("us/companies", "query")];

/// Which data answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataVersion {
    /// The ids of the sets of both markets.
    pub snapshot: String,
    /// The market that is asked.
    pub market: Market,
    /// Its last session.
    pub as_of: Option<NaiveDate>,
    /// Whether the market is invented, and nobody's data.
    pub is_invented: bool,
}

/// Whether what a snapshot has of a market is the invented one.
pub fn is_invented(snapshot: &Snapshot, market: Market) -> bool {
    snapshot.has_symbol(market, market.invented_symbol()) == Some(true)
}

/// A call whose arguments are parsed and admitted.
#[derive(Clone)]
pub struct Call {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) prepared: Arc<PreparedCall>,
    pub(super) renamed: Renamed,
    pub(super) caller: Caller,
    /// When it must be answered, where that was begun with: a set had to be opened.
    pub(super) deadline: Option<Deadline>,
    /// Who pays for its work, where that has a price of its own.
    pub(super) payer: Option<Payer>,
}

impl Call {
    /// The entity tag of the answer, quoted as HTTP wants it; none where the same call may give another answer on the same
    /// data, so that who has it must get it again.
    pub fn entity_tag(&self) -> Option<String> {
        self.prepared.entity_tag()
    }

    /// The format of its answer.
    pub fn format(&self) -> AnswerFormat {
        self.prepared.format()
    }

    /// The same call in another format, admitted as this one is.
    #[must_use]
    pub fn in_format(&self, format: AnswerFormat) -> Self {
        Self { prepared: Arc::new(self.prepared.in_format(format)), ..self.clone() }
    }

    /// The snapshot that answers.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Which data answers.
    pub fn provenance(&self) -> DataVersion {
        let market = self.market();
        let as_of = self.snapshot.as_of(market);
        let is_invented = is_invented(&self.snapshot, market);
        DataVersion { snapshot: self.snapshot.id().to_owned(), market, as_of, is_invented }
    }

    /// The columns that its answer has: of the SELECT that these arguments choose, and of what a Rust function makes of its rows.
    pub fn columns(&self) -> Vec<ResultColumn> {
        let prepared = self.prepared.operation();
        let chosen = prepared.columns_for(self.prepared.arguments());
        let has_handler = !prepared.operation().is_read();
        let made = prepared.columns().first().filter(|_| has_handler).map_or(&[][..], Vec::as_slice);
        let is_new = |column: &&ResultColumn| made.iter().all(|known| known.name != column.name);
        made.iter().chain(chosen.iter().filter(is_new)).cloned().collect()
    }

    /// How its rows are drawn, where they are.
    pub fn picture(&self) -> Option<&PictureSpec> {
        self.prepared.operation().picture_for(self.prepared.arguments())
    }

    /// What stands over its picture, and of what it is; nothing where its rows are not drawn.
    pub fn picture_title(&self) -> Option<String> {
        self.prepared.picture_title()
    }

    /// The former symbols among its arguments, which those of now answer.
    pub fn renamed(&self) -> &Renamed {
        &self.renamed
    }

    /// Where the call asks for one sector: how many stocks of the market have none and are left out, of how many.
    pub fn without_sector(&self) -> Option<(usize, usize)> {
        let operation = self.prepared.operation().operation();
        self.prepared.arguments().get(operation, "sector")?;
        self.snapshot.without_sector(self.market())
    }

    /// What a caller is told beside the answer, in words.
    pub fn notes(&self) -> Vec<String> {
        let renamed = Some(&self.renamed).filter(|renamed| !renamed.is_empty()).map(Renamed::words);
        let left_out = self.without_sector().map(|(none, all)| {
            format!(
                "{none} of the {all} stocks of {} have no sector here and are in no answer for one.",
                self.market()
            )
        });
        renamed.into_iter().chain(left_out).collect()
    }

    /// How old the rows are that the operation reads.
    pub fn row_age(&self) -> &RowAge {
        self.prepared.operation().row_age()
    }

    /// What a caller is told of the age of a list: since when there is nothing, or that the newest rows are old.
    pub fn about_age(&self, extent: Option<Extent>) -> Option<String> {
        let Extent { rows, offset, .. } = extent?;
        let as_of = self.snapshot.as_of(self.market());
        let old = || self.row_age().of_old(as_of?);
        if rows == 0 && offset == 0 { self.row_age().of_nothing() } else { old() }
    }

    /// What a search of companies that finds nothing finds in the other market, in words.
    pub fn found_elsewhere(&self) -> Option<String> {
        let operation = self.prepared.operation().operation();
        let text = SEARCHES.iter().find(|(name, _)| *name == operation.name).map(|(_, text)| *text)?;
        let Some(Value::Text(text)) = self.prepared.arguments().get(operation, text) else { return None };
        let (market, symbols) = self.snapshot.found_elsewhere(self.market(), text)?;
        Some(format!("No company of {} is found; {market} has {}.", self.market(), symbols.join(", ")))
    }

    /// The stocks that the caller named, where they may be several.
    pub fn symbols(&self) -> &[String] {
        self.prepared.arguments().symbols(self.prepared.operation().operation()).unwrap_or_default()
    }

    /// The market that is asked.
    pub fn market(&self) -> Market {
        self.prepared.operation().market()
    }
}
