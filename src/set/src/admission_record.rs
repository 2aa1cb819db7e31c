//! The admission record: the verdict and findings of a check of a set or of plain files. It is stored with the data.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The verdict and the findings of one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdmissionRecord {
    /// The id of the set.
    pub id: String,
    /// True if the set may be served.
    pub admitted: bool,
    /// Fingerprint of the validation rules and of the program: under other rules, a refused set may be admitted. Empty if an older
    /// program wrote the record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// Time of the check against the contract.
    pub at: DateTime<Utc>,
    /// The findings as JSON objects, errors first.
    pub findings: Vec<Json>,
}
