//! The operation that lists the presets of a market, with their agents and budgets.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::handler::{Handler, HandlerCall};
use parquote_agents::presets::{Preset, Presets};
use parquote_catalogue::error::ClientError;

/// All presets.
pub(super) struct PresetCatalog(pub Arc<Presets>);

#[async_trait]
impl Handler for PresetCatalog {
    async fn answer(&self, call: &HandlerCall<'_>) -> Result<Bytes, ClientError> {
        let offered = self.0.iter().filter(|preset| preset.markets.contains(&call.market));
        let presets: Vec<Json> = offered.map(preset_json).collect();
        Ok(call.ordered(json!({"count": presets.len(), "presets": presets})))
    }

    fn needs_data(&self) -> bool {
        false
    }
}

fn preset_json(preset: &Preset) -> Json {
    let agents: Vec<Json> =
        preset.agents.iter().map(|agent| json!({"name": agent.name, "role": agent.role})).collect();
    json!({
        "preset": preset.name,
        "label": preset.label,
        "words": preset.words,
        "runtime": preset.runtime,
        "agent_count": agents.len(),
        "agents": agents,
        "max_tokens": preset.budget.max_tokens,
        "max_cost_usd": preset.budget.max_cost_usd,
    })
}
