//! The `source.txt` files: the origin of the rows of the files in and below their folders.
//!
//! A source that a row itself states has precedence. Neither file names nor the market are used to guess a source.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::provenance::Provenance;

/// The name of a file with the origin of the files in its folder and below.
const NAME: &str = "source.txt";

/// Maximum size in bytes: a sentence, which every row of the folder repeats.
const MOST_BYTES: u64 = 300;

/// Texts of the `source.txt` files under a market's folder, by their folder.
#[derive(Debug, Default)]
pub(crate) struct SourceNotes(BTreeMap<PathBuf, Arc<str>>);

impl SourceNotes {
    /// Returns true if a file is a `source.txt`, which is no raw file.
    pub(crate) fn is_note(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    }

    /// Reads a `source.txt`.
    ///
    /// # Errors
    /// The file cannot be read, is empty or too long.
    pub(crate) fn read(&mut self, path: &Path) -> io::Result<()> {
        let mut text = String::new();
        File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() || text.len() as u64 > MOST_BYTES {
            return Err(io::Error::other(format!(
                "it should say where the files of its folder are from, in 1 to {MOST_BYTES} bytes"
            )));
        }
        self.0.insert(path.parent().unwrap_or(Path::new("")).to_owned(), words.into());
        Ok(())
    }

    /// Returns the text of the nearest `source.txt` in or above the folder of a file, followed by the kind of file.
    ///
    /// A file of a user-supplied table has no kind: the user decides on its contents.
    pub(crate) fn provenance(&self, path: &Path, kind: Option<&str>) -> Provenance {
        let note = path.ancestors().skip(1).find_map(|folder| self.0.get(folder));
        Provenance::new(match (note, kind) {
            (Some(note), Some(kind)) => Some(format!("{note}: {kind}").into()),
            (Some(note), None) => Some(Arc::clone(note)),
            (None, kind) => kind.map(Arc::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_note_holds_and_the_kind_stands_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("deals/old")).unwrap();
        std::fs::write(at("source.txt"), "from\n afar\n").unwrap();
        std::fs::write(at("deals/SOURCE.TXT"), "typed by hand").unwrap();
        let mut notes = SourceNotes::default();
        for name in ["source.txt", "deals/SOURCE.TXT"] {
            assert!(SourceNotes::is_note(&at(name)));
            notes.read(&at(name)).unwrap();
        }
        let of = |name: &str, kind| notes.provenance(&at(name), kind).words().map(str::to_owned);
        assert_eq!(of("bc.csv", Some("actions")).as_deref(), Some("from afar: actions"));
        assert_eq!(of("deals/old/bulk.csv", Some("deals")).as_deref(), Some("typed by hand: deals"));
        assert_eq!(of("pledges.csv", None).as_deref(), Some("from afar"));
        let nothing = SourceNotes::default();
        assert_eq!(nothing.provenance(&at("bc.csv"), Some("actions")).words(), Some("actions"));
        assert_eq!(nothing.provenance(&at("pledges.csv"), None).words(), None);
    }

    #[test]
    fn what_says_nothing_or_too_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source.txt");
        for text in [" \n".to_owned(), "a".repeat(301)] {
            std::fs::write(&path, text).unwrap();
            assert!(SourceNotes::default().read(&path).unwrap_err().to_string().contains("1 to 300"));
        }
        assert!(!SourceNotes::is_note(Path::new("a/sources.txt")));
    }
}
