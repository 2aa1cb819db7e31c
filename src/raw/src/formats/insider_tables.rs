//! The SEC's quarterly data sets of Forms 3, 4 and 5 (`2026q1_form345.zip`): `SUBMISSION.tsv`, `REPORTINGOWNER.tsv`, `NONDERIV_TRANS.tsv`
//! and `DERIV_TRANS.tsv`.
//!
//! A transaction has the number of its submission, which the other tables describe. The tables of one archive or folder are joined after
//! all files are read. Holdings and footnotes are not read.

use chrono::NaiveDate;
use serde::Deserialize;

use crate::formats::insider_forms::InsiderForm;

/// A row of `SUBMISSION.tsv`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FormSubmission {
    pub(crate) accession: String,
    pub(crate) filed_on: NaiveDate,
    /// The form, such as `4` or `4/A`.
    pub(crate) form: Option<String>,
    pub(crate) issuer_cik: Option<u64>,
    pub(crate) issuer: Option<String>,
    pub(crate) symbol: Option<String>,
}

/// A reporting person of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FormOwner {
    pub(crate) accession: String,
    pub(crate) cik: Option<String>,
    pub(crate) name: Option<String>,
    /// The owner's relation to the company.
    pub(crate) relation: Option<String>,
    /// The office of an officer.
    pub(crate) title: Option<String>,
}

/// A transaction without the facts of its submission.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub(crate) struct FormTransaction(pub(crate) InsiderForm);
