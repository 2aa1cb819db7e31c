//! Jobs: the rows to write for a prompt from the documents of companies.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use parquote_catalogue::operation::{Column, Market, Table};

use crate::document::SourceDocument;
use crate::prompt::Prompt;

/// A document with the prompt of a table, from which the model writes rows, mostly one.
#[derive(Debug, Clone)]
pub struct WriteJob<'a> {
    /// The prompt of the table.
    pub prompt: &'a Prompt,
    /// The table of the rows.
    pub table: &'a Table,
    /// The market of the company.
    pub market: Market,
    /// The document to read.
    pub document: &'a SourceDocument,
    /// Title of the row, unique among the documents of a company and day.
    pub title: String,
}

/// Jobs, and the documents without a job.
#[derive(Debug, Default)]
pub struct SelectedJobs<'a> {
    /// The jobs, by symbol, then by quarter or day.
    pub jobs: Vec<WriteJob<'a>>,
    /// Documents of a kind that the prompt reads, each with the reason why it is left out.
    pub left_out: Vec<(&'a SourceDocument, String)>,
}

/// Part of a table that a document may fill, by the key of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilledPart {
    /// The rows of a company.
    Company,
    /// The rows of a quarter of a company.
    Quarter,
    /// The rows of the document.
    Document,
}

impl FilledPart {
    fn new(table: &Table) -> Self {
        match table.key.as_slice() {
            [only] if only == "symbol" => Self::Company,
            key if key.iter().any(|name| name == PERIOD) => Self::Quarter,
            _ => Self::Document,
        }
    }

    /// Returns the name of the part that a document fills, unique within its company.
    fn name(self, document: &SourceDocument) -> String {
        match (self, document.period_end) {
            (Self::Company, _) => String::new(),
            (Self::Quarter, Some(end)) => end.to_string(),
            _ => format!("{} {}", document.published_on, document.hash),
        }
    }
}

/// Name of the column with the end of the period.
const PERIOD: &str = "period_end";

/// Selects the documents of a prompt. A table with the rows of one document for each quarter or company gets the best document: that of the
/// newest period, then of the first kind in the prompt, then the newest.
pub fn select<'a>(
    prompt: &'a Prompt,
    table: &'a Table,
    market: Market,
    documents: &'a [SourceDocument],
) -> SelectedJobs<'a> {
    let mut selected = SelectedJobs::default();
    let part = FilledPart::new(table);
    let mut best: BTreeMap<(String, String), (usize, &SourceDocument)> = BTreeMap::new();
    for document in documents {
        let Some(rank) = prompt.documents.iter().position(|kind| *kind == document.kind) else { continue };
        if let Some(reason) = reason_to_leave_out(prompt, table, document) {
            selected.left_out.push((document, reason));
            continue;
        }
        let chosen = best.entry((document.symbol.clone(), part.name(document))).or_insert((rank, document));
        let order = |rank: usize, document: &SourceDocument| {
            (document.period_end, Reverse(rank), document.published_on)
        };
        if order(rank, document) > order(chosen.0, chosen.1) {
            *chosen = (rank, document);
        }
    }
    let mut titles: BTreeMap<(&str, NaiveDate, &str), usize> = BTreeMap::new();
    for &(_, document) in best.values() {
        *titles.entry(company_day_title(document)).or_default() += 1;
    }
    for (_, document) in best.into_values() {
        let (_, _, title) = company_day_title(document);
        let is_only = titles.get(&company_day_title(document)) == Some(&1);
        // A number instead of the beginning of the hash would change when one more document arrives.
        let title = if is_only { title.to_owned() } else { format!("{title} ({:.6})", document.hash) };
        selected.jobs.push(WriteJob { prompt, table, market, document, title });
    }
    selected
}

/// Returns company, day and title of a document, which several documents may share.
fn company_day_title(document: &SourceDocument) -> (&str, NaiveDate, &str) {
    (document.symbol.as_str(), document.published_on, document.title.as_deref().unwrap_or("Contract"))
}

/// Returns true if a document cannot fill the table because it states no period.
pub(crate) fn lacks_period(table: &Table, document: &SourceDocument) -> bool {
    let mut columns = table.columns_anywhere();
    document.period_end.is_none() && columns.any(|column| column.name == PERIOD && !column.nullable)
}

fn reason_to_leave_out(prompt: &Prompt, table: &Table, document: &SourceDocument) -> Option<String> {
    if lacks_period(table, document) {
        return Some("it states no period: add period_end to a documents.csv beside it".to_owned());
    }
    let characters = document.characters();
    (characters > prompt.characters).then(|| {
        format!(
            "it has {characters} characters, more than the {} of queries/write/{}.toml",
            prompt.characters, prompt.table
        )
    })
}

/// Returns a symbol in the form for file names, with `_` in place of other characters.
pub(crate) fn file_symbol(symbol: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '&');
    symbol.chars().map(|c| if is_safe(c) { c } else { '_' }).collect()
}

impl WriteJob<'_> {
    /// Returns the column of the table that a column of the prompt fills; `None` if the market has no such column.
    pub(crate) fn declared_column(&self, name: &str) -> Option<&Column> {
        let name = self.prompt.rows.as_ref().map_or(name, |rows| rows.value.as_str());
        self.table.columns_in(self.market).find(|column| column.name == name)
    }

    /// Returns the end of the period of the rows; `None` if their table has rows for each document.
    pub(crate) fn period(&self) -> Option<NaiveDate> {
        self.document.period_end.filter(|_| FilledPart::new(self.table) != FilledPart::Document)
    }

    /// Returns the name of the row's file without `.json`: the company, with the quarter or the document if the table has rows for each.
    pub(crate) fn stem(&self) -> String {
        let symbol = file_symbol(&self.document.symbol);
        let hash: String = self.document.hash.chars().filter(char::is_ascii_alphanumeric).collect();
        match (FilledPart::new(self.table), self.document.period_end) {
            (FilledPart::Company, _) => symbol,
            (FilledPart::Quarter, Some(end)) => format!("{symbol}_{end}"),
            _ => format!("{symbol}_{}_{hash}", self.document.published_on),
        }
    }
}
