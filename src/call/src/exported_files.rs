//! Exported files: answers that callers save as files for people. They are in memory for 15 minutes, each under an address that cannot be
//! guessed. Anyone who has the address can read the file.
//!
//! Behind several servers, or after a restart, a file is gone; repeating the call creates it again.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use parquote_access::RandomToken;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::AnswerFormat;

/// Lifetime of a file.
pub const FILE_LIFETIME: Duration = Duration::from_mins(15);
/// Longest file, in bytes.
const LONGEST_FILE: usize = 16 << 20;
/// Most bytes of all files; the oldest file of the owner with the most bytes is dropped first.
const MOST_BYTES: usize = 64 << 20;
/// Most files of an owner; the owner's oldest is dropped first.
const MOST_FILES_PER_OWNER: usize = 16;

/// An exported file.
#[derive(Debug, Clone)]
pub struct ExportedFile {
    /// Name without an extension, such as `screen-stocks-india`.
    pub name: String,
    /// Format of its rows.
    pub format: AnswerFormat,
    /// Contents.
    pub body: Bytes,
}

/// All exported files.
#[derive(Default)]
pub struct ExportedFiles(Mutex<VecDeque<Entry>>);

struct Entry {
    /// Hash of the token in the address.
    hash: [u8; 32],
    owner: Option<i64>,
    stored_at: Instant,
    file: ExportedFile,
}

impl ExportedFiles {
    /// Stores a file and returns the token under which it is found.
    ///
    /// # Errors
    /// 400 for a file that is too long, 500 if the system has no randomness.
    pub fn store(
        &self,
        owner: Option<i64>,
        file: ExportedFile,
        now: Instant,
    ) -> Result<RandomToken, ClientError> {
        if file.body.len() > LONGEST_FILE {
            let (has, most) = (file.body.len() >> 20, LONGEST_FILE >> 20);
            let message = format!(
                "the file has {has} MiB, more than the {most} that are stored; ask for fewer rows or columns"
            );
            return Err(ClientError::new(ErrorKind::BadRequest, message));
        }
        let token = RandomToken::generate().map_err(|error| {
            ClientError::from_cause(
                ErrorKind::Internal,
                "the server has no random numbers now".to_owned(),
                error,
            )
        })?;
        self.with_current_files(now, |entries| {
            let count = entries.iter().filter(|entry| entry.owner == owner).count();
            if count >= MOST_FILES_PER_OWNER
                && let Some(oldest) = entries.iter().position(|entry| entry.owner == owner)
            {
                entries.remove(oldest);
            }
            entries.push_back(Entry { hash: token.hash(), owner, stored_at: now, file });
            while entries.iter().map(|entry| entry.file.body.len()).sum::<usize>() > MOST_BYTES {
                let evicted = file_to_evict(entries);
                evicted.and_then(|position| entries.remove(position));
            }
        });
        Ok(token)
    }

    /// Returns the file of a token; `None` if there is none, or if it has expired.
    pub fn find(&self, token: &str, now: Instant) -> Option<ExportedFile> {
        let hash = RandomToken::hash_of(token)?;
        self.with_current_files(now, |entries| {
            entries.iter().find(|entry| entry.hash == hash).map(|entry| entry.file.clone())
        })
    }

    fn with_current_files<T>(&self, now: Instant, work: impl FnOnce(&mut VecDeque<Entry>) -> T) -> T {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| now.saturating_duration_since(entry.stored_at) < FILE_LIFETIME);
        work(&mut entries)
    }
}

/// Returns the index of the oldest file of the owner whose files have the most bytes.
fn file_to_evict(entries: &VecDeque<Entry>) -> Option<usize> {
    let mut bytes: HashMap<Option<i64>, usize> = HashMap::new();
    for entry in entries {
        *bytes.entry(entry.owner).or_default() += entry.file.body.len();
    }
    let newest_first = entries.iter().enumerate().rev();
    newest_first.max_by_key(|(_, entry)| bytes.get(&entry.owner)).map(|(position, _)| position)
}

impl fmt::Debug for ExportedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExportedFiles(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: usize) -> ExportedFile {
        ExportedFile { name: "a".to_owned(), format: AnswerFormat::Csv, body: vec![b'x'; bytes].into() }
    }

    #[test]
    fn a_file_is_found_under_its_token_for_a_while() {
        let (files, now) = (ExportedFiles::default(), Instant::now());
        let token = files.store(Some(1), file(3), now).unwrap();
        assert_eq!(files.find(token.reveal(), now).unwrap().body, "xxx");
        let other = RandomToken::generate().unwrap();
        assert!(files.find(other.reveal(), now).is_none() && files.find("../etc", now).is_none());
        assert!(files.find(token.reveal(), now + FILE_LIFETIME).is_none());
    }

    #[test]
    fn an_owner_has_some_files_and_all_have_so_many_bytes() {
        let (files, now) = (ExportedFiles::default(), Instant::now());
        let other = files.store(Some(2), file(1), now).unwrap();
        let own: Vec<_> =
            (0..=MOST_FILES_PER_OWNER).map(|_| files.store(Some(1), file(1), now).unwrap()).collect();
        assert!(files.find(own[0].reveal(), now).is_none() && files.find(own[1].reveal(), now).is_some());
        assert!(files.find(other.reveal(), now).is_some());
        assert_eq!(files.store(None, file(LONGEST_FILE + 1), now).unwrap_err().kind, ErrorKind::BadRequest);
        for _ in 0..4 {
            files.store(None, file(LONGEST_FILE), now).unwrap();
        }
        // The owner of the most bytes loses the oldest file; the others lose none.
        assert!(files.find(own[1].reveal(), now).is_some() && files.find(other.reveal(), now).is_some());
        assert_eq!(files.0.lock().unwrap().iter().filter(|entry| entry.owner.is_none()).count(), 3);
    }
}
