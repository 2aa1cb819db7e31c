//! A call of a chat tool: its parts on one snapshot, metered once, with a short answer.

use std::sync::Arc;

use chrono::Utc;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Map, Value as Json};

use super::super::calling::settled;
use super::super::chart::ChartRequest;
use super::super::handler::McpHandler;
use super::super::tool_request::ToolRequest;
use super::answer::{AnsweredPart, RefusedPart, whole};
use super::asked::ChatArguments;
use super::markets::{RequestedMarket, markets_of};
use super::own_parts;
use super::table::PartRows;
use super::tool::{ChatTool, MARKET};
use super::tool_file::{BuiltInPart, ChatPart, ParamKind};
use parquote_call::{Call, CallOptions, MeteredCall, Service};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{AnswerFormat, Market, Offer, Operation};
use parquote_engine::EncodedAnswer;

/// The parameter with a SELECT.
const SQL: &str = "sql";

/// A call of an operation for a part of the answer.
pub(super) struct ChatPartCall<'a> {
    pub part: &'a ChatPart,
    pub market: Market,
    pub operation: &'a Arc<Operation>,
    pub pairs: Vec<(String, String)>,
}

/// A call with the service that answers all of its parts.
pub(super) struct Parts<'a> {
    tool: &'a ChatTool,
    asked: &'a ChatArguments,
    pub metered: &'a MeteredCall,
    service: Arc<Service>,
    markets: &'a [RequestedMarket],
}

impl McpHandler {
    /// Calls a chat tool.
    pub(crate) async fn call_chat(
        &self,
        request: &ToolRequest,
        tool: &ChatTool,
        arguments: &JsonObject,
    ) -> CallToolResult {
        if tool.exports() {
            return Box::pin(self.call_export(request, tool, arguments)).await;
        }
        let snapshot = self.service.snapshot();
        let read = ChatArguments::read(tool, arguments)
            .and_then(|asked| markets_of(tool, &asked, &snapshot).map(|markets| (asked, markets)));
        let cost = read.as_ref().map_or(1, |(asked, markets)| cost(tool, asked, markets));
        let metered = match self.entered(request, &tool.counted_at(cost)).await {
            Ok(metered) => metered,
            Err(refused) => return *refused,
        };
        let answered = match read {
            Ok((asked, markets)) => self.chat_answer(request, &metered, tool, &asked, &markets).await,
            Err(refused) => Err(refused),
        };
        settled(request, metered, answered)
    }

    async fn chat_answer(
        &self,
        request: &ToolRequest,
        metered: &MeteredCall,
        tool: &ChatTool,
        asked: &ChatArguments,
        markets: &[RequestedMarket],
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let parts = self.parts(request, metered, tool, asked, markets).await?;
        parts.check_given()?;
        if let Some(call) = parts.calls().into_iter().find(|call| call.part.picture) {
            return self.drawn_part(request, &parts, call).await;
        }
        let (answered, refused) = parts.answered().await?;
        let answer = whole(&parts.head(), answered, &refused, asked.chars);
        let mut result = CallToolResult::success(vec![ContentBlock::text(answer.to_string())]);
        result.structured_content = Some(answer);
        Ok((result, parts.provenance()))
    }

    /// Prepares the parts of a call, all on one snapshot.
    pub(super) async fn parts<'a>(
        &self,
        request: &ToolRequest,
        metered: &'a MeteredCall,
        tool: &'a ChatTool,
        asked: &'a ChatArguments,
        markets: &'a [RequestedMarket],
    ) -> Result<Parts<'a>, ClientError> {
        let market = markets.first().map_or(Market::India, |of| of.market);
        let pin = asked.snapshot.as_deref().or(request.pin.as_deref());
        let service = Arc::new(self.service.for_parts(metered, market, pin).await?);
        Ok(Parts { tool, asked, metered, service, markets })
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
        let theme = parts.asked.value("theme").map(str::to_owned);
        let asked = ChartRequest::new(Arc::clone(call.operation), call.pairs, theme);
        handler.drawn(&request, &metered, &asked).await
    }
}

/// Returns the cost of a call: that of its most expensive part.
pub(super) fn cost(tool: &ChatTool, asked: &ChatArguments, markets: &[RequestedMarket]) -> u32 {
    let parts = tool.file.part.iter().filter(|part| asked.asks_for(part));
    let costs =
        parts.flat_map(|part| markets.iter().filter_map(|of| Some(tool.operation(part, of.market)?.cost)));
    costs.max().unwrap_or(1)
}

impl<'a> Parts<'a> {
    /// Returns the calls of operations, in the order of the parts.
    pub(super) fn calls(&self) -> Vec<ChatPartCall<'a>> {
        let mut calls = Vec::new();
        let tool = self.tool;
        for part in tool.file.part.iter().filter(|part| self.asked.asks_for(part)) {
            for of in self.markets {
                let Some(operation) = tool.operation(part, of.market) else { continue };
                let each: Vec<&[String]> =
                    if part.each { of.tickers.chunks(1).collect() } else { vec![&of.tickers[..]] };
                for tickers in each {
                    if let Some(pairs) = self.pairs(part, operation, of.market, tickers) {
                        calls.push(ChatPartCall { part, market: of.market, operation, pairs });
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
                Some(from) => {
                    let kind = self.tool.param(from).map(|param| param.kind);
                    let is_ticker = matches!(kind, Some(ParamKind::Symbol | ParamKind::Symbols));
                    let said = if is_ticker { tickers } else { self.asked.values(from) };
                    said.join(",")
                }
            };
            if !value.is_empty() {
                pairs.push((name.clone(), value));
            }
        }
        if let Some((_, seen)) = self.asked.cursor.as_ref().filter(|_| operation.has_rows()) {
            pairs.push(("offset".to_owned(), seen.to_string()));
        }
        let has = |name: &str| pairs.iter().any(|(known, _)| known == name);
        operation.params.iter().all(|param| !param.required() || has(&param.name)).then_some(pairs)
    }

    /// Answers all parts. Failed parts are reported with the others.
    ///
    /// # Errors
    /// The refusal of the first part, if no part has an answer.
    async fn answered(&self) -> Result<(Vec<AnsweredPart>, Vec<RefusedPart>), ClientError> {
        let (mut answered, mut failed) = (Vec::new(), Vec::new());
        for part in self.tool.file.part.iter().filter(|part| self.asked.asks_for(part)) {
            answered.extend(part.own.map(|own| self.own(part, own)));
        }
        for call in self.calls() {
            // A part of only one market does not name the market.
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
        if answered.is_empty() {
            let nothing = || ClientError::new(ErrorKind::BadRequest, self.nothing_asked());
            return Err(failed.into_iter().next().map_or_else(nothing, |(_, refused)| refused));
        }
        let told = |(name, refused): (String, ClientError)| RefusedPart { name, message: refused.message };
        Ok((answered, failed.into_iter().map(told).collect()))
    }

    /// Refuses a parameter that none of the called parts takes: dropped, the answer would be that of another question. A call that continues
    /// one part repeats the arguments of all.
    pub(super) fn check_given(&self) -> Result<(), ClientError> {
        let parts = &self.tool.file.part;
        let takes = |part: &&ChatPart, market: Market, name: &str| {
            self.tool.operation(part, market).is_some() && part.takes(market, name)
        };
        let called: Vec<&ChatPart> = parts.iter().filter(|part| self.asked.asks_for(part)).collect();
        if self.asked.cursor.is_some() || called.is_empty() || called.iter().any(|part| part.own.is_some()) {
            return Ok(());
        }
        for name in self.asked.given() {
            let is_taken = |part: &&ChatPart| self.markets.iter().any(|of| takes(part, of.market, name));
            let is_of_market = self.tool.param(name).is_some_and(|param| param.kind == ParamKind::Market);
            if is_of_market || called.iter().any(is_taken) {
                continue;
            }
            let here = |market: &Market| self.markets.iter().any(|of| of.market == *market);
            let elsewhere = Market::ALL.into_iter().filter(|market| !here(market));
            let mut elsewhere =
                elsewhere.filter(|market| parts.iter().any(|part| takes(&part, *market, name)));
            let is_known_here = parts.iter().any(|part| is_taken(&part));
            let why = if let Some(market) = elsewhere.next().filter(|_| !is_known_here) {
                format!("{} knows it in {market} alone", self.tool.name)
            } else {
                let names: Vec<&str> = called.iter().map(|part| part.name.as_str()).collect();
                format!(
                    "{} does not take it for what this call answers ({})",
                    self.tool.name,
                    names.join(", ")
                )
            };
            let message = format!("`{name}`: {why}; leave it out");
            let error = ClientError::new(ErrorKind::BadRequest, message.clone());
            return Err(ClientError { violations: vec![(name.clone(), message)], ..error });
        }
        Ok(())
    }

    /// Returns the message for arguments that request no part.
    pub(super) fn nothing_asked(&self) -> String {
        let params: Vec<String> =
            self.tool.file.param.iter().map(|param| format!("`{}`: {}", param.name, param.words)).collect();
        format!(
            "{} needs more to answer, or has no such answer of this market; {}",
            self.tool.name,
            params.join(" ")
        )
    }

    fn own(&self, part: &ChatPart, own: BuiltInPart) -> AnsweredPart {
        let snapshot = self.service.snapshot();
        let words = self.asked.value("q").unwrap_or_default();
        let rows = match own {
            BuiltInPart::Figures => own_parts::figures(self.service.catalogue(), words),
            BuiltInPart::Names => own_parts::names(&snapshot, words),
            // The export tool is called elsewhere.
            BuiltInPart::Files => PartRows::default(),
            BuiltInPart::Status => {
                let caller = self.metered.caller();
                own_parts::status(&snapshot, caller.tier(), self.metered.allowance(), Utc::now())
            }
        };
        AnsweredPart {
            name: part.name.clone(),
            part: part.name.clone(),
            market: None,
            rows,
            empty: part.empty.clone(),
        }
    }

    /// Runs one call, in this format if the operation has several.
    pub(super) async fn run(
        &self,
        call: &ChatPartCall<'_>,
        offer: Offer,
        format: AnswerFormat,
    ) -> Result<(Call, EncodedAnswer), ClientError> {
        let metered = self.service.enter(call.operation, self.metered.caller()).await?;
        let format = Some(("format", format.word())).filter(|_| call.operation.is_formatted());
        let pairs = call.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(format);
        let admitted = self.service.admit(&metered, pairs, CallOptions::new(offer)).await?;
        let encoded = self.service.run(&admitted).await?;
        Ok((admitted, encoded))
    }

    /// Returns the rows of one call.
    pub(super) async fn rows(&self, call: &ChatPartCall<'_>) -> Result<PartRows, ClientError> {
        let (admitted, encoded) = self.run(call, Offer::ENVELOPED, AnswerFormat::Columns).await?;
        let answer: Json = serde_json::from_slice(&encoded.body).map_err(|error| {
            let message = format!("the server failed on the answer of {}", call.operation.name);
            ClientError::caused(ErrorKind::Internal, message, error)
        })?;
        let columns = self.columns(call.part, &answer);
        let mut rows = PartRows::from_answer(call.part, answer, &columns, &admitted.columns());
        rows.age = admitted.about_age(encoded.extent);
        rows.goes_on = call.operation.has_rows();
        if let Some(extent) = encoded.extent {
            (rows.offset, rows.total, rows.more) = (extent.offset, extent.total, extent.more);
        }
        Ok(rows)
    }

    /// Returns the columns of a part: its fixed ones, those of the requested sections, and those of the parsed conditions.
    fn columns(&self, part: &ChatPart, answer: &Json) -> Vec<String> {
        let mut columns = part.columns.clone();
        let chosen: Vec<&String> = part.by.iter().flat_map(|by| self.asked.values(by)).collect();
        if chosen.is_empty() {
            columns.extend(part.otherwise.iter().cloned());
        }
        for name in chosen {
            match part.sections.get(name) {
                Some(section) => columns.extend(section.iter().cloned()),
                None => columns.push(name.clone()),
            }
        }
        let criteria = part.criteria.as_ref().and_then(|criteria| answer.get(criteria));
        if let Some(criteria) = criteria {
            fields_of(criteria, &mut columns);
        }
        columns
    }

    /// Returns the markets of the answer: those of the call; and of a SELECT that names a schema, as in `us.stocks`, all. A SELECT is parsed in
    /// a process of its own, so its text is only searched here.
    fn named_markets(&self) -> Vec<Market> {
        let sql = self.asked.value(SQL).unwrap_or_default().to_lowercase();
        let names = |market: &Market| {
            let words = sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '.');
            words
                .into_iter()
                .any(|word| word.split_once('.').is_some_and(|(schema, _)| schema == market.word()))
        };
        if Market::ALL.iter().any(names) {
            return Market::ALL.to_vec();
        }
        self.markets.iter().map(|of| of.market).collect()
    }

    /// Returns the head of the answer: market, session, and the snapshot.
    fn head(&self) -> Map<String, Json> {
        let snapshot = self.service.snapshot();
        let mut head = Map::new();
        let markets = self.named_markets();
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
                let words = if is_several {
                    format!("{market}.sessions_behind")
                } else {
                    "sessions_behind".to_owned()
                };
                head.insert(words, behind.into());
            }
        }
        head.insert("snapshot".into(), snapshot.id().into());
        head
    }

    pub(super) fn provenance(&self) -> MetaObject {
        let mut meta = MetaObject::new();
        meta.insert("parquote/snapshot".to_owned(), self.service.snapshot().id().into());
        meta
    }
}

/// Collects the fields of a tree of conditions.
fn fields_of(criteria: &Json, fields: &mut Vec<String>) {
    match criteria {
        Json::Object(condition) => {
            fields.extend(condition.get("field").and_then(Json::as_str).map(str::to_owned));
            condition.values().for_each(|inner| fields_of(inner, fields));
        }
        Json::Array(items) => items.iter().for_each(|inner| fields_of(inner, fields)),
        _ => {}
    }
}

/// Returns the name of a part in the answer: with its ticker, if it is called for each.
fn part_name(call: &ChatPartCall<'_>) -> String {
    let ticker = call.pairs.iter().find(|(name, _)| name == "symbol").filter(|_| call.part.each);
    ticker.map_or_else(|| call.part.name.clone(), |(_, ticker)| format!("{} {ticker}", call.part.name))
}
