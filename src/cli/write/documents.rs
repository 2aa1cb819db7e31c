//! Documents of companies, read from the tables by the operations of the explorer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Context as _;
use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::call::{CallOptions, Caller, Service};
use crate::cli::named_operation::{name_in_market, operation};
use crate::config::DataRoot;
use crate::engine::{LoadScope, QueryLimits, Snapshot};
use crate::operation::{AnswerFormat, Catalogue, Market, Offer};
use parquote_write::SourceDocument;

/// Names of the called operations, without the prefix `us/`.
const DOCUMENT_LIST: &str = "explore/documents";
const DOCUMENT_TEXT: &str = "explore/document";
const MEMBERS: &str = "market/index-constituents";
/// The most documents of a company, and paragraphs of a document, in one answer; the operations allow no more.
const MOST_DOCUMENTS: usize = 500;
const MOST_PARAGRAPHS: usize = 5_000;

/// Reads documents from the newest set of a market.
pub(super) struct DocumentReader {
    service: Service,
    market: Market,
    /// The last session of the market.
    pub as_of: Option<NaiveDate>,
}

/// Selection of documents.
pub(super) struct WantedDocuments<'a> {
    pub kinds: BTreeSet<&'a str>,
    pub since: Option<NaiveDate>,
}

impl WantedDocuments<'_> {
    /// Returns true for a document from which rows are to be written.
    pub(super) fn is_new(&self, document: &SourceDocument) -> bool {
        self.since.is_none_or(|since| document.published_on >= since)
    }
}

/// A document in the list of a company.
#[derive(Deserialize)]
struct ListedDocument {
    symbol: String,
    published_on: NaiveDate,
    document_kind: String,
    document_title: Option<String>,
    period_end: Option<NaiveDate>,
    document_url: Option<String>,
    document_hash: String,
}

impl ListedDocument {
    fn without_paragraphs(self) -> SourceDocument {
        SourceDocument {
            symbol: self.symbol,
            kind: self.document_kind,
            published_on: self.published_on,
            period_end: self.period_end,
            title: self.document_title,
            url: self.document_url,
            hash: self.document_hash,
            paragraphs: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
struct Paragraph {
    paragraph: usize,
    paragraph_text: String,
}

#[derive(Deserialize)]
struct IndexMemberRow {
    symbol: String,
}

impl DocumentReader {
    /// Opens the newest set.
    pub(super) async fn open(all: &Catalogue, market: Market, data: &DataRoot) -> anyhow::Result<Self> {
        let names = [DOCUMENT_LIST, DOCUMENT_TEXT, MEMBERS].map(|name| name_in_market(market, name));
        let catalogue = Arc::new(all.with_operations(|operation| names.contains(&operation.name)));
        let (root, limits) = (data.open()?, QueryLimits::default());
        let snapshot = Snapshot::open(Arc::clone(&catalogue), &root, LoadScope::Served, &limits).await?;
        Ok(Self::over(catalogue, snapshot, market))
    }

    /// Reads from a snapshot that has the operations of the catalogue.
    pub(super) fn over(catalogue: Arc<Catalogue>, snapshot: Snapshot, market: Market) -> Self {
        let as_of = snapshot.as_of(market);
        Self { service: Service::new(catalogue, snapshot), market, as_of }
    }

    /// Returns the symbols, with the members of an index.
    pub(super) async fn symbols(
        &self,
        symbols: &[String],
        index: Option<&str>,
    ) -> anyhow::Result<BTreeSet<String>> {
        let mut all: BTreeSet<String> = symbols.iter().map(|symbol| symbol.trim().to_uppercase()).collect();
        all.remove("");
        if let Some(index) = index {
            let parameter = if self.market == Market::India { "index" } else { "index_name" };
            let members: Vec<IndexMemberRow> = self.rows(MEMBERS, &[(parameter, index)]).await?;
            all.extend(members.into_iter().map(|member| member.symbol));
        }
        Ok(all)
    }

    /// Returns all documents of companies without their paragraphs, by symbol, the oldest first.
    pub(super) async fn list_documents(
        &self,
        symbols: &BTreeSet<String>,
    ) -> anyhow::Result<Vec<SourceDocument>> {
        let mut documents = Vec::new();
        for symbol in symbols {
            let listed: Vec<ListedDocument> =
                self.all_rows(DOCUMENT_LIST, &[("symbol", symbol.as_str())], MOST_DOCUMENTS).await?;
            documents.extend(listed.into_iter().rev().map(ListedDocument::without_paragraphs));
        }
        Ok(documents)
    }

    /// Returns the wanted documents with their paragraphs, and earlier documents of the same or a later period, which may be better.
    pub(super) async fn documents(
        &self,
        listed: &[SourceDocument],
        wanted: &WantedDocuments<'_>,
    ) -> anyhow::Result<Vec<SourceDocument>> {
        let (mut documents, mut known) = (Vec::new(), BTreeSet::new());
        let of_kinds: Vec<&SourceDocument> =
            listed.iter().filter(|one| wanted.kinds.contains(one.kind.as_str())).collect();
        let mut earliest: BTreeMap<&str, NaiveDate> = BTreeMap::new();
        for one in of_kinds.iter().filter(|one| wanted.is_new(one)) {
            let Some(period) = one.period_end else { continue };
            let first = earliest.entry(one.symbol.as_str()).or_insert(period);
            *first = period.min(*first);
        }
        for one in of_kinds {
            // The same text under several days counts on the first of them, even if that is not wanted.
            let is_first = known.insert((one.symbol.as_str(), one.kind.as_str(), one.hash.as_str()));
            let since = earliest.get(one.symbol.as_str());
            let may_be_better = since.is_some_and(|since| one.period_end >= Some(*since));
            if is_first && (wanted.is_new(one) || may_be_better) {
                documents.push(self.with_paragraphs(one).await?);
            }
        }
        Ok(documents)
    }

    async fn with_paragraphs(&self, listed: &SourceDocument) -> anyhow::Result<SourceDocument> {
        let arguments = [("symbol", listed.symbol.as_str()), ("document", listed.hash.as_str())];
        let rows: Vec<Paragraph> = self.all_rows(DOCUMENT_TEXT, &arguments, MOST_PARAGRAPHS).await?;
        let count = rows.iter().map(|row| row.paragraph).max().unwrap_or_default();
        let mut paragraphs = vec![String::new(); count];
        for row in rows {
            if let Some(place) = row.paragraph.checked_sub(1).and_then(|at| paragraphs.get_mut(at)) {
                *place = row.paragraph_text;
            }
        }
        Ok(SourceDocument { paragraphs, ..listed.clone() })
    }

    /// Calls an operation until it has no more rows; `limit` is the maximum number of rows of one answer.
    async fn all_rows<T: DeserializeOwned>(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
        limit: usize,
    ) -> anyhow::Result<Vec<T>> {
        let (mut rows, limit_text) = (Vec::new(), limit.to_string());
        loop {
            let offset = rows.len().to_string();
            let page = [("limit", limit_text.as_str()), ("offset", offset.as_str())];
            let more: Vec<T> = self.rows(name, &[arguments, page.as_slice()].concat()).await?;
            let is_last = more.len() < limit;
            rows.extend(more);
            if is_last {
                return Ok(rows);
            }
        }
    }

    /// Calls an operation and returns its rows.
    async fn rows<T: DeserializeOwned>(
        &self,
        name: &str,
        arguments: &[(&str, &str)],
    ) -> anyhow::Result<Vec<T>> {
        let name = name_in_market(self.market, name);
        let operation = operation(self.service.catalogue(), &name)?;
        let metered = self.service.enter(operation, &Caller::unmetered()).await?;
        let options = CallOptions::new(Offer::any(AnswerFormat::Json));
        let call = self.service.admit(&metered, arguments.iter().copied(), options).await?;
        let answer = self.service.run(&call).await?;
        serde_json::from_slice(&answer.body).with_context(|| format!("the answer of {name} cannot be read"))
    }
}
