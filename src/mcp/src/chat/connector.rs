//! `search` and `fetch`, with the arguments and answers that connectors of ChatGPT require: a search lists documents, each with an id, a
//! title and an address, and a fetch returns the text of one.

use rmcp::model::{CallToolResult, MetaObject};
use serde_json::{Map, Value as Json, json};

use super::super::handler::McpHandler;
use super::answer::{AnsweredPart, add_refused, whole_answer};
use super::arguments::ChatArguments;
use super::calling::{ChatCall, Parts};
use super::document_id::{DocumentId, document_of};
use super::document_text::markdown;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::Market;

const QUERY: &str = "query";
/// Part of a search that finds companies; the other part finds texts of companies.
const COMPANIES: &str = "companies";

/// Longest text of a document, in characters.
const DOCUMENT_CHARS: usize = 20_000;
/// Most words of a query that are searched. The last word is dropped, again and again, until something is found.
const MOST_WORDS: usize = 8;
/// Characters of a quoted text in a title.
const TITLE_CHARS: usize = 80;

impl McpHandler {
    /// Answers a search. If nothing is found, the query is searched without its last word, again and again.
    pub(super) async fn search_documents(
        &self,
        call: ChatCall<'_>,
        arguments: &ChatArguments,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let query = arguments.value(QUERY).unwrap_or_default();
        let mut words: Vec<&str> = query.split_whitespace().take(MOST_WORDS).collect();
        loop {
            let arguments = arguments.with(QUERY, words.join(" "));
            let parts = self.parts(call, &arguments).await?;
            let answered = parts.answer_parts().await;
            let is_last = words.pop().is_none() || words.is_empty();
            match answered {
                Err(refused) if is_last || refused.kind != ErrorKind::BadRequest => return Err(refused),
                Err(_) => {}
                Ok((answered, refused)) => {
                    let found = parts.documents(&answered);
                    if found.is_empty() && !is_last {
                        continue;
                    }
                    let found = parts.named_markets_in(query).into_iter().chain(found);
                    let results = found.map(|(document, title)| {
                        let url = parts.address(&document);
                        json!({"id": document.to_string(), "title": title, "url": url})
                    });
                    let mut answer = Map::from_iter([("results".to_owned(), results.collect::<Json>())]);
                    add_refused(&mut answer, &refused);
                    return Ok(parts.result(answer.into()));
                }
            }
        }
    }

    pub(super) async fn fetch_document(
        &self,
        call: ChatCall<'_>,
        arguments: &ChatArguments,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let document = document_of(arguments)?;
        let parts = self.parts(call, arguments).await?;
        let (answered, refused) = parts.answer_parts().await?;
        let head = parts.head();
        let title = document.title(&parts.service.snapshot());
        let text = markdown(&title, &whole_answer(&head, answered, &refused, DOCUMENT_CHARS));
        Ok(parts.result(json!({
            "id": document.to_string(),
            "title": title,
            "text": text,
            "url": parts.address(&document),
            "metadata": head,
        })))
    }
}

impl Parts<'_> {
    fn address(&self, document: &DocumentId) -> String {
        format!("{}{}", self.public_url.as_deref().unwrap_or_default(), document.page())
    }

    /// Returns the markets that a query names, with their titles.
    fn named_markets_in(&self, query: &str) -> Vec<(DocumentId, String)> {
        let query = query.to_lowercase();
        let words = query.split(|letter: char| !letter.is_alphanumeric());
        let is_named =
            |market: &Market| words.clone().any(|word| Market::find_by_word(word) == Some(*market));
        let markets = Market::ALL.into_iter().filter(is_named);
        let documents = markets.map(|market| DocumentId { market, symbol: None, day: None });
        documents.map(|document| (document.clone(), document.title(&self.service.snapshot()))).collect()
    }

    /// Returns the documents that a search found, each once, with their titles: companies, then days of texts.
    fn documents(&self, answered: &[AnsweredPart]) -> Vec<(DocumentId, String)> {
        let snapshot = self.service.snapshot();
        let mut found: Vec<(DocumentId, String)> = Vec::new();
        for (part, market) in answered.iter().filter_map(|part| Some((part, part.market?))) {
            for [symbol, said_on, kind, quote] in part.rows.texts(["symbol", "said_on", "text_kind", "quote"])
            {
                let day = if part.part == COMPANIES { None } else { said_on.parse().ok() };
                let document = DocumentId { market, symbol: Some(symbol), day };
                if found.iter().any(|(other, _)| *other == document) {
                    continue;
                }
                let mut title = document.title(&snapshot);
                if day.is_some() {
                    let quote: String = quote.chars().take(TITLE_CHARS).collect();
                    title = format!("{title}: {kind}, {quote}");
                }
                found.push((document, title));
            }
        }
        found
    }
}
