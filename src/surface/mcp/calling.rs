//! A call of a tool: the same path as over REST, from the tier to what it costs, with the answer as a model reads it.

use std::sync::Arc;

use chrono::Utc;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject};
use serde_json::{Value as Json, json};

use super::answer::{self, AnswerLength};
use super::handler::McpHandler;
use super::refused;
use super::tool_request::ToolRequest;
use super::tools::ToolEntry;
use super::view::MOST_BYTES;
use crate::access::Allowance;
use crate::call::{Call, CallOptions, MeteredCall};
use crate::error::{ClientError, ErrorKind};
use crate::operation::{Offer, Operation, Tier, argument_text, nearest, sessions_behind, shown};

impl McpHandler {
    /// Calls the tool of that name.
    ///
    /// # Errors
    /// A name that no tool has. Everything else that can go wrong is a result.
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

    /// Lets the caller in to an operation.
    ///
    /// # Errors
    /// The result that refuses it, by tier or quota.
    pub(super) async fn entered(
        &self,
        asked: &ToolRequest,
        operation: &Arc<Operation>,
    ) -> Result<MeteredCall, Box<CallToolResult>> {
        asked.outcome.calls(&operation.name);
        let entered = self.service.enter(operation, &asked.caller).await;
        entered.map_err(|refused| Box::new(self.not_entered(asked, refused)))
    }

    /// The refusal of a call for which nothing was taken.
    pub(super) fn not_entered(&self, asked: &ToolRequest, refused: ClientError) -> CallToolResult {
        let left = self.service.allowance(&asked.caller);
        ended(asked, (left, false), refused, asked.caller.tier())
    }

    async fn answered(
        &self,
        asked: &ToolRequest,
        metered: &MeteredCall,
        entry: &ToolEntry,
        arguments: &JsonObject,
    ) -> Result<(CallToolResult, MetaObject), ClientError> {
        let pairs: Vec<(&str, String)> =
            arguments.iter().map(|(name, value)| (name.as_str(), argument_text(value))).collect();
        let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
        let options = CallOptions { offer: Offer::ENVELOPED, pin: asked.pin.as_deref() };
        let call = self.service.admit_tool(metered, pairs, options).await?;
        let encoded = self.service.run(&call).await?;
        let data: Json = serde_json::from_slice(&encoded.body).map_err(|error| {
            let message = format!("the server failed on the answer of {}", entry.tool.name);
            ClientError::caused(ErrorKind::Internal, message, error)
        })?;
        let bytes = asked.view.answer_bytes().unwrap_or(self.answer_bytes);
        let measure = AnswerLength { extent: encoded.extent, bytes, most: MOST_BYTES };
        let market = call.market();
        let as_of = call.snapshot().as_of(market);
        let as_of = as_of.map(|date| (date.to_string(), sessions_behind(market, date, Utc::now())));
        let (structured, text) = answer::shaped(as_of, data, measure)
            .map_err(|too_long| ClientError::new(ErrorKind::BadRequest, too_long.to_string()))?;
        let is_empty = encoded.extent.is_some_and(|extent| extent.rows == 0);
        let elsewhere = Some(&call).filter(|_| is_empty).and_then(Call::found_elsewhere);
        let content =
            std::iter::once(text).chain(call.notes()).chain(elsewhere).map(ContentBlock::text).collect();
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(structured);
        Ok((result, provenance(&call)))
    }

    /// A name that no tool has.
    pub(super) fn unknown_tool(&self, name: &str) -> ErrorData {
        let near = nearest(name, self.tools.names());
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        refused::invalid_params(&format!("Unknown tool: {}{hint}", shown(name)))
    }
}

fn ended(
    asked: &ToolRequest,
    (left, is_paid): (Allowance, bool),
    refused: ClientError,
    tier: Tier,
) -> CallToolResult {
    let result = refused::result(&refused, usage(tier, left));
    asked.outcome.ended(left, is_paid, Some(refused));
    result
}

/// The result of a call that was let in, with what it cost.
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
            ended(asked, (left, is_paid), refused, tier)
        }
    }
}

/// Which data answered.
pub(super) fn provenance(call: &Call) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert("parquote/snapshot".to_owned(), call.snapshot().id().into());
    if let Some(date) = call.snapshot().as_of(call.market()) {
        meta.insert("parquote/as_of".to_owned(), date.to_string().into());
        let behind = sessions_behind(call.market(), date, Utc::now());
        meta.insert("parquote/sessions_behind".to_owned(), behind.into());
    }
    if !call.renamed().is_empty() {
        meta.insert("parquote/renamed_from".to_owned(), call.renamed().object().into());
    }
    if let Some((none, _)) = call.without_sector() {
        meta.insert("parquote/without_sector".to_owned(), none.into());
    }
    meta
}

/// What is left of the caller's allowance: the `meta` of REST.
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
