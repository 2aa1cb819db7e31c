//! What was found when a set, or plain files that were to become one, were held against the contract: written beside the data.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Whether something was admitted, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdmissionRecord {
    /// The id of the set.
    pub id: String,
    /// Whether it may be served.
    pub admitted: bool,
    /// When it was held against the contract.
    pub at: DateTime<Utc>,
    /// The findings, errors first.
    pub findings: Vec<Json>,
}
