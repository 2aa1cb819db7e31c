//! A call of a chat tool: its parts on one snapshot, metered once, with a short answer.

use std::sync::Arc;

use chrono::Utc;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Map, Value as Json};

use super::super::calling::settle_call;
use super::super::chart::ChartRequest;
use super::super::handler::McpHandler;
use super::super::tool_request::ToolRequest;
use super::answer::{AnsweredPart, RefusedPart, whole_answer};
use super::arguments::ChatArguments;
use super::document_id::with_document;
use super::markets::{RequestedMarket, markets_of};
use super::tool::{ChatTool, MARKET};
use super::tool_file::{BuiltInPart, ChatPart, ConnectorTool, ParamKind, THEME};
use parquote_call::{MeteredCall, Pin, Service, markets_of_select};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Market, Operation};
use parquote_engine::lacking_feature;

/// The parameter with a SELECT.
const SQL: &str = "sql";

/// A call of an operation for a part of the answer.
pub(super) struct ChatPartCall<'a> {
    pub part: &'a ChatPart,
    pub market: Market,
    pub operation: &'a Arc<Operation>,
    pub pairs: Vec<(String, String)>,
}

/// A metered call of a chat tool, with its markets.
#[derive(Clone, Copy)]
pub(super) struct ChatCall<'a> {
    pub request: &'a ToolRequest,
    pub metered: &'a MeteredCall,
    pub tool: &'a ChatTool,
    pub markets: &'a [RequestedMarket],
}

/// The parts of a call, with the service that answers all of them from one snapshot.
pub(super) struct Parts<'a> {
    pub tool: &'a ChatTool,
    pub arguments: &'a ChatArguments,
    pub metered: &'a MeteredCall,
    pub service: Arc<Service>,
    pub markets: &'a [RequestedMarket],
    /// Public address of this server; `None` if it is not configured.
    pub public_url: Option<Arc<str>>,
}

impl McpHandler {
    pub(crate) async fn call_chat(
        &self,
        request: &ToolRequest,
        tool: &ChatTool,
        arguments: &JsonObject,
    ) -> CallToolResult {
        if tool.exports() {
            return Box::pin(self.call_export(request, tool, arguments)).await;
        }
        let snapshot = self.service.snapshot_for(&request.caller);
        let parsed = ChatArguments::read(tool, arguments)
            .and_then(|arguments| with_document(tool, arguments))
            .and_then(|arguments| {
                markets_of(tool, &arguments, &snapshot).map(|markets| (arguments, markets))
            });
        let cost = parsed.as_ref().map_or(1, |(arguments, markets)| cost(tool, arguments, markets));
        let metered = match self.enter_call(request, &tool.counted_at(cost)).await {
            Ok(metered) => metered,
            Err(refused) => return *refused,
        };
        let answered = match parsed {
            Ok((arguments, markets)) => {
                let call = ChatCall { request, metered: &metered, tool, markets: &markets };
                match tool.file.connector {
                    None => self.chat_answer(call, &arguments).await,
                    Some(ConnectorTool::Search) => Box::pin(self.search_documents(call, &arguments)).await,
                    Some(ConnectorTool::Fetch) => Box::pin(self.fetch_document(call, &arguments)).await,
                }
            }
            Err(refused) => Err(refused),
        };
        settle_call(request, metered, answered)
    }

    async fn chat_answer(
        &self,
        call: ChatCall<'_>,
        arguments: &ChatArguments,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let parts = self.parts(call, arguments).await?;
        parts.check_unused()?;
        if let Some(drawn) = parts.drawn_call()? {
            return self.drawn_part(call.request, &parts, drawn).await;
        }
        let (answered, refused) = parts.answer_parts().await?;
        Ok(parts.result(whole_answer(&parts.head(), answered, &refused, arguments.chars)))
    }

    /// Prepares the parts of a call, all on one snapshot.
    pub(super) async fn parts<'a>(
        &self,
        call: ChatCall<'a>,
        arguments: &'a ChatArguments,
    ) -> Result<Parts<'a>, ClientError> {
        let ChatCall { request, metered, tool, markets } = call;
        let pin = arguments.snapshot.as_deref().map(Pin::from_argument).or(request.pin());
        let markets_read = markets_read(arguments, markets);
        let service = Arc::new(self.service.for_parts(metered, &markets_read, pin).await?);
        Ok(Parts { tool, arguments, metered, service, markets, public_url: self.public_url.clone() })
    }

    /// Draws a part as a picture, as `get_chart` does.
    async fn drawn_part(
        &self,
        request: &ToolRequest,
        parts: &Parts<'_>,
        call: ChatPartCall<'_>,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let handler = Self { service: Arc::clone(&parts.service), ..self.clone() };
        let request = ToolRequest { pin: None, ..request.clone() };
        let metered = parts.service.enter(call.operation, &request.caller).await?;
        let theme = parts.arguments.value(THEME).map(str::to_owned);
        let chart = ChartRequest::new(Arc::clone(call.operation), call.pairs, theme);
        match lacking_feature(AnswerFormat::Png) {
            Some(feature) => handler.figures_without_picture(&request, &metered, &chart, feature).await,
            None => handler.draw(&request, &metered, &chart).await,
        }
    }
}

/// Returns the markets whose data a call reads, also those whose schemas a SELECT names.
fn markets_read(arguments: &ChatArguments, markets: &[RequestedMarket]) -> Vec<Market> {
    let markets = markets.iter().map(|requested| requested.market);
    match arguments.value(SQL) {
        Some(sql) => markets_of_select(sql, markets.clone().next().unwrap_or(Market::India)),
        None => markets.collect(),
    }
}

/// Returns the cost of a call, which is the cost of its most expensive part.
pub(super) fn cost(tool: &ChatTool, arguments: &ChatArguments, markets: &[RequestedMarket]) -> u32 {
    let parts = tool.file.part.iter().filter(|part| arguments.requests(part));
    let costs =
        parts.flat_map(|part| markets.iter().filter_map(|one| Some(tool.operation(part, one.market)?.cost)));
    costs.max().unwrap_or(1)
}

impl<'a> Parts<'a> {
    /// Returns the calls of operations, in the order of the parts.
    pub(super) fn calls(&self) -> Vec<ChatPartCall<'a>> {
        let mut calls = Vec::new();
        let tool = self.tool;
        for part in tool.file.part.iter().filter(|part| self.arguments.requests(part)) {
            for requested in self.markets {
                let Some(operation) = tool.operation(part, requested.market) else { continue };
                let groups: Vec<&[String]> = if part.each {
                    requested.tickers.chunks(1).collect()
                } else {
                    vec![&requested.tickers[..]]
                };
                for tickers in groups {
                    if let Some(pairs) = self.pairs(part, operation, requested.market, tickers) {
                        calls.push(ChatPartCall { part, market: requested.market, operation, pairs });
                    }
                }
            }
        }
        calls
    }

    /// Returns the arguments of an operation; `None` if a required one is missing.
    fn pairs(
        &self,
        part: &ChatPart,
        operation: &Operation,
        market: Market,
        tickers: &[String],
    ) -> Option<Vec<(String, String)>> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in part.arguments_in(market) {
            let value = match value.strip_prefix('$') {
                None => value.clone(),
                Some(MARKET) => market.word().to_owned(),
                Some(name) => {
                    let kind = self.tool.param(name).map(|param| param.kind);
                    let is_ticker = matches!(kind, Some(ParamKind::Symbol | ParamKind::Symbols));
                    let values = if is_ticker { tickers } else { self.arguments.values(name) };
                    values.join(",")
                }
            };
            if !value.is_empty() {
                pairs.push((name.clone(), value));
            }
        }
        if let Some((_, seen)) = self.arguments.cursor.as_ref().filter(|_| operation.has_rows()) {
            pairs.push(("offset".to_owned(), seen.to_string()));
        }
        let has = |name: &str| pairs.iter().any(|(known, _)| known == name);
        operation.params.iter().all(|param| !param.is_required() || has(&param.name)).then_some(pairs)
    }

    /// Answers all parts. Failed parts are reported with the others; if all parts fail, the error is the refusal of the first.
    pub(super) async fn answer_parts(&self) -> Result<(Vec<AnsweredPart>, Vec<RefusedPart>), ClientError> {
        let (mut answered, mut failed) = (Vec::new(), Vec::new());
        for part in self.tool.file.part.iter().filter(|part| self.arguments.requests(part)) {
            let built_in = part.built_in.map(|kind| (kind, self.answer_built_in(part, kind)));
            let is_shown =
                |(kind, part): &(BuiltInPart, AnsweredPart)| !kind.is_hint() || !part.rows.is_empty();
            answered.extend(built_in.filter(is_shown).map(|(_, part)| part));
        }
        let calls = self.calls();
        let unanswered = self.unanswered_tickers(&calls);
        for call in calls {
            // The name of a part that exists in only one market does not contain the market.
            let is_several = self.markets.len() > 1 && call.part.market.is_none();
            let market = Some(call.market).filter(|_| is_several);
            match self.rows(&call).await {
                Ok(rows) => {
                    let (name, empty) = (part_name(&call), call.part.empty.clone());
                    let part = call.part.name.clone();
                    answered.push(AnsweredPart { name, part, market, rows, empty });
                }
                Err(refused) => failed.push((part_name(&call), refused)),
            }
        }
        failed.extend(unanswered);
        if let Some(first) = answered.first_mut() {
            first.rows.notes.extend(self.partial_notes());
        }
        if answered.is_empty() {
            let nothing = || ClientError::new(ErrorKind::BadRequest, self.nothing_requested());
            return Err(failed.into_iter().next().map_or_else(nothing, |(_, refused)| refused));
        }
        let refused = |(name, error): (String, ClientError)| RefusedPart { name, message: error.message };
        Ok((answered, failed.into_iter().map(refused).collect()))
    }

    /// Returns the head of the answer: market, session, and the snapshot.
    pub(super) fn head(&self) -> Map<String, Json> {
        let snapshot = self.service.snapshot();
        let mut head = Map::new();
        let markets = markets_read(self.arguments, self.markets);
        let is_several = markets.len() > 1;
        if let [market] = markets.as_slice() {
            head.insert("market".into(), market.word().into());
        }
        for market in markets {
            let Some(as_of) = snapshot.as_of(market) else { continue };
            let name = if is_several { format!("{market}.as_of") } else { "as_of".to_owned() };
            head.insert(name, as_of.to_string().into());
            // Up-to-date data needs no note.
            if let Some(behind) = snapshot.sessions_behind(market, Utc::now()).filter(|behind| *behind > 1) {
                let name = if is_several {
                    format!("{market}.sessions_behind")
                } else {
                    "sessions_behind".to_owned()
                };
                head.insert(name, behind.into());
            }
        }
        head.insert("snapshot".into(), snapshot.id().into());
        head
    }

    /// Returns the result with an answer, as text and as structured content: clients show their model only one of them.
    pub(super) fn result(&self, answer: Json) -> (CallToolResult, MetaObject) {
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.to_string())]);
        result.structured_content = Some(answer);
        (result, self.provenance())
    }

    pub(super) fn provenance(&self) -> MetaObject {
        let mut meta = MetaObject::new();
        meta.insert("parquote/snapshot".to_owned(), self.service.snapshot().id().into());
        meta
    }
}

/// Returns the name of a part in the answer, with its ticker if the part is called once for each ticker.
pub(super) fn part_name(call: &ChatPartCall<'_>) -> String {
    let ticker = call.pairs.iter().find(|(name, _)| name == "symbol").filter(|_| call.part.each);
    ticker.map_or_else(|| call.part.name.clone(), |(_, ticker)| format!("{} {ticker}", call.part.name))
}
