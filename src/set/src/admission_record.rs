//! The record of a check: what was found in a set, or in plain files that were to become one. It is written beside the data.

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
    /// A fingerprint of the rules that were asked, and of the program: by others, what is refused here may be admitted. Empty where an
    /// older program wrote the record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// When it was checked against the contract.
    pub at: DateTime<Utc>,
    /// The findings, errors first.
    pub findings: Vec<Json>,
}
