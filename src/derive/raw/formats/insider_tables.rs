//! The SEC's quarterly data sets of Forms 3, 4 and 5 (`2026q1_form345.zip`): `SUBMISSION.tsv`, `REPORTINGOWNER.tsv`,
//! `NONDERIV_TRANS.tsv` and `DERIV_TRANS.tsv`.
//!
//! A transaction says its submission, which the other tables tell of. What belongs together is put together when all files are
//! read, among the tables of one archive or folder. Holdings and footnotes are not read.

use chrono::NaiveDate;

use crate::derive::raw::domain::reason::Reason;
use crate::derive::raw::formats::insider_forms::{self, InsiderForm, InsiderFormFile};
use crate::derive::raw::records::placed::RecordPlace;
use crate::derive::raw::records::raw_format::{FileHead, Format, Layout, US};
use crate::derive::raw::records::record::{RawRecord, RecordFile};
use crate::derive::raw::records::table_row::TableRecord;
use crate::derive::raw::reference_data::ReferenceData;
use crate::derive::raw::text::cells::{CellRecord, HeaderLine};
use crate::derive::raw::text::{accession, cik};

/// What a submission says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormSubmission {
    pub(crate) accession: String,
    pub(crate) filed_on: NaiveDate,
    /// The form, as `4` or `4/A`.
    pub(crate) form: Option<String>,
    pub(crate) issuer_cik: Option<u64>,
    pub(crate) issuer: Option<String>,
    pub(crate) symbol: Option<String>,
}

/// Who reports in a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormOwner {
    pub(crate) accession: String,
    pub(crate) cik: Option<String>,
    pub(crate) name: Option<String>,
    /// What the owner is to the company.
    pub(crate) relation: Option<String>,
    /// The office of an officer.
    pub(crate) title: Option<String>,
}

/// A transaction without what its submission says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormTransaction(pub(crate) InsiderForm);

struct SubmissionTable {
    accession: usize,
    filed_on: usize,
    form: usize,
    issuer_cik: usize,
    issuer: Option<usize>,
    symbol: usize,
}

struct OwnerTable {
    accession: usize,
    cik: usize,
    name: usize,
    relation: Option<usize>,
    title: Option<usize>,
}

struct TransactionTable(InsiderFormFile);

impl SubmissionTable {
    fn of(header: &HeaderLine) -> Option<Self> {
        let column = |name: &str| header.column(&[name]);
        Some(Self {
            accession: column("ACCESSION_NUMBER")?,
            filed_on: column("FILING_DATE")?,
            form: column("DOCUMENT_TYPE")?,
            issuer_cik: column("ISSUERCIK")?,
            issuer: column("ISSUERNAME"),
            symbol: column("ISSUERTRADINGSYMBOL")?,
        })
    }
}

impl OwnerTable {
    fn of(header: &HeaderLine) -> Option<Self> {
        let column = |name: &str| header.column(&[name]);
        Some(Self {
            accession: column("ACCESSION_NUMBER")?,
            cik: column("RPTOWNERCIK")?,
            name: column("RPTOWNERNAME")?,
            relation: column("RPTOWNER_RELATIONSHIP"),
            title: column("RPTOWNER_TITLE"),
        })
    }
}

/// The number of the submission that a row is of.
fn submission(record: &CellRecord, column: usize) -> Result<String, Reason> {
    record.text(column).and_then(accession::in_cell).ok_or(Reason::NoAccession)
}

impl RecordFile for SubmissionTable {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(FormSubmission {
            accession: submission(record, self.accession)?,
            filed_on: insider_forms::date(record.cell(self.filed_on)).ok_or(Reason::BadDate)?,
            form: record.words(self.form),
            issuer_cik: cik::number(record.cell(self.issuer_cik)),
            issuer: self.issuer.and_then(|column| record.words(column)),
            symbol: record.text(self.symbol).and_then(insider_forms::symbol),
        }))
    }

    fn symbol(&self) -> usize {
        self.symbol
    }
}

impl RecordFile for OwnerTable {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        Ok(Box::new(FormOwner {
            accession: submission(record, self.accession)?,
            cik: record.words(self.cik),
            name: record.words(self.name),
            relation: self.relation.and_then(|column| record.words(column)),
            title: self.title.and_then(|column| record.words(column)),
        }))
    }

    fn symbol(&self) -> usize {
        self.cik
    }
}

impl RecordFile for TransactionTable {
    fn record(&self, record: &CellRecord) -> Result<Box<dyn RawRecord>, Reason> {
        let transaction = self.0.form(record)?;
        if transaction.accession.is_none() {
            return Err(Reason::NoAccession);
        }
        Ok(Box::new(FormTransaction(transaction)))
    }

    fn symbol(&self) -> usize {
        self.0.symbol()
    }
}

impl RawRecord for FormSubmission {
    fn date(&self) -> Option<NaiveDate> {
        Some(self.filed_on)
    }

    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for FormOwner {
    fn keep(self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        into.records.add(*self, at);
    }
}

impl RawRecord for FormTransaction {
    /// It is not known before it is done; when it is filed, another table says.
    fn date(&self) -> Option<NaiveDate> {
        Some(self.0.traded_on)
    }

    fn keep(mut self: Box<Self>, at: &RecordPlace<'_>, into: &mut ReferenceData) {
        self.0.source.clone_from(at.provenance);
        into.records.add(*self, at);
    }
}

fn recognise(head: &FileHead<'_>) -> Option<Layout> {
    let transactions =
        InsiderFormFile::of_transactions(head.header, "").filter(InsiderFormFile::leaves_filing);
    Layout::records(transactions.map(TransactionTable))
        .or_else(|| Layout::records(OwnerTable::of(head.header)))
        .or_else(|| Layout::records(SubmissionTable::of(head.header)))
}

/// The SEC's data sets of insiders' forms.
pub(super) static INSIDER_TABLES: Format =
    Format { recognise, table: Some(InsiderForm::TABLE), ..Format::new("insiders' data sets", US) };
