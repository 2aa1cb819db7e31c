//! The SEC's quarterly data sets of Forms 3, 4 and 5 (`2026q1_form345.zip`): `SUBMISSION.tsv`, `REPORTINGOWNER.tsv`, `NONDERIV_TRANS.tsv`
//! and `DERIV_TRANS.tsv`.
//!
//! A transaction has the number of its submission, which the other tables describe. The tables of one archive or folder are joined when all
//! files are read. Holdings and footnotes are not read.

use chrono::NaiveDate;

use crate::declared::plain_row::{FileFacts, PlainCell};
use crate::domain::reason::Reason;
use crate::formats::insider_forms::{self, InsiderForm};
use crate::records::placed::RecordPosition;
use crate::records::plain_record::PlainRecord;
use crate::records::record::RawRecord;
use crate::records::table_row::TableRecord;
use crate::reference_data::ReferenceData;

/// A row of `SUBMISSION.tsv`.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormTransaction(pub(crate) InsiderForm);

impl PlainRecord<6> for FormSubmission {
    const RECORD: &'static str = "insider submission";
    const COLUMNS: [&'static str; 6] =
        ["symbol text", "accession text", "filed_on date", "form text", "issuer_cik text", "issuer text?"];
    const FILLS: Option<&'static str> = Some(InsiderForm::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 6], _: &FileFacts) -> Result<Self, Reason> {
        let [symbol, accession, filed_on, form, issuer_cik, issuer] = cells;
        Ok(Self {
            accession: accession.accession().ok_or(Reason::NoAccession)?,
            filed_on: insider_forms::date(filed_on.bytes()).ok_or(Reason::BadDate)?,
            form: form.words(),
            issuer_cik: issuer_cik.cik(),
            issuer: issuer.words(),
            symbol: symbol.text().and_then(insider_forms::symbol),
        })
    }
}

impl PlainRecord<5> for FormOwner {
    const RECORD: &'static str = "insider owner";
    const COLUMNS: [&'static str; 5] =
        ["cik text", "accession text", "name text", "relation text?", "title text?"];
    const FILLS: Option<&'static str> = Some(InsiderForm::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 5], _: &FileFacts) -> Result<Self, Reason> {
        let [cik, accession, name, relation, title] = cells;
        Ok(Self {
            accession: accession.accession().ok_or(Reason::NoAccession)?,
            cik: cik.words(),
            name: name.words(),
            relation: relation.words(),
            title: title.words(),
        })
    }
}

impl PlainRecord<19> for FormTransaction {
    const RECORD: &'static str = "insider transaction";
    const COLUMNS: [&'static str; 19] = InsiderForm::COLUMNS;
    const FILLS: Option<&'static str> = Some(InsiderForm::TABLE);

    fn from_cells(cells: [PlainCell<'_>; 19], file: &FileFacts) -> Result<Self, Reason> {
        let transaction = InsiderForm::from_cells(cells, file)?;
        if transaction.accession.is_none() { Err(Reason::NoAccession) } else { Ok(Self(transaction)) }
    }
}

impl RawRecord for FormSubmission {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for FormOwner {
    fn keep(self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for FormTransaction {
    /// A transaction is not known before it is made; its filing date is in another table.
    fn date(&self) -> Option<NaiveDate> {
        Some(self.0.traded_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPosition<'_>, into: &mut ReferenceData) {
        self.0.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}
