//! A call of a tool: the same path as over REST, from the tier to the cost, with the answer in the form for models.

use std::sync::Arc;

use chrono::Utc;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject};
use serde_json::{Value as Json, json};

use super::answer::{self, AnsweredData};
use super::detail::{DETAIL, Detail};
use super::handler::McpHandler;
use super::refused;
use super::shortened_data::AnswerLength;
use super::tool_request::ToolRequest;
use super::tool_search::{FoundTool, ToolQuery};
use super::tools::ToolEntry;
use super::twin_names;
use super::view::{MOST_BYTES, ToolView};
use parquote_access::Allowance;
use parquote_call::{Call, CallOptions, FigureCoverage, MeteredCall, OperationTerms, is_invented};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    Offer, Operation, Tier, argument_text, misspelt, sessions_behind, truncate_for_message,
};

/// Argument that chooses between rows as objects and rows as arrays.
const FORMAT: &str = "format";

impl McpHandler {
    /// Calls a tool by its name. An unknown name is an error; all other failures are results.
    pub(super) async fn call(
        &self,
        tool_call: &ToolRequest,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        if self.tools.chart().is_some_and(|chart| chart.name == name) {
            return Ok(Box::pin(self.call_chart(tool_call, arguments)).await);
        }
        let entry = self.tools.find(name).ok_or_else(|| self.unknown_tool(name))?;
        let metered = match self.enter_call(tool_call, &entry.operation).await {
            Ok(metered) => metered,
            Err(refused) => return Ok(*refused),
        };
        let answered = self.answer_call(tool_call, &metered, entry, arguments).await;
        Ok(settle_call(tool_call, metered, answered))
    }

    /// Admits the caller to an operation; the error is the result that refuses the call, by tier or quota.
    pub(super) async fn enter_call(
        &self,
        tool_call: &ToolRequest,
        operation: &Arc<Operation>,
    ) -> Result<MeteredCall, Box<CallToolResult>> {
        tool_call.outcome.record_call(&operation.name);
        let entered = self.service.enter(operation, &tool_call.caller).await;
        entered.map_err(|refused| Box::new(self.uncharged_refusal(tool_call, refused)))
    }

    /// Returns the result of a refused call that was not charged.
    pub(super) fn uncharged_refusal(&self, tool_call: &ToolRequest, refused: ClientError) -> CallToolResult {
        let allowance = self.service.allowance(&tool_call.caller);
        record_refusal(tool_call, allowance, false, refused, tool_call.caller.tier())
    }

    async fn answer_call(
        &self,
        tool_call: &ToolRequest,
        metered: &MeteredCall,
        entry: &ToolEntry,
        arguments: &JsonObject,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let detail = Detail::read(&entry.operation, arguments)?;
        // Strict clients send null for each argument that they leave out.
        let non_null = arguments.iter().filter(|(_, value)| !value.is_null());
        let passed = non_null.filter(|(name, _)| detail.is_none() || *name != DETAIL);
        let pairs: Vec<(&str, String)> = passed
            .map(|(name, value)| (twin_names::param(&entry.operation, name), argument_text(value)))
            .collect();
        let view_format =
            tool_call.view.format().filter(|_| entry.operation.has_rows() && !has_format(arguments));
        let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = pairs.chain(view_format.map(|format| (FORMAT, format)));
        let options = CallOptions { pin: tool_call.pin(), ..CallOptions::new(Offer::ENVELOPED) };
        let call = self.service.admit_tool(metered, pairs, options).await?;
        let encoded = self.service.run(&call).await?;
        let mut data: Json = encoded.parse_body(&entry.tool.name)?;
        if let Some(detail) = detail {
            detail.apply(&mut data);
        }
        let bytes = tool_call.view.answer_bytes().unwrap_or(self.answer_bytes);
        let measure =
            AnswerLength { extent: encoded.extent, named_symbols: call.symbols(), bytes, most: MOST_BYTES };
        let is_empty = encoded.extent.is_some_and(|extent| extent.rows == 0);
        let elsewhere = Some(&call).filter(|_| is_empty).and_then(Call::other_market_note);
        // Some clients show their model the text alone, others the structured answer alone: the notes are in both.
        let age = call.age_note(&[], encoded.extent);
        let coverage = Box::pin(self.service.coverage(&call)).await;
        let coverage_note = coverage.as_deref().map(FigureCoverage::note);
        let notes = call.notes().into_iter().chain(elsewhere).chain(age).chain(coverage_note).collect();
        let terms = self.terms_of(&call, &entry.operation);
        let source_terms = terms.map_or_else(String::new, |terms| terms.header_line.to_string());
        let source = AnsweredData { notes, source_terms, ..answered_data(&call) };
        let (structured, text) = answer::structured_answer(source, data, measure)
            .map_err(|too_long| ClientError::new(ErrorKind::BadRequest, too_long.to_string()))?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        let mut meta = self.provenance(&call, &entry.operation);
        if let Some(coverage) = coverage {
            meta.insert("parquote/coverage".to_owned(), coverage.rows());
        }
        Ok((result, meta))
    }

    /// Returns the terms of the possible sources of an answer; `None` if it has none, or if its data is invented.
    pub(super) fn terms_of(&self, call: &Call, operation: &Operation) -> Option<&OperationTerms> {
        self.service.terms_of_sources(operation).filter(|_| !is_invented(call.snapshot(), call.market()))
    }

    /// Returns the metadata of the data that answered, and its possible terms.
    pub(super) fn provenance(&self, call: &Call, operation: &Operation) -> MetaObject {
        let mut meta = MetaObject::new();
        meta.insert("parquote/snapshot".to_owned(), call.snapshot().id().into());
        if let Some(date) = call.snapshot().as_of(call.market()) {
            meta.insert("parquote/as_of".to_owned(), date.to_string().into());
            let behind = sessions_behind(call.market(), date, Utc::now());
            meta.insert("parquote/sessions_behind".to_owned(), behind.into());
        }
        if let Some(terms) = self.terms_of(call, operation) {
            let owners = terms.owners.iter().map(
                |owner| json!({"who": owner.name, "terms": owner.page, "pass_on": owner.pass_on.to_string()}),
            );
            meta.insert("parquote/source_terms".to_owned(), owners.collect());
        }
        if !call.symbol_renames().is_empty() {
            meta.insert("parquote/renamed_from".to_owned(), call.symbol_renames().by_requested().into());
        }
        if let Some(line) = call.row_age().line() {
            meta.insert("parquote/newest_rows".to_owned(), line.into());
        }
        if let Some((none, _)) = call.without_sector() {
            meta.insert("parquote/without_sector".to_owned(), none.into());
        }
        meta
    }

    /// Returns a hint at the tool that an unknown name means.
    fn tool_hint(&self, name: &str) -> Option<String> {
        // A longer text is not a name, and each of its words would be compared with the description of every tool.
        const LONGEST_NAME: usize = 64;
        let name = Some(name).filter(|name| name.len() <= LONGEST_NAME)?;
        let snapshot = self.service.shared_snapshot();
        let view = ToolView::default();
        let seen = FoundTool::visible_tools(&view, &self.tools, &snapshot, self.service.catalogue());
        match ToolQuery::parse_name(name).tool_meant(seen)? {
            FoundTool::Tool(entry) => Some(format!("`{}` may be what is meant", entry.tool.name)),
            FoundTool::Chart(operation) => {
                let chart = self.tools.chart()?;
                let operation =
                    operation.map(|operation| format!(" with the operation `{}`", operation.name));
                Some(format!("`{}`{} may be what is meant", chart.name, operation.unwrap_or_default()))
            }
        }
    }

    pub(super) fn unknown_tool(&self, name: &str) -> ErrorData {
        let hint = match misspelt(name, self.tools.names()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => self.tool_hint(name).map_or_else(String::new, |meant| format!("; {meant}")),
        };
        refused::invalid_params(&format!("Unknown tool: {}{hint}", truncate_for_message(name)))
    }
}

fn has_format(arguments: &JsonObject) -> bool {
    arguments.get(FORMAT).is_some_and(|format| !argument_text(format).trim().is_empty())
}

fn record_refusal(
    tool_call: &ToolRequest,
    allowance: Allowance,
    is_paid: bool,
    refused: ClientError,
    tier: Tier,
) -> CallToolResult {
    let result = refused::result(&refused, usage(tier, allowance));
    tool_call.outcome.record_result(allowance, is_paid, Some(refused));
    result
}

/// Settles the redraw of a chart that was paid before: its charge is refunded.
pub(super) fn settle_paid_chart(
    tool_call: &ToolRequest,
    metered: MeteredCall,
    answered: Result<(CallToolResult, MetaObject), ClientError>,
) -> CallToolResult {
    let Ok((result, mut meta)) = answered else { return settle_call(tool_call, metered, answered) };
    let allowance = metered.refund();
    tool_call.outcome.record_result(allowance, false, None);
    meta.extend(usage(tool_call.caller.tier(), allowance));
    result.with_meta(Some(meta))
}

/// Settles an admitted call and returns its result.
pub(super) fn settle_call(
    tool_call: &ToolRequest,
    metered: MeteredCall,
    answered: Result<(CallToolResult, MetaObject), ClientError>,
) -> CallToolResult {
    let tier = tool_call.caller.tier();
    match answered {
        Ok((result, mut meta)) => {
            let (is_paid, allowance) = (metered.costs(), metered.commit());
            tool_call.outcome.record_result(allowance, is_paid, None);
            meta.extend(usage(tier, allowance));
            result.with_meta(Some(meta))
        }
        Err(refused) => {
            let counts = refused.kind.counts();
            let is_paid = counts && metered.costs();
            let allowance = if counts { metered.commit() } else { metered.refund() };
            record_refusal(tool_call, allowance, is_paid, refused, tier)
        }
    }
}

/// Returns the provenance of an answer, without notes and terms.
fn answered_data(call: &Call) -> AnsweredData {
    let (market, snapshot) = (call.market(), call.snapshot());
    let as_of = snapshot.as_of(market);
    let set = snapshot.market(market).map(|market| market.name().id.to_string());
    AnsweredData {
        as_of: as_of.map(|date| (date.to_string(), sessions_behind(market, date, Utc::now()))),
        snapshot: set.unwrap_or_default(),
        ..AnsweredData::default()
    }
}

/// Returns the caller's remaining quota as metadata, with the fields of `meta` in REST.
fn usage(tier: Tier, allowance: Allowance) -> MetaObject {
    let mut meta = MetaObject::new();
    let usage = json!({
        "tier": tier.word(),
        "requests_remaining_today": allowance.left.day,
        "requests_remaining_hour": allowance.left.hour,
    });
    meta.insert("parquote/usage".to_owned(), usage);
    meta
}
