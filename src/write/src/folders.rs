//! The folders of a market: rows under `raw/<market>/written`, replies and notes under `raw/.written/<market>`.
//!
//! A row is written in four steps: the note with the hash of the new content, the evidence, the file, the note again as done. After a kill
//! between two steps, the next run continues from the files that are there, and still distinguishes a file that a person wrote from one of
//! this program.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use parquote_catalogue::operation::Market;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::check::{CheckedReply, StruckClaim};
use crate::claim::Claim;
use crate::error::WriteError;
use crate::evidence_rows;
use crate::files;
use crate::job::WriteJob;
use crate::request::WriteRequest;

/// A stored reply of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Name of the provider, such as `openai`.
    pub provider: String,
    /// Name of the model in the request.
    pub model: String,
    /// The text of the reply.
    pub text: String,
    /// True if it was cut at its maximum length.
    pub cut: bool,
    /// Number of tokens of the request.
    pub input_tokens: u64,
    /// Number of tokens of the reply.
    pub output_tokens: u64,
    /// Cost of the request and reply in US dollars; `None` if the price is unknown.
    pub cost_usd: Option<f64>,
    /// Seconds from the request to the reply.
    pub seconds: f64,
    /// Day that its row has: the day of the reply, or the last session of the data if that is earlier.
    pub day: NaiveDate,
}

/// State of the file of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// There is no file yet, or an unedited one that was made from another document or prompt.
    Open,
    /// The file is there, made from this document and prompt.
    Done,
    /// A person edited the file.
    Edited,
    /// A person deleted the file.
    Deleted,
    /// A person created the file.
    Foreign,
}

/// A note about a written file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    /// Hash of the document.
    document: String,
    /// Kind, day and period of the document, which a person may correct.
    label: String,
    /// Hash of the prompt.
    prompt: String,
    /// Hash of the content of the file.
    content: String,
    /// Hash of the previous content, until the new content is known to be written.
    before: Option<String>,
    /// True once the file is there.
    done: bool,
    /// Day of the evidence; `None` without evidence.
    known_on: Option<NaiveDate>,
    /// Claims of the row, with their paragraphs.
    supported: Vec<Claim>,
    /// Claims that were left out.
    struck: Vec<StruckClaim>,
}

impl Note {
    /// Returns true if its document has the kind, day and period of the document of a job.
    fn has_label(&self, job: &WriteJob<'_>) -> bool {
        self.label == job.document.label()
    }
}

/// The folders of a market, for one process at a time.
#[derive(Debug)]
pub struct WriteFolders {
    rows: PathBuf,
    records: PathBuf,
    /// Locked as long as the folders are open.
    _lock: File,
}

impl WriteFolders {
    /// Opens the folders of a market below the folder of raw files.
    ///
    /// # Errors
    /// A folder cannot be created, or another process has it open.
    pub fn open(raw: &Path, market: Market) -> Result<Self, WriteError> {
        let records = raw.join(".written").join(market.word());
        fs::create_dir_all(&records).map_err(WriteError::file(&records, "written"))?;
        let path = records.join("lock");
        let lock = File::create(&path).map_err(WriteError::file(&path, "written"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(WriteError::Busy(records)),
            Err(TryLockError::Error(error)) => return Err(WriteError::file(&path, "written")(error)),
        }
        Ok(Self { rows: raw.join(market.word()).join("written"), records, _lock: lock })
    }

    /// Returns the path of a row's file.
    pub fn row_file(&self, job: &WriteJob<'_>) -> PathBuf {
        self.row_path(&job.prompt.table, &job.stem())
    }

    /// Returns the path of the file with the evidence of a row.
    fn evidence_file(&self, job: &WriteJob<'_>) -> PathBuf {
        self.evidence_path(&job.prompt.table, &job.stem())
    }

    /// Returns the path of the note about a row's file.
    pub fn note_file(&self, job: &WriteJob<'_>) -> PathBuf {
        self.note_path(&job.prompt.table, &job.stem())
    }

    fn row_path(&self, table: &str, stem: &str) -> PathBuf {
        self.rows.join(table).join(format!("{stem}.json"))
    }

    /// Returns the path of the evidence of a row. The name ends with the table of the row: a file whose name begins with a table would be
    /// read as rows of that table.
    fn evidence_path(&self, table: &str, stem: &str) -> PathBuf {
        self.rows.join(evidence_rows::TABLE).join(format!("{stem}_{table}.json"))
    }

    fn note_path(&self, table: &str, stem: &str) -> PathBuf {
        self.records.join(table).join(format!("{stem}.json"))
    }

    /// Returns the names of the notes of a table, without `.json`.
    pub(crate) fn note_names(&self, table: &str) -> Result<Vec<String>, WriteError> {
        let names = files::names(&self.records.join(table))?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect())
    }

    /// Returns the hash of the document of a row; `None` if the row has no note.
    pub(crate) fn document_of_note(&self, table: &str, stem: &str) -> Result<Option<String>, WriteError> {
        let note: Option<Note> = files::read_json(&self.note_path(table, stem))?;
        Ok(note.map(|note| note.document))
    }

    /// Deletes a file of rows that no person edited, with its evidence and its note; returns true if there was such a file.
    pub(crate) fn withdraw(&self, table: &str, stem: &str) -> Result<bool, WriteError> {
        let (row, note_path) = (self.row_path(table, stem), self.note_path(table, stem));
        let note: Option<Note> = files::read_json(&note_path)?;
        let content = files::read(&row)?.map(|bytes| hash(&bytes));
        let Some(mut note) = note.filter(|note| Some(&note.content) == content.as_ref()) else {
            return Ok(false);
        };
        // After a kill between the deletions the row counts as one that was never written, not as one that a person deleted.
        note.done = false;
        files::write_json(&note_path, &self.unfinished(), &note)?;
        for path in [self.evidence_path(table, stem), row, note_path] {
            files::delete(&path)?;
        }
        Ok(true)
    }

    /// Deletes the rows of an earlier text of a document whose new text gives no row. Rows of another document, such as one of an earlier
    /// period, remain.
    pub(crate) fn withdraw_earlier(&self, job: &WriteJob<'_>) -> Result<(), WriteError> {
        let note: Option<Note> = files::read_json(&self.note_file(job))?;
        if note.is_some_and(|note| note.document != job.document.hash && note.has_label(job)) {
            self.withdraw(&job.prompt.table, &job.stem())?;
        }
        Ok(())
    }

    /// Writes the evidence of finished rows again, if its file is missing or differs.
    pub(crate) fn restore_evidence(&self, job: &WriteJob<'_>) -> Result<(), WriteError> {
        let note: Option<Note> = files::read_json(&self.note_file(job))?;
        let rows: Option<Vec<Map<String, Json>>> = files::read_json(&self.row_file(job))?;
        let (Some(note), Some(rows)) = (note, rows) else { return Ok(()) };
        let Some(day) = rows.first().and_then(generated_day).or(note.known_on) else { return Ok(()) };
        let evidence = evidence_rows::evidence_rows(job, &rows, &note.supported, day);
        let path = self.evidence_file(job);
        let stored_evidence: Option<Vec<Json>> =
            files::read(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if stored_evidence.as_ref() == Some(&evidence) {
            return Ok(());
        }
        files::write_json(&path, &self.unfinished(), &evidence)
    }

    /// Returns the state of a row's file.
    ///
    /// # Errors
    /// The file or its note cannot be read.
    pub fn state(&self, job: &WriteJob<'_>) -> Result<RowState, WriteError> {
        let file = files::read(&self.row_file(job))?.map(|bytes| hash(&bytes));
        let note: Option<Note> = files::read_json(&self.note_file(job))?;
        let Some(note) = note else {
            return Ok(if file.is_some() { RowState::Foreign } else { RowState::Open });
        };
        let is_same = note.document == job.document.hash
            && note.has_label(job)
            && note.prompt == WriteRequest::new(job).prompt_hash();
        Ok(match file {
            None if note.done => RowState::Deleted,
            None => RowState::Open,
            Some(file) if file == note.content && is_same && note.done => RowState::Done,
            Some(file) if file == note.content || !note.done && Some(&file) == note.before.as_ref() => {
                RowState::Open
            }
            Some(_) => RowState::Edited,
        })
    }

    /// Returns the reply stored under a key; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reply(&self, key: &str) -> Result<Option<ModelReply>, WriteError> {
        files::read_json(&self.reply_file(key))
    }

    /// Stores a reply under a key.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn store_reply(&self, key: &str, reply: &ModelReply) -> Result<(), WriteError> {
        files::write_json(&self.reply_file(key), &self.unfinished(), reply)
    }

    fn reply_file(&self, key: &str) -> PathBuf {
        self.records.join("replies").join(format!("{key}.json"))
    }

    fn unfinished(&self) -> PathBuf {
        self.records.join("unfinished")
    }

    /// Writes the file of the rows of a job whose state is [`RowState::Open`], and returns true if there was something to write.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write_rows(&self, job: &WriteJob<'_>, reply: &CheckedReply) -> Result<bool, WriteError> {
        if reply.rows.is_empty() {
            return Ok(false);
        }
        let path = self.row_file(job);
        let rows: Json = reply.rows.iter().cloned().map(Json::Object).collect();
        let mut text = serde_json::to_string_pretty(&rows)
            .map_err(|error| WriteError::file(&path, "written")(error.into()))?;
        text.push('\n');
        let before = files::read(&path)?.map(|bytes| hash(&bytes));
        let mut note = Note {
            document: job.document.hash.clone(),
            label: job.document.label(),
            prompt: WriteRequest::new(job).prompt_hash(),
            content: hash(text.as_bytes()),
            before,
            done: false,
            known_on: reply.evidence.first().and_then(Json::as_object).and_then(generated_day),
            supported: reply.supported.clone(),
            struck: reply.struck.clone(),
        };
        files::write_json(&self.note_file(job), &self.unfinished(), &note)?;
        files::write_json(&self.evidence_file(job), &self.unfinished(), &reply.evidence)?;
        files::write(&path, &self.unfinished(), text.as_bytes())?;
        note.done = true;
        files::write_json(&self.note_file(job), &self.unfinished(), &note)?;
        Ok(true)
    }
}

/// Returns the day in the cell `generated_on` of a row.
fn generated_day(cells: &Map<String, Json>) -> Option<NaiveDate> {
    cells.get("generated_on")?.as_str()?.parse().ok()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
