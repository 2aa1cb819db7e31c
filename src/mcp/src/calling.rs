//! A call of a tool: the same path as over REST, from the tier to the cost, with the answer in the form for models.

use std::sync::Arc;

use chrono::Utc;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject};
use serde_json::{Value as Json, json};

use super::answer::{self, AnswerLength, AnsweredData};
use super::detail::{DETAIL, Detail};
use super::handler::McpHandler;
use super::refused;
use super::tool_request::ToolRequest;
use super::tool_search::{FoundTool, ToolQuery};
use super::tools::ToolEntry;
use super::twin_names;
use super::view::{MOST_BYTES, ToolView};
use parquote_access::Allowance;
use parquote_call::{Call, CallOptions, MeteredCall, is_invented};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{
    Offer, Operation, Tier, argument_text, misspelt, sessions_behind, shown,
};

impl McpHandler {
    /// Calls the tool of that name.
    ///
    /// # Errors
    /// No tool has this name. All other failures are results.
    pub(super) async fn call(
        &self,
        asked: &ToolRequest,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        if self.tools.chart().is_some_and(|chart| chart.name == name) {
            return Ok(Box::pin(self.call_chart(asked, arguments)).await);
        }
        let entry = self.tools.find(name).ok_or_else(|| self.unknown_tool(name))?;
        let metered = match self.entered(asked, &entry.operation).await {
            Ok(metered) => metered,
            Err(refused) => return Ok(*refused),
        };
        let answered = self.answered(asked, &metered, entry, arguments).await;
        Ok(settled(asked, metered, answered))
    }

    /// Admits the caller to an operation.
    ///
    /// # Errors
    /// The result that refuses the call, by tier or quota.
    pub(super) async fn entered(
        &self,
        asked: &ToolRequest,
        operation: &Arc<Operation>,
    ) -> Result<MeteredCall, Box<CallToolResult>> {
        asked.outcome.calls(&operation.name);
        let entered = self.service.enter(operation, &asked.caller).await;
        entered.map_err(|refused| Box::new(self.not_entered(asked, refused)))
    }

    /// Returns the result of a refused call that was not charged.
    pub(super) fn not_entered(&self, asked: &ToolRequest, refused: ClientError) -> CallToolResult {
        let left = self.service.allowance(&asked.caller);
        ended(asked, left, false, refused, asked.caller.tier())
    }

    async fn answered(
        &self,
        asked: &ToolRequest,
        metered: &MeteredCall,
        entry: &ToolEntry,
        arguments: &JsonObject,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let detail = Detail::read(&entry.operation.name, arguments)?;
        let given = arguments.iter().filter(|(name, _)| detail.is_none() || *name != DETAIL);
        let pairs: Vec<(&str, String)> = given
            .map(|(name, value)| (twin_names::param(&entry.operation, name), argument_text(value)))
            .collect();
        let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
        let options = CallOptions { offer: Offer::ENVELOPED, pin: asked.pin.as_deref() };
        let call = self.service.admit_tool(metered, pairs, options).await?;
        let encoded = self.service.run(&call).await?;
        let mut data: Json = serde_json::from_slice(&encoded.body).map_err(|error| {
            let message = format!("the server failed on the answer of {}", entry.tool.name);
            ClientError::caused(ErrorKind::Internal, message, error)
        })?;
        if let Some(detail) = detail {
            detail.apply(&mut data);
        }
        let bytes = asked.view.answer_bytes().unwrap_or(self.answer_bytes);
        let measure = AnswerLength { extent: encoded.extent, own: call.symbols(), bytes, most: MOST_BYTES };
        let (structured, text) = answer::shaped(source(&call), data, measure)
            .map_err(|too_long| ClientError::new(ErrorKind::BadRequest, too_long.to_string()))?;
        let is_empty = encoded.extent.is_some_and(|extent| extent.rows == 0);
        let elsewhere = Some(&call).filter(|_| is_empty).and_then(Call::found_elsewhere);
        let notes = call.notes().into_iter().chain(elsewhere).chain(call.about_age(encoded.extent));
        let content = std::iter::once(text).chain(notes).map(ContentBlock::text).collect();
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(structured);
        Ok((result, self.provenance(&call, &entry.operation)))
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
        let is_invented = is_invented(call.snapshot(), call.market());
        if let Some(terms) = self.service.terms_behind(operation).filter(|_| !is_invented) {
            let owners = terms.owners.iter().map(
                |owner| json!({"who": owner.who, "terms": owner.page, "pass_on": owner.pass_on.to_string()}),
            );
            meta.insert("parquote/source_terms".to_owned(), owners.collect());
        }
        if !call.renamed().is_empty() {
            meta.insert("parquote/renamed_from".to_owned(), call.renamed().object().into());
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
    fn meant(&self, name: &str) -> Option<String> {
        // A longer text is not a name, and each of its words would be compared with the description of every tool.
        const LONGEST_NAME: usize = 64;
        let name = Some(name).filter(|name| name.len() <= LONGEST_NAME)?;
        let snapshot = self.service.seen_by_all();
        let view = ToolView::default();
        let seen = FoundTool::seen(&view, &self.tools, &snapshot, self.service.catalogue());
        match ToolQuery::of_name(name).meant(seen)? {
            FoundTool::Tool(entry) => Some(format!("`{}` may be what is meant", entry.tool.name)),
            FoundTool::Chart(operation) => {
                let chart = self.tools.chart()?;
                let operation =
                    operation.map(|operation| format!(" with the operation `{}`", operation.name));
                Some(format!("`{}`{} may be what is meant", chart.name, operation.unwrap_or_default()))
            }
        }
    }

    /// Builds the error for an unknown tool name.
    pub(super) fn unknown_tool(&self, name: &str) -> ErrorData {
        let hint = match misspelt(name, self.tools.names()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => self.meant(name).map_or_else(String::new, |meant| format!("; {meant}")),
        };
        refused::invalid_params(&format!("Unknown tool: {}{hint}", shown(name)))
    }
}

fn ended(
    asked: &ToolRequest,
    left: Allowance,
    is_paid: bool,
    refused: ClientError,
    tier: Tier,
) -> CallToolResult {
    let result = refused::result(&refused, usage(tier, left));
    asked.outcome.ended(left, is_paid, Some(refused));
    result
}

/// Settles a call whose chart was paid already: its charge is refunded.
pub(super) fn redrawn(
    asked: &ToolRequest,
    metered: MeteredCall,
    answered: Result<(CallToolResult, MetaObject), ClientError>,
) -> CallToolResult {
    let Ok((result, mut meta)) = answered else { return settled(asked, metered, answered) };
    let left = metered.refund();
    asked.outcome.ended(left, false, None);
    meta.extend(usage(asked.caller.tier(), left));
    result.with_meta(Some(meta))
}

/// Settles an admitted call and returns its result.
pub(super) fn settled(
    asked: &ToolRequest,
    metered: MeteredCall,
    answered: Result<(CallToolResult, MetaObject), ClientError>,
) -> CallToolResult {
    let tier = asked.caller.tier();
    match answered {
        Ok((result, mut meta)) => {
            let (is_paid, left) = (metered.costs(), metered.commit());
            asked.outcome.ended(left, is_paid, None);
            meta.extend(usage(tier, left));
            result.with_meta(Some(meta))
        }
        Err(refused) => {
            let counts = refused.kind.counts();
            let is_paid = counts && metered.costs();
            let left = if counts { metered.commit() } else { metered.refund() };
            ended(asked, left, is_paid, refused, tier)
        }
    }
}

/// Returns the provenance of the answer, for the model.
fn source(call: &Call) -> AnsweredData {
    let (market, snapshot) = (call.market(), call.snapshot());
    let as_of = snapshot.as_of(market);
    let set = snapshot.market(market).map(|market| market.name().id.to_string());
    AnsweredData {
        as_of: as_of.map(|date| (date.to_string(), sessions_behind(market, date, Utc::now()))),
        snapshot: set.unwrap_or_default(),
    }
}

/// Returns the quota left of the caller: the `meta` of REST.
fn usage(tier: Tier, left: Allowance) -> MetaObject {
    let mut meta = MetaObject::new();
    let usage = json!({
        "tier": tier.word(),
        "requests_remaining_today": left.left.day,
        "requests_remaining_hour": left.left.hour,
    });
    meta.insert("parquote/usage".to_owned(), usage);
    meta
}
