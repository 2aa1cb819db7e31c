//! Rows that a language model writes from documents: prompts as files, a checker of replies, and files of rows that a person can edit.
//!
//! A [`Prompt`] is one file under `queries/write`: it names a table, the kinds of documents, and the columns to write. A [`WriteJob`] is
//! the rows of that table from a [`SourceDocument`]; its [`WriteRequest`] is text for a model. The reply is a list of claims, each with the
//! paragraphs that support it. [`check_reply`] strikes every claim that these paragraphs do not support, and makes a [`CheckedReply`] of
//! the others: the rows, mostly one, and those of `text_evidence` that name the paragraphs of each sentence. The [`WriteFolders`] stores
//! replies before they are used, so that none is paid for twice, and rows as files under `raw/<market>/written`, which `raw` reads like
//! those of a person. [`write_all`] goes through the jobs within a budget.
//!
//! # Invariants
//!
//! A text of a model or document affects only the cells of its row. A file that a person edited, deleted or made is never written. The
//! crate knows no provider: its caller passes an [`Ask`].
//!
//! # Glossary
//!
//! - *claim*: a text of a reply for a column, with the paragraphs that support it. *struck*: of a claim, left out as unsupported.
//! - *note*: a file about a written file: hashes of its content, document and prompt, and the claims with their paragraphs.

// Inputs.
mod document;
mod prompt;
mod job;
mod request;

// Replies.
mod claim;
mod verbatim;
mod check;
mod value;
mod row;
mod evidence_rows;

// Files, and the work through the jobs.
mod error;
mod files;
mod folders;
mod corrected;
mod work;

#[cfg(test)]
mod tests;

pub use check::{CheckedReply, StruckClaim, UnusableReply, check_reply};
pub use claim::Claim;
pub use corrected::{ListedCompanies, withdraw_corrected};
pub use document::SourceDocument;
pub use error::WriteError;
pub use folders::{ModelReply, RowState, WriteFolders};
pub use job::{SelectedJobs, WriteJob, select};
pub use prompt::{NumberReading, Prompt, RowColumns, WriteColumn};
pub use request::WriteRequest;
pub use work::{Ask, AskError, Estimate, JobResult, Totals, WriteBudget, estimate, write_all};
