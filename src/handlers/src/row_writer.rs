//! Interface through which runs write rows from documents into raw files, as `parquote write` does.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use parquote_agents::job::{StepLog, WorkError};
use parquote_agents::provider::LanguageModel;
use parquote_catalogue::error::ClientError;
use parquote_catalogue::operation::Market;
use parquote_engine::Snapshot;

/// Rows to write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteSpec {
    /// The market.
    pub market: Market,
    /// Tables; each table with a prompt if there are none.
    pub tables: Vec<String>,
    /// Companies by their symbols.
    pub symbols: Vec<String>,
    /// Index whose members are further companies.
    pub list: Option<String>,
    /// First day of the documents.
    pub since: Option<NaiveDate>,
    /// Provider of the model.
    pub provider: String,
    /// Model.
    pub model: String,
    /// Most US dollars that the run may cost; `None` for no limit.
    pub budget_usd: Option<f64>,
}

/// Writes rows, each sentence of them checked against the paragraphs of its document.
#[async_trait]
pub trait RowWriter: Send + Sync {
    /// Checks that the tables have prompts, and that the raw files of the market can be written now.
    ///
    /// # Errors
    /// The reason why they cannot, with its remedy.
    fn check(&self, spec: &WriteSpec) -> Result<(), ClientError>;

    /// Returns the documents, tokens and cost of each table under `estimates`, and the documents that are left out; no model is asked.
    ///
    /// # Errors
    /// As [`Self::check`]; or no company has a document.
    async fn estimate(&self, spec: &WriteSpec, snapshot: &Snapshot) -> Result<Json, ClientError>;

    /// Writes the rows from the documents of a snapshot, and returns the report. Recorded replies are not requested again.
    ///
    /// # Errors
    /// Nothing can be written, or the log cannot be.
    async fn write(
        &self,
        spec: &WriteSpec,
        snapshot: &Snapshot,
        model: Arc<dyn LanguageModel>,
        log: &dyn StepLog,
    ) -> Result<Json, WorkError>;
}

impl WriteSpec {
    /// Returns its tables, companies and first day in words.
    pub fn goal(&self) -> String {
        let tables = if self.tables.is_empty() { "all tables".to_owned() } else { self.tables.join(", ") };
        let companies: Vec<&str> = self.list.iter().chain(&self.symbols).map(String::as_str).collect();
        let since = self.since.map_or_else(String::new, |day| format!(" since {day}"));
        format!("{tables} of {}{since}", companies.join(", "))
    }
}
