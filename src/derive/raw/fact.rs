//! What files other than prices say: one fact a row.
//!
//! A fact is as its file has it. Which of two facts holds, and from when, is decided in [`super::references`].

use chrono::NaiveDate;

use super::bar::Bar;
use super::cells::{Header, Record};
use super::cik::{self, Filer};
use super::deals::Deal;
use super::events::Event;
use super::filings::Filing;
use super::insider_forms::InsiderForm;
use super::insider_trades::InsiderTrade;
use super::investors::Investor;
use super::positions::{Cover, Line};
use super::price_bands::Band;
use super::provenance::Provenance;
use super::reason::Reason;
use super::shareholding::Holding;
use super::statements::{ReadLine, Submission, Tagged};
use super::symbol_changes::SymbolChange;

/// A file of facts whose header was recognised.
pub(crate) trait FactFile: Send + Sync {
    /// The fact in a record.
    fn fact(&self, record: &Record) -> Result<Fact, Reason>;
    /// The number of named columns.
    fn fields(&self) -> usize;
    /// The column of the symbol.
    fn symbol(&self) -> usize;
    /// What is to be counted in the place of the record, where it is no row of ours.
    fn note(&self, _: &Record) -> Option<Note> {
        None
    }
}

/// Why a record of a document is counted, but no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A tag that makes no line.
    UnmappedTag(String),
    /// A tag that the filer made for itself.
    OwnTag,
    /// A figure of a part of the company.
    OfAPart,
    /// A figure of a span that is none of ours, or no figure.
    OtherSpan,
}

/// One row of a file of facts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fact {
    /// A company is listed.
    Listed(Listed),
    /// A symbol is a member of the index that the file's name says.
    Member(Listed),
    /// A symbol is an exchange-traded fund.
    Fund { symbol: String },
    /// So many shares were issued on a day.
    IssueSize { symbol: String, date: NaiveDate, shares: f64, name: Option<String> },
    /// A corporate action and its factor.
    Action { symbol: String, ex_date: NaiveDate, words: String, factor: f64 },
    /// A price band.
    Band(Band),
    /// An index had these prices in a session; the bar has no file and line yet.
    Index { name: String, bar: Bar },
    /// A bulk or block deal.
    Deal(Deal),
    /// An insider disclosed a trade.
    InsiderTrade(Box<InsiderTrade>),
    /// A company's shareholding at the end of a quarter.
    Holding(Box<Holding>),
    /// A figure of a statement.
    StatementLine(Box<ReadLine>),
    /// A figure under a tag.
    Tagged(Box<Tagged>),
    /// A filing of a data set.
    Submission(Submission),
    /// The exchange announced a corporate action.
    Event(Event),
    /// A company's symbol changed.
    SymbolChange(SymbolChange),
    /// A company files with the SEC under a number.
    Filer(Filer),
    /// A company filed something with the SEC.
    Filing(Box<Filing>),
    /// A US insider reported a transaction.
    InsiderForm(Box<InsiderForm>),
    /// An institution files a Form 13F.
    Cover(Cover),
    /// An institution reports a position.
    Position(Box<Line>),
    /// A CUSIP is that of a symbol.
    Cusip { cusip: String, symbol: String },
    /// An institution is followed.
    Investor(Investor),
}

impl Fact {
    /// The symbol that it is about, if it is about one.
    pub(crate) fn symbol_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Listed(Listed { symbol, .. })
            | Self::Member(Listed { symbol, .. })
            | Self::Fund { symbol }
            | Self::IssueSize { symbol, .. }
            | Self::Action { symbol, .. }
            | Self::Band(Band { symbol, .. })
            | Self::Deal(Deal { symbol, .. })
            | Self::Event(Event { symbol, .. })
            | Self::Filer(Filer { symbol, .. })
            | Self::Cusip { symbol, .. } => Some(symbol),
            Self::InsiderTrade(trade) => Some(&mut trade.symbol),
            Self::Holding(holding) => Some(&mut holding.symbol),
            Self::Index { .. }
            | Self::StatementLine(_)
            | Self::Tagged(_)
            | Self::Submission(_)
            | Self::SymbolChange(_)
            | Self::Filing(_)
            | Self::InsiderForm(_)
            | Self::Cover(_)
            | Self::Position(_)
            | Self::Investor(_) => None,
        }
    }

    /// The fact with where it is from, where its row has a place for that.
    pub(crate) fn from(mut self, provenance: &Provenance) -> Self {
        let source = match &mut self {
            Self::Deal(row) => &mut row.source,
            Self::InsiderTrade(row) => &mut row.source,
            Self::Holding(row) => &mut row.source,
            Self::Event(row) => &mut row.source,
            Self::Filing(row) => &mut row.source,
            Self::InsiderForm(row) => &mut row.source,
            Self::Position(row) => &mut row.source,
            _ => return self,
        };
        source.clone_from(provenance);
        self
    }

    /// The day from which it was known, as far as its row says; lists say theirs in their path.
    pub(crate) fn date(&self) -> Option<NaiveDate> {
        match self {
            Self::IssueSize { date, .. } | Self::Action { ex_date: date, .. } => Some(*date),
            Self::Deal(deal) => Some(deal.date),
            Self::InsiderTrade(trade) => Some(trade.filed_on),
            Self::Holding(holding) => Some(holding.filed_on.unwrap_or(holding.period_end)),
            Self::StatementLine(line) => Some(line.filed_at.unwrap_or(line.period_end)),
            Self::Tagged(tagged) => Some(tagged.filed.unwrap_or(tagged.end)),
            Self::Submission(submission) => Some(submission.filed),
            Self::Index { bar, .. } => Some(bar.date),
            Self::SymbolChange(change) => Some(change.date),
            Self::Event(event) => Some(event.ex_date),
            Self::Filing(filing) => Some(filing.filed_on),
            Self::InsiderForm(form) => Some(form.filed_on),
            Self::Cover(cover) => Some(cover.filed_on),
            Self::Position(line) => line.cover.as_ref().map(|cover| cover.filed_on),
            Self::Listed(_)
            | Self::Member(_)
            | Self::Fund { .. }
            | Self::Band(_)
            | Self::Filer(_)
            | Self::Cusip { .. }
            | Self::Investor(_) => None,
        }
    }
}

/// What lists say of a company; a list has only some of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) symbol: String,
    pub(crate) name: Option<String>,
    pub(crate) sector: Option<String>,
    pub(crate) industry: Option<String>,
    pub(crate) isin: Option<String>,
    pub(crate) exchange: Option<String>,
    pub(crate) since: Option<NaiveDate>,
    /// In the market's currency.
    pub(crate) market_cap: Option<f64>,
    /// The series, where the list has one.
    pub(crate) series: Option<String>,
    /// The company's number with the SEC, where the list has one.
    pub(crate) cik: Option<u64>,
}

/// The columns of a list: the symbol's, and those that may be missing.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListColumns {
    pub(crate) fields: usize,
    pub(crate) symbol: usize,
    pub(crate) name: Option<usize>,
    pub(crate) sector: Option<usize>,
    pub(crate) industry: Option<usize>,
    pub(crate) isin: Option<usize>,
    pub(crate) exchange: Option<usize>,
    pub(crate) series: Option<usize>,
    pub(crate) cik: Option<usize>,
}

impl ListColumns {
    /// Columns of a list with this symbol column; the caller adds what else there is.
    pub(crate) fn new(header: &Header, symbol: usize) -> Self {
        Self { fields: header.len(), symbol, ..Self::default() }
    }

    /// What a record says of its company.
    pub(crate) fn listed(&self, record: &Record) -> Result<Listed, Reason> {
        let text = |column: Option<usize>| column.and_then(|column| record.text(column)).map(str::to_owned);
        let symbol = record.text(self.symbol).ok_or(Reason::NoSymbol)?;
        Ok(Listed {
            symbol: symbol.strip_prefix("NSE:").unwrap_or(symbol).to_uppercase(),
            name: text(self.name),
            sector: text(self.sector),
            industry: text(self.industry),
            isin: text(self.isin),
            exchange: text(self.exchange),
            since: None,
            market_cap: None,
            series: text(self.series),
            cik: self.cik.and_then(|column| cik::number(record.cell(column))),
        })
    }
}

/// Whether a series is one of common stock.
pub(crate) fn is_common_series(series: &str) -> bool {
    matches!(series, "EQ" | "BE" | "BZ")
}
