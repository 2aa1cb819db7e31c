//! Joins the tables of the SEC's insider data sets: a transaction, its submission, and its reporting persons.
//!
//! Tables of one archive or folder belong together, so that a data set that exists twice is two sources of the same forms. The tables of
//! transactions count as one file, that of their submissions, as a form has both kinds.

use std::collections::HashMap;

use crate::files::source::RawSource;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::insider_tables::{FormOwner, FormSubmission, FormTransaction};
use crate::records::positioned_row::PositionedRow;

pub(super) struct InsiderDataSets {
    pub(super) submissions: Vec<PositionedRow<FormSubmission>>,
    pub(super) owners: Vec<PositionedRow<FormOwner>>,
    pub(super) transactions: Vec<PositionedRow<FormTransaction>>,
}

pub(super) struct JoinedForms {
    pub(super) forms: Vec<PositionedRow<InsiderForm>>,
    /// Transactions whose submission is in no table.
    pub(super) unmatched: Vec<PositionedRow<FormTransaction>>,
}

/// A submission with its reporting persons.
struct SubmissionWithOwners<'a> {
    submission: &'a PositionedRow<FormSubmission>,
    owners: Vec<&'a FormOwner>,
}

impl InsiderDataSets {
    pub(super) fn join(self, sources: &[RawSource]) -> JoinedForms {
        let folder = |file: u32| sources.get(file as usize).map_or("", |source| folder(&source.name));
        let mut submissions: HashMap<(&str, &str), SubmissionWithOwners<'_>> = HashMap::new();
        for submission in &self.submissions {
            let key = (folder(submission.file), submission.row.accession.as_str());
            submissions.insert(key, SubmissionWithOwners { submission, owners: Vec::new() });
        }
        for owner in &self.owners {
            let key = (folder(owner.file), owner.row.accession.as_str());
            if let Some(submission) = submissions.get_mut(&key) {
                submission.owners.push(&owner.row);
            }
        }
        let mut joined = JoinedForms { forms: Vec::new(), unmatched: Vec::new() };
        for placed in self.transactions {
            let accession = placed.row.0.accession.clone().unwrap_or_default();
            match submissions.get(&(folder(placed.file), accession.as_str())) {
                Some(submission) => joined.forms.push(submission.form(placed.row.0)),
                None => joined.unmatched.push(placed),
            }
        }
        joined
    }
}

impl SubmissionWithOwners<'_> {
    /// Completes a transaction with the facts of the submission.
    fn form(&self, transaction: InsiderForm) -> PositionedRow<InsiderForm> {
        let PositionedRow { row: submission, file, line } = self.submission;
        let row = InsiderForm {
            symbol: submission.symbol.clone().unwrap_or_default(),
            issuer_cik: submission.issuer_cik,
            issuer: submission.issuer.clone(),
            form: submission.form.clone().or(transaction.form),
            filed_on: Some(submission.filed_on),
            person: self.distinct_values(|owner| owner.name.as_deref()),
            person_ciks: self.distinct_values(|owner| owner.cik.as_deref()),
            category: self.distinct_values(|owner| owner.relation.as_deref()),
            title: self.distinct_values(|owner| owner.title.as_deref()),
            ..transaction
        };
        PositionedRow { row, file: *file, line: *line }
    }

    /// Joins the distinct values of the owners with semicolons; `None` without a value.
    fn distinct_values(&self, value: impl Fn(&FormOwner) -> Option<&str>) -> Option<String> {
        let mut distinct: Vec<&str> = Vec::new();
        for words in self.owners.iter().filter_map(|owner| value(owner)) {
            if !distinct.contains(&words) {
                distinct.push(words);
            }
        }
        (!distinct.is_empty()).then(|| distinct.join("; "))
    }
}

/// Returns the archive or folder of a file.
fn folder(name: &str) -> &str {
    name.rfind(['/', '\\', '!']).and_then(|end| name.get(..end)).unwrap_or_default()
}
